// SPDX-License-Identifier: Apache-2.0
// Compares two tables, destination by destination.
#include "plan/difference/tables_difference.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "fabric/without.hpp"

namespace weft {
namespace {

/// The hosts of one switch that share their columns in both tables.
using Destinations = std::map<std::tuple<SwitchId, ColumnId, ColumnId>, std::vector<HostId>>;

Destinations shared_destinations(const Fabric& fabric, const Tables& before, const Tables& after) {
  Destinations out;
  for (HostId h : fabric.hosts())
    out[{fabric[h].on, before.to_host[h], after.to_host[h]}].push_back(h);
  return out;
}

/// What steers packets at a switch: a port, or in source routes the whole route.
std::span<const PortNumber> entry_of(const Tables& tables, ColumnId column, SwitchId s) {
  static constexpr PortNumber nothing = no_port;
  if (!column.valid()) return {&nothing, 1};
  if (const auto* next = std::get_if<DestinationTables>(&tables.paths))
    return {&(*next)[column][s.index()], 1};
  return std::get<SourceRoutes>(tables.paths).route(column, s).value_or(std::span(&nothing, 1));
}

bool delivers(const Host& host, std::span<const PortNumber> entry) {
  return entry.empty() ||
         (entry.size() == 1 && (entry.front() == here || entry.front() == host.port));
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
    for (const auto& [key, both] : columns) compare(both.first, both.second, {key.first});
    out_.changed_further = out_.changed_pairs - first;
    out_.changed_pairs = first;
  }
  void compare(ColumnId a, ColumnId b, const std::vector<HostId>& hosts) {
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
  void count_pairs(ColumnId a, const std::vector<HostId>& hosts) {
    if (const auto* next = std::get_if<DestinationTables>(&before_.paths);
        next != nullptr && a.valid() && std::holds_alternative<DestinationTables>(after_.paths)) {
      tree_.load((*next)[a]);
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

  const Fabric& fabric_;
  const Tables& before_;
  const Tables& after_;
  TablesDifference out_;
  ColumnTree tree_{fabric_};
  std::vector<bool> changed_;  ///< by switch: its entry, and then its route
};

/// Tables of different forms are compared as source routes.
template <class Compare>
auto in_one_form(const Fabric& fabric, const Tables& before, const Tables& after,
                 const Compare& compare) {
  if (std::holds_alternative<DestinationTables>(before.paths) ==
      std::holds_alternative<DestinationTables>(after.paths))
    return compare(before, after);
  return compare(as_source_routes(fabric, before), as_source_routes(fabric, after));
}

/// The ports of an entry, the alternatives of each.
std::vector<std::vector<PortNumber>> ports_of(const Tables& tables,
                                              std::span<const PortNumber> entry) {
  std::vector<std::vector<PortNumber>> out;
  const auto* routes = std::get_if<SourceRoutes>(&tables.paths);
  for (const PortNumber& tag : entry) {
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
      const auto was = entry_of(before, before.to_host[h], s);
      const auto is = entry_of(after, after.to_host[h], s);
      if (!same_entry(fabric[h], s, was, is))
        out.push_back({s, h, ports_of(before, was), ports_of(after, is)});
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
