// SPDX-License-Identifier: Apache-2.0
// Switches and hosts as users call them: by name, or as InfiniBand does by GUID or LID.
#pragma once
#include <optional>
#include <string_view>

#include "fabric/fabric.hpp"

namespace weft {

/// By its name, its GUID ("0x0002c90300a1b2c3"), its LID ("lid 12", "lid 0xc"), or the beginning of
/// its name where only one begins so: "leaf03" for "leaf03 MF0;ib-sw03:SX6036/U1".
std::optional<SwitchId> find_switch_called(const Fabric& fabric, std::string_view text);
/// The same; a GUID is that of a port, or of a NIC with one port, and a LID any of its LMC.
std::optional<HostId> find_host_called(const Fabric& fabric, std::string_view text);
/// How far above the first LID of a host the LID is that it is called by; 0 for any other name.
unsigned further_lid_called(const Fabric& fabric, HostId host, std::string_view text);

/// The same, or throws Error saying which there are and which may be meant.
SwitchId switch_called(const Fabric& fabric, std::string_view text);
HostId host_called(const Fabric& fabric, std::string_view text);

// Lists of names: a name with commas may stand in quotes.

/// The place of the first comma from `begin` on that is not in quotes, or the end.
std::size_t open_comma(std::string_view text, std::size_t begin = 0);
/// What stands between the quotes, if the text has them.
std::string_view unquoted(std::string_view text);

}  // namespace weft
