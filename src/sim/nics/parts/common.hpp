// SPDX-License-Identifier: Apache-2.0
// What several NIC models have, read from parameters that bear the same names.
#pragma once
#include <cstddef>
#include <string_view>

#include "sim/nics/nic.hpp"

namespace weft::sim {

inline std::size_t at(Move move) { return static_cast<std::size_t>(move); }
Bytes bytes_of(const Params& params, std::string_view name);
/// mtu, header; acknowledgments are headers.
void set_packets(NicModel& model, const Params& params);
/// retries, retry_after, poll, copy, expose, store.
void set_host(NicModel& model, const Params& params);

}  // namespace weft::sim
