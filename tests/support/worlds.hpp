// SPDX-License-Identifier: Apache-2.0
// Simulated worlds for tests, and a barrier to run in them.
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "comm/endpoint.hpp"
#include "comm/task.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "run/simulated/world.hpp"
#include "sim/nics/nic.hpp"

namespace weft::test {

/// A network with hosts, made of specs.
struct Machine {
  Fabric fabric;
  Tables tables;
  sim::SwitchModel switches;
  sim::NicModel nic;

  explicit Machine(const std::string& topology, const std::string& engine = "updown",
                   const std::string& nic_spec = "hca:mtu=256B",
                   const std::string& switch_spec = "iq:buffer=64")
      : fabric(make_fabric(topology)),
        tables(std::get<Tables>(route(fabric, engine))),
        switches(sim::model_from(switch_spec)),
        nic(sim::nic_from(nic_spec)) {}

  run::WorldResult run(const run::Program& program, const run::WorldOptions& options = {}) const {
    return run::World(fabric, tables, switches, nic, options).run(program);
  }
  /// The same, and every rank is expected to end.
  run::WorldResult finish(const run::Program& program,
                          const run::WorldOptions& options = {}) const {
    run::WorldResult outcome = run(program, options);
    EXPECT_EQ(outcome.ended, run::WorldEnd::finished) << outcome.explanation;
    return outcome;
  }
};

/// Dissemination (Hensgen, Finkel and Manber, 1988): in round k each rank sends to the rank 2^k
/// ahead.
inline comm::Task dissemination(comm::Endpoint& ep, comm::Tag tag) {
  std::uint64_t token = 1, received = 0;
  for (int distance = 1; distance < ep.size(); distance *= 2) {
    comm::Op sent = ep.send((ep.rank() + distance) % ep.size(), tag, comm::bytes_of(token));
    co_await ep.recv((ep.rank() + ep.size() - distance) % ep.size(), tag,
                     comm::writable_bytes_of(received));
    co_await sent;
  }
}

}  // namespace weft::test
