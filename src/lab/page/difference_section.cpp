// SPDX-License-Identifier: Apache-2.0
// Changed entries of tables as a section of a page.
#include "lab/page/difference_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "plan/difference/tables_difference.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

/// A port as a number; a source route, or none, in words: "1, 2 or 3, 4".
Json ports_cell(const std::vector<std::vector<PortNumber>>& ports, PortNumber of_host) {
  const auto shown = [&](PortNumber port) { return port == here ? of_host : port; };
  if (ports.size() == 1 && ports.front().size() == 1) {
    if (ports.front().front() == no_port) return "none";
    return shown(ports.front().front());
  }
  std::vector<std::string> steps;
  for (const std::vector<PortNumber>& each : ports) {
    std::vector<PortNumber> choices;
    for (const PortNumber port : each) choices.push_back(shown(port));
    steps.push_back(fmt::format("{}", fmt::join(choices, " or ")));
  }
  return ports.empty() ? Json(of_host) : Json(fmt::format("{}", fmt::join(steps, ", ")));
}

}  // namespace

PageSection changed_entries_section(const Fabric& fabric, const Tables& before,
                                    const Tables& after) {
  const bool by_destination = std::holds_alternative<DestinationTables>(before.paths) &&
                              std::holds_alternative<DestinationTables>(after.paths);
  const std::string what = by_destination ? "port" : "ports";
  const std::string meaning = by_destination ? "that the switch sends to" : "of the route";
  PageSection out{{"kind", "rows"}, {"id", "changed-entries"}, {"title", "changed entries"}};
  auto entries = changed_entries(fabric, before, after, most_changed_entries + 1);
  if (entries.size() > most_changed_entries) {
    entries.pop_back();
    out["note"] = fmt::format("There are more: the first {} are here.", most_changed_entries);
  }
  const char* at = by_destination ? "whose entry it is" : "where the route begins";
  out["columns"] = Json::array(
      {{{"name", "switch"}, {"unit", ""}, {"meaning", at}},
       {{"name", "destination"}, {"unit", ""}, {"meaning", "host"}},
       {{"name", what + "_before"}, {"unit", ""}, {"meaning", meaning + " in the first tables"}},
       {{"name", what + "_after"}, {"unit", ""}, {"meaning", meaning + " in the second tables"}}});
  out["rows"] = Json::array();
  out["marks"] = Json::array();
  for (const ChangedEntry& each : entries) {
    const Host& to = fabric[each.to];
    out["rows"].push_back({fabric[each.at].name, to.name, ports_cell(each.before, to.port),
                           ports_cell(each.after, to.port)});
    out["marks"].push_back(
        {{"fabric", "fabric"}, {"switches", {each.at.index()}}, {"hosts", {each.to.index()}}});
  }
  return out;
}

}  // namespace weft
