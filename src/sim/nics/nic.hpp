// SPDX-License-Identifier: Apache-2.0
// NICs: functions from parameters to a NicModel. One file per NIC, one row per file.
#pragma once
#include <span>
#include <string_view>

#include "base/catalog.hpp"
#include "base/params.hpp"
#include "sim/hosts/host_model.hpp"

namespace weft::sim {

using NicRow = Row<NicModel(const Params&)>;
std::span<const NicRow> nics();
/// The model of a spec such as "hca:bus=16GB/s". Throws Error.
NicModel nic_from(std::string_view spec);

}  // namespace weft::sim
