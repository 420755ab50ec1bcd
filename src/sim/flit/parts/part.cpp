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
    if (part_.words || !part_.pipeline_->inject_at_once(packet)) part_.injection_.queue(packet);
  }

  NetworkPart& part_;
  const Network& whole_;
};

NetworkPart::NetworkPart(const WholeNetwork& whole, std::vector<Index> blocks,
                         std::vector<Index> hosts, BitSliced* words_of_all)
    : units(whole.units),
      branches(whole.branches, units),
      reports(units),
      whole_(whole),
      blocks_(std::move(blocks)),
      hosts_(std::move(hosts)),
      timers_(units.layout.fabric.host_count()),
      choices_(whole.choices, units),
      injection_(whole.injection, units, reports, timers_),
      failures_(units, whole.routing, branches, choices_, injection_, reports),
      foreign_blocks_(whole.units.own_blocks) {
  units.share(whole.units);
  for (const Index block : blocks_) {
    units.own_blocks[block / 64] |= bit_at(block % 64);
    foreign_blocks_[block / 64] &= ~bit_at(block % 64);
  }
  const PipelineUnits own{units,        whole.routing, branches,  choices_,
                          whole.phases, injection_,    failures_, reports};
  pipeline_ = make_pipeline(own);
  if (words_of_all == nullptr) return;
  std::vector<Index> switches;
  for (Index s = 0; s < units.layout.switches.size(); ++s)
    if ((units.own_blocks[units.layout.block_of(s) / 64] >> units.layout.block_of(s) % 64 & 1) != 0)
      switches.push_back(s);
  words = words_of_all->make_part(own, switches);
}

void NetworkPart::begin(Cycle now, bool has_hosts) {
  units.share(whole_.units);
  units.totals = {};
  sent_from_ = sent_until_ = now;
  const Index nics = units.layout.blocks;
  std::uint64_t& word = foreign_blocks_[nics / 64];
  word = has_hosts ? word & ~bit_at(nics % 64) : word | bit_at(nics % 64);
}

void NetworkPart::enter(Network& network, Driver& driver) {
  begin(whole_.units.now, true);
  network_ = std::make_unique<Network>(std::make_unique<Facade>(*this, network));
  reports.attach(*network_, driver);
  reports.hold_back(false);
  units.packets.own_statuses();
  for (const Index host : hosts_) {
    whole_.timers.move(host, timers_);
    if (whole_.units.active.contains(host)) units.active.insert(host);
  }
  given_back_ = 0;
  words_are_busy_ = true;
}

void NetworkPart::enter_switches() {
  begin(whole_.units.now, false);
  reports.hold_back(true);
}

void NetworkPart::leave() {
  Units& to = whole_.units;
  for (const Index host : hosts_) {
    timers_.move(host, whole_.timers);
    if (units.active.contains(host)) to.active.insert(host);
  }
  units.active = WorkSet(units.layout.fabric.host_count());
  leave_switches();
  units.packets.give_back(~std::size_t{0});
}

void NetworkPart::leave_switches() {
  forget();
  Units& to = whole_.units;
  to.totals += std::exchange(units.totals, {});
  for (const PacketEnds& packets : units.ends) {
    if (packets.at <= units.now) continue;
    PacketEnds& all = to.ends_at(packets.at);
    all.in_switches += packets.in_switches;
    all.in_nics += packets.in_nics;
  }
  std::fill(units.ends.begin(), units.ends.end(), PacketEnds{});
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

/// Others have taken what was due for them in the last window.
void NetworkPart::forget() {
  units.forget(sent_from_, sent_until_, foreign_blocks_);
  sent_from_ = sent_until_;
}

void NetworkPart::step(Cycle end) {
  if (words) {
    step_in_words(end);
    return;
  }
  forget();
  sent_from_ = units.now;
  sent_until_ = end;
  while (units.now < end) step_by_events(std::min(window_end(units.now, units.lookahead), end));
  give_back_records();
}

/// Hosts, and then switches, which they do not hear of before.
void NetworkPart::step_by_events(Cycle end) {
  const Cycle begin = units.now;
  for (; units.now < end; ++units.now) {
    step_hosts();
    pipeline_->inject();
  }
  units.now = begin;
  pipeline_->run_switches(end);
}

void NetworkPart::step_hosts() {
  fired_.clear();
  timers_.take(units.now, fired_);
  if (!fired_.empty()) reports.timers(fired_);
  pipeline_->eject();
}

void NetworkPart::step_in_words(Cycle end) {
  words->begin_window(end);
  for (; units.now < end; ++units.now) {
    step_hosts();
    words->receive();
    words_are_busy_ = words->step();
  }
  give_back_records();
}

void NetworkPart::run_switches(Cycle begin, Cycle end) {
  forget();
  sent_from_ = units.now = begin;
  sent_until_ = end;
  pipeline_->run_switches(end);
}

bool NetworkPart::is_busy() const {
  if (words) return words_are_busy_;
  if (!units.active.empty()) return true;
  return std::any_of(blocks_.begin(), blocks_.end(),
                     [this](Index block) { return units.has_requests(block); });
}

Cycle NetworkPart::next_event() {
  forget();
  return std::min(units.next_event(), timers_.next(units.now));
}

}  // namespace weft::sim
