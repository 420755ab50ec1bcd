// SPDX-License-Identifier: Apache-2.0
// A cluster file from what an engineer knows: data sheets, and two measurements of a ping-pong.
#pragma once
#include <optional>
#include <string>

#include "base/units.hpp"

namespace weft {

/// Texts that are empty were not given: the file then has an assumption.
struct ClusterDesign {
  std::string name{"my cluster"};
  std::string topology{};          ///< path or spec
  std::string written_topology{};  ///< the same as the file names it, if otherwise
  std::string engine{};            ///< otherwise one that suits the topology
  std::string speed{};             ///< of every link
  std::string cable{};             ///< between switches
  std::string host_cable{};
  std::string switch_latency{};
  std::string nic_latency{};  ///< of one NIC with its bus
  int lanes = 8;
  /// Half round trips between two hosts; without: they follow from the rest.
  std::optional<Duration> small{};  ///< of 8 B
  std::optional<Duration> large{};  ///< of 4 MiB
  bool farthest = false;            ///< measured between the farthest hosts, not the nearest
};

/// "1.623 us".
std::string microseconds_text(Duration time);

struct DesignedCluster {
  std::string text{};         ///< of the cluster file
  Duration small{}, large{};  ///< half round trips that it has in simulation
};

/// Throws Error for wrong parts, and for measurements that no NIC can have over such a network.
DesignedCluster design_cluster(const ClusterDesign& design);

}  // namespace weft
