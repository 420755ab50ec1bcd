// SPDX-License-Identifier: Apache-2.0
// Choice tables in weft's own form; weft_tables.cpp writes the rest,
// parsing/weft_tables_choices.cpp reads these lines.
//
//   paths choices
//   switches s0 s1 …
//   choice c0: 1.0 2.0>1 | 3.1>1         # candidates: port, .lane, >phase; | less preferred ones
//   regions 0 0 1 1                      # of intermediate destinations: by switch
//   intermediates elsewhere              # or any, between, aligned, up_to_last
//   decide port 1 2 threshold 30 draws 1 # on detours: queue (port, lane, path), weights, 0: hops
//   start 0                              # the phases of new packets; several: start random 0 1
//   phase 0 undecided: to hosts detour 1
//   phase 1 detour: to intermediates next 2
//   phase 2 minimal: to hosts
//   to h0 h1: . c0 c1 -                  # a column to hosts, of phases that have none of their own
//   in 2 to h0 h1: . c0 c1 -             # of phase 2's own
//   in 0 to h5: =                        # the column of the line before serves here as well
//   via: . . c3 c4                       # a column to an intermediate destination
//
// Without .lane the lane follows from the lines "turns" or "levels". >phase may only be left out
// where there is a single phase; its line is left out where it has no name.
#include "fabric/format/weft_tables_choices.hpp"

#include "fabric/format/parsing/text.hpp"
#include "fabric/format/parsing/weft_tables_choices.hpp"
#include "fabric/format/weft_tables_names.hpp"

namespace weft::weft_tables {
namespace {

bool has_plain_phases(const ChoiceTables& choices) {
  return choices.phases == std::vector{Phase{}} && choices.starts == std::vector<PhaseId>{0} &&
         choices.start_rule == StartRule::random;
}

void write_set(Printer& out, std::span<const Candidate> candidates, bool with_phase) {
  unsigned preference = 0;
  for (const Candidate& c : candidates) {
    for (; preference < c.preference; ++preference) out.put(" |");
    out.put(" ");
    out.put(unsigned{c.port});
    if (c.lane != Candidate::by_lanes) {
      out.put(".");
      out.put(unsigned{c.lane});
    }
    if (!with_phase) continue;
    out.put(">");
    out.put(unsigned{c.phase});
  }
}

void write_phase(Printer& out, std::size_t number, const Phase& phase) {
  out.print("phase {} {}: to {}", number, word(phase.name),
            phase.to_intermediate ? "intermediates" : "hosts");
  if (phase.to_intermediate) out.print(" next {}", phase.next);
  if (phase.detour) out.print(" detour {}", *phase.detour);
  out.put("\n");
}

}  // namespace

void write_choices(Printer& out, const ChoiceTables& choices) {
  for (ChoiceTables::Entry set = 0; set < choices.set_count(); ++set) {
    out.print("choice c{}:", set);
    write_set(out, choices.candidates(set), choices.phases.size() > 1);
    out.put("\n");
  }
  if (const auto& region = choices.intermediates.region; !region.empty())
    out.print("regions {}\n", fmt::join(region, " "));
  if (choices.intermediates.rule != IntermediateRule::any)
    out.print("intermediates {}\n", name_of(rule_names, choices.intermediates.rule));
  if (const DetourDecision& d = choices.decision; d != DetourDecision{})
    out.print("decide {} {} {} threshold {} draws {}\n", name_of(queue_names, d.queue), d.weight,
              d.detour_weight, d.threshold, d.draws);
  if (has_plain_phases(choices)) return;
  const bool says_rule = choices.starts.size() > 1 || choices.start_rule != StartRule::random;
  out.print("start {}{}{}\n", says_rule ? name_of(start_names, choices.start_rule) : "",
            says_rule ? " " : "", fmt::join(choices.starts, " "));
  for (std::size_t p = 0; p < choices.phases.size(); ++p) write_phase(out, p, choices.phases[p]);
}

void write_entries(Printer& out, const ChoiceTables& choices, ColumnId c) {
  for (const ChoiceTables::Entry entry : choices.next[c]) {
    if (entry == ChoiceTables::at_end) {
      out.put(" .");
    } else if (entry == ChoiceTables::no_route) {
      out.put(" -");
    } else {
      out.put(" c");
      out.put(entry);
    }
  }
}

IdVector<ColumnId, ChoiceUses> uses_of_columns(const ChoiceTables& choices) {
  IdVector<ColumnId, ChoiceUses> out(choices.size());
  for (std::size_t p = 0; p < choices.phases.size(); ++p) {
    const auto& to_host = choices.phases[p].to_host;
    for (const HostId h : to_host.ids()) {
      if (!to_host[h].valid()) continue;
      auto& in = out[to_host[h]].in;
      const auto phase = static_cast<PhaseId>(p);
      if (in.empty() || in.back().phase != phase) in.push_back({phase, {}});
      in.back().hosts.push_back(h);
    }
  }
  for (const ColumnId c : choices.intermediates.columns) ++out[c].via;
  return out;
}

}  // namespace weft::weft_tables
