// SPDX-License-Identifier: Apache-2.0
// The open loop: packets come whether the network takes them or not. A host hands a packet to its
// NIC when the one before has begun; what it has created meanwhile is a backlog, which is drawn
// when somebody counts, so that an overloaded network costs what it carries.
#include "base/fifo.hpp"
#include "sim/workload/gaps.hpp"
#include "sim/workload/packet_source.hpp"

namespace weft::sim {
namespace {

class OpenLoop : public Workload {
 public:
  OpenLoop(Demand demand, Chance packets, Meter& meter)
      : source_(std::move(demand), meter.flits_of().size()),
        gaps_(packets),
        meter_(meter),
        next_(meter.flits_of().size(), 0),
        backlogs_(meter.flits_of().size()) {}

  void start(Network& network) override {
    for (HostId host : network.fabric().hosts()) {
      next_[host] = network.now() + gaps_(source_.rng(host));
      network.wake(host, next_[host]);
    }
  }
  bool ends() const override { return source_.ends(); }
  bool offers_load() const override { return true; }
  bool answers() const override { return false; }
  std::uint64_t kept() const override { return kept_; }

  void timer(Network& network, HostId host) override { timers(network, {&host, 1}); }
  void timers(Network& network, std::span<const HostId> hosts) override {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      // What many hosts need lies far apart.
      if (i + 8 < hosts.size()) {
        __builtin_prefetch(&source_.rng(hosts[i + 8]));
        network.prefetch(hosts[i + 8]);
      }
      const HostId host = hosts[i];
      const CreatedPacket packet = has_kept(host) ? take_kept(host) : create(host);
      if (!packet.to.valid()) continue;
      network.send(host, packet.to, packet.flits, packet.urgent != 0, packet.created);
      network.wake_when_idle(host, has_kept(host) ? backlogs_[host].front().created : next_[host]);
    }
  }
  void delivered(Network& network, const Packet& packet, HostId, unsigned hops) override {
    meter_.delivered(packet, network.now(), hops);
  }
  void lost(Network& network, const Packet& packet, HostId, Loss why) override {
    meter_.lost(packet, network.now(), why);
  }
  void stopped(Network& network) override {
    const Cycle now = network.now();
    for (HostId host : backlogs_.ids())
      while (next_[host] < now) keep_next(host);
  }

 private:
  struct CreatedPacket : DrawnPacket {
    Cycle created;
  };
  CreatedPacket create(HostId host) {
    const CreatedPacket packet{source_.next(host), next_[host]};
    if (!packet.to.valid()) {
      next_[host] = never;
      return packet;
    }
    meter_.sent(host, packet.flits);
    next_[host] = packet.created + 1 + gaps_(source_.rng(host));
    return packet;
  }
  void keep_next(HostId host) {
    const CreatedPacket packet = create(host);
    if (!packet.to.valid()) return;
    backlogs_[host].push(packet);
    ++kept_;
  }
  bool has_kept(HostId host) const { return kept_ != 0 && !backlogs_[host].empty(); }
  CreatedPacket take_kept(HostId host) {
    --kept_;
    return backlogs_[host].pop();
  }

  PacketSource source_;
  Gaps gaps_;
  Meter& meter_;
  IdVector<HostId, Cycle> next_;  ///< when it creates the next packet that was not drawn yet
  IdVector<HostId, Fifo<CreatedPacket>> backlogs_;
  std::uint64_t kept_ = 0;  ///< packets in all backlogs
};

}  // namespace

std::unique_ptr<Workload> open_loop(Demand demand, Chance load, Meter& meter) {
  const Chance packets = demand.lengths.packets_at(load);
  if (packets.parts() == 0) throw Error("a load of {} is too little", load.value());
  return std::make_unique<OpenLoop>(std::move(demand), packets, meter);
}

}  // namespace weft::sim
