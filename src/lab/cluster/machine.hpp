// SPDX-License-Identifier: Apache-2.0
// A machine: a network with its switches, hosts and the library over them, made from what the user
// writes and a cluster file.
#pragma once
#include <string>

#include "comm/library.hpp"
#include "lab/cluster/network.hpp"
#include "sim/hosts/nic_model.hpp"
#include "sim/switch_model.hpp"

namespace weft {

/// A machine as the user writes it; an empty part is the cluster's, or its default.
struct MachineSpec {
  std::string cluster{};   ///< cluster file or its name; empty: topology and engine are given
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

/// The same spec parsed into types; nothing is built yet.
struct MachineRequest {
  NetworkSpec network{};
  sim::SwitchModel switches{};
  sim::NicModel nic{};
  comm::Library library{};
  bool of_a_paper = false;  ///< its numbers are a paper's
};
/// Parses every part. Throws Error for one that is wrong.
MachineRequest request_of(const FilledMachine& filled);

/// A machine on which programs run. Copies share the network.
struct Machine {
  SharedNetwork network{};
  sim::SwitchModel switches{};
  sim::NicModel nic{};
  comm::Library library{};  ///< over the NIC, for tagged messages
  bool of_a_paper = false;  ///< its numbers are a paper's

  const Fabric& fabric() const { return network->fabric(); }
  const Tables& tables() const { return network->tables(); }
};
/// Throws Error when there is no such network.
Machine resolve(const MachineRequest& request, Networks& networks);

/// The machine of a spec, which shares its network with no other.
Machine make_machine(const MachineSpec& spec);

}  // namespace weft
