// SPDX-License-Identifier: Apache-2.0
// What tables carry: short simulations of hosts that offer all that their links take.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/cluster/network.hpp"

namespace weft {

struct ThroughputPlan {
  /// Patterns, as weft sim --traffic takes them; none: no runs.
  std::vector<std::string> traffic{};
  std::uint64_t seed = 1;
};

/// Of one pattern.
struct Throughput {
  double accepted = 0;      ///< flits per host and cycle
  bool deadlocked = false;  ///< then nothing was accepted in the end
  friend bool operator==(const Throughput&, const Throughput&) = default;
};

/// Throws Error for a pattern or switches (sim/switch_model.hpp) that do not exist, or a pattern
/// for which hosts do not offer a load.
void require_throughput(const ThroughputPlan& plan, const std::string& switches);

/// One for each pattern; none where it does not fit the fabric, or the tables use more lanes than
/// the switches have.
std::vector<std::optional<Throughput>> throughputs(const SharedNetwork& network,
                                                   const ThroughputPlan& plan,
                                                   const std::string& switches);

}  // namespace weft
