// SPDX-License-Identifier: Apache-2.0
// Simulating a burst.
#include "papers/runner/burst.hpp"

#include "lab/cluster/waiting.hpp"
#include "sim/network.hpp"

namespace weft::papers {
namespace {

class LastArrival : public sim::Driver {
 public:
  void timer(sim::Network&, HostId) override {}
  void delivered(sim::Network& network, const sim::Packet&, HostId, unsigned) override {
    last = network.now();
    ++deliveries;
  }
  void lost(sim::Network&, const sim::Packet&, HostId, sim::Loss why) override {
    throw Error("a packet of a burst is lost: {}", sim::to_text(why));
  }
  sim::Cycle last = 0;
  std::uint64_t deliveries = 0;
};

}  // namespace

BurstResult run_burst(const Burst& burst) {
  const sim::SwitchModel model = settled(burst.switches, burst.fabric, burst.tables);
  const auto flits =
      static_cast<std::uint32_t>((burst.size.count + model.flit.count - 1) / model.flit.count);
  sim::Network network(burst.fabric, burst.tables, model, {.longest_packet = flits});
  for (const BurstPacket& packet : burst.packets)
    network.send({.from = packet.from, .to = packet.to, .group = packet.group, .flits = flits});
  LastArrival driver;
  const sim::NetworkEnd ended = network.run(driver, sim::never);
  BurstResult out;
  out.packet = network.cycle() * flits;
  out.time = network.cycle() * static_cast<std::int64_t>(driver.last);
  out.deliveries = driver.deliveries;
  out.flit_hops = network.totals().flit_hops;
  if (ended == sim::NetworkEnd::deadlocked) out.deadlock = network.explanation();
  for (const sim::LaneUse& use : network.lane_use())
    if (use.channel.valid() && use.flits > 0)
      out.lanes.push_back({use.channel, use.lane, use.flits});
  return out;
}

}  // namespace weft::papers
