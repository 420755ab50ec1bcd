// SPDX-License-Identifier: Apache-2.0
// Backlogs: the flits of each source that the network has neither delivered nor lost. Two snapshots
// show whether every source keeps up with the load that it offers; Measurement calls this.
#pragma once
#include <cstdint>

#include "base/chance.hpp"
#include "sim/measure/meter.hpp"

namespace weft::sim {

/// The backlogs of all sources at one time.
struct BacklogSnapshot {
  IdVector<HostId, std::uint64_t> flits{};  ///< by source
  std::uint64_t squares = 0;                ///< of the lengths of all packets sent so far, summed

  BacklogSnapshot() = default;
  explicit BacklogSnapshot(const Meter& meter);
};

/// What the packets of sources are like.
struct SourceVariation {
  std::uint32_t longest = 1;     ///< flits that come at once
  std::uint64_t dispersion = 1;  ///< the variance, as against a Bernoulli process
  /// Of every source in the load of all; null or empty: all send alike.
  const IdVector<HostId, std::uint64_t>* shares = nullptr;
};

/// The source whose backlog grew most between two snapshots, and how much chance explains.
///
/// A source that is served at its load or faster whenever it has a backlog falls behind by no more
/// than its packets exceeded their mean since any one moment: by the maximum of a martingale, which
/// runs backwards in time, with jumps of m flits at most and the variance V, the sum of the squared
/// lengths. So (Freedman, 1975, "On tail probabilities for martingales"; in the form of Tropp,
/// 2011, "Freedman's inequality for matrix martingales", theorem 1.1)
///   P(growth >= x) <= exp(-x^2 / (2 (V + x m / 3))).
/// Where sources send in bursts, V is larger by their dispersion, and a burst is the longest jump
/// (an approximation: the lengths of bursts have no bound). Where loads differ, the V of a source
/// is its share, and the one that grew most is the one that chance explains least.
class BacklogGrowth {
 public:
  BacklogGrowth(const BacklogSnapshot& from, const BacklogSnapshot& to,
                const SourceVariation& sources);

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
  Wide variation(std::uint64_t growth, std::uint64_t share) const;
  void find_worst(const BacklogSnapshot& from, const BacklogSnapshot& to,
                  const IdVector<HostId, std::uint64_t>& shares);

  HostId worst_{};
  std::uint64_t most_ = 0, hosts_ = 0, squares_ = 0;
  std::uint64_t share_ = 1, all_shares_ = 1;  ///< of the worst, and of all together
  std::uint32_t longest_ = 1;
};

}  // namespace weft::sim
