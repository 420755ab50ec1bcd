// SPDX-License-Identifier: Apache-2.0
// Compares fabrics by GUID and name, and entries by LID.
#include "live/router/subnet_changes.hpp"

#include <algorithm>
#include <map>

#include "fabric/difference.hpp"

namespace weft::live {
namespace {

std::string_view word_of(DifferenceKind kind) {
  switch (kind) {
    case DifferenceKind::switch_missing:
    case DifferenceKind::host_missing:
    case DifferenceKind::cable_missing:
      return "gone";
    case DifferenceKind::switch_new:
    case DifferenceKind::host_new:
    case DifferenceKind::cable_new:
      return "new";
    default:
      return "changed";
  }
}

}  // namespace

std::string first_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 4;
  const std::size_t count = std::min(names.size(), most);
  return fmt::format(
      "{}{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(count), ", "),
      names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

std::vector<std::string> described_changes(const Fabric& before, const Fabric& now) {
  std::map<std::string_view, std::vector<std::string>> by_word;
  for (const FabricDifference& each : differences(before, now))
    by_word[word_of(each.kind)].push_back(each.what);
  std::vector<std::string> out;
  for (const auto& [word, what] : by_word)
    out.push_back(fmt::format("{}: {}", word, first_of(what)));
  return out;
}

bool has_all(const Fabric& now, const Fabric& then) {
  const Partners partner = partners(then, now);
  for (SwitchId s : partner.switches)
    if (!s.valid()) return false;
  for (HostId h : then.hosts())
    if (const HostId same = partner.hosts[h];
        !same.valid() || now[same].on != partner.switches[then[h].on] ||
        now[same].port != then[h].port || now[same].lmc != then[h].lmc)
      return false;
  for (LinkId l : then.links()) {
    const auto& [a, b, wire] = then[l];
    const SwitchId from = partner.switches[a.on];
    const ChannelId c = from.valid() ? now.channel_at(from, a.port) : ChannelId::none();
    if (!c.valid() || now.to(c) != partner.switches[b.on] || now.in_port(c) != b.port) return false;
  }
  return true;
}

bool have_same_places(const Fabric& before, const Fabric& now) {
  const Partners partner = partners(before, now);
  std::map<Lid, HostId> by_lid;
  for (HostId h : now.hosts()) by_lid[now[h].lid] = h;
  for (HostId h : before.hosts()) {
    const Host& was = before[h];
    const auto heir = by_lid.find(was.lid);
    if (heir != by_lid.end() && heir->second != partner.hosts[h]) return false;
    if (!partner.hosts[h].valid()) continue;
    const Host& is = now[partner.hosts[h]];
    if (is.lid != was.lid || is.lmc != was.lmc || is.port != was.port ||
        is.on != partner.switches[was.on])
      return false;
  }
  return true;
}

EntryCount changed_entries(std::span<const SwitchTables> before, const Fabric& fabric,
                           std::span<const SwitchTables> now) {
  std::map<std::uint64_t, const SwitchTables*> was;
  for (const SwitchTables& at : before) was[at.guid] = &at;
  EntryCount out;
  for (const SwitchTables& at : now) {
    const auto found = was.find(at.guid);
    for (HostId h : fabric.hosts())
      for (std::size_t i = 0; i < std::size_t{1} << fabric[h].lmc; ++i, ++out.all) {
        const std::size_t lid = fabric[h].lid + i;
        const bool known = found != was.end() && lid < found->second->port_by_lid.size();
        out.changed += (known ? found->second->port_by_lid[lid] : 0xFF) != at.port_by_lid[lid];
      }
  }
  return out;
}

std::uint64_t mended_entries(const Fabric& fabric, const Tables& before, const Tables& after) {
  const auto& was = std::get<DestinationTables>(before.paths);
  const auto& is = std::get<DestinationTables>(after.paths);
  std::vector<ColumnId> columns(after.to_host.begin(), after.to_host.end());
  for (const FurtherColumn& further : after.further) columns.push_back(further.column);
  std::uint64_t out = 0;
  for (ColumnId column : columns) {
    if (!column.valid()) continue;
    for (SwitchId s : fabric.switches()) {
      const PortNumber port = was[column][s.index()];
      const bool dead = port != here && !fabric.channel_at(s, port).valid();
      out += dead && is[column][s.index()] != port ? 1 : 0;
    }
  }
  return out;
}

}  // namespace weft::live
