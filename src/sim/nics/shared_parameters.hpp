// SPDX-License-Identifier: Apache-2.0
// Parameters that several NIC models share under the same names.
#pragma once
#include <cstddef>
#include <vector>

#include "sim/nics/nic.hpp"

namespace weft::sim {

inline std::size_t at(Move move) { return static_cast<std::size_t>(move); }

inline constexpr Whole clock_rate{1, 100'000, "MHz"};
inline constexpr Whole cycle_count{0, 1'000'000};
inline constexpr Whole one_or_more{1, 1'000'000};
inline constexpr Whole few_retries{0, 1000};
inline constexpr BytesText packet_data{.least = Bytes{1},
                                       .below = "a packet carries a byte or more"};

/// mtu, header; acknowledgments are headers.
void set_packets(NicModel& model, const Params& params);
/// retries, retry_after, poll, copy, expose, store.
void set_host(NicModel& model, const Params& params);

// NICs of today: their messages are copied by the library.
/// Their own parameters, and those of their hosts: eager, copy, expose, store, retries,
/// retry_after.
std::vector<Param> with_host_of_today(std::vector<Param> own);
/// The same values; `post` and `deliver`: the processor's work for a message within a host.
void set_host_of_today(NicModel& model, const Params& params, Duration post, Duration deliver);

}  // namespace weft::sim
