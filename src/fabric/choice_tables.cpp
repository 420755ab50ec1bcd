// SPDX-License-Identifier: Apache-2.0
// Sets of candidates, and the test that choice tables belong to a fabric.
#include "fabric/choice_tables.hpp"

#include <algorithm>
#include <tuple>

#include "fabric/tables.hpp"

namespace weft {
namespace {

auto order_of(const Candidate& c) { return std::tuple(c.preference, c.port, c.lane, c.phase); }

/// Throws Error unless all of ChoiceTables names what the fabric and the tables have.
class ChoiceTablesFit {
 public:
  ChoiceTablesFit(const Fabric& fabric, const Tables& tables, const ChoiceTables& choices)
      : fabric_(fabric), tables_(tables), choices_(choices) {}

  void require() const {
    if (choices_.size() != 0 && choices_.width() != fabric_.switch_count())
      throw Error("tables for {} switches do not fit a fabric with {}", choices_.width(),
                  fabric_.switch_count());
    if (choices_.phases.empty() || choices_.phases.size() > most_phases)
      throw Error("{} phases: from 1 to {} are possible", choices_.phases.size(), most_phases);
    for (const Phase& phase : choices_.phases) require_phase(phase);
    require_starts();
    if (choices_.have_detours()) require_intermediates();
    for (ChoiceTables::Entry set = 0; set < choices_.set_count(); ++set) require_set(set);
    for (const ColumnId column : choices_.ids())
      for (const SwitchId s : fabric_.switches())
        require_ports(s, choices_.next[column][s.index()]);
    for (std::size_t p = 0; p < choices_.phases.size(); ++p) {
      require_no_intermediates(static_cast<PhaseId>(p));
      if (choices_.phases[p].detour) require_one_detour(choices_.phases[p]);
    }
  }

 private:
  bool has_phase(PhaseId phase) const { return phase < choices_.phases.size(); }
  const Phase& operator[](PhaseId phase) const { return choices_.phases[phase]; }

  void require_phase(const Phase& phase) const {
    if (!phase.to_host.empty() && phase.to_host.size() != fabric_.host_count())
      throw Error("phase \"{}\" has columns for {} hosts; the fabric has {}", phase.name,
                  phase.to_host.size(), fabric_.host_count());
    for (const HostId host : phase.to_host.ids())
      if (phase.to_host[host].valid() && phase.to_host[host].index() >= choices_.size())
        throw Error("host \"{}\" has no column of phase \"{}\" in the tables", fabric_[host].name,
                    phase.name);
    if (phase.to_intermediate) {
      if (!phase.to_host.empty() || phase.detour)
        throw Error("phase \"{}\" leads to intermediate destinations only", phase.name);
      if (!has_phase(phase.next) || (*this)[phase.next].to_intermediate)
        throw Error("phase \"{}\" needs a next one, which leads to hosts", phase.name);
    }
    if (phase.detour && (!has_phase(*phase.detour) || !(*this)[*phase.detour].to_intermediate))
      throw Error(
          "the detours of phase \"{}\" need a phase that leads to intermediate destinations",
          phase.name);
  }

  void require_starts() const {
    if (choices_.starts.empty()) throw Error("there is no phase in which packets start");
    const bool by_level = choices_.start_rule == StartRule::level;
    for (auto start = choices_.starts.begin(); start != choices_.starts.end(); ++start)
      if (!has_phase(*start) ||
          (!by_level && std::find(choices_.starts.begin(), start, *start) != start))
        throw Error("packets start in phase {}, which does not exist, or is named twice", *start);
    const auto* service = std::get_if<ServiceLanes>(&tables_.lanes);
    if (by_level && service == nullptr)
      throw Error("packets start in a phase by service level; the tables have none");
  }

  void require_intermediates() const {
    const Intermediates& all = choices_.intermediates;
    if (all.columns.empty()) throw Error("there are no intermediate destinations");
    for (const ColumnId column : all.columns)
      if (!column.valid() || column.index() >= choices_.size())
        throw Error("an intermediate destination has no column in the tables");
    if (!all.region.empty() && all.region.size() != fabric_.switch_count())
      throw Error("regions of {} switches do not fit a fabric with {}", all.region.size(),
                  fabric_.switch_count());
    if (choices_.decision.draws == 0) throw Error("no intermediate destination is drawn: draws=0");
    if (all.rule != IntermediateRule::aligned) return;
    for (const SwitchId s : fabric_.switches()) {
      const std::size_t count = fabric_[s].at.size(), first = fabric_[SwitchId(0)].at.size();
      if (count == 0)
        throw Error("aligned intermediate destinations need coordinates; switch \"{}\" has none",
                    fabric_[s].name);
      if (count != first)
        throw Error(
            "aligned intermediate destinations need as many coordinates everywhere; switch \"{}\" "
            "has {}, and \"{}\" {}",
            fabric_[s].name, count, fabric_[SwitchId(0)].name, first);
    }
  }

  void require_set(ChoiceTables::Entry set) const {
    for (const Candidate& c : choices_.candidates(set)) {
      if (c.lane != Candidate::by_lanes && c.lane >= tables_.lane_count)
        throw Error("a choice leads to lane {}; the tables have {} (counted from 0)", c.lane,
                    tables_.lane_count);
      if (!has_phase(c.phase))
        throw Error("a choice leads to phase {}; the tables have {} (counted from 0)", c.phase,
                    choices_.phases.size());
    }
  }

