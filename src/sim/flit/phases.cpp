// SPDX-License-Identifier: Apache-2.0
// Starts, detours and changes of phase. UGAL (Singh, 2005) compares queues of the two ways, as
// BookSim 2 counts them: flits that have left whose credits have not come back.
#include "sim/flit/phases.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft::sim {
namespace {

constexpr std::uint64_t start_salt = 0x51a7;  // draws of a packet at a switch differ by purpose
constexpr std::uint64_t detour_salt = 0xde70;

}  // namespace

Phases::Phases(Units& units, const Routing& routing, const CandidateSets& sets)
    : units_(units),
      routing_(routing),
      sets_(sets),
      tables_(std::get_if<ChoiceTables>(&units.layout.tables.paths)) {
  if (!any()) return;
  const Layout& layout = units.layout;
  reads_queues_ = tables_->starts.size() > 1 && tables_->start_rule == StartRule::queue;
  for (const Phase& phase : tables_->phases) reads_queues_ |= phase.detour.has_value();
  if (layout.stop_go && reads_queues_)
    throw Error("{}: the tables ({}) compare queues, which are known with flow=credit only",
                layout.model.spec, layout.tables.engine);
  const std::size_t columns = tables_->size(), switches = layout.switches.size();
  width_ = columns + 2;
  entries_.resize(switches * width_);
  for (std::size_t s = 0; s < switches; ++s)
    entries_[s * width_ + ended_column()] = NextHops(ChoiceTables::at_end);
  for (const ColumnId column : tables_->ids())
    for (std::size_t s = 0; s < switches; ++s) {
      const ChoiceTables::Entry found = tables_->next[column][s];
      NextHops& entry = entries_[s * width_ + column.index()];
      entry = NextHops(found);
      if (entry.leads_on() && sets_[found].sound && sets_[found].count == 1)
        entry = NextHops(sets_.all(found).front());
    }
  for (std::size_t p = 0; p < tables_->phases.size(); ++p) {
    const Phase& phase = tables_->phases[p];
    PhaseRecord& record = phases_.emplace_back();
    record = {.to_intermediate = phase.to_intermediate, .next = phase.next, .detour = phase.detour};
    if (phase.to_intermediate) continue;
    for (const HostId host : layout.fabric.hosts()) {
      const ColumnId column =
          weft::column_of(layout.tables, *tables_, static_cast<PhaseId>(p), host);
      record.columns.push_back(static_cast<Index>(column.valid() ? column.index() : columns));
    }
    looks_at_paths_ |= phase.detour && tables_->decision.queue == Queue::path;
  }
  for (PhaseRecord& record : phases_) {
    record.column_of = record.to_intermediate ? &intermediate_ : &record.columns;
    record.key_at = record.to_intermediate ? 0 : 32;
  }
  for (const HostId host : layout.fabric.hosts())
    last_switch_.push_back(static_cast<Index>(layout.fabric[host].on.index()));
  if (tables_->have_detours()) {
    intermediates_.emplace(layout.fabric, *tables_);
    list_draws();
  }
  if (looks_at_paths_) noted_.assign(layout.switch_ports, 0);
}

bool Phases::never_choose() const {
  if (!any() || reads_queues_ || routing_.has_levels() ||
      (tables_->starts.size() > 1 && tables_->start_rule == StartRule::level))
    return false;
  return std::all_of(entries_.begin(), entries_.end(),
                     [](NextHops entry) { return entry.is_one() || !entry.leads_on(); });
}

std::vector<Index> Phases::intermediate_columns() const {
  std::vector<Index> out{ended_column()};
  for (const ColumnId column : tables_->intermediates.columns)
    out.push_back(static_cast<Index>(column.index()));
  return out;
}

void Phases::look() {
  const bool counted = !units_.moved.empty() && !std::exchange(units_.moved_is_new, false);
  for (std::vector<Index>& block : units_.moved) {
    for (const Index port : block) noted_[port / 2] += 2 * (port % 2) - 1;
    block.clear();
  }
  if (counted) return;
  for (Index o = 0; o < units_.layout.switch_ports; ++o)
    noted_[o] = units_.used(o, units_.layout.all_lanes, true);
}

Index Phases::first_switch(const Head& head) const {
  return last_switch_[units_.packets[head.packet].packet.from.index()];
}

