// SPDX-License-Identifier: Apache-2.0
// reach: every host reaches every other on a route that ends, whatever the switches choose. Pairs
// that no links join are counted, not blamed on the tables.
#include <algorithm>

#include "base/words.hpp"
#include "fabric/route_set.hpp"
#include "plan/check/checks.hpp"

namespace weft {
namespace {

/// A line for each of the largest groups, how many there are besides, and the route of one pair.
std::vector<std::string> lines_of(const Subject& subject) {
  const Fabric& fabric = subject.fabric;
  const std::vector<LostPairs>& groups = subject.survey.lost;
  constexpr std::size_t shown = 8;
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(shown, groups.size()); ++i)
    out.push_back(groups[i].describe(fabric));
  if (groups.size() > shown)
    out.push_back(
        fmt::format("… and {}", counted(groups.size() - shown, "more group", "more groups")));
  if (!groups.empty())
    out.push_back("one of them: " + route_text(fabric, subject.tables, groups.front().example.from,
                                               groups.front().example.to));
  return out;
}

FindingItem item_of(const Fabric& fabric, const LostPairs& group) {
  std::vector<std::string> switches;
  for (SwitchId s : group.place.at) switches.push_back(fabric[s].name);
  std::vector<std::string> hosts;
  for (HostId h : group.to) hosts.push_back(fabric[h].name);
  FindingItem out{{"cause", std::string(group.cause())},
                  {"pairs", static_cast<double>(group.pairs)},
                  {"switches", std::move(switches)},
                  {"hosts", std::move(hosts)}};
  if (group.place.port != no_port) out.emplace_back("port", static_cast<double>(group.place.port));
  return out;
}

/// Judges the routes to further LIDs (LMC): those to the n-th of all hosts at a time.
void add_further_lids(const Subject& subject, Finding& finding) {
  unsigned most = 0;
  for (const FurtherColumn& further : subject.tables.further) most = std::max(most, further.lid);
  std::uint64_t lost = 0;
  for (unsigned lid = 1; lid <= most; ++lid) {
    Tables tables = subject.tables;
    for (const FurtherColumn& further : subject.tables.further)
      if (further.lid == lid) tables.to_host[further.host] = further.column;
    const Survey seen = survey(subject.fabric, tables);
    lost += seen.pairs - seen.reached - seen.apart;
    for (const LostPairs& group : seen.lost) {
      if (finding.details.size() >= 16) break;
      finding.details.push_back(fmt::format("LID + {}: {}", lid, group.describe(subject.fabric)));
      if (&group != &seen.lost.front()) continue;
      const auto [from, to] = group.example;
      finding.details.push_back(fmt::format("one of them, to {}{}: {}", subject.fabric[to].name,
                                            by_lid(subject.fabric, to, lid),
                                            route_text(subject.fabric, tables, from, to)));
    }
  }
  if (most == 0) return;
  finding.summary += lost == 0 ? fmt::format(", and so are their further LIDs")
                               : fmt::format("; {} pairs by further LIDs are not", lost);
  if (lost > 0) finding.verdict = Verdict::bad;
  finding.numbers.emplace("lost_by_further_lids", static_cast<double>(lost));
}

}  // namespace

Finding check_reach(const Subject& subject) {
  const Survey& seen = subject.survey;
  if (subject.fabric.host_count() == 0)
    return {
        "reach", Verdict::bad,
        "there are no hosts, so nothing is routed; file:path=FILE,hosts=4 adds 4 to every switch"};
  Finding finding{"reach", seen.complete() ? Verdict::fine : Verdict::bad, {}};
  const bool choices = leave_choices(subject.tables);
  const std::uint64_t lost = seen.pairs - seen.reached - seen.apart;
  if (lost == 0)
    finding.summary = fmt::format("all {} pairs of hosts are reached{}", seen.reached,
                                  !choices            ? ""
                                  : seen.may_go_round ? ", though packets may go round in loops as "
                                                        "long as switches choose so"
                                                      : ", whatever the switches choose");
  else
    finding.summary = fmt::format("{} of {} pairs of hosts are not reached", lost, seen.pairs);
  if (seen.apart != 0)
    finding.summary += fmt::format("; {} lie in different parts of the fabric", seen.apart);
  finding.details = lines_of(subject);
  constexpr std::size_t most_items = 100;
  for (std::size_t i = 0; i < std::min(most_items, seen.lost.size()); ++i)
    finding.items.push_back(item_of(subject.fabric, seen.lost[i]));
  finding.numbers = {{"pairs", static_cast<double>(seen.pairs)},
                     {"reached", static_cast<double>(seen.reached)},
                     {"apart", static_cast<double>(seen.apart)},
                     {"groups", static_cast<double>(seen.lost.size())}};
  if (seen.may_go_round) finding.numbers.emplace("may_go_round", 1);
  add_further_lids(subject, finding);
  return finding;
}

}  // namespace weft
