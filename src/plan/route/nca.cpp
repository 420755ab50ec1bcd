// SPDX-License-Identifier: Apache-2.0
// Adaptive routes of fat trees as in QsNet (Petrini, Feng, Hoisie, Coll, Frachtenberg, 2002): up to
// a nearest common ancestor by any link that leads there, then down the one route there is. Routes
// are tags that the source gives a packet, so a tag must suit every switch it may meet: where the
// ports of a damaged tree differ, choices are dropped until it does.
#include <algorithm>
#include <map>
#include <set>

#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/leaf_choices.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

using Ports = std::vector<PortNumber>;

Ports in_common(const Ports& a, const Ports& b) {
  Ports out;
  for (const PortNumber port : a)
    if (std::find(b.begin(), b.end(), port) != b.end()) out.push_back(port);
  return out;
}

/// Tags for groups of links; groups of the same ports share theirs.
class GroupNames {
 public:
  explicit GroupNames(SourceRoutes& routes) : routes_(routes) {}
  /// A tag that names these ports, or fewer of them when no more groups can be named.
  PortNumber operator()(Ports ports) {
    if (ports.size() == 1) return ports.front();
    std::sort(ports.begin(), ports.end());
    const auto found = names_.find(ports);
    if (found != names_.end()) return found->second;
    if (names_.size() < most_link_groups)
      return names_.emplace(ports, routes_.add_links(ports)).first->second;
    PortNumber best = ports.front();
    for (const auto& [group, name] : names_)
      if (group.size() > routes_.ports(best).size() && in_common(group, ports) == group)
        best = name;
    return best;
  }

 private:
  SourceRoutes& routes_;
  std::map<Ports, PortNumber> names_;
};

/// Finds the routes to one leaf after the other.
class AncestorRouter {
 public:
  AncestorRouter(const Fabric& fabric, const FatTree& tree, SourceRoutes& routes)
      : fabric_(fabric), tree_(tree), choices_(fabric, tree), name_(routes) {}

  std::optional<Refused> aim(SwitchId leaf);
  /// `number` spreads destinations over parallel links that lead down.
  std::optional<Ports> route(SwitchId from, std::uint64_t number);

 private:
  using Level = std::pair<std::uint32_t, std::uint32_t>;  ///< height, links to the leaf
  using Choices = std::vector<Ports>;                     ///< by switch on the route
  Level level_of(SwitchId s) const { return {tree_.level(s), choices_.length(s)}; }
  bool goes_down(Level level) const { return level.first == level.second; }
  std::optional<Choices> same_for_all(SwitchId from, std::uint64_t number);
  std::optional<Choices> shared(SwitchId from, std::uint64_t number, std::set<SwitchId>& avoided);
  Ports ports_of(SwitchId s, const std::set<SwitchId>& avoided) const;
  Choices single_route(SwitchId from, std::uint64_t number) const;
  Choices choices_to(SwitchId from, std::uint64_t number);
  Ports narrowed(Level level, Ports ports, std::uint64_t& number) const;

  const Fabric& fabric_;
  const FatTree& tree_;
  LeafChoices choices_;
  GroupNames name_;
  SwitchId leaf_{};
  /// The ports of all switches at a level; none where they differ.
  std::map<Level, Ports> common_;
};

std::optional<Refused> AncestorRouter::aim(SwitchId leaf) {
  leaf_ = leaf;
  choices_.aim(leaf);
  common_.clear();
  for (SwitchId s : fabric_.switches()) {
    if (s == leaf || choices_.ports(s).empty()) continue;
    const auto [found, fresh] = common_.try_emplace(level_of(s), choices_.ports(s));
    if (!fresh && found->second != choices_.ports(s)) found->second.clear();
  }
  return choices_.cut_off(leaf);
}

std::optional<Ports> AncestorRouter::route(SwitchId from, std::uint64_t number) {
  if (from != leaf_ && choices_.ports(from).empty()) return std::nullopt;
  Ports tags;
  for (Ports& ports : choices_to(from, number)) tags.push_back(name_(std::move(ports)));
  return tags;
}

AncestorRouter::Choices AncestorRouter::choices_to(SwitchId from, std::uint64_t number) {
  if (auto found = same_for_all(from, number)) return *found;
  std::set<SwitchId> avoided;
  for (std::size_t before = 0;; before = avoided.size()) {
    if (auto found = shared(from, number, avoided)) return *found;
    if (avoided.size() == before) return single_route(from, number);
  }
}

