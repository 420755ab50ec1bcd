// SPDX-License-Identifier: Apache-2.0
// Finds out who is who, and hands the tables over.
#include "fabric/rematch.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/words.hpp"
#include "fabric/difference.hpp"
#include "fabric/inverse.hpp"
#include "fabric/without.hpp"

namespace weft {
namespace {

std::optional<Refused> other_switches(const Fabric& theirs, const Fabric& ours,
                                      const Partners& partner) {
  const IdVector<SwitchId, SwitchId> back = inverse(partner.switches, ours.switch_count());
  std::size_t missing = 0;
  for (SwitchId s : ours.switches()) missing += back[s].valid() ? 0 : 1;
  if (missing > 0)
    return Refused{fmt::format("they are for another fabric: {} of {} are not there", missing,
                               counted(ours.switch_count(), "switch", "switches"))};
  for (SwitchId s : ours.switches())
    if (theirs[back[s]].ports != ours[s].ports)
      return Refused{fmt::format(
          "they are for another fabric: switch \"{}\" has {} there, and {} here", ours[s].name,
          counted(theirs[back[s]].ports, "port", "ports"), ours[s].ports)};
  return std::nullopt;
}

std::size_t other_cables(const Fabric& theirs, const Fabric& ours) {
  const auto all = differences(theirs, ours);
  return static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const auto& each) {
    return each.kind == DifferenceKind::cable_missing || each.kind == DifferenceKind::cable_new ||
           each.kind == DifferenceKind::cable_moved;
  }));
}

}  // namespace

std::string other_lids_note(std::size_t hosts) {
  return counted(hosts, "host has another LID there; matched by GUID",
                 "hosts have other LIDs there; matched by GUID");
}

NotedTables rematch(const Tables& tables, const Fabric& theirs, const Fabric& ours) {
  auto out = try_rematch(tables, theirs, ours);
  if (const auto* refused = std::get_if<Refused>(&out)) throw Error("{}", refused->why);
  return std::get<NotedTables>(std::move(out));
}

std::variant<NotedTables, Refused> try_rematch(const Tables& tables, const Fabric& theirs,
                                               const Fabric& ours) {
  Partners partner = partners(theirs, ours);
  if (auto refused = other_switches(theirs, ours, partner)) return *refused;
  std::size_t lids = 0, moved = 0;
  for (HostId h : theirs.hosts()) {
    HostId& now = partner.hosts[h];
    if (!now.valid()) continue;
    const Host& was = theirs[h];
    const Host& is = ours[now];
    lids += was.lid != 0 && is.lid != 0 && was.lid != is.lid ? 1 : 0;
    if (partner.switches[was.on] == is.on && was.port == is.port) continue;
    ++moved;
    now = HostId::none();
  }
  std::size_t there = 0;
  for (HostId now : partner.hosts) there += now.valid() ? 1 : 0;
  std::vector<std::string> notes;
  const auto note = [&](std::size_t count, std::string_view one, std::string_view many) {
    if (count > 0) notes.push_back(counted(count, one, many));
  };
  if (lids > 0) notes.push_back(other_lids_note(lids));
  note(moved, "host is at another port there, and so has no routes",
       "hosts are at other ports there, and so have no routes");
  note(ours.host_count() - there - moved, "host is not there, and so has no routes",
       "hosts are not there, and so have no routes");
  note(other_cables(theirs, ours), "cable is connected otherwise there",
       "cables are connected otherwise there");
  NotedTables out{tables_without(tables, theirs,
                                 {ours, std::move(partner.switches), std::move(partner.hosts), {}}),
                  std::move(notes)};
  std::erase_if(out.tables.further, [&](const FurtherColumn& further) {
    return further.lid >= 1U << ours[further.host].lmc;
  });
  require_fit(ours, out.tables);
  return out;
}

}  // namespace weft
