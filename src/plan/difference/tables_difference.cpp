// SPDX-License-Identifier: Apache-2.0
// Compares two tables, destination by destination.
#include "plan/difference/tables_difference.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "fabric/without.hpp"

namespace weft {
namespace {

/// The columns that lead packets to a host: one, or of choice tables one in each phase that leads
/// to hosts.
using HostColumns = std::vector<ColumnId>;

HostColumns columns_to(const Tables& tables, HostId to) {
  const auto* choices = std::get_if<ChoiceTables>(&tables.paths);
  if (choices == nullptr) return {tables.to_host[to]};
  HostColumns out;
  for (std::size_t p = 0; p < choices->phases.size(); ++p)
    if (!choices->phases[p].to_intermediate)
      out.push_back(column_of(tables, *choices, static_cast<PhaseId>(p), to));
  return out;
}

/// The hosts of one switch that share their columns in both tables.
using Destinations = std::map<std::tuple<SwitchId, HostColumns, HostColumns>, std::vector<HostId>>;

Destinations shared_destinations(const Fabric& fabric, const Tables& before, const Tables& after) {
  Destinations out;
  for (HostId h : fabric.hosts())
    out[{fabric[h].on, columns_to(before, h), columns_to(after, h)}].push_back(h);
  return out;
}

/// Ports, and of choices also lanes, phases and preferences.
using EntryKey = std::vector<PortNumber>;

/// What steers packets at a switch: a port, in source routes the whole route, or all candidates.
EntryKey key_of(const ChoiceTables& choices, const HostColumns& columns, SwitchId s) {
  EntryKey out;
  for (const ColumnId column : columns) {
    const auto entry = column.valid() ? choices.next[column][s.index()] : ChoiceTables::no_route;
    if (entry == ChoiceTables::at_end) out.push_back(here);
    if (entry == ChoiceTables::no_route) out.push_back(no_port);
    if (entry >= choices.set_count()) continue;
    for (const Candidate& c : choices.candidates(entry))
      out.insert(out.end(), {c.port, c.lane, c.phase, c.preference});
  }
  return out;
}
std::span<const PortNumber> ports_of_entry(const Tables& tables, ColumnId column, SwitchId s) {
  static constexpr PortNumber nothing = no_port;
  if (!column.valid()) return {&nothing, 1};
  if (const auto* next = std::get_if<DestinationTables>(&tables.paths))
    return {&(*next)[column][s.index()], 1};
  return std::get<SourceRoutes>(tables.paths).route(column, s).value_or(std::span(&nothing, 1));
}

EntryKey entry_of(const Tables& tables, const HostColumns& columns, SwitchId s) {
  if (const auto* choices = std::get_if<ChoiceTables>(&tables.paths))
    return key_of(*choices, columns, s);
  const auto entry = ports_of_entry(tables, columns.front(), s);
  return {entry.begin(), entry.end()};
}

bool delivers(const Host& host, std::span<const PortNumber> entry) {
  return std::all_of(entry.begin(), entry.end(), [&](PortNumber port) { return port == here; }) ||
         (entry.size() == 1 && entry.front() == host.port);
}

/// At the last switch a port to the host and `here` are the same.
bool same_entry(const Host& to, SwitchId at, std::span<const PortNumber> was,
                std::span<const PortNumber> is) {
  return std::equal(was.begin(), was.end(), is.begin(), is.end()) ||
         (at == to.on && delivers(to, was) && delivers(to, is));
}

/// Of the routes that programs use; links keep their numbers.
Survey survey_of_computers(const Fabric& fabric, const Tables& tables) {
  const std::optional<Remainder> computers = only_computers(fabric);
  if (!computers) return survey(fabric, tables);
  return survey(computers->fabric, tables_without(tables, fabric, *computers));
}

class TablesComparison {
 public:
  TablesComparison(const Fabric& fabric, const Tables& before, const Tables& after)
      : fabric_(fabric),
        before_(before),
        after_(after),
        out_{0,
             0,
             IdVector<SwitchId, std::uint64_t>(fabric.switch_count(), 0),
             IdVector<HostId, std::uint64_t>(fabric.host_count(), 0),
             0,
             0,
             survey_of_computers(fabric, before),
             survey_of_computers(fabric, after),
             update_order(fabric, before, after)} {}

