// SPDX-License-Identifier: Apache-2.0
// Repairs columns one after the other. What one column takes, another may miss: if a column fails
// or needs more changes than it would alone, everything is tried again with that column earlier.
#include "plan/repair/sticky.hpp"

#include <algorithm>
#include <optional>

#include "plan/check/graph/dependencies.hpp"
#include "plan/repair/column_repair.hpp"
#include "plan/repair/fewest_changes.hpp"

namespace weft {
namespace {

/// Tables in which every destination has a column of its own or of a neighbour, with a proper end.
struct CompleteColumns {
  CompleteColumns(const Fabric& fabric, const Tables& before)
      : tables(before), known(column_count(before)), fabric_(fabric) {
    aims.resize(known);
    for (HostId h : fabric.hosts()) claim(tables.to_host[h], fabric[h].on, 1);
    for (FurtherColumn& further : tables.further) claim(further.column, fabric[further.host].on, 1);
    for (SwitchId s : tables.to_switch.ids()) claim(tables.to_switch[s], s, 0);
    mend_ends();
  }

  Tables tables;
  std::vector<ColumnAim> aims;          ///< by column; one to no switch leads nowhere
  std::size_t known;                    ///< columns that there were before
  std::vector<std::uint64_t> new_ends;  ///< by column: whether its end had to change

 private:
  const Fabric& fabric_;

  void claim(ColumnId& column, SwitchId to, std::size_t hosts) {
    const bool fits =
        column.valid() && (!aims[column.index()].to.valid() || aims[column.index()].to == to);
    if (!fits) column = column_of_neighbour(to);
    if (!column.valid()) column = add_column();
    aims[column.index()].to = to;
    aims[column.index()].hosts += hosts;
  }
  ColumnId column_of_neighbour(SwitchId to) const {
    const auto& next = std::get<DestinationTables>(tables.paths);
    for (HostId h : fabric_.hosts_on(to)) {
      const ColumnId column = tables.to_host[h];
      if (column.valid() && aims[column.index()].to == to && next[column][to.index()] == here)
        return column;
    }
    return ColumnId::none();
  }
  ColumnId add_column() {
    aims.emplace_back();
    if (auto* service = std::get_if<ServiceLanes>(&tables.lanes)) {
      const std::size_t width = service->by_host ? fabric_.host_count() : fabric_.switch_count();
      service->level.push_back(std::vector<std::uint8_t>(width, 0));
    }
    return std::get<DestinationTables>(tables.paths)
        .push_back(std::vector<PortNumber>(fabric_.switch_count(), no_port));
  }
  /// The last switch delivers: to the one host by its port, or to all that share the column.
  void mend_ends() {
    auto& next = std::get<DestinationTables>(tables.paths);
    new_ends.assign(next.size(), 0);
    for (ColumnId c : next.ids()) {
      const ColumnAim& aim = aims[c.index()];
      if (!aim.to.valid()) continue;
      PortNumber& end = next[c][aim.to.index()];
      if (end == here || ends_at_its_host(c, aim, end)) continue;
      end = here;
      new_ends[c.index()] = 1;
    }
  }
  bool ends_at_its_host(ColumnId c, const ColumnAim& aim, PortNumber end) const {
    const HostId host = fabric_.at_port(aim.to, end).host;
    if (!host.valid() || aim.hosts != 1) return false;
    const auto leads = [&](const FurtherColumn& further) {
      return further.host == host && further.column == c;
    };
    return tables.to_host[host] == c ||
           std::any_of(tables.further.begin(), tables.further.end(), leads);
  }
};

/// Switches whose packets must arrive: those with hosts, and all where switches have packets.
std::vector<bool> sources_of(const Fabric& fabric, const Tables& tables) {
  std::vector<bool> out;
  for (SwitchId s : fabric.switches())
    out.push_back(!tables.to_switch.empty() || !fabric.hosts_on(s).empty());
  return out;
}

class StickySearch {
 public:
  StickySearch(const Fabric& fabric, const Tables& before)
      : fabric_(fabric),
        before_(before),
        start_(fabric, before),
        tables_(start_.tables),
        sources_(sources_of(fabric, before)),
        turns_(fabric),
        states_(fabric, tables_) {}

