// SPDX-License-Identifier: Apache-2.0
// Switches and hosts as users call them: by name, or as InfiniBand does by GUID or LID.
#pragma once
#include <optional>
#include <string_view>

#include "fabric/fabric.hpp"

namespace weft {

/// By its name, its GUID ("0x0002c90300a1b2c3") or its LID ("lid 12", "lid 0xc").
std::optional<SwitchId> find_switch_called(const Fabric& fabric, std::string_view text);
/// The same; a GUID is that of a port, or of a NIC with one port.
std::optional<HostId> find_host_called(const Fabric& fabric, std::string_view text);

/// The same, or throws Error saying which there are and which may be meant.
SwitchId switch_called(const Fabric& fabric, std::string_view text);
HostId host_called(const Fabric& fabric, std::string_view text);

}  // namespace weft