void Phases::make_room(std::size_t packets) {
  if (intermediates_ && packets > intermediate_.size())
    intermediate_.resize(packets, ended_column());
}

void Phases::remember(Index packet, Index intermediate) {
  if (packet >= intermediate_.size()) make_room(units_.packets.size());
  intermediate_[packet] = intermediate == nothing ? ended_column() : intermediate;
}

/// Lists all that packets may draw, unless that is too much.
void Phases::list_draws() {
  constexpr std::size_t most = std::size_t{1} << 19U;
  const IntermediateDraws& all = *intermediates_;
  if (all.groups() * all.groups() * all.count() > most) return;
  for (std::size_t from = 0; from < all.groups(); ++from)
    for (std::size_t to = 0; to < all.groups(); ++to) {
      auto& drawn = drawn_.emplace_back();
      for (const std::size_t i : all.drawn(from, to))
        drawn.push_back(static_cast<Index>(all.column(i).index()));
    }
}

/// The column of an intermediate destination for a packet from a switch to another, each that may
/// be drawn equally likely; nothing: there is none.
Index Phases::draw(Draws& draws, Index first, Index last) const {
  const IntermediateDraws& all = *intermediates_;
  const std::size_t from = all.group(SwitchId(first)), to = all.group(SwitchId(last));
  if (!drawn_.empty()) {
    const std::vector<Index>& drawn = drawn_[from * all.groups() + to];
    return drawn.empty() ? nothing : drawn[draws.below(drawn.size())];
  }
  if (all.count() == 0) return nothing;
  std::optional<std::size_t> found;
  for (int tries = 16; tries != 0 && !found; --tries)
    if (const std::size_t i = draws.below(all.count()); all.may_draw(from, to, i)) found = i;
  std::uint64_t count = 0;  // few may be drawn: all are looked at
  if (!found)
    for (std::size_t i = 0; i < all.count(); ++i)
      if (all.may_draw(from, to, i) && draws.below(++count) == 0) found = i;
  if (!found) return nothing;
  return static_cast<Index>(all.column(all.settled(from, to, *found)).index());
}

/// The phase of a packet that has come to its first switch.
PhaseId Phases::start(const Routed& where, const Head& head) {
  const Index at = where.at;
  const auto& starts = tables_->starts;
  PhaseId phase = starts.front();
  if (starts.size() == 1 && !phases_[phase].to_intermediate) return phase;
  Draws draws(units_.layout.options.seed ^ start_salt, where.when, where.lane);
  if (intermediates_) remember(head.packet, draw(draws, at, last_switch_[head.to]));
  if (starts.size() == 1) return phase;
  switch (tables_->start_rule) {
    case StartRule::random:
      return starts[draws.below(starts.size())];
    case StartRule::queue:
      return start_by_queue(draws, at, head);
    case StartRule::level:
      break;
  }
  const Index in = units_.layout.port_of(where.lane);
  return starts[std::min<std::size_t>(routing_.level(at, in, head), starts.size() - 1)];
}

PhaseId Phases::start_by_queue(Draws& draws, Index at, const Head& head) {
  PhaseId found = 0;
  std::uint32_t least = 0;
  std::uint64_t ties = 0;
  for (const PhaseId phase : tables_->starts) {
    const Index intermediate = intermediates_ ? intermediate_[head.packet] : ended_column();
    const Index column = column_of(phase, head.to, intermediate);
    const std::uint32_t queue = first_queue(at, entry(at, column));
    if (ties != 0 && queue > least) continue;
    ties = ties != 0 && queue == least ? ties + 1 : 1;
    least = queue;
    if (draws.below(ties) == 0) found = phase;
  }
  return found;
}

Phases::Step Phases::next(const Routed& where, const Head& head, PhaseId phase) {
  const Index at = where.at;
  for (bool decided = false;;) {
    const PhaseRecord& record = phases_[phase];
    if (record.to_intermediate) {
      const Index column = intermediate_[head.packet];
      if (!entry(at, column).is_end()) return {entry(at, column), phase};
      phase = record.next;
      continue;
    }
    const NextHops found = entry(at, record.columns[head.to]);
    if (!record.detour || decided || !found.leads_on() || leads_to(at, found, head.to))
      return {found, phase};
    decided = true;
    if (!takes_detour(where, head, phase)) return {found, phase};
    phase = *record.detour;
  }
}

