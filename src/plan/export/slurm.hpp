// SPDX-License-Identifier: Apache-2.0
// A fabric as Slurm's scheduler sees it: a tree of switches with nodes on its leaves (the plugin
// topology/tree), as topology.conf or topology.yaml.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft {

/// A switch of Slurm's tree has nodes or switches below it.
struct SlurmSwitch {
  std::string name;
  std::vector<std::string> nodes{}, children{};
};

struct SlurmTopology {
  std::vector<SlurmSwitch> switches{};  ///< children before parents
  std::vector<std::string> notes{};     ///< what the user should know, a line each
};

/// Fat trees become leaf, pod and one core, as Slurm takes no switch with two parents; dragonflies
/// switch, group and root; in all others only hosts of one switch are near each other. Names are
/// cut and changed to what Slurm takes, and the ports of one node appear once.
SlurmTopology slurm_topology(const Fabric& fabric);

/// "n[0-3,12],login": numbers at the end of names joined to ranges, leading zeros kept.
std::string host_list(const std::vector<std::string>& names);

void write_topology_conf(std::ostream& out, const SlurmTopology& topology);
void write_topology_yaml(std::ostream& out, const SlurmTopology& topology);

}  // namespace weft
