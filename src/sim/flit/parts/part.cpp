// SPDX-License-Identifier: Apache-2.0
// What a part takes over from the whole network, and gives back; its window.
#include "sim/flit/parts/part.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace weft::sim {

/// The network as a driver of a part sees it: with the part's clock, and its hosts.
class NetworkPart::Facade final : public NetworkCore {
 public:
  Facade(NetworkPart& part, const Network& whole) : part_(part), whole_(whole) {}

  const Cycle& clock() const override { return part_.units.now; }
  void send(const Packet& packet) override { inject(part_.injection_.make_packet(packet)); }
  void send(HostId from, HostId to, std::uint32_t flits, bool urgent, Cycle created) override {
    inject(part_.injection_.make_packet(from, to, flits, urgent, created));
  }
  void wake(HostId host, Cycle at) override { part_.timers_.set(index_of(host), at); }
  void prefetch(HostId host) const override { part_.injection_.prefetch(index_of(host)); }
  void wake_when_idle(HostId host, Cycle at) override {
    part_.injection_.wake_when_idle(index_of(host), at);
  }
  Duration cycle() const override { return whole_.cycle(); }
  const Fabric& fabric() const override { return whole_.fabric(); }
  const Tables& tables() const override { return whole_.tables(); }

  // What is asked of the whole network only.
  NetworkEnd run(Network&, Driver&, Cycle) override { return refuse<NetworkEnd>(); }
  RouteId add_route(HostId, HostId, std::span<const PortNumber>) override {
    return refuse<RouteId>();
  }
  PortNumber add_links(const std::vector<PortNumber>&) override { return refuse<PortNumber>(); }
  void close(std::uint32_t) override { refuse<void>(); }
  void release_buffer(HostId) override { refuse<void>(); }
  bool deadlocked() override { return refuse<bool>(); }
  const std::string& explanation() const override { return refuse<const std::string&>(); }
  const Totals& totals() const override { return refuse<const Totals&>(); }
  std::vector<LaneUse> lane_use() override { return refuse<std::vector<LaneUse>>(); }
  std::vector<PathUse> paths_used() const override { return refuse<std::vector<PathUse>>(); }

 private:
  static Index index_of(HostId host) { return static_cast<Index>(host.index()); }
  template <class Result>
  [[noreturn]] static Result refuse() {
    invariant(false, "a driver asks a part of a network for what the whole has");
    std::abort();
  }
  void inject(Packet& packet) {
    if (!part_.pipeline_->inject_at_once(packet)) part_.injection_.queue(packet);
  }

  NetworkPart& part_;
  const Network& whole_;
};

NetworkPart::NetworkPart(const WholeNetwork& whole, std::vector<Index> blocks,
                         std::vector<Index> hosts)
    : units(whole.units),
      whole_(whole),
      blocks_(std::move(blocks)),
      hosts_(std::move(hosts)),
      timers_(units.layout.fabric.host_count()),
      reports_(units),
      branches_(units),
      choices_(whole.choices, units),
      injection_(whole.injection, units, reports_, timers_),
      failures_(units, whole.routing, branches_, choices_, injection_, reports_),
      foreign_blocks_(whole.units.own_blocks) {
  units.share(whole.units);
  for (const Index block : blocks_) {
    units.own_blocks[block / 64] |= bit_at(block % 64);
    foreign_blocks_[block / 64] &= ~bit_at(block % 64);
  }
  pipeline_ = make_pipeline(
      {units, whole.routing, branches_, choices_, whole.phases, injection_, failures_, reports_});
}

void NetworkPart::enter(Network& network, Driver& driver) {
  Units& from = whole_.units;
  units.share(from);
  units.totals = {};
  network_ = std::make_unique<Network>(std::make_unique<Facade>(*this, network));
  reports_.attach(*network_, driver);
  for (const Index host : hosts_) {
    whole_.timers.move(host, timers_);
    if (from.active.contains(host)) units.active.insert(host);
  }
  sent_from_ = sent_until_ = units.now;
  given_back_ = 0;
}

void NetworkPart::leave() {
  forget();
  Units& to = whole_.units;
  for (const Index host : hosts_) {
    timers_.move(host, whole_.timers);
    if (units.active.contains(host)) to.active.insert(host);
  }
  units.active = WorkSet(units.layout.fabric.host_count());
  to.totals += units.totals;
  for (const PacketEnds& packets : units.ends) {
    if (packets.at <= units.now) continue;
    PacketEnds& all = to.ends_at(packets.at);
    all.in_switches += packets.in_switches;
    all.in_nics += packets.in_nics;
  }
  std::fill(units.ends.begin(), units.ends.end(), PacketEnds{});
  units.packets.give_back(~std::size_t{0});
}

/// Where more packets end than begin, records would pile up.
void NetworkPart::give_back_records() {
  const Totals& totals = units.totals;
  const std::uint64_t ended = totals.delivered + totals.lost - given_back_;
  const std::uint64_t enough = 16 * PacketPool::at_once;
  if (ended < totals.sent + 2 * enough) return;
  units.packets.give_back(enough);
  given_back_ += enough;
}

void NetworkPart::join(const std::vector<std::unique_ptr<NetworkPart>>& all) {
  const auto with = [&](auto line) {
    std::vector<const std::remove_reference_t<decltype(units.*line)>*> others;
    for (const auto& part : all)
      if (part.get() != this) others.push_back(&(part->units.*line));
    (units.*line).join(std::move(others), units.layout.blocks);
  };
  with(&Units::heads);
  with(&Units::bodies);
  with(&Units::credits);
  with(&Units::packet_credits);
}

/// Others have taken what was due for them in the last window.
void NetworkPart::forget() {
  for (std::size_t word = 0; word < foreign_blocks_.size(); ++word)
    for (Cycle at = sent_from_; at < sent_until_; ++at) {
      const std::uint64_t foreign = foreign_blocks_[word];
      units.heads.forget(at, word, foreign);
      if (units.whole_packets) {
        units.packet_credits.forget(at, word, foreign);
        continue;
      }
      units.bodies.forget(at, word, foreign);
      units.credits.forget(at, word, foreign);
    }
  sent_from_ = sent_until_;
}

void NetworkPart::step(Cycle end) {
  const Cycle begin = units.now;
  forget();
  sent_from_ = begin;
  sent_until_ = end;
  for (; units.now < end; ++units.now) {
    fired_.clear();
    timers_.take(units.now, fired_);
    if (!fired_.empty()) reports_.timers(fired_);
    pipeline_->eject();
    pipeline_->inject();
  }
  units.now = begin;
  pipeline_->run_switches(end);
  give_back_records();
}

bool NetworkPart::is_busy() const {
  if (!units.active.empty()) return true;
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [this](Index block) { return units.has_requests(block); });
}

Cycle NetworkPart::next_event() {
  forget();
  return std::min(units.next_event(), timers_.next(units.now));
}

}  // namespace weft::sim
