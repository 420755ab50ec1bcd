// SPDX-License-Identifier: Apache-2.0
// The events of packets that are alone between the links of hosts.
#include "sim/contention_free/contention_free.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/processor_counters.hpp"

namespace weft::sim {
namespace {

/// Throws Error where that needs flits.
void require_possible(const Tables& tables, const SwitchModel& model,
                      const NetworkOptions& options) {
  const auto* choices = std::get_if<ChoiceTables>(&tables.paths);
  if (choices != nullptr && choices->have_detours())
    throw Error(
        "{}: the tables ({}) send packets to intermediate destinations; that needs contention=yes",
        model.spec, tables.engine);
  const char* what = options.faults.any()      ? "failures and bit errors"
                     : options.circuits        ? "circuits, which this NIC opens,"
                     : options.flit_departures ? "flits that are traced"
                                               : nullptr;
  if (what != nullptr)
    throw Error("{}: {} need contention=yes: without it, packets are not moved flit by flit",
                model.spec, what);
}

}  // namespace

ContentionFree::ContentionFree(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
                               const NetworkOptions& options)
    : fabric_(fabric),
      tables_(tables),
      departures_(options.departures),
      paths_(fabric, tables, model),
      timers_(fabric.host_count()) {
  require_possible(tables, model, options);
  for (const HostId host : fabric.hosts()) {
    from_hosts_.push_back({.interval = paths_.timing().from_host(host).interval});
    to_hosts_.push_back({.interval = paths_.timing().to_host(host).interval});
  }
}

RouteId ContentionFree::add_route(HostId, HostId, std::span<const PortNumber>) {
  invariant(false, "routes of packets need contention");
  return no_route_id;
}
PortNumber ContentionFree::add_links(const std::vector<PortNumber>&) {
  invariant(false, "routes of packets need contention");
  return no_port;
}
void ContentionFree::close(std::uint32_t) { invariant(false, "circuits need contention"); }

void ContentionFree::send(const Packet& packet) {
  Packet made = packet;
  made.created = now_;
  inject(made);
}
void ContentionFree::send(HostId from, HostId to, std::uint32_t flits, bool urgent, Cycle created) {
  inject({.from = from, .to = to, .flits = flits, .urgent = urgent, .created = created});
}

void ContentionFree::inject(Packet packet) {
  HostLink& link = from_hosts_[packet.from];
  packet.injected = link.last_begin = std::max(now_, link.free_at);
  link.book(packet.injected, packet.flits);
  totals_.flits_injected += packet.flits;
  if (link.last_begin > now_) {
    ++totals_.waiting;
    set(link.last_begin, EventKind::begins, 0);
  }
  if (packet.group == no_group) {
    const LonePath& path = paths_.take(packet.from, packet.to, packet.flits);
    totals_.flit_hops += std::uint64_t{path.hops} * packet.flits;
    launch(packet, path);
  } else {
    const GroupPaths& paths = paths_.take_group(packet.group, packet.from, packet.flits);
    totals_.flit_hops += paths.copies * packet.flits;
    for (const LonePath& path : paths.members) launch(packet, path);
  }
  if (departures_) set(link.free_at, EventKind::departs, packets_.insert({.packet = packet}));
}

/// To one host.
void ContentionFree::launch(const Packet& packet, const LonePath& path) {
  ++totals_.sent;
  const std::uint32_t slot =
      packets_.insert({.packet = packet, .at = path.to, .why = path.broken, .hops = path.hops});
  packets_[slot].packet.id = slot;
  set(packet.injected + path.cycles(packet.flits),
      path.broken ? EventKind::ends : EventKind::arrives, slot);
}

void ContentionFree::set(Cycle at, EventKind what, std::uint32_t slot) {
  events_.push(static_cast<std::int64_t>(now_),
               {static_cast<std::int64_t>(at), set_++, what, slot});
}

Cycle ContentionFree::next_event() {
  const Cycle timer = timers_.next(now_);
  if (set_ == happened_) return timer;
  return std::min(timer, static_cast<Cycle>(events_.next()));
}

NetworkEnd ContentionFree::run(Network& network, Driver& driver, Cycle until) {
  const double seconds = processor_seconds();
  const Cycle begin = now_;
  const std::uint64_t hops = totals_.flit_hops;
  const NetworkEnd out = run_cycles(network, driver, until);
  use_.cycles += now_ - begin;
  use_.flit_hops += totals_.flit_hops - hops;
  use_.seconds += processor_seconds() - seconds;
  driver.stopped(network);
  return out;
}

NetworkEnd ContentionFree::run_cycles(Network& network, Driver& driver, Cycle until) {
  for (; now_ < until; ++now_) {
    const Cycle next = next_event();
    if (next == never) return NetworkEnd::quiet;
    now_ = next;
    if (next >= until) break;
    fired_.clear();
    timers_.take(now_, fired_);
    if (!fired_.empty()) driver.timers(network, fired_);
    while (const NetworkEvent* event = events_.pop(static_cast<std::int64_t>(now_))) {
      ++happened_;
      handle(network, driver, *event);
    }
  }
  now_ = std::min(now_, until);
  return NetworkEnd::in_time;
}

void ContentionFree::handle(Network& network, Driver& driver, NetworkEvent event) {
  switch (event.what) {
    case EventKind::begins:
      --totals_.waiting;
      return;
    case EventKind::departs:
      driver.departed(network, packets_.extract(event.slot).packet);
      return;
    case EventKind::arrives:
      if (waits_for_link(event.slot)) return;
      break;
    case EventKind::ends:
      if (!packets_[event.slot].why) --totals_.waiting;
      break;
  }
  const PacketInside ended = packets_.extract(event.slot);
  if (ended.why) {
    ++totals_.lost;
    driver.lost(network, ended.packet, ended.at, *ended.why);
  } else {
    ++totals_.delivered;
    driver.delivered(network, ended.packet, ended.at, ended.hops);
  }
}

/// Whether another packet has the link of its host; then it ends after that.
bool ContentionFree::waits_for_link(std::uint32_t slot) {
  const PacketInside& inside = packets_[slot];
  HostLink& link = to_hosts_[inside.at];
  const Cycle own = cycles_for(inside.packet.flits, link.interval);
  link.book(std::max(now_ - std::min(now_, own), link.free_at), inside.packet.flits);
  if (link.free_at <= now_) return false;
  ++totals_.waiting;
  set(link.free_at, EventKind::ends, slot);
  return true;
}

std::vector<LaneUse> ContentionFree::lane_use() {
  std::vector<LaneUse> out = paths_.lane_use();
  for (const HostId host : fabric_.hosts()) {
    out.push_back({.host = host, .flits = from_hosts_[host].carried(now_)});
    out.push_back({.host = host, .to_host = true, .flits = to_hosts_[host].carried(now_)});
  }
  return out;
}

}  // namespace weft::sim
