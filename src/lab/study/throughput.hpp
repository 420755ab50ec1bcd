// SPDX-License-Identifier: Apache-2.0
// What tables carry: short simulations, of hosts that offer all that their links take, and of those
// that offer less, up to what is carried steadily.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "lab/cluster/network.hpp"
#include "lab/progress.hpp"

namespace weft {

/// Of the packets that are sent, in flits.
inline constexpr int throughput_packet = 8;

struct ThroughputPlan {
  /// Patterns, as weft sim --traffic takes them; none: no runs.
  std::vector<std::string> traffic{};
  std::uint64_t seed = 1;
};

/// Of one pattern, in flits per host and cycle.
struct Throughput {
  double saturation = 0;       ///< the highest load that was carried steadily
  double accepted = 0;         ///< when hosts offer all that their links take
  double most = 0;             ///< that was accepted at any load
  bool deadlocked = false;     ///< at full load; the numbers are 0 then
  std::string not_measured{};  ///< why there is none; then the rest is empty

  bool measured() const { return not_measured.empty(); }
  /// Congestion keeps packets from getting through that could at a lower load.
  bool collapses() const { return measured() && !deadlocked && accepted < 0.9 * most; }
  friend bool operator==(const Throughput&, const Throughput&) = default;
};

/// Throws Error for a pattern or switches (sim/switch_model.hpp) that do not exist, or a pattern
/// for which hosts do not offer a load.
void require_throughput(const ThroughputPlan& plan, const std::string& switches);

/// One for each pattern. Where tables deadlock at full load, no load is called steady.
std::vector<Throughput> throughputs(const SharedNetwork& network, const ThroughputPlan& plan,
                                    const std::string& switches,
                                    const ShareProgress& progress = {});

}  // namespace weft
