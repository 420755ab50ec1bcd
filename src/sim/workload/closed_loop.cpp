// SPDX-License-Identifier: Apache-2.0
// The closed loop: a window of packets that wait for their acknowledgments.
#include "sim/workload/packet_source.hpp"

namespace weft::sim {
namespace {

class ClosedLoop : public Workload {
 public:
  ClosedLoop(Demand demand, Window window, Meter& meter)
      : source_(std::move(demand), meter.flits_of().size()),
        free_(meter.flits_of().size(), window.size),
        ack_(window.ack),
        answer_(window.reply ? reply : acknowledgment),
        meter_(meter) {}

  void start(Network& network) override {
    for (HostId host : network.fabric().hosts()) network.wake(host, network.now());
  }
  bool ends() const override { return source_.ends(); }

  void timer(Network& network, HostId host) override {
    for (; free_[host] > 0; --free_[host])
      if (!send_next(network, host)) return;
  }
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override {
    meter_.delivered(packet, network.now(), hops);
    if (packet.kind != data) {
      acknowledged(network, at);
    } else if (ack_ == 0) {
      acknowledged(network, packet.from);
    } else {
      Packet ack = answer_to(packet, at, ack_, answer_);
      if (answer_ == reply) meter_.answered(packet);
      network.send(ack);
    }
  }
  void lost(Network& network, const Packet& packet, HostId, Loss why) override {
    meter_.lost(packet, network.now(), why);
    const HostId sender = packet.kind != data ? packet.to : packet.from;
    ++free_[sender];
    network.wake(sender, network.now() + 1);
  }

 private:
  bool send_next(Network& network, HostId host) {
    const DrawnPacket packet = source_.next(host);
    if (!packet.to.valid()) return false;
    meter_.sent(host, packet.flits);
    network.send(host, packet.to, packet.flits, packet.urgent != 0, network.now());
    return true;
  }
  void acknowledged(Network& network, HostId sender) {
    if (!send_next(network, sender)) ++free_[sender];
  }

  PacketSource source_;
  IdVector<HostId, std::uint32_t> free_;  ///< places in the window
  std::uint32_t ack_, answer_;            ///< its length and kind
  Meter& meter_;
};

}  // namespace

std::unique_ptr<Workload> closed_loop(Demand demand, Window window, Meter& meter) {
  return std::make_unique<ClosedLoop>(std::move(demand), window, meter);
}

}  // namespace weft::sim
