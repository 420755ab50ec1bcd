// SPDX-License-Identifier: Apache-2.0
// Replay of a trace.
#include <algorithm>

#include "sim/workload/parted_workload.hpp"

namespace weft::sim {
namespace {

class Replay : public PartedWorkload<Replay> {
 public:
  Replay(Trace trace, std::uint32_t packet, Meter& meter)
      : PartedWorkload(meter),
        messages_(std::move(trace)),
        next_(meter.flits_of().size()),
        packet_(packet) {
    std::stable_sort(messages_.begin(), messages_.end(),
                     [](const TraceMessage& a, const TraceMessage& b) {
                       return a.from != b.from ? a.from < b.from : a.at < b.at;
                     });
    std::size_t at = 0;
    for (HostId host : next_.ids()) {
      next_[host] = at;
      while (at < messages_.size() && messages_[at].from == host) ++at;
    }
  }

  void start(Network& network) override {
    started_ = network.now();
    for (HostId host : next_.ids()) set_timer(network, host);
  }
  bool ends() const override { return true; }

  AnswerScope answers() const override { return AnswerScope::never; }
  std::vector<Driver*> in_parts(std::size_t parts) override {
    count_packets();
    return PartedWorkload::in_parts(parts);
  }
  std::uint64_t most_packets(std::uint64_t, Cycle begin, Cycle end) const override {
    return packets_before(end) - (begin == started_ ? 0 : packets_before(begin));
  }

 private:
  friend class PartedWorkload<Replay>;
  void act(Network& network, std::span<const HostId> hosts, Meter& meter) {
    for (const HostId host : hosts) send_due(network, host, meter);
  }
  void answer(Network&, const Packet&, HostId, Meter&) {}
  void go_on_without(Network&, const Packet&) {}

  void count_packets() {
    if (!packets_.empty()) return;
    for (const TraceMessage& message : messages_)
      packets_.emplace_back(message.at, (message.flits + packet_ - 1) / packet_);
    std::sort(packets_.begin(), packets_.end());
    std::uint64_t all = 0;
    for (auto& [at, count] : packets_) count = all += count;
  }
  std::uint64_t packets_before(Cycle at) const {
    const auto later =
        std::lower_bound(packets_.begin(), packets_.end(), std::pair{at, std::uint64_t{0}});
    return later == packets_.begin() ? 0 : std::prev(later)->second;
  }
  void send_due(Network& network, HostId host, Meter& meter) {
    std::size_t& next = next_[host];
    for (; has_more(host) && messages_[next].at <= network.now(); ++next)
      send(network, messages_[next], meter);
    set_timer(network, host);
  }
  bool has_more(HostId host) const {
    return next_[host] < messages_.size() && messages_[next_[host]].from == host;
  }
  void set_timer(Network& network, HostId host) {
    if (has_more(host)) network.wake(host, std::max(network.now(), messages_[next_[host]].at));
  }
  void send(Network& network, const TraceMessage& message, Meter& meter) {
    for (std::uint64_t left = message.flits; left > 0;) {
      Packet packet;
      packet.from = message.from;
      packet.to = message.to;
      packet.group = message.group;
      packet.flits = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, packet_));
      packet.tag = next_[message.from];
      for (std::uint32_t i = 0; i < message.receivers; ++i) meter.sent(packet.from, packet.flits);
      network.send(packet);
      left -= packet.flits;
    }
  }

  Trace messages_;
  IdVector<HostId, std::size_t> next_;  ///< by host: the place of its next message
  std::uint32_t packet_;
  Cycle started_ = 0;
  /// The cycle of every message, in order, and the packets of all up to it: where there are parts.
  std::vector<std::pair<Cycle, std::uint64_t>> packets_;
};

}  // namespace

std::unique_ptr<Workload> replay(Trace trace, std::uint32_t packet, Meter& meter) {
  return std::make_unique<Replay>(std::move(trace), packet, meter);
}

}  // namespace weft::sim