  std::variant<StickyTables, Refused> operator()();

 private:
  /// A column with broken entries.
  struct BrokenColumn {
    ColumnId column;
    std::uint64_t fewest;  ///< entries that it must change
  };
  struct RepairAttempt {
    std::vector<ColumnId> failed{};
    SwitchId from{};  ///< a source of the first of them that does not arrive
    std::vector<ColumnId> costly{};
  };

  std::optional<Refused> prepare(LaneDependencies& dependencies);
  std::optional<Refused> add_groups(LaneDependencies& dependencies) const;
  RepairAttempt attempt(ColumnRepair& repair);
  void move_forward(const std::vector<ColumnId>& columns);
  Refused failure(const RepairAttempt& tried) const;
  std::uint64_t changes(ColumnId column) const;
  /// How many entries of a switch have this column.
  std::uint64_t lids(std::size_t column) const {
    return std::max<std::size_t>(start_.aims[column].hosts, 1);
  }
  StickyTables result() const;
  std::uint64_t changed_levels() const;

  const Fabric& fabric_;
  const Tables& before_;
  CompleteColumns start_;
  Tables tables_;  ///< that are being repaired
  std::vector<bool> sources_;
  TurnIndex turns_;
  PacketStates states_;
  std::vector<BrokenColumn> broken_;  ///< in the order of repair
  std::uint64_t fewest_ = 0;
};

/// Counts the turns of all routes as they are, and finds the columns to repair.
std::optional<Refused> StickySearch::prepare(LaneDependencies& dependencies) {
  ColumnRepair column(tables_, sources_, states_, dependencies, fabric_);
  FewestChanges fewest_changes(fabric_);
  bool have_lanes = true;
  for (std::size_t c = 0; c < start_.aims.size(); ++c) {
    const ColumnAim& aim = start_.aims[c];
    if (!aim.to.valid()) continue;
    fewest_ += start_.new_ends[c] * lids(c);
    column.load(ColumnId(c), aim);
    have_lanes = column.count_turns() && have_lanes;
    if (!column.is_broken()) continue;
    const std::uint64_t fewest = fewest_changes(column.kept(), sources_);
    fewest_ += fewest * lids(c);
    broken_.push_back({ColumnId(c), fewest + start_.new_ends[c]});
  }
  if (!have_lanes) return Refused{"packets need lanes that the old tables do not have"};
  if (const auto refused = add_groups(dependencies)) return refused;
  if (!dependencies.order()) return Refused{"what is left of the old tables can deadlock"};
  return std::nullopt;
}

/// Dependencies of multicast groups, which stay as they are.
std::optional<Refused> StickySearch::add_groups(LaneDependencies& dependencies) const {
  if (tables_.groups.empty()) return std::nullopt;
  for (const Group& group : tables_.groups)
    if (group.root) return Refused{"multicast groups with a root cannot be kept"};
  Tables only_groups = tables_;
  only_groups.to_host.assign(fabric_.host_count(), ColumnId::none());
  only_groups.further.clear();
  const auto built = weft::dependencies(fabric_, only_groups);
  if (const auto* refused = std::get_if<Refused>(&built)) return *refused;
  const auto& graph = std::get<DependencyGraph>(built);
  for (LaneChannel from : graph.nodes())
    for (LaneChannel to : graph.after(from))
      dependencies.add_edge(static_cast<LaneDependencies::Node>(from.index()),
                            static_cast<LaneDependencies::Node>(to.index()));
  return std::nullopt;
}

StickySearch::RepairAttempt StickySearch::attempt(ColumnRepair& repair) {
  RepairAttempt out;
  for (const BrokenColumn& broken : broken_) {
    repair.load(broken.column, start_.aims[broken.column.index()]);
    if (const auto lost = repair.repair()) {
      if (out.failed.empty()) out.from = *lost;
      out.failed.push_back(broken.column);
    } else if (changes(broken.column) > broken.fewest) {
      out.costly.push_back(broken.column);
    }
  }
  return out;
}

/// Lets columns be repaired first.
void StickySearch::move_forward(const std::vector<ColumnId>& columns) {
  std::stable_partition(broken_.begin(), broken_.end(), [&](const BrokenColumn& broken) {
    return std::find(columns.begin(), columns.end(), broken.column) != columns.end();
  });
}

std::uint64_t StickySearch::changes(ColumnId column) const {
  const auto is = std::get<DestinationTables>(tables_.paths)[column];
  const auto& all = std::get<DestinationTables>(before_.paths);
  std::uint64_t out = 0;
  for (std::size_t s = 0; s < is.size(); ++s)
    out += is[s] != (column.index() < start_.known ? all[column][s] : no_port) ? 1U : 0U;
  return out;
}

std::uint64_t StickySearch::changed_levels() const {
  const auto* is = std::get_if<ServiceLanes>(&tables_.lanes);
  if (is == nullptr) return 0;
  const auto& was = std::get<ServiceLanes>(before_.lanes);
  std::uint64_t out = 0;
  for (std::size_t c = 0; c < start_.known; ++c)
    for (HostId from : fabric_.hosts())
      if (is->of(fabric_, ColumnId(c), from) != was.of(fabric_, ColumnId(c), from))
        out += start_.aims[c].hosts;
  return out;
}

StickyTables StickySearch::result() const {
  StickyTables out{tables_, 0, 0, fewest_, changed_levels()};
  for (std::size_t c = 0; c < start_.aims.size(); ++c) {
    if (!start_.aims[c].to.valid()) continue;
    out.entries += fabric_.switch_count() * lids(c);
    out.changed += changes(ColumnId(c)) * lids(c);
  }
  return out;
}

Refused StickySearch::failure(const RepairAttempt& tried) const {
  const SwitchId to = start_.aims[tried.failed.front().index()].to;
  return Refused{fmt::format(
      "no route from switch \"{}\" to switch \"{}\" is found that closes no cycle with the others",
      fabric_[tried.from].name, fabric_[to].name)};
}

std::variant<StickyTables, Refused> StickySearch::operator()() {
  constexpr int most_attempts = 3;
  if (states_.too_many())
    return Refused{"service levels are on more lanes, by ports, than can be followed (64)"};
  LaneDependencies counted(turns_, states_);
  if (const auto refused = prepare(counted)) return *refused;
  std::optional<StickyTables> best;
  RepairAttempt tried;
  for (int i = 0; i < most_attempts; ++i) {
    LaneDependencies dependencies = counted;
    tables_ = start_.tables;
    ColumnRepair repair(tables_, sources_, states_, dependencies, fabric_);
    tried = attempt(repair);
    if (tried.failed.empty()) {
      StickyTables now = result();
      if (!best || now.changed < best->changed) best = std::move(now);
      if (tried.costly.empty() || repair.is_tired() || i > 0) break;
    }
    move_forward(tried.costly);
    move_forward(tried.failed);
  }
  if (!best) return failure(tried);
  return std::move(*best);
}

}  // namespace

std::variant<StickyTables, Refused> sticky_tables(const Fabric& fabric, const Tables& before) {
  if (std::holds_alternative<ChoiceTables>(before.paths))
    return Refused{"entries that leave a choice are not kept one by one"};
  if (!std::holds_alternative<DestinationTables>(before.paths))
    return Refused{"source routes have no entries that could be kept"};
  if (fabric.switch_count() == 0) return Refused{"the fabric has no switches"};
  return StickySearch(fabric, before)();
}

}  // namespace weft
