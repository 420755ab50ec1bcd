// SPDX-License-Identifier: Apache-2.0
// Choice tables in weft's tables.
#include "fabric/format/parsing/weft_tables_choices.hpp"

#include <algorithm>
#include <limits>

namespace weft::weft_tables {

template <class Names>
auto ChoiceLines::named(const Names& names, std::string_view what) {
  const std::string word = words_.word(what);
  const auto found =
      std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.name == word; });
  if (found != names.end()) return found->value;
  std::vector<std::string_view> all;
  for (const auto& each : names) all.push_back(each.name);
  words_.wrong("\"{}\" is not {}; there are: {}", shown(word), what, fmt::join(all, " "));
}

Candidate ChoiceLines::candidate() {
  Candidate out;
  out.port = static_cast<PortNumber>(words_.digits(most_ports, "a port"));
  if (words_.take_next('.'))
    out.lane = static_cast<Lane>(
        words_.digits(static_cast<unsigned>(lane_count_) - 1, "a lane of these tables"));
  if (words_.take_next('>'))
    out.phase = static_cast<PhaseId>(words_.digits(most_phases - 1, "the number of a phase"));
  else if (without_phase_ == 0)
    without_phase_ = words_.line();
  if (out.phase > last_phase_) {
    last_phase_ = out.phase;
    last_phase_line_ = words_.line();
  }
  words_.need_gap();
  return out;
}

void ChoiceLines::choice() {
  words_.need(fmt::format("c{}", sets_.size()), fmt::format("choice c{}: 1.0 2.0", sets_.size()));
  words_.need_colon();
  std::vector<Candidate> candidates;
  unsigned preference = 0;
  while (!words_.at_end()) {
    if (words_.take_mark('|')) {
      if (++preference > std::numeric_limits<std::uint8_t>::max())
        words_.wrong("more than 256 preferences");
      continue;
    }
    Candidate next = candidate();
    next.preference = static_cast<std::uint8_t>(preference);
    if (std::find(candidates.begin(), candidates.end(), next) != candidates.end())
      words_.wrong("port {} is listed twice with the same lane, phase and preference", next.port);
    candidates.push_back(next);
  }
  if (candidates.empty()) words_.wrong("a choice needs a candidate: choice c0: 1.0 2.0");
  PortNumber greatest = 0;
  for (const Candidate& each : candidates) greatest = std::max(greatest, each.port);
  greatest_port_.push_back(greatest);
  sets_.push_back(out_.add(std::move(candidates)));
}

ChoiceTables::Entry ChoiceLines::set(SwitchId at) {
  if (!words_.take('c')) words_.wrong("an entry is \".\", \"-\" or a choice such as c0");
  if (sets_.empty()) words_.wrong("a choice needs a line \"choice\" before it");
  const unsigned number =
      words_.number(static_cast<unsigned>(sets_.size()) - 1, "the number of a choice");
  if (const Switch& here_now = words_.fabric()[at]; greatest_port_[number] > here_now.ports)
    words_.wrong("switch \"{}\" has {} ports; choice c{} names port {}", here_now.name,
                 here_now.ports, number, greatest_port_[number]);
  return sets_[number];
}

void ChoiceLines::column() {
  row_.assign(order_.size(), ChoiceTables::no_route);
  for (const SwitchId s : order_) {
    if (words_.at_end()) words_.wrong("{} entries are needed, one for each switch", order_.size());
    if (words_.take_mark('.'))
      row_[s.index()] = ChoiceTables::at_end;
    else if (!words_.take_mark('-'))
      row_[s.index()] = set(s);
  }
  words_.need_end();
  out_.next.push_back(row_);
}

void ChoiceLines::regions() {
  if (order_.size() != words_.fabric().switch_count())
    words_.wrong("the list of switches must come before");
  if (!out_.intermediates.region.empty())
    words_.wrong("there is a second line \"regions\"; one is possible");
  out_.intermediates.region.assign(order_.size(), 0);
  for (const SwitchId s : order_) {
    if (words_.at_end()) words_.wrong("{} regions are needed, one for each switch", order_.size());
    out_.intermediates.region[s] =
        words_.number(std::numeric_limits<std::uint32_t>::max(), "the number of a region");
  }
  words_.need_end();
}

void ChoiceLines::intermediates() {
  words_.at_end();
  out_.intermediates.rule = named(rule_names, "a rule of intermediate destinations");
  words_.need_end();
}

void ChoiceLines::decide() {
  constexpr unsigned most = 1'000'000;
  constexpr std::string_view form = "decide port 1 2 threshold 30 draws 1";
  DetourDecision& decision = out_.decision;
  words_.at_end();
  decision.queue = named(queue_names, "a queue");
  decision.weight = words_.number(most, "a weight");
  decision.detour_weight = words_.number(most, "a weight");
  words_.need("threshold", form);
  const bool negative = words_.take('-');
  const auto threshold = static_cast<std::int32_t>(words_.number(most, "a number of flits"));
  decision.threshold = negative ? -threshold : threshold;
  words_.need("draws", form);
  decision.draws = words_.number(most, "a number of draws");
  words_.need_end();
}