/// At a switch where a packet may leave for an intermediate destination: whether it does.
bool Phases::takes_detour(const Routed& where, const Head& head, PhaseId phase) {
  const Index at = where.at;
  const Index first = first_switch(head), last = last_switch_[head.to];
  if (intermediates_->within_region(SwitchId(first), SwitchId(last))) return false;
  const DetourDecision& decision = tables_->decision;
  const auto stay = static_cast<std::int64_t>(
      price(at, {phase, phases_[phase].columns[head.to], head.to}, decision.weight));
  if (stay <= decision.threshold) return false;  // no detour costs less than nothing
  const PhaseId detour = *phases_[phase].detour;
  Draws draws(units_.layout.options.seed ^ detour_salt, where.when, where.lane);
  Index best = nothing;
  std::uint64_t least = 0;
  for (std::uint32_t n = decision.draws; n != 0; --n) {
    const Index column = draw(draws, first, last);
    if (column == nothing || !entry(at, column).leads_on()) continue;  // there, or it is this one
    const std::uint64_t own = price(at, {detour, column, head.to}, decision.detour_weight);
    if (best != nothing && own >= least) continue;
    best = column;
    least = own;
  }
  if (best == nothing) return false;
  if (stay <= static_cast<std::int64_t>(least) + decision.threshold) return false;
  remember(head.packet, best);
  return true;
}

/// Whether some candidate leads to a packet's host.
bool Phases::leads_to(Index at, NextHops found, Index host) const {
  const PortNumber port = routing_.last_port(at, host);
  if (port == no_port || found.is_one()) return false;
  const auto all = sets_.all(found.set());
  return std::any_of(all.begin(), all.end(),
                     [port](const LaneChoice& c) { return c.port + 1U == port; });
}

/// The weighted queue of a way.
std::uint64_t Phases::price(Index at, const PricedPath& aim, std::uint32_t weight) const {
  const bool path = tables_->decision.queue == Queue::path;
  const std::uint64_t first = path ? 0 : first_queue(at, entry(at, aim.column));
  const Ahead all = path || (weight == 0 && first != 0) ? ahead(at, aim) : Ahead{};
  const std::uint64_t queue = path ? all.queue : first;
  return queue * (weight == 0 ? all.hops : weight);
}

/// The shortest queue among the candidates of the smallest preference.
std::uint32_t Phases::first_queue(Index at, NextHops found) const {
  if (!found.leads_on()) return 0;
  if (found.is_one()) return queue(at, found.only());
  const ChoiceSet& set = sets_[found.set()];
  std::uint32_t least = ~std::uint32_t{0};
  for (Index i = 0; i < set.best; ++i) least = std::min(least, queue(at, sets_.choices(set)[i]));
  return least;
}

/// Of the port of a candidate, or of its lane.
std::uint32_t Phases::queue(Index at, const LaneChoice& choice) const {
  const Layout& layout = units_.layout;
  const bool of_lane = tables_->decision.queue == Queue::lane && choice.lane != Candidate::by_lanes;
  const std::uint64_t lanes = of_lane ? layout.class_lanes[choice.lane] : layout.all_lanes;
  return units_.used(layout.switches[at].first + choice.port, lanes);
}

/// Along first candidates, from a switch to a packet's host.
Phases::Ahead Phases::ahead(Index at, const PricedPath& aim) const {
  Ahead out;
  PhaseId phase = aim.phase;
  for (Index column = aim.column; out.hops < units_.layout.most_hops;) {
    const NextHops found = entry(at, column);
    if (found.is_end() && phases_[phase].to_intermediate) {
      phase = phases_[phase].next;
      column = phases_[phase].columns[aim.host];
      continue;
    }
    if (!found.leads_on()) break;
    const LaneChoice c = first_of(found);
    const Index o = units_.layout.switches[at].first + c.port;
    const SwitchPort& port = units_.ports[o];
    if (port.peer == nothing || port.to_host) break;
    if (looks_at_paths_) out.queue += noted_[o];
    ++out.hops;
    at = units_.ports[port.peer].home;
    if (c.phase == phase) continue;
    phase = c.phase;
    column = column_of(phase, aim.host, aim.column);
  }
  return out;
}

}  // namespace weft::sim
