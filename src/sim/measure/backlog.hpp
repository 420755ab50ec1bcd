// SPDX-License-Identifier: Apache-2.0
// Backlogs: the flits of each source that the network has neither delivered nor lost. Two snapshots
// show whether every source keeps up with the load that it offers; Measurement calls this.
#pragma once
#include <cstdint>

#include "sim/measure/meter.hpp"

namespace weft::sim {

/// The backlogs of all sources at one time.
struct BacklogSnapshot {
  IdVector<HostId, std::uint64_t> flits{};  ///< by source
  std::uint64_t squares = 0;                ///< of the lengths of all packets sent so far, summed

  BacklogSnapshot() = default;
  explicit BacklogSnapshot(const Meter& meter);
};

/// The source whose backlog grew most between two snapshots, and how much chance explains.
///
/// A source that is served at its load or faster whenever it has a backlog falls behind by no more
/// than its packets exceeded their mean since any one moment: by the maximum of a martingale, which
/// runs backwards in time, with jumps of m flits at most and the variance V, the sum of the squared
/// lengths. So (Freedman, 1975, "On tail probabilities for martingales"; in the form of Tropp,
/// 2011, "Freedman's inequality for matrix martingales", theorem 1.1)
///   P(growth >= x) <= exp(-x^2 / (2 (V + x m / 3))).
class BacklogGrowth {
 public:
  BacklogGrowth(const BacklogSnapshot& from, const BacklogSnapshot& to, std::uint32_t longest);

  HostId worst() const { return worst_; }        ///< the first of equals
  std::uint64_t flits() const { return most_; }  ///< of the worst; 0 where no backlog grew

  /// Whether a source falls behind by more than chance explains. Of runs in which all sources are
  /// served at their load, with looks numbered 1, 2, 3 ..., fewer than 1 in 128 ever return true:
  /// the union bound over sources and looks is 2^-7 (1/2 + 1/4 + ...).
  bool falls_behind(unsigned look) const { return beyond_chance(1, look); }
  /// Whether a source has grown by a quarter of that, so that only a longer run can tell.
  bool in_doubt(unsigned look) const { return beyond_chance(4, look); }

 private:
  bool beyond_chance(unsigned times, unsigned look) const;

  HostId worst_{};
  std::uint64_t most_ = 0, hosts_ = 0, squares_ = 0;
  std::uint32_t longest_ = 1;
};

}  // namespace weft::sim
