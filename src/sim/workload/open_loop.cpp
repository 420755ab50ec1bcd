// SPDX-License-Identifier: Apache-2.0
// The open loop: packets come whether the network takes them or not. A host hands a packet to its
// NIC when the one before has begun; what it has created meanwhile is a backlog, which is drawn
// when somebody counts, so that an overloaded network costs what it carries.
#include <algorithm>

#include "base/fifo.hpp"
#include "sim/workload/arrivals.hpp"
#include "sim/workload/packet_source.hpp"
#include "sim/workload/parted_workload.hpp"

namespace weft::sim {
namespace {

template <class Arrivals, bool replies = false>
class OpenLoop : public PartedWorkload<OpenLoop<Arrivals, replies>> {
  using Base = PartedWorkload<OpenLoop>;

 public:
  OpenLoop(Demand demand, Arrivals arrivals, const OfferedLoad& load, Meter& meter)
      : Base(meter),
        source_(std::move(demand), meter.flits_of().size()),
        arrivals_(std::move(arrivals)),
        loads_(load.by_host),
        reply_flits_(load.reply),
        next_(meter.flits_of().size(), 0),
        backlogs_(meter.flits_of().size()) {}

  void start(Network& network) override {
    for (HostId host : network.fabric().hosts()) {
      next_[host] = arrivals_.from(host, network.now(), source_.rng(host));
      network.wake(host, next_[host]);
    }
  }
  bool ends() const override { return source_.ends(); }
  bool offers_load() const override { return true; }
  IdVector<HostId, Chance> loads() const override { return loads_; }
  Burstiness burstiness() const override { return arrivals_.burstiness(); }
  AnswerScope answers() const override { return how_it_answers; }
  std::uint64_t kept() const override {
    std::uint64_t out = 0;
    for (const auto& backlog : backlogs_) out += backlog.size();
    return out;
  }

  std::uint64_t most_packets(std::uint64_t hosts, Cycle begin, Cycle end) const override {
    return hosts * (end - begin) * (replies ? 2 : 1);
  }
  void stopped(Network& network) override {
    Base::stopped(network);
    has_backlogs_ = kept() > 0;
    const Cycle now = network.now();
    for (HostId host : backlogs_.ids())
      while (next_[host] < now) keep_next(host);
  }

 private:
  friend Base;
  static constexpr AnswerScope how_it_answers = replies ? AnswerScope::at_host : AnswerScope::never;
  struct CreatedPacket : DrawnPacket {
    Cycle created;
  };
  /// Destinations reply as soon as they have a packet; both take their turns in NICs.
  void answer([[maybe_unused]] Network& network, [[maybe_unused]] const Packet& packet,
              [[maybe_unused]] HostId at, [[maybe_unused]] Meter& meter) {
    if constexpr (replies) {
      if (packet.kind == reply) return;
      meter.answered(packet);
      const Packet answer = answer_to(packet, at, reply_flits_, reply);
      network.send(answer);
    }
  }
  void go_on_without(Network&, const Packet&) {}
  void act(Network& network, std::span<const HostId> hosts, Meter& meter) {
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      // What many hosts need lies far apart.
      if (i + 8 < hosts.size()) {
        __builtin_prefetch(&source_.rng(hosts[i + 8]));
        network.prefetch(hosts[i + 8]);
      }
      const HostId host = hosts[i];
      const CreatedPacket packet = has_kept(host) ? backlogs_[host].pop() : create(host, meter);
      if (!packet.to.valid()) continue;
      network.send(host, packet.to, packet.flits, packet.urgent != 0, packet.created);
      const Cycle next = has_kept(host) ? backlogs_[host].front().created : next_[host];
      // Replies go into the queue of the NIC, too, which then is never idle in an overloaded
      // network: requests take their places in it as they come.
      if constexpr (replies)
        network.wake(host, std::max(next, network.now()));
      else
        network.wake_when_idle(host, next);
    }
  }
  CreatedPacket create(HostId host, Meter& meter) {
    const CreatedPacket packet{source_.next(host), next_[host]};
    if (!packet.to.valid()) {
      next_[host] = never;
      return packet;
    }
    meter.sent(host, packet.flits);
    next_[host] = arrivals_.from(host, packet.created + 1, source_.rng(host));
    return packet;
  }
  void keep_next(HostId host) {
    const CreatedPacket packet = create(host, this->meter_);
    if (!packet.to.valid()) return;
    backlogs_[host].push(packet);
    has_backlogs_ = true;
  }
  bool has_kept(HostId host) const { return has_backlogs_ && !backlogs_[host].empty(); }

  PacketSource source_;
  Arrivals arrivals_;
  IdVector<HostId, Chance> loads_;
  std::uint32_t reply_flits_;
  IdVector<HostId, Cycle> next_;  ///< when it creates the next packet that was not drawn yet
  IdVector<HostId, Fifo<CreatedPacket>> backlogs_;
  bool has_backlogs_ = false;  ///< any, when the network stopped last
};

template <class Arrivals>
std::unique_ptr<Workload> loop_with(Demand demand, Arrivals arrivals, const OfferedLoad& load,
                                    Meter& meter) {
  if (load.reply == 0)
    return std::make_unique<OpenLoop<Arrivals>>(std::move(demand), std::move(arrivals), load,
                                                meter);
  return std::make_unique<OpenLoop<Arrivals, true>>(std::move(demand), std::move(arrivals), load,
                                                    meter);
}

class LimitedPattern : public Pattern {
 public:
  LimitedPattern(std::unique_ptr<Pattern> pattern, std::size_t hosts, std::uint64_t packets)
      : pattern_(std::move(pattern)), left_(hosts, packets) {}
  HostId next(HostId from, Rng& rng) override {
    if (left_[from] == 0) return HostId::none();
    --left_[from];
    return pattern_->next(from, rng);
  }
  bool ends() const override { return true; }

 private:
  std::unique_ptr<Pattern> pattern_;
  IdVector<HostId, std::uint64_t> left_;
};

}  // namespace

std::unique_ptr<Workload> open_loop(Demand demand, const OfferedLoad& load, Meter& meter) {
  const std::size_t hosts = meter.flits_of().size();
  const Lengths lengths = demand.lengths;
  const Chance packets = lengths.packets_at(load.load);
  if (packets.parts() == 0) throw Error("a load of {} is too little", load.load.value());
  const bool alike = load.by_host.empty();
  if (load.bursts) {
    const auto loads = alike ? IdVector<HostId, Chance>(hosts, load.load) : load.by_host;
    return loop_with(std::move(demand), OnOffArrivals(lengths, loads, *load.bursts), load, meter);
  }
  if (alike) return loop_with(std::move(demand), BernoulliArrivals(packets), load, meter);
  return loop_with(std::move(demand), WeightedArrivals(lengths, load.by_host), load, meter);
}

std::unique_ptr<Workload> batch(Demand demand, std::uint32_t reply, Meter& meter) {
  invariant(demand.pattern->ends(), "a batch has an end");
  OfferedLoad load{Chance(Chance::one)};
  load.reply = reply;
  return loop_with(std::move(demand), BatchArrivals(), load, meter);
}

std::unique_ptr<Pattern> limited(std::unique_ptr<Pattern> pattern, std::size_t hosts,
                                 std::uint64_t packets) {
  return std::make_unique<LimitedPattern>(std::move(pattern), hosts, packets);
}

}  // namespace weft::sim
