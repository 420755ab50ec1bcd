// SPDX-License-Identifier: Apache-2.0
// Rows of entries in as few bytes as their numbers need; the rest as lists.
#include "lab/page/choice_paths.hpp"

#include <algorithm>
#include <map>

#include "base/base64.hpp"
#include "lab/page/fabric_section.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;
using Entry = ChoiceTables::Entry;
using EntryRow = std::vector<Entry>;

/// By column: the host that it leads to; none: no host, or several.
std::vector<HostId> only_hosts(const Tables& tables, const ChoiceTables& choices) {
  std::vector<HostId> out(choices.size());
  std::vector<bool> several(choices.size(), false);
  const auto note = [&](ColumnId column, HostId host) {
    if (!column.valid()) return;
    HostId& known = out[column.index()];
    if (known.valid() && known != host) several[column.index()] = true;
    known = host;
  };
  for (const Phase& phase : choices.phases)
    for (const HostId host : tables.to_host.ids())
      if (!phase.to_intermediate)
        note(phase.to_host.empty() ? tables.to_host[host] : phase.to_host[host], host);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (several[i]) out[i] = HostId::none();
  return out;
}

/// By column: whether packets between hosts follow it.
std::vector<bool> followed_columns(const Tables& tables, const ChoiceTables& choices) {
  std::vector<bool> out(choices.size(), false);
  const auto note = [&](ColumnId column) {
    if (column.valid()) out[column.index()] = true;
  };
  for (const Phase& phase : choices.phases) {
    if (phase.to_intermediate)
      std::for_each(choices.intermediates.columns.begin(), choices.intermediates.columns.end(),
                    note);
    else
      for (const ColumnId column : phase.to_host.empty() ? tables.to_host : phase.to_host)
        note(column);
  }
  return out;
}

/// Whether all candidates deliver to a host by its own port.
bool delivers(const Fabric& fabric, const ChoiceTables& choices, Entry entry, HostId host) {
  if (entry >= choices.set_count()) return false;
  const auto all = choices.candidates(entry);
  return std::all_of(all.begin(), all.end(),
                     [&](const Candidate& each) { return each.port == fabric[host].port; });
}

/// 0: here; 1: no route; from 2 on the numbers of sets.
std::uint32_t code_of(Entry entry) {
  if (entry == ChoiceTables::at_end) return 0;
  return entry == ChoiceTables::no_route ? 1 : entry + 2;
}

Json entries_of(const PageChoiceRows& rows, const ChoiceTables& choices) {
  const std::size_t codes = choices.set_count() + 2;
  const unsigned width = codes <= 1U << 8U ? 1 : codes <= 1U << 16U ? 2 : 4;
  std::string bytes;
  for (const EntryRow& row : rows.rows())
    for (const Entry entry : row)
      for (unsigned i = 0; i < width; ++i)
        bytes += static_cast<char>(code_of(entry) >> (8 * i) & 0xffU);
  return {{"width", width}, {"row_of", rows.row_of()}, {"entries", base64(bytes)}};
}

Json sets_of(const ChoiceTables& choices) {
  Json out = page_columns({"size", "port", "lane", "phase", "preference"});
  for (Entry set = 0; set < choices.set_count(); ++set) {
    out["size"].push_back(choices.candidates(set).size());
    for (const Candidate& each : choices.candidates(set)) {
      out["port"].push_back(each.port);
      out["lane"].push_back(each.lane == Candidate::by_lanes ? -1 : int{each.lane});
      out["phase"].push_back(each.phase);
      out["preference"].push_back(each.preference);
    }
  }
  return out;
}

Json phases_of(const ChoiceTables& choices) {
  Json out = Json::array();
  for (const Phase& phase : choices.phases) {
    Json each{{"name", phase.name}, {"to_intermediate", phase.to_intermediate}};
    if (!phase.to_host.empty()) each["column_of"] = page_indices(phase.to_host);
    if (phase.to_intermediate) each["next"] = phase.next;
    if (phase.detour) each["detour"] = *phase.detour;
    out.push_back(std::move(each));
  }
  return out;
}

const char* rule_name(IntermediateRule rule) {
  switch (rule) {
    case IntermediateRule::any:
      return "any";
    case IntermediateRule::elsewhere:
      return "elsewhere";
    case IntermediateRule::between:
      return "between";
    case IntermediateRule::aligned:
      return "aligned";
    case IntermediateRule::up_to_last:
      return "up_to_last";
  }
  return "any";
}

Json intermediates_of(const Fabric& fabric, const Intermediates& all) {
  Json out{{"columns", page_indices(all.columns)}, {"rule", rule_name(all.rule)}};
  const bool by_region =
      all.rule == IntermediateRule::elsewhere || all.rule == IntermediateRule::any;
  if (by_region && !all.region.empty())
    for (const SwitchId s : fabric.switches()) out["region"].push_back(all.region[s]);
  if (all.rule == IntermediateRule::aligned)
    for (const SwitchId s : fabric.switches()) out["at"].push_back(fabric[s].at);
  return out;
}

}  // namespace

PageChoiceRows::PageChoiceRows(const Fabric& fabric, const Tables& tables,
                               const ChoiceTables& choices)
    : row_of_(choices.size(), -1) {
  const std::vector<bool> followed = followed_columns(tables, choices);
  const std::vector<HostId> only = only_hosts(tables, choices);
  std::map<EntryRow, std::size_t> known;
  for (const ColumnId column : choices.ids()) {
    if (!followed[column.index()]) continue;
    const auto entries = choices.next[column];
    EntryRow row(entries.begin(), entries.end());
    if (const HostId host = only[column.index()]; host.valid()) {
      Entry& last = row[fabric[host].on.index()];
      if (delivers(fabric, choices, last, host)) last = ChoiceTables::at_end;
    }
    const auto [found, is_new] = known.try_emplace(std::move(row), known.size());
    if (is_new) rows_.push_back(found->first);
    row_of_[column.index()] = static_cast<std::int64_t>(found->second);
  }
}

Json page_choice_paths(const Fabric& fabric, const Tables& tables, const ChoiceTables& choices) {
  const char* rule = choices.start_rule == StartRule::level   ? "level"
                     : choices.start_rule == StartRule::queue ? "queue"
                                                              : "random";
  Json out{{"form", "choice"}, {"column_of", page_indices(tables.to_host)}};
  out.update(entries_of(PageChoiceRows(fabric, tables, choices), choices));
  out["sets"] = sets_of(choices);
  out["phases"] = phases_of(choices);
  out["starts"] = choices.starts;
  out["start_rule"] = rule;
  if (choices.have_detours())
    out["intermediates"] = intermediates_of(fabric, choices.intermediates);
  return out;
}

}  // namespace weft
