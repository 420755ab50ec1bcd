// SPDX-License-Identifier: Apache-2.0
// Random simulated networks: fabrics with certified tables, switches with any features, and
// traffic.
#pragma once
#include <cstdint>
#include <string>

#include "support/recorder.hpp"

namespace weft::test {

/// What a random network may have.
struct Allowed {
  bool speeds = false;   ///< links of different speed
  bool groups = false;   ///< multicast
  bool faults = false;   ///< failing links and switches, bit errors
  bool special = false;  ///< stop/go, whole packets on a link, priorities
};

struct RandomNetwork {
  Fabric fabric;
  Tables tables;
  std::string switches;  ///< spec of the model
  sim::NetworkOptions options{};
  Script script{};

  std::string describe() const;
};

/// The network of a seed, always the same. Its tables (groups included) have a certificate of
/// deadlock freedom.
RandomNetwork random_network(std::uint64_t seed, Allowed allowed);

/// The same, with packets that hold their links: they can be handled as a whole, unless the links
/// of hosts are very long.
RandomNetwork random_whole_packets(std::uint64_t seed);

/// Makes holes in destination tables, which then lose packets; false where there are none.
bool make_holes(RandomNetwork& network, std::uint64_t seed);

/// Adds a group with any ports, which need not be a tree, nor lead to its members only, and sends
/// to it; some have a root. Copies may come back, and may deadlock.
void add_group_that_is_no_tree(RandomNetwork& network, std::uint64_t seed);

/// Tables of an engine that promises freedom from deadlock and serves the fabric.
Tables certified_tables(const Fabric& fabric, std::uint64_t seed);

struct Ran {
  sim::NetworkEnd ended{};
  std::uint64_t hash = 0;
  sim::Totals totals{};
  std::string wrong{};  ///< a deadlock's explanation, or what was miscounted
};
/// Runs a network to its end, at once or in steps of some cycles.
Ran run_to_end(const RandomNetwork& network, bool check, sim::Cycle step = sim::never);

/// Where and when a script ends in a deadlock, as it must.
struct FoundDeadlock {
  std::string explanation{};
  sim::Cycle at = 0;
};
FoundDeadlock run_to_deadlock(sim::Network& network, const Script& script);

}  // namespace weft::test
