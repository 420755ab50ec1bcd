// SPDX-License-Identifier: Apache-2.0
// The open loop: packets come whether the network takes them or not.
#include "sim/workload/gaps.hpp"
#include "sim/workload/packet_source.hpp"

namespace weft::sim {
namespace {

class OpenLoop : public Workload {
 public:
  OpenLoop(Demand demand, Chance packets, Meter& meter)
      : source_(std::move(demand), meter.flits_of().size()), gaps_(packets), meter_(meter) {}

  void start(Network& network) override {
    for (HostId host : network.fabric().hosts())
      network.wake(host, network.now() + gaps_(source_.rng(host)));
  }
  bool ends() const override { return source_.ends(); }
  bool offers_load() const override { return true; }

  void timer(Network& network, HostId host) override { timers(network, {&host, 1}); }
  void timers(Network& network, std::span<const HostId> hosts) override {
    const Cycle next = network.now() + 1;
    Packet packet;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      // The random numbers of many hosts lie far apart.
      if (i + 8 < hosts.size()) __builtin_prefetch(&source_.rng(hosts[i + 8]));
      const HostId host = hosts[i];
      source_.become_next(host, packet);
      if (!packet.to.valid()) continue;
      meter_.sent(packet);
      network.send(packet);
      network.wake(host, next + gaps_(source_.rng(host)));
    }
  }
  void delivered(Network& network, const Packet& packet, HostId, unsigned hops) override {
    meter_.delivered(packet, network.now(), hops);
  }
  void lost(Network& network, const Packet& packet, HostId, Loss why) override {
    meter_.lost(packet, network.now(), why);
  }

 private:
  PacketSource source_;
  Gaps gaps_;
  Meter& meter_;
};

}  // namespace

std::unique_ptr<Workload> open_loop(Demand demand, Chance load, Meter& meter) {
  const Chance packets = demand.lengths.packets_at(load);
  if (packets.parts() == 0) throw Error("a load of {} is too little", load.value());
  return std::make_unique<OpenLoop>(std::move(demand), packets, meter);
}

}  // namespace weft::sim
