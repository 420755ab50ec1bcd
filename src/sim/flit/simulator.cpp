// SPDX-License-Identifier: Apache-2.0
// The clock: cycle by cycle, with jumps over those in which nothing happens.
#include "sim/flit/simulator.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/processor_counters.hpp"
#include "sim/flit/fold_packets.hpp"
#include "sim/flit/parts/partition.hpp"
#include "sim/flit/routes_end.hpp"
#include "sim/flit/stall_detector.hpp"

namespace weft::sim {
namespace {

constexpr Cycle audit_interval = 97;  ///< cycles between audits, where they are asked for
/// Cycles between choices of the better path; with threads, which all meet for that, ever more.
constexpr Cycle frequent_choices = 256, rare_choices = 2048;

}  // namespace

FlitSimulator::FlitSimulator(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
                             const NetworkOptions& options)
    : layout(fabric, tables, model, options),
      units(layout),
      routing(layout, units.packets),
      reports(units),
      branches(units),
      choices(units, routing),
      phases(units, routing, choices.sets()),
      timers(fabric.host_count()),
      injection(units, routing, reports, timers),
      failures(units, routing, branches, choices, injection, reports),
      can_part_(layout.can_part() && layout.blocks > 1),
      whole_packets_(units.whole_packets),
      next_turn_(options.turn),
      next_look_(layout.options.review),
      chooser_(std::min<Cycle>(can_part_ ? rare_choices : frequent_choices, layout.options.review),
               can_part_ ? 8 : 1) {
  failures.plan();
  failures_from_ = failures.first();
  if (leave_choices(tables)) choices.allow();
  choose_pipeline();
}

void FlitSimulator::choose_pipeline() {
  give_switches();
  const PipelineUnits all{units, routing, branches, choices, phases, injection, failures, reports};
  pipeline_ = make_pipeline(all);
  parts_.reset();  // they have pipelines, too
  parts_in_words_.reset();
  choices_are_new_ = false;
  const bool events_only = layout.options.pace == Pace::events || units.needs_all_features() ||
                           units.needs_link_features();
  if (!events_only) bits_ = make_bit_sliced(all);
}

NetworkEnd FlitSimulator::run(Network& network, Driver& driver, Cycle until) {
  count_begun_packets();
  then_ = {{}, units.now, units.totals.flit_hops, processor_seconds()};
  const NetworkEnd end = run_cycles(network, driver, until);
  give_switches();
  account();
  uncount_begun_packets();
  driver.stopped(network);
  return end;
}

/// Packets that are handled as a whole are counted when they begin to move: their flits that have
/// yet to do so.
Totals FlitSimulator::flits_of_begun_packets() const {
  Totals out;
  for (const PacketEnds& packets : units.ends) {
    if (packets.at <= units.now) continue;
    out.flit_hops += packets.in_switches * (packets.at - units.now);
    out.flits_injected += packets.in_nics * (packets.at - units.now);
  }
  return out;
}

void FlitSimulator::count_begun_packets() {
  const Totals unsent = flits_of_begun_packets();
  units.totals.flit_hops += unsent.flit_hops;
  units.totals.flits_injected += unsent.flits_injected;
}
void FlitSimulator::uncount_begun_packets() {
  const Totals unsent = flits_of_begun_packets();
  units.totals.flit_hops -= unsent.flit_hops;
  units.totals.flits_injected -= unsent.flits_injected;
}

/// Adds what has been done since the last account to the path that has done it.
void FlitSimulator::account() {
  if (bit_sliced())
    account(in_words_, "words of switches");
  else if (parts_ && parts_->have_switches())
    account(in_parts_, "events, on several threads");
  else
    account(units.whole_packets ? as_a_whole_ : by_events_, pipeline_->name());
}

void FlitSimulator::account(PathUse& use, std::string_view name) {
  const PathUse now{{}, units.now, units.totals.flit_hops, processor_seconds()};
  use.name = name;
  use.cycles += now.cycles - then_.cycles;
  use.flit_hops += now.flit_hops - then_.flit_hops;
  use.seconds += now.seconds - then_.seconds;
  then_ = now;
}

std::vector<PathUse> FlitSimulator::paths_used() const {
  std::vector<PathUse> out;
  for (const PathUse& use : {as_a_whole_, by_events_, in_words_, in_parts_, in_parts_of_words_})
    if (use.cycles > 0) out.push_back(use);
  return out;
}

NetworkEnd FlitSimulator::run_cycles(Network& network, Driver& driver, Cycle until) {
  reports.attach(network, driver);
  part(driver);
  const bool ahead =
      !layout.fits_cache && driver.answers() == AnswerScope::never && can_part_hosts();
  lookahead_ = ahead ? units.lookahead : 1;
  several_threads_.begin(units.totals.flit_hops);
  busy_ = has_requests();  // the driver may have released buffers meanwhile
  while (units.now < until) {
    if (bits_ && chooser_.due(units.now)) choose_path();
    if (choices_are_new_) choose_pipeline();
    if (units.now >= next_unfolding())
      unfold();
    else if (units.now >= next_turn_ && can_fold())
      fold();
    if (!busy_ && !bit_sliced() && units.active.empty()) {
      const Cycle next = next_event();
      if (next == never && units.whole_packets && holds_packets()) {
        unfold();  // their flits and credits may still be on the way
        continue;
      }
      if (next == never) {
        units.now = std::min(quiet_at(), until);
        if (units.now == until) break;
        if (stalled()) return NetworkEnd::deadlocked;
        units.audit.drained(units);
        return NetworkEnd::quiet;
      }
      if (next > units.now) {
        if (rest(std::min({next, until, next_unfolding()}))) return NetworkEnd::deadlocked;
        continue;
      }
    }
    advance(network, driver, until);
    if (!busy_ && bit_sliced()) leave_bit_slices();
    if (layout.options.check && units.now % audit_interval == 0) units.audit.look(units);
    if (units.now >= next_look_ && finds_deadlock()) return NetworkEnd::deadlocked;
  }
  return NetworkEnd::in_time;
}

/// When a network in which nothing happens any more is said to be quiet, or deadlocked: parts, and
/// words of switches, notice it later than events do.
Cycle FlitSimulator::quiet_at() const {
  if (holds_packets()) return next_look_;
  return units.now > 0 ? window_end(units.now - 1, units.window) : 0;
}

/// Nothing changes before a cycle: goes on to it. Whether packets wait for each other is looked at
/// when it is time to, in whichever steps the network has come there.
bool FlitSimulator::rest(Cycle until) {
  if (next_look_ <= until) {
    const bool whole = units.whole_packets;
    units.now = next_look_;
    if (holds_packets() && finds_deadlock()) return true;
    if (units.whole_packets != whole) return false;  // something may change
    next_look_ = window_end(until, layout.options.review);
  }
  units.now = until;
  return false;
}

/// It is time to look for packets that wait for each other.
bool FlitSimulator::finds_deadlock() {
  next_look_ = window_end(units.now, layout.options.review);
  if (stalled() && !outlives_unfolding()) return true;
  if (layout.options.faults.any() && can_fold()) fold();
  return false;
}

/// Whether hosts go with them, if the driver allows it: nothing but flits and credits tells one
/// switch or host of another.
bool FlitSimulator::can_part_hosts() const {
  return !phases.looks_at_paths() && !(units.whole_packets && phases.reads_queues()) &&
         units.receive_buffers.empty() && !units.needs_all_features() && !layout.options.departures;
}

/// Makes parts of the network, where that can be done.
void FlitSimulator::part(Driver& driver) {
  part_drivers_.clear();
  part_switches_ = can_part_;
  if (!can_part_ || !can_part_hosts()) return;
  const AnswerScope answers = driver.answers();
  if (answers == AnswerScope::never || (answers == AnswerScope::at_host && routes_end()))
    part_drivers_ = driver.in_parts(part_count());
  part_switches_ = part_drivers_.empty() && answers != AnswerScope::never;
}

/// Whether no packet can be lost, as far as that is known.
bool FlitSimulator::routes_end() {
  if (!routes_end_) routes_end_ = sim::routes_end(units, routing);
  return *routes_end_;
}

/// Threads that move switches by events, and in words.
Index FlitSimulator::threads_by_events() const { return has_parts() ? part_count() : 1; }
Index FlitSimulator::threads_in_words() {
  if (part_drivers_.empty()) return 1;
  if (!phases.any() && !routes_end()) return 1;
  const Index most = most_parts_in_words();
  if (!fixed_parts_.empty()) return most < part_count() ? 1 : part_count();
  return std::min(part_count(), most);
}
Index FlitSimulator::most_parts_in_words() const {
  return bits_ && bits_->can_part() ? NetworkParts::most_parts(layout, *bits_) : 1;
}

/// The same parts by events and in words, if words have as many.
std::vector<std::uint32_t> FlitSimulator::parts_of_hosts() {
  std::vector<std::uint32_t> out;
  if (!can_part_ || !can_part_hosts() || !routes_end()) return out;
  const Index together =
      most_parts_in_words() < part_count() ? 1 : NetworkParts::together(layout, bits_.get());
  fixed_parts_ = partition(units, part_count(), together);
  units.window = units.shortest_link;
  for (Index host = 0; host < layout.fabric.host_count(); ++host)
    out.push_back(fixed_parts_[units.ports[units.ports[layout.switch_ports + host].peer].block]);
  return out;
}

/// Those of events, or of words.
NetworkParts& FlitSimulator::parts(bool of_words) {
  std::unique_ptr<NetworkParts>& parts = of_words ? parts_in_words_ : parts_;
  if (!parts)
    parts = std::make_unique<NetworkParts>(
        WholeNetwork{units, routing, choices, branches, phases, reports, timers, injection},
        of_words ? threads_in_words() : threads_by_events(), of_words ? bits_.get() : nullptr,
        fixed_parts_);
  return *parts;
}

/// A step, or in parts as many as there are before something is to be done for the whole network.
void FlitSimulator::advance(Network& network, const Driver& driver, Cycle until) {
  const bool words = bit_sliced();
  if (part_drivers_.empty() || !uses_threads() || (words && threads_in_words() == 1)) {
    step(window(until));
    if (!has_parts() || layout.options.thread_use == ThreadUse::always) return;
    several_threads_.stepped(units.totals.flit_hops);
    choose_threads();
    return;
  }
  account();
  const Cycle next_choice =
      bits_ && !chooser_.was_clear() ? std::max(chooser_.next(), units.now + 1) : never;
  NetworkParts& all = parts(words);
  const bool measured = layout.options.thread_use == ThreadUse::where_faster;
  const std::uint64_t hops = units.totals.flit_hops;
  const double seconds = all.run(
      network, driver, part_drivers_, std::min({until, next_look_, next_unfolding(), next_choice}),
      measured ? several_threads_.left() : std::numeric_limits<double>::infinity());
  if (words)
    account(in_parts_of_words_, "words of switches, on several threads");
  else
    account(in_parts_, "events, on several threads");
  busy_ = words ? all.are_busy() : has_requests();
  if (!measured) return;
  several_threads_.moved(units.totals.flit_hops - hops, seconds);
  several_threads_.begin(units.totals.flit_hops);
  choose_threads();
}

/// Whether several threads move what they can now.
bool FlitSimulator::uses_threads() const {
  return layout.options.thread_use == ThreadUse::always || several_threads_.several();
}

/// One thread, or several, from now on.
void FlitSimulator::choose_threads() {
  if (several_threads_.several() == were_several_) return;
  were_several_ = several_threads_.several();
  if (!were_several_) give_switches();
  chooser_.threads_are_others(were_several_);
  several_threads_.begin(units.totals.flit_hops);
}

/// Where the next step ends: after one cycle, or after several, in which nothing that switches do
/// comes to hosts or to other blocks.
Cycle FlitSimulator::window(Cycle until) const {
  if (lookahead_ == 1 || bit_sliced()) return units.now + 1;
  return std::max(units.now + 1, std::min({window_end(units.now, lookahead_), until, next_look_,
                                           next_unfolding()}));
}

void FlitSimulator::step(const Cycle end) {
  if (failures.next() <= units.now) {
    give_switches();
    failures.strike();
  }
  const Cycle begin = units.now;
  for (; units.now < end; ++units.now) {
    step_hosts();
    if (bit_sliced()) bits_->receive();
    if (bit_sliced() && bits_->must_leave()) leave_bit_slices();
    if (bit_sliced()) {
      busy_ = bits_->step();
      ++units.now;
      return;
    }
    pipeline_->inject();
    if (choices_are_new_) {  // switches must not see them before the pipeline does
      ++units.now;
      break;
    }
  }
  const Cycle reached = std::exchange(units.now, begin);
  if (phases.looks_at_paths()) phases.look();
  run_switches(reached);
}

/// In the cycles that hosts have had.
void FlitSimulator::run_switches(const Cycle end) {
  reports.hold_back(lookahead_ == 1);
  const bool in_parts = part_switches_ && uses_threads();
  if (in_parts) {
    if (!parts(false).have_switches()) {
      account();
      parts_->take_switches();
      several_threads_.begin(units.totals.flit_hops);
    }
    parts_->run_switches(units.now, end);
    units.now = end;
  } else {
    pipeline_->run_switches(end);
  }
  reports.hold_back(false);
  if (reports.has_ends()) reports.report_ends(units.now);
  if (reports.has_fault_sites()) reports.report_fault_sites();
  busy_ = in_parts ? parts_->are_busy() : has_requests();
}

/// One thread has all of the network again.
void FlitSimulator::give_switches() {
  if (!parts_ || !parts_->have_switches()) return;
  account();
  parts_->give_switches();
}

void FlitSimulator::step_hosts() {
  if (parts_ && parts_->have_switches()) parts_->bring_ejections();
  fired_.clear();
  timers.take(units.now, fired_);
  if (!fired_.empty()) reports.timers(fired_);
  pipeline_->eject();
}

/// In words or by events, whichever takes less time; packets with routes of their own by events.
void FlitSimulator::choose_path() {
  if (routing.has_own_routes()) {
    leave_bit_slices();
    parts_in_words_.reset();
    bits_.reset();
    return;
  }
  if (layout.options.pace == Pace::bit_sliced)
    chooser_.postpone(units.now);
  else if (!takes_less_in_words()) {
    leave_bit_slices();
    return;
  }
  if (bit_sliced()) return;
  give_switches();
  account();
  bits_->enter();
}

bool FlitSimulator::takes_less_in_words() {
  const std::uint64_t hops = units.totals.flit_hops;
  const double threads = !part_drivers_.empty() && uses_threads()
                             ? static_cast<double>(threads_by_events()) / threads_in_words()
                             : 1;
  const double estimate =
      threads * bits_->time_estimate(chooser_.hops_since(hops), chooser_.cycles_since(units.now));
  return chooser_.use_words(units.now, hops, bit_sliced(), estimate);
}

void FlitSimulator::leave_bit_slices() {
  if (!bit_sliced()) return;
  account();
  bits_->leave();
  busy_ = has_requests();
}

/// Packets that were handled as a whole are moved flit by flit from now on.
void FlitSimulator::unfold() {
  give_switches();
  uncount_begun_packets();
  account();
  unfold_packets(units, injection);
  choose_pipeline();
  set_next_turn();
}

/// As a whole, packets stop before their flits and credits do: whether those go on.
bool FlitSimulator::outlives_unfolding() {
  if (!units.whole_packets) return false;
  unfold();
  explanation_.clear();
  return !stalled();
}

/// And back.
void FlitSimulator::fold() {
  give_switches();
  account();
  fold_packets(units, injection);
  count_begun_packets();
  choose_pipeline();
  set_next_turn();
}

/// Whether packets that are moved flit by flit can be handled as a whole (again): no link has
/// failed, and no failure has cut a packet that is still there.
bool FlitSimulator::can_fold() const {
  return whole_packets_ && !units.whole_packets && failures.first() > units.now &&
         (!layout.options.faults.any() || failures.are_over());
}

void FlitSimulator::set_next_turn() {
  failures_from_ = failures.first();
  const Cycle turn = layout.options.turn;
  next_turn_ = turn == never ? never : units.now + turn;
  busy_ = has_requests();
}

/// Whether packets are in the network, or wait for it.
bool FlitSimulator::holds_packets() const {
  return units.totals.sent != units.totals.delivered + units.totals.lost;
}

/// Whether switches have something to allocate, without an event.
bool FlitSimulator::has_requests() const {
  for (Index block = 0; block < layout.blocks; ++block)
    if (units.has_requests(block)) return true;
  return false;
}

Cycle FlitSimulator::next_event() {
  const Cycle now = units.now;
  Cycle next = units.next_event();
  if (next == now) return now;
  if (parts_ && parts_->have_switches()) next = std::min(next, parts_->next_event());
  return std::min({next, timers.next(now), std::max(failures.next(), now)});
}

/// The first flit of a packet leaves at once, or the packet is queued.
void FlitSimulator::inject(Packet& packet) {
  if (bit_sliced() || !pipeline_->inject_at_once(packet)) injection.queue(packet);
}
void FlitSimulator::send(const Packet& packet) { inject(injection.make_packet(packet)); }
void FlitSimulator::send(HostId from, HostId to, std::uint32_t flits, bool urgent, Cycle created) {
  inject(injection.make_packet(from, to, flits, urgent, created));
}

RouteId FlitSimulator::add_route(HostId from, HostId to, std::span<const PortNumber> tags) {
  const RouteId route = routing.own_routes().add(from, to, tags);
  chooser_.choose_at_once();
  return route;
}

PortNumber FlitSimulator::add_links(const std::vector<PortNumber>& ports) {
  const PortNumber tag = routing.own_routes().add_links(ports);
  if (choices.allowed()) {
    choices.add_groups();
    return tag;
  }
  choices.allow();
  choices_are_new_ = true;  // the pipeline may be at work now
  chooser_.choose_at_once();
  return tag;
}

bool FlitSimulator::stalled() {
  const bool in_words = bit_sliced();
  if (in_words && !bits_->lacks_room()) {
    bits_->count_sent();
    return false;
  }
  give_switches();
  leave_bit_slices();
  units.settle_packets();
  if (const auto found = find_stall(units, routing, branches, choices)) explanation_ = *found;
  if (in_words) bits_->enter();
  return !explanation_.empty();
}

std::vector<LaneUse> FlitSimulator::lane_use() {
  leave_bit_slices();
  units.settle_packets();
  std::vector<std::uint64_t> sent;
  for (const OutLane& lane : units.out) sent.push_back(lane.sent);
  // Packets that are handled as a whole are counted when they begin to move.
  const auto uncount = [&](Index port, Index lane, Cycle end) {
    if (end > units.now) sent[(port << layout.lane_bits) + lane] -= end - units.now;
  };
  if (units.whole_packets) {
    for (Index p = 0; p < layout.switch_ports; ++p)
      uncount(p, units.ports[p].sending, units.ports[p].free_at);
    for (Index host = 0; host < injection.nics.size(); ++host)
      uncount(layout.switch_ports + host, injection.nics[host].lane,
              injection.nics[host].busy_until);
  }
  std::vector<LaneUse> out;
  const auto add = [&](Index port, LaneUse use) {
    for (Index v = 0; v < layout.lanes; ++v) {
      use.lane = static_cast<Lane>(v);
      use.flits = sent[(port << layout.lane_bits) + v];
      out.push_back(use);
    }
  };
  const Fabric& fabric = layout.fabric;
  for (ChannelId c : fabric.channels())
    add(layout.port_at(fabric.from(c), fabric.out_port(c)), {.channel = c});
  for (HostId h : fabric.hosts()) {
    add(layout.port_of_host(h), {.host = h});
    add(layout.port_at(fabric[h].on, fabric[h].port), {.host = h, .to_host = true});
  }
  return out;
}

}  // namespace weft::sim
