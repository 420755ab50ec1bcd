// SPDX-License-Identifier: Apache-2.0
// Several seeds: the same simulation again and again, and one row for all of them with means and
// 95 % confidence intervals (Student's t) over seeds.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/simulate/sweep.hpp"

namespace weft {

/// "10". Throws Error.
std::uint64_t seeds_from(const std::string& text);

/// The request with its own seed and those after it. Throws Error beyond the largest seed.
std::vector<SimulationRequest> with_seeds(const SimulationRequest& request, std::uint64_t seeds);

/// One row for every `seeds` rows, which differ in their seeds alone; the rows as they are for one
/// seed. Rates, latencies and uses of links are means over seeds, cycles and packets are sums;
/// extremes (the slowest packet, the source that got least) are those of all seeds. The outcome is
/// the worst. The half width of the latency is that of the mean over seeds; a seed in which no
/// packet was measured has no latency.
std::vector<SweepRow> over_seeds(std::vector<SweepRow> rows, std::uint64_t seeds);

}  // namespace weft
