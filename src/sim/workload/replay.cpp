// SPDX-License-Identifier: Apache-2.0
// Replay of a trace.
#include <algorithm>

#include "sim/workload/workload.hpp"

namespace weft::sim {
namespace {

class Replay : public Workload {
 public:
  Replay(Trace trace, std::uint32_t packet, Meter& meter)
      : messages_(std::move(trace)),
        next_(meter.flits_of().size()),
        packet_(packet),
        meter_(meter) {
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
    for (HostId host : next_.ids()) set_timer(network, host);
  }
  bool ends() const override { return true; }

  void timer(Network& network, HostId host) override {
    std::size_t& next = next_[host];
    for (; has_more(host) && messages_[next].at <= network.now(); ++next)
      send(network, messages_[next]);
    set_timer(network, host);
  }
  void delivered(Network& network, const Packet& packet, HostId, unsigned hops) override {
    meter_.delivered(packet, network.now(), hops);
  }
  void lost(Network& network, const Packet& packet, HostId, Loss why) override {
    meter_.lost(packet, network.now(), why);
  }

 private:
  bool has_more(HostId host) const {
    return next_[host] < messages_.size() && messages_[next_[host]].from == host;
  }
  void set_timer(Network& network, HostId host) {
    if (has_more(host)) network.wake(host, std::max(network.now(), messages_[next_[host]].at));
  }
  void send(Network& network, const TraceMessage& message) {
    for (std::uint64_t left = message.flits; left > 0;) {
      Packet packet;
      packet.from = message.from;
      packet.to = message.to;
      packet.group = message.group;
      packet.flits = static_cast<std::uint32_t>(std::min<std::uint64_t>(left, packet_));
      packet.tag = next_[message.from];
      for (std::uint32_t i = 0; i < message.receivers; ++i) meter_.sent(packet.from, packet.flits);
      network.send(packet);
      left -= packet.flits;
    }
  }

  Trace messages_;
  IdVector<HostId, std::size_t> next_;  ///< by host: the place of its next message
  std::uint32_t packet_;
  Meter& meter_;
};

}  // namespace

std::unique_ptr<Workload> replay(Trace trace, std::uint32_t packet, Meter& meter) {
  return std::make_unique<Replay>(std::move(trace), packet, meter);
}

}  // namespace weft::sim
