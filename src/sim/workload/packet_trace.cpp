// SPDX-License-Identifier: Apache-2.0
// Follows packets from link to link, and passes everything on to the workload.
#include "sim/workload/packet_trace.hpp"

#include <algorithm>

namespace weft::sim {
namespace {

class TracedWorkload : public Workload {
 public:
  TracedWorkload(std::unique_ptr<Workload> workload, const Meter& meter, PacketTrace trace)
      : workload_(std::move(workload)), meter_(meter), trace_(std::move(trace)) {}

  void start(Network& network) override { workload_->start(network); }
  bool ends() const override { return workload_->ends(); }
  bool offers_load() const override { return workload_->offers_load(); }
  IdVector<HostId, Chance> loads() const override { return workload_->loads(); }
  Burstiness burstiness() const override { return workload_->burstiness(); }
  std::uint64_t kept() const override { return workload_->kept(); }
  AnswerScope answers() const override { return workload_->answers(); }
  void stopped(Network& network) override { workload_->stopped(network); }
  void timer(Network& network, HostId host) override { workload_->timer(network, host); }
  void timers(Network& network, std::span<const HostId> hosts) override {
    workload_->timers(network, hosts);
  }

  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override {
    end(network, packet, at, hops, std::nullopt);
    workload_->delivered(network, packet, at, hops);
  }
  void lost(Network& network, const Packet& packet, HostId at, Loss why) override {
    end(network, packet, at, 0, why);
    workload_->lost(network, packet, at, why);
  }
  void flit_departed(Network& network, const Packet& packet, const FlitDeparture& link) override {
    PacketOnItsWay& on = on_its_way(packet);
    const bool leaves_nic = link.host.valid() && !link.to_host;
    if (leaves_nic && link.flit == 0) on = {++count_, 0, true, {}};
    if (link.channel.valid() && link.flit == 0) on.links.push_back(link.channel);
    if (trace_.flit && measured(packet)) trace_.flit(network, {on.number, link});
  }

 private:
  struct PacketOnItsWay {
    std::uint64_t number = 0;  ///< 0: not injected yet
    std::size_t reported = 0;  ///< copies of a multicast packet
    bool injected = false;
    std::vector<ChannelId> links{};  ///< that its head has taken
  };

  PacketOnItsWay& on_its_way(const Packet& packet) {
    if (packet.id >= packets_.size()) packets_.resize(packet.id + 1);
    return packets_[packet.id];
  }
  bool measured(const Packet& packet) const {
    if (packet.kind == acknowledgment) return false;
    return meter_.sample().has(packet.kind == reply ? packet.tag : packet.created);
  }

  void end(Network& network, const Packet& packet, HostId at, unsigned hops,
           std::optional<Loss> lost) {
    PacketOnItsWay& on = on_its_way(packet);
    if (on.number == 0) on.number = ++count_;
    const bool group = packet.group != no_group;
    const std::size_t copies = group ? receivers(network, packet) : 1;
    if (trace_.packet && measured(packet)) {
      const auto route = group ? branch(network, on.links, at) : on.links;
      const auto passed = static_cast<unsigned>(route.size()) + (on.injected ? 1 : 0);
      trace_.packet(network,
                    {on.number, packet, on.injected, at, lost ? passed : hops, lost, route});
    }
    if (++on.reported == copies) on = {};
  }

  static std::size_t receivers(const Network& network, const Packet& packet) {
    const auto& members = network.tables().groups[packet.group].members;
    const bool member = std::find(members.begin(), members.end(), packet.from) != members.end();
    return members.size() - (member ? 1 : 0);
  }
  /// The links of a multicast tree that lead to a member, as far as the packet has taken them.
  static std::vector<ChannelId> branch(const Network& network, const std::vector<ChannelId>& tree,
                                       HostId member) {
    const Fabric& fabric = network.fabric();
    std::vector<ChannelId> out;
    SwitchId at = fabric[member].on;
    for (auto link = tree.rbegin(); link != tree.rend(); ++link) {
      if (fabric.to(*link) != at) continue;
      out.push_back(*link);
      at = fabric.from(*link);
    }
    std::reverse(out.begin(), out.end());
    return out;
  }

  std::unique_ptr<Workload> workload_;
  const Meter& meter_;
  PacketTrace trace_;
  std::vector<PacketOnItsWay> packets_;  ///< by Packet::id
  std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<Workload> traced(std::unique_ptr<Workload> workload, const Meter& meter,
                                 PacketTrace trace) {
  return std::make_unique<TracedWorkload>(std::move(workload), meter, std::move(trace));
}

}  // namespace weft::sim
