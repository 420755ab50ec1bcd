// SPDX-License-Identifier: Apache-2.0
// The simulated study of the InfiniBand mesh paper: some hosts send one packet each to a group, by
// multicast or to one member after the other.
#pragma once
#include <array>
#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/params.hpp"
#include "fabric/tables.hpp"
#include "lab/cluster/cluster.hpp"
#include "papers/runner/burst.hpp"
#include "papers/runner/experiments.hpp"
#include "papers/runner/run_results.hpp"

namespace weft::papers::ibamesh {

/// The lanes of a link between switches: how many, and whether a port's packets all travel on one
/// of them. Links of hosts have as many, and packets take any: tied lanes are not a single one.
struct LaneSetting {
  std::string_view name;  ///< as in figure 6
  int lanes;
  bool tied;
  std::string_view about;
};
inline constexpr std::array<LaneSetting, 5> lane_settings{{
    {"a", 1, false, "one lane"},
    {"b", 2, false, "two lanes, any idle one"},
    {"c", 2, true, "two lanes tied to ports: north and east 0, south and west 1"},
    {"d", 4, false, "four lanes, any idle one"},
    {"e", 4, true, "four lanes tied to ports: east 0, north 1, west 2, south 3"},
}};

/// XY routes with the lanes of a setting, and its switches.
Tables tables_for(const Fabric& fabric, const LaneSetting& setting);
std::string switches_for(const Cluster& cluster, const LaneSetting& setting, std::size_t buffer);

enum class Scheme { unicast, multicast };
std::string to_text(Scheme scheme);

struct TrafficCase {
  int sources = 0;  ///< percent of the hosts; 0: a single one
  int group = 100;  ///< percent of the hosts
  friend auto operator<=>(const TrafficCase&, const TrafficCase&) = default;
};
inline constexpr TrafficCase one_source{0, 100}, multi_source{40, 40}, all_source{100, 100};
/// The figures show small and large sizes apart without saying which are which: here the larger
/// half is large.
inline constexpr std::int64_t largest_small = 256;
/// "1 source, group of 100 %".
std::string to_text(const TrafficCase& what);

struct MulticastRun {
  TrafficCase what;
  std::int64_t size = 0;    ///< bytes
  std::size_t setting = 0;  ///< index into lane_settings
  Scheme scheme = Scheme::unicast;
  friend auto operator<=>(const MulticastRun&, const MulticastRun&) = default;
};

/// A time that no scheme can beat: the most packets that one link has to carry.
struct Bound {
  std::uint64_t packets = 0;
  std::string where;  ///< "the source's own link"
};

/// What clusters may declare in their section [paper], with defaults.
std::vector<Param> study_params();

class IbameshStudy {
 public:
  using Run = MulticastRun;
  /// Throws Error for a cluster that lacks what the study needs.
  explicit IbameshStudy(const Lab& lab) : IbameshStudy(lab, find_cluster(lab.cluster)) {}
  IbameshStudy(const Lab& lab, Cluster cluster);

  const Cluster& cluster() const { return cluster_; }

  const std::vector<std::int64_t>& sizes() const { return sizes_; }
  std::int64_t smallest() const { return sizes_.front(); }
  std::int64_t largest() const { return sizes_.back(); }
  std::uint64_t seed() const { return seed_; }
  const Fabric& fabric() const { return fabric_; }
  /// Every size, setting and scheme of a case.
  std::vector<MulticastRun> runs(const TrafficCase& what) const;

  void prepare(const std::vector<MulticastRun>& runs);
  const BurstResult& at(const MulticastRun& run) const { return results_.at(run); }
  Declared declared() const;
  double microseconds(const MulticastRun& run) const;
  /// How much longer unicast takes than multicast.
  double speed_up(MulticastRun run) const;
  Bound bound(const TrafficCase& what, Scheme scheme) const;
  std::string spec(const MulticastRun& run) const;

 private:
  std::vector<HostId> sources(const TrafficCase& what) const;
  std::vector<HostId> members(const TrafficCase& what) const;
  std::vector<HostId> destinations(HostId from, const TrafficCase& what) const;
  std::vector<BurstPacket> packets(const MulticastRun& run) const;
  const Tables& tables(const MulticastRun& run) const;
  std::uint64_t work(const MulticastRun& run) const;

  const Lab& lab_;
  Cluster cluster_;
  Params params_;
  std::uint64_t seed_;
  std::size_t buffer_;  ///< packets
  Fabric fabric_;
  std::vector<std::int64_t> sizes_;
  std::vector<HostId> source_order_, member_order_;
  /// By the case that their groups are of, and the lane setting.
  mutable std::map<std::pair<std::optional<TrafficCase>, std::size_t>,
                   std::unique_ptr<const Tables>>
      tables_;
  RunResults<MulticastRun, BurstResult> results_;
};

using IbameshContext = ExperimentContext<IbameshStudy>;

}  // namespace weft::papers::ibamesh
