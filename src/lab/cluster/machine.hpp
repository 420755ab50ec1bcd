// SPDX-License-Identifier: Apache-2.0
// A machine: a network with its switches, hosts and the library over them, from the words of a user
// and a cluster file.
#pragma once
#include <string>

#include "comm/library.hpp"
#include "lab/cluster/network.hpp"
#include "sim/hosts/nic_model.hpp"
#include "sim/switch_model.hpp"

namespace weft {

/// A machine in the user's words; an empty part is the cluster's, or its default.
struct MachineSpec {
  std::string cluster{};  ///< a cluster file or the name of one; empty: topology and engine say all
  std::string topology{};  ///< path or spec; otherwise the cluster's first
  std::string engine{};    ///< routing engine, or file of tables; otherwise the cluster's first
  std::string switches{};  ///< sim/switch_model.hpp
  std::string nic{};       ///< sim/nics/nic.hpp
  std::string library{};   ///< comm/library.hpp
};

/// A spec with every empty part filled in, and the cluster that it was filled from.
struct FilledMachine {
  MachineSpec spec{};
  Cluster cluster{};
};
/// Throws Error when neither a cluster nor topology and routing engine are named.
FilledMachine fill(MachineSpec spec);

/// The same typed; nothing is built yet.
struct MachineRequest {
  NetworkSpec network{};
  int lanes = most_lanes;  ///< that the switches have
  sim::SwitchModel switches{};
  sim::NicModel nic{};
  comm::Library library{};
};
/// Throws Error for a part that is wrong.
MachineRequest request_of(const FilledMachine& filled);

/// A machine on which programs run. Copies share the network.
struct Machine {
  SharedNetwork network{};
  sim::SwitchModel switches{};
  sim::NicModel nic{};
  comm::Library library{};  ///< over the NIC, for tagged messages

  const Fabric& fabric() const { return network->fabric(); }
  const Tables& tables() const { return network->tables(); }
};
/// Throws Error when there is no such network, or when it needs more lanes than the switches have.
Machine resolve(const MachineRequest& request, Networks& networks);

/// The machine of specs, without a cluster.
Machine make_machine(const MachineSpec& spec);

}  // namespace weft