  void require_ports(SwitchId s, ChoiceTables::Entry entry) const {
    if (entry == ChoiceTables::at_end || entry == ChoiceTables::no_route) return;
    if (entry >= choices_.set_count())
      throw Error("an entry of switch \"{}\" names set {} of choices; there are {}",
                  fabric_[s].name, entry, choices_.set_count());
    for (const Candidate& c : choices_.candidates(entry))
      if (c.port == here || c.port > fabric_[s].ports)
        throw Error("switch \"{}\" has {} ports; the tables send packets to port {}",
                    fabric_[s].name, fabric_[s].ports, c.port);
  }

  /// Phases that candidates lead to, and those behind an intermediate destination.
  std::vector<bool> phases_after(PhaseId first) const {
    std::vector<bool> seen(choices_.phases.size(), false);
    std::vector<PhaseId> todo{first};
    const auto visit = [&](PhaseId phase) {
      if (!seen[phase]) todo.push_back(phase);
      seen[phase] = true;
    };
    while (!todo.empty()) {
      const PhaseId at = todo.back();
      todo.pop_back();
      if ((*this)[at].to_intermediate) visit((*this)[at].next);
      for (const PhaseId phase : candidate_phases(at)) visit(phase);
    }
    return seen;
  }
  std::vector<PhaseId> candidate_phases(PhaseId from) const {
    std::vector<bool> columns(choices_.size(), false), sets(choices_.set_count(), false);
    const auto note = [&](ColumnId column) {
      if (column.valid()) columns[column.index()] = true;
    };
    const Phase& phase = (*this)[from];
    if (phase.to_intermediate)
      for (const ColumnId column : choices_.intermediates.columns) note(column);
    else
      for (const ColumnId column : phase.to_host.empty() ? tables_.to_host : phase.to_host)
        note(column);
    std::vector<PhaseId> out;
    for (const ColumnId column : choices_.ids()) {
      if (!columns[column.index()]) continue;
      for (const ChoiceTables::Entry entry : choices_.next[column]) {
        if (entry >= choices_.set_count() || sets[entry]) continue;
        sets[entry] = true;
        for (const Candidate& c : choices_.candidates(entry)) out.push_back(c.phase);
      }
    }
    return out;
  }
  void require_no_intermediates(PhaseId from) const {
    if ((*this)[from].to_intermediate) return;
    for (const PhaseId to : candidate_phases(from))
      if ((*this)[to].to_intermediate)
        throw Error(
            "choices of phase \"{}\" lead to phase \"{}\"; only detours lead to intermediate "
            "destinations",
            (*this)[from].name, (*this)[to].name);
  }
  void require_one_detour(const Phase& phase) const {
    const auto after = phases_after(*phase.detour);
    for (std::size_t p = 0; p < after.size(); ++p)
      if (after[p] && (choices_.phases[p].detour || choices_.phases[p].to_intermediate) &&
          p != *phase.detour)
        throw Error("after a detour of phase \"{}\" packets may take another one", phase.name);
  }

  const Fabric& fabric_;
  const Tables& tables_;
  const ChoiceTables& choices_;
};

}  // namespace

ChoiceTables::Entry ChoiceTables::add(std::vector<Candidate> candidates) {
  invariant(!candidates.empty(), "a set of candidates is empty");
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return order_of(a) < order_of(b); });
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  const auto number = static_cast<Entry>(set_count());
  const auto [known, is_new] = known_.try_emplace(candidates, number);
  if (!is_new) return known->second;
  candidates_.insert(candidates_.end(), candidates.begin(), candidates.end());
  begin_.push_back(candidates_.size());
  return number;
}

bool ChoiceTables::have_detours() const {
  return std::any_of(phases.begin(), phases.end(),
                     [](const Phase& phase) { return phase.to_intermediate; });
}

bool ChoiceTables::same_choices(Entry entry, const ChoiceTables& other, Entry of_other) const {
  if (entry >= set_count() || of_other >= other.set_count()) return entry == of_other;
  const auto left = candidates(entry), right = other.candidates(of_other);
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

bool operator==(const ChoiceTables& a, const ChoiceTables& b) {
  if (a.size() != b.size() || a.width() != b.width() || a.phases != b.phases ||
      a.starts != b.starts || a.start_rule != b.start_rule || a.intermediates != b.intermediates ||
      a.decision != b.decision)
    return false;
  const auto same = [&](ChoiceTables::Entry x, ChoiceTables::Entry y) {
    return a.same_choices(x, b, y);
  };
  for (const ColumnId c : a.ids())
    if (!std::equal(a.next[c].begin(), a.next[c].end(), b.next[c].begin(), same)) return false;
  return true;
}

bool leads_by(const Fabric& fabric, const ChoiceTables& choices, ColumnId column, SwitchId from,
              SwitchId by) {
  SwitchId at = from;
  for (std::size_t hops = 0; at != by && hops < fabric.switch_count(); ++hops) {
    const ChoiceTables::Entry entry = choices.next[column][at.index()];
    if (entry >= ChoiceTables::no_route || choices.candidates(entry).empty()) return false;
    const ChannelId link = fabric.channel_at(at, choices.candidates(entry).front().port);
    if (!link.valid()) return false;
    at = fabric.to(link);
  }
  return at == by;
}

ColumnId column_of(const Tables& tables, const ChoiceTables& choices, PhaseId phase, HostId to) {
  const auto& own = choices.phases[phase].to_host;
  return own.empty() ? tables.to_host[to] : own[to];
}

void require_choices(const Fabric& fabric, const Tables& tables, const ChoiceTables& choices) {
  ChoiceTablesFit(fabric, tables, choices).require();
}

}  // namespace weft