  TablesDifference run() {
    for (const auto& [key, hosts] : shared_destinations(fabric_, before_, after_))
      compare(std::get<1>(key), std::get<2>(key), hosts);
    compare_further_lids();
    return std::move(out_);
  }

 private:
  /// Their pairs are counted apart.
  void compare_further_lids() {
    std::map<std::pair<HostId, unsigned>, std::pair<ColumnId, ColumnId>> columns;
    for (const auto& [host, lid, column] : before_.further) columns[{host, lid}].first = column;
    for (const auto& [host, lid, column] : after_.further) columns[{host, lid}].second = column;
    const std::uint64_t first = out_.changed_pairs;
    for (const auto& [key, both] : columns) compare({both.first}, {both.second}, {key.first});
    out_.changed_further = out_.changed_pairs - first;
    out_.changed_pairs = first;
  }
  void compare(const HostColumns& a, const HostColumns& b, const std::vector<HostId>& hosts) {
    changed_.assign(fabric_.switch_count(), false);
    std::uint64_t count = 0;
    const Host& to = fabric_[hosts.front()];
    for (SwitchId s : fabric_.switches()) {
      const bool same = same_entry(to, s, entry_of(before_, a, s), entry_of(after_, b, s));
      changed_[s.index()] = !same;
      count += same ? 0 : 1;
      out_.by_switch[s] += same ? 0 : hosts.size();
    }
    for (HostId h : hosts) out_.by_destination[h] += count;
    out_.entries += fabric_.switch_count() * hosts.size();
    out_.changed_entries += count * hosts.size();
    if (count > 0) count_pairs(a, hosts);
  }
  /// A route changes where an entry on it does.
  void count_pairs(const HostColumns& a, const std::vector<HostId>& hosts) {
    if (const auto* choices = std::get_if<ChoiceTables>(&before_.paths)) {
      spread_changes(*choices, a);
    } else if (const auto* next = std::get_if<DestinationTables>(&before_.paths);
               next != nullptr && a.front().valid() &&
               std::holds_alternative<DestinationTables>(after_.paths)) {
      tree_.load((*next)[a.front()]);
      const auto order = tree_.order();
      for (std::size_t i = order.size(); i-- > 0;)
        if (changed_[tree_.next(order[i]).index()]) changed_[order[i].index()] = true;
    }
    const auto is_computer = [&](HostId h) { return fabric_[h].role == HostRole::computer; };
    const auto computers = [&](std::span<const HostId> all) {
      return static_cast<std::uint64_t>(std::count_if(all.begin(), all.end(), is_computer));
    };
    for (SwitchId s : fabric_.switches())
      if (changed_[s.index()])
        out_.changed_pairs += computers(fabric_.hosts_on(s)) * computers(hosts);
  }

  /// Switches from which some choice leads to a changed entry, in whatever phase.
  void spread_changes(const ChoiceTables& choices, const HostColumns& columns) {
    for (bool more = true; more;) {
      more = false;
      for (const SwitchId s : fabric_.switches())
        if (!changed_[s.index()] && leads_to_change(choices, columns, s))
          changed_[s.index()] = more = true;
    }
  }
  bool leads_to_change(const ChoiceTables& choices, const HostColumns& columns, SwitchId s) const {
    for (const ColumnId column : columns) {
      const auto entry = column.valid() ? choices.next[column][s.index()] : ChoiceTables::no_route;
      if (entry >= choices.set_count()) continue;
      for (const Candidate& c : choices.candidates(entry))
        if (const ChannelId by = fabric_.channel_at(s, c.port);
            by.valid() && changed_[fabric_.to(by).index()])
          return true;
    }
    return false;
  }