void ChoiceLines::start() {
  if (std::exchange(start_line_, words_.line()) != 0)
    words_.wrong("there is a second line \"start\"; one is possible");
  out_.starts.clear();
  const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
  words_.at_end();
  const bool says_rule = !is_digit(words_.next());
  if (says_rule) out_.start_rule = named(start_names, "a rule of the first phase");
  while (!words_.at_end()) out_.starts.push_back(phase_number());
  if (out_.starts.empty()) words_.wrong("a phase is missing: start 0");
  if (!says_rule && out_.starts.size() > 1)
    words_.wrong("how do packets get one of {} phases? start random, start queue or start level",
                 out_.starts.size());
}

void ChoiceLines::phase() {
  if (phase_lines_.empty()) out_.phases.clear();
  phase_lines_.push_back(words_.line());
  const std::size_t number = out_.phases.size();
  if (number == most_phases) words_.wrong("more than {} phases", most_phases);
  words_.need(fmt::to_string(number), fmt::format("phase {0} name: to hosts", number));
  Phase& phase = out_.phases.emplace_back();
  words_.at_end();
  phase.name = words_.word("a phase's name");
  words_.need_colon();
  words_.need("to", "phase 0 name: to hosts");
  words_.at_end();
  if (words_.take_word("intermediates")) {
    phase.to_intermediate = true;
    words_.need("next", "phase 0 name: to intermediates next 1");
    phase.next = phase_number();
  } else {
    words_.need("hosts", "phase 0 name: to hosts");
    if (words_.take_word("detour")) phase.detour = phase_number();
  }
  words_.need_end();
}

void ChoiceLines::end_head(const Source& source) const {
  if (out_.phases.size() > 1 && without_phase_ != 0)
    fail(source, without_phase_,
         "a candidate names no phase, and there are {}: write it behind the lane, as 1.0>0",
         out_.phases.size());
  if (last_phase_ >= out_.phases.size())
    fail(source, last_phase_line_, "a choice leads to phase {}; there {} {} (counted from 0)",
         last_phase_, out_.phases.size() == 1 ? "is" : "are", out_.phases.size());
  require_phases(source);
}

void ChoiceLines::require_phases(const Source& source) const {
  const auto& phases = out_.phases;
  const auto leads_away = [&](std::size_t p) {
    return p < phases.size() && phases[p].to_intermediate;
  };
  for (std::size_t p = 0; p < phase_lines_.size(); ++p) {
    if (leads_away(p) && (phases[p].next >= phases.size() || leads_away(phases[p].next)))
      fail(source, phase_lines_[p], "the next phase is {}, which is none that leads to hosts",
           phases[p].next);
    if (phases[p].detour && !leads_away(*phases[p].detour))
      fail(source, phase_lines_[p],
           "detours are phase {}, which is none that leads to intermediates", *phases[p].detour);
  }
  for (auto start = out_.starts.begin(); start != out_.starts.end(); ++start) {
    if (*start >= phases.size())
      fail(source, std::max<std::size_t>(start_line_, 1),
           "packets start in phase {}; there {} {} (counted from 0)", *start,
           phases.size() == 1 ? "is" : "are", phases.size());
    if (out_.start_rule != StartRule::level &&
        std::find(out_.starts.begin(), start, *start) != start)
      fail(source, start_line_, "packets start in phase {}, which is named twice", *start);
  }
}

void ChoiceLines::end_columns(const Source& source) const {
  if (!out_.intermediates.columns.empty()) return;
  for (std::size_t p = 0; p < phase_lines_.size(); ++p)
    if (out_.phases[p].to_intermediate)
      fail(source, phase_lines_[p],
           "this phase leads to intermediate destinations; a line \"via\" is needed for each");
}

PhaseId ChoiceLines::column_phase() {
  const auto phase = phase_number();
  if (phase >= out_.phases.size())
    words_.wrong("there is no phase {}; there {} {} (counted from 0)", phase,
                 out_.phases.size() == 1 ? "is" : "are", out_.phases.size());
  if (out_.phases[phase].to_intermediate)
    words_.wrong("phase {} leads to intermediate destinations: its columns are lines \"via\"",
                 phase);
  words_.need("to", "in 0 to h0 h1: . c0");
  return phase;
}

void ChoiceLines::assign(PhaseId phase, HostId to, ColumnId column) {
  auto& to_host = out_.phases[phase].to_host;
  if (to_host.empty()) to_host.assign(words_.fabric().host_count(), ColumnId::none());
  if (to_host[to].valid())
    words_.wrong("\"{}\" has a second column in phase {}; one is possible",
                 words_.fabric()[to].name, phase);
  to_host[to] = column;
}

}  // namespace weft::weft_tables