/// Upwards any port will do, downwards one is taken.
Ports AncestorRouter::narrowed(Level level, Ports ports, std::uint64_t& number) const {
  if (!goes_down(level)) return ports;
  const PortNumber chosen = ports[number % ports.size()];
  number /= ports.size();
  return {chosen};
}

/// In a whole tree all switches that are equally high and far have the same ports.
std::optional<AncestorRouter::Choices> AncestorRouter::same_for_all(SwitchId from,
                                                                    std::uint64_t number) {
  Choices out;
  for (Level level = level_of(from); level.second > 0; --level.second) {
    const Ports& ports = common_[level];
    if (ports.empty()) return std::nullopt;
    out.push_back(narrowed(level, ports, number));
    level.first = goes_down(level) ? level.first - 1 : level.first + 1;
  }
  return out;
}

Ports AncestorRouter::ports_of(SwitchId s, const std::set<SwitchId>& avoided) const {
  Ports out;
  for (const PortNumber port : choices_.ports(s))
    if (avoided.count(fabric_.to(fabric_.channel_at(s, port))) == 0) out.push_back(port);
  return out;
}

/// Where the switches that may come next have no port in common, those without the most common one
/// are to be avoided.
std::optional<AncestorRouter::Choices> AncestorRouter::shared(SwitchId from, std::uint64_t number,
                                                              std::set<SwitchId>& avoided) {
  Choices out;
  std::set<SwitchId> at{from};
  while (*at.begin() != leaf_) {
    Ports common = ports_of(*at.begin(), avoided);
    std::map<PortNumber, std::size_t> times;
    for (const SwitchId s : at) {
      const Ports own = ports_of(s, avoided);
      common = in_common(common, own);
      for (const PortNumber port : own) ++times[port];
    }
    if (common.empty()) {
      const auto most = std::max_element(times.begin(), times.end(),
                                         [](auto& a, auto& b) { return a.second < b.second; });
      for (const SwitchId s : at) {
        const Ports own = ports_of(s, avoided);
        if (most == times.end() || std::find(own.begin(), own.end(), most->first) == own.end())
          avoided.insert(s);
      }
      return std::nullopt;
    }
    out.push_back(narrowed(level_of(*at.begin()), std::move(common), number));
    std::set<SwitchId> next;
    for (const SwitchId s : at)
      for (const PortNumber port : out.back()) next.insert(fabric_.to(fabric_.channel_at(s, port)));
    at = std::move(next);
  }
  return out;
}

AncestorRouter::Choices AncestorRouter::single_route(SwitchId from, std::uint64_t number) const {
  Choices out;
  for (SwitchId at = from; at != leaf_; at = fabric_.to(fabric_.channel_at(at, out.back().front())))
    out.push_back({choices_.ports(at)[number % choices_.ports(at).size()]});
  return out;
}

/// Whether links in parallel lead down from some switch: then hosts of a leaf take different ones.
bool has_parallel_links(const Fabric& fabric, const FatTree& tree) {
  for (SwitchId s : fabric.switches()) {
    std::set<SwitchId> parents;
    for (const ChannelId c : tree.up(s))
      if (!parents.insert(fabric.to(c)).second) return true;
  }
  return false;
}

}  // namespace

Routed nca(const Fabric& fabric, const Params&) {
  const auto found = FatTree::find(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  const FatTree& tree = std::get<FatTree>(found);
  for (HostId h : fabric.hosts())
    if (tree.level(fabric[h].on) != 0)
      return Refused{fmt::format("needs a tree with hosts on its leaves only; \"{}\" is on \"{}\"",
                                 fabric[h].name, fabric[fabric[h].on].name)};
  Tables tables = empty_tables(fabric, has_parallel_links(fabric, tree));
  IdVector<ColumnId, HostId> to(column_count(tables));
  for (HostId h : fabric.hosts())
    if (!to[tables.to_host[h]].valid()) to[tables.to_host[h]] = h;
  SourceRoutes routes(fabric.switch_count());
  AncestorRouter router(fabric, tree, routes);
  SwitchId aimed{};
  for (const HostId host : to) {
    const SwitchId leaf = fabric[host].on;
    if (leaf != aimed)
      if (auto refused = router.aim(leaf)) return *refused;
    aimed = leaf;
    for (SwitchId from : fabric.switches())
      routes.push_back(fabric.hosts_on(from).empty() ? std::nullopt
                                                     : router.route(from, host.index()));
  }
  tables.paths = std::move(routes);
  return tables;
}

}  // namespace weft
