// SPDX-License-Identifier: Apache-2.0
// ChoiceReader: what tables with choices have more: sets, phases, and columns of both.
#pragma once
#include "verify/read_columns.hpp"

namespace weft::verifier {

class ChoiceReader : protected ColumnReader {
 protected:
  using ColumnReader::ColumnReader;

  /// Which intermediate destinations packets draw, and how they decide, does not matter.
  void choice_rules() {
    while (line_begins() && take("choice")) choice_set();
    line("regions REGION*");
    line("intermediates WORD");
    line("decide WORD WORD WORD WORD WORD WORD WORD");
    in_.starts.assign(1, 0);
    if (line_begins() && take("start")) {
      in_.start_by_level = take("level");
      if (!in_.start_by_level && !take("random")) take("queue");
      match("PHASE*");
      end_line();
      in_.starts = values_;
    }
    while (line_begins() && take("phase")) phase();
    if (in_.phases.empty()) in_.phases.emplace_back();
    check(!in_.starts.empty() &&
              std::set(in_.starts.begin(), in_.starts.end()).size() == in_.starts.size(),
          "packets start in different phases");
    for (const Index start : in_.starts) check(start < in_.phases.size(), "there is no such phase");
    for (const TablePhase& phase : in_.phases) {
      const bool away = phase.to_intermediates;
      check(!away || (phase.next < in_.phases.size() && !in_.phases[phase.next].to_intermediates),
            "the next phase leads to hosts");
      check(phase.detour == none ||
                (phase.detour < in_.phases.size() && in_.phases[phase.detour].to_intermediates),
            "a detour leads to intermediate destinations");
    }
    for (auto& set : in_.sets)
      for (TableChoice& choice : set) {
        check(choice.phase != none || in_.phases.size() == 1, "a choice names no phase");
        if (choice.phase == none) choice.phase = 0;
        check(choice.phase < in_.phases.size(), "a choice leads to a phase that does not exist");
      }
  }
  /// A line "to", "in" or "via", and that of levels behind it; whether there is one.
  bool choice_column(bool to_switches) {
    if (take("to")) {
      column(in_.columns.emplace_back(), to_switches);
    } else if (take("in")) {
      const Index in = value("PHASE");
      check(in < in_.phases.size() && !in_.phases[in].to_intermediates,
            "this phase has no own columns");
      match("to HOST* :");
      const IndexList to = values_;
      const Index entries_of = entries_or_same();
      for (const Index host : to)
        check(in_.phases[in].own_columns.emplace(host, entries_of).second,
              "a host has a second column in this phase");
    } else if (take("via")) {
      need(":");
      in_.intermediates.push_back(entries_or_same());
    } else {
      return false;
    }
    return true;
  }

 private:
  void choice_set() {
    need("c" + std::to_string(in_.sets.size()));
    need(":");
    auto& set = in_.sets.emplace_back();
    for (; !next().empty();)
      if (!take("|")) set.push_back(choice(take()));
    check(!set.empty(), "a choice is missing");
    end_line();
  }
  /// PORT, .LANE, >PHASE, without spaces.
  TableChoice choice(std::string_view word) {
    TableChoice out{none, none, none};
    std::size_t at = 0;
    const auto part = [&](std::size_t least, std::size_t most, const char* what) {
      Index value = 0;
      const auto [after, problem] = std::from_chars(word.data() + at, word.end(), value);
      if (problem != std::errc() || value < least || value > most)
        fail(std::string(what) + " is expected here");
      at = static_cast<std::size_t>(after - word.data());
      return value;
    };
    out.port = part(1, most_ports, "a port");
    if (at < word.size() && word[at] == '.') ++at, out.lane = part(0, in_.lanes - 1, "a lane");
    if (at < word.size() && word[at] == '>') ++at, out.phase = part(0, most_phases - 1, "a phase");
    check(at == word.size(), "a choice is PORT, .LANE and >PHASE");
    return out;
  }
  void phase() {
    check(in_.phases.size() < most_phases, "there are too many phases");
    need(std::to_string(in_.phases.size()));
    TablePhase& phase = in_.phases.emplace_back();
    match("NAME : to");
    phase.to_intermediates = take("intermediates");
    match(phase.to_intermediates ? "next PHASE" : "hosts");
    if (phase.to_intermediates)
      phase.next = values_[0];
    else if (take("detour"))
      phase.detour = value("PHASE");
    end_line();
  }
  /// The number of the column.
  Index entries_or_same() {
    if (take("=")) {
      check(!in_.columns.empty(), "there is no column before");
      end_line();
    } else {
      entries(in_.columns.emplace_back());
    }
    column_levels(in_.columns.back());
    return static_cast<Index>(in_.columns.size() - 1);
  }
};

}  // namespace weft::verifier