  const Fabric& fabric_;
  const Tables& before_;
  const Tables& after_;
  TablesDifference out_;
  ColumnTree tree_{fabric_};
  std::vector<bool> changed_;  ///< by switch: its entry, and then its route
};

/// One candidate in each entry.
Tables as_choices(const Fabric& fabric, const Tables& tables) {
  const auto* next = std::get_if<DestinationTables>(&tables.paths);
  if (next == nullptr) return tables;
  ChoiceTables choices(next->size(), fabric.switch_count());
  for (const ColumnId c : next->ids())
    for (const SwitchId s : fabric.switches()) {
      const PortNumber port = (*next)[c][s.index()];
      if (port == here) choices.next[c][s.index()] = ChoiceTables::at_end;
      if (port != here && port != no_port) choices.next[c][s.index()] = choices.add({{port}});
    }
  Tables out = tables;
  out.further.clear();  // choice tables have none
  out.paths = std::move(choices);
  return out;
}

/// Tables of different forms are compared as source routes, or if one leaves choices, as such.
template <class Compare>
auto in_one_form(const Fabric& fabric, const Tables& before, const Tables& after,
                 const Compare& compare) {
  if (before.paths.index() == after.paths.index()) return compare(before, after);
  const auto has_choices = [](const Tables& tables) {
    return std::holds_alternative<ChoiceTables>(tables.paths);
  };
  if (has_choices(before) || has_choices(after)) {
    if (std::holds_alternative<SourceRoutes>(before.paths) ||
        std::holds_alternative<SourceRoutes>(after.paths))
      throw Error(
          "source routes cannot be compared with tables whose entries leave a choice; compare "
          "tables by destination");
    return compare(as_choices(fabric, before), as_choices(fabric, after));
  }
  return compare(as_source_routes(fabric, before), as_source_routes(fabric, after));
}

/// Of all phases together.
std::vector<PortNumber> candidate_ports(const ChoiceTables& choices, const HostColumns& columns,
                                        SwitchId s) {
  std::vector<PortNumber> out;
  const auto add = [&](PortNumber port) {
    if (std::find(out.begin(), out.end(), port) == out.end()) out.push_back(port);
  };
  for (const ColumnId column : columns) {
    const auto entry = column.valid() ? choices.next[column][s.index()] : ChoiceTables::no_route;
    if (entry == ChoiceTables::at_end) add(here);
    if (entry >= choices.set_count()) continue;
    for (const Candidate& c : choices.candidates(entry)) add(c.port);
  }
  if (out.empty()) out.push_back(no_port);
  return out;
}

/// The ports of an entry, the alternatives of each.
std::vector<std::vector<PortNumber>> ports_of(const Tables& tables, const HostColumns& columns,
                                              SwitchId s) {
  if (const auto* choices = std::get_if<ChoiceTables>(&tables.paths))
    return {candidate_ports(*choices, columns, s)};
  std::vector<std::vector<PortNumber>> out;
  const auto* routes = std::get_if<SourceRoutes>(&tables.paths);
  for (const PortNumber& tag : ports_of_entry(tables, columns.front(), s)) {
    const std::span<const PortNumber> ports =
        routes == nullptr ? std::span(&tag, 1) : routes->ports(tag);
    out.emplace_back(ports.begin(), ports.end());
  }
  return out;
}

std::vector<ChangedEntry> first_changed(const Fabric& fabric, const Tables& before,
                                        const Tables& after, std::size_t most) {
  std::vector<ChangedEntry> out;
  for (const HostId h : fabric.hosts())
    for (const SwitchId s : fabric.switches()) {
      if (out.size() == most) return out;
      const HostColumns a = columns_to(before, h), b = columns_to(after, h);
      if (!same_entry(fabric[h], s, entry_of(before, a, s), entry_of(after, b, s)))
        out.push_back({s, h, ports_of(before, a, s), ports_of(after, b, s)});
    }
  return out;
}

}  // namespace

TablesDifference compare_tables(const Fabric& fabric, const Tables& before, const Tables& after) {
  return in_one_form(fabric, before, after, [&](const Tables& a, const Tables& b) {
    return TablesComparison(fabric, a, b).run();
  });
}

std::vector<ChangedEntry> changed_entries(const Fabric& fabric, const Tables& before,
                                          const Tables& after, std::size_t most) {
  return in_one_form(fabric, before, after, [&](const Tables& a, const Tables& b) {
    return first_changed(fabric, a, b, most);
  });
}

}  // namespace weft
