// SPDX-License-Identifier: Apache-2.0
// The closed loop: a window of packets that wait for their acknowledgments.
#include "sim/workload/packet_source.hpp"
#include "sim/workload/parted_workload.hpp"

namespace weft::sim {
namespace {

class ClosedLoop : public PartedWorkload<ClosedLoop> {
 public:
  ClosedLoop(Demand demand, Window window, Meter& meter)
      : PartedWorkload(meter),
        source_(std::move(demand), meter.flits_of().size()),
        free_(meter.flits_of().size(), window.size),
        size_(window.size),
        ack_(window.ack),
        answer_(window.reply ? reply : acknowledgment) {}

  void start(Network& network) override {
    started_ = network.now();
    for (HostId host : network.fabric().hosts()) network.wake(host, network.now());
  }
  bool ends() const override { return source_.ends(); }

  AnswerScope answers() const override {
    return ack_ == 0 ? AnswerScope::anywhere : AnswerScope::at_host;
  }
  /// For each that has come, and whole windows at first.
  std::uint64_t most_packets(std::uint64_t hosts, Cycle begin, Cycle end) const override {
    return hosts * (end - begin + (begin == started_ ? size_ : 0));
  }

 private:
  friend class PartedWorkload<ClosedLoop>;
  void act(Network& network, std::span<const HostId> hosts, Meter& meter) {
    for (const HostId host : hosts) fill_window(network, host, meter);
  }
  void go_on_without(Network& network, const Packet& packet) {
    const HostId sender = packet.kind != data ? packet.to : packet.from;
    ++free_[sender];
    network.wake(sender, network.now() + 1);
  }
  void fill_window(Network& network, HostId host, Meter& meter) {
    for (; free_[host] > 0; --free_[host])
      if (!send_next(network, host, meter)) return;
  }
  void answer(Network& network, const Packet& packet, HostId at, Meter& meter) {
    if (packet.kind != data) {
      acknowledged(network, at, meter);
    } else if (ack_ == 0) {
      acknowledged(network, packet.from, meter);
    } else {
      Packet ack = answer_to(packet, at, ack_, answer_);
      if (answer_ == reply) meter.answered(packet);
      network.send(ack);
    }
  }
  bool send_next(Network& network, HostId host, Meter& meter) {
    const DrawnPacket packet = source_.next(host);
    if (!packet.to.valid()) return false;
    meter.sent(host, packet.flits);
    network.send(host, packet.to, packet.flits, packet.urgent != 0, network.now());
    return true;
  }
  void acknowledged(Network& network, HostId sender, Meter& meter) {
    if (!send_next(network, sender, meter)) ++free_[sender];
  }

  PacketSource source_;
  IdVector<HostId, std::uint32_t> free_;  ///< places in the window
  std::uint32_t size_;                    ///< of every window
  std::uint32_t ack_, answer_;            ///< its length and kind
  Cycle started_ = 0;
};

}  // namespace

std::unique_ptr<Workload> closed_loop(Demand demand, Window window, Meter& meter) {
  return std::make_unique<ClosedLoop>(std::move(demand), window, meter);
}

}  // namespace weft::sim
