// SPDX-License-Identifier: Apache-2.0
// Two phases, on dragonflies and by base routes.
#include "plan/route/algorithms/two_phases.hpp"

#include "fabric/distances.hpp"
#include "plan/route/algorithms/base_routes.hpp"
#include "plan/route/algorithms/box.hpp"
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/leaf_choices.hpp"

namespace weft {
namespace {

using Found = std::variant<TwoPhases, Refused>;

TwoPhases without_columns(const Fabric& fabric) {
  TwoPhases out;
  out.tables.to_host = empty_tables(fabric, false).to_host;
  ChoiceTables choices;
  choices.phases = {
      {"to the host"},
      {.name = "to an intermediate switch", .to_intermediate = true, .next = TwoPhases::to_host}};
  choices.starts = {TwoPhases::to_intermediate};
  out.tables.paths = std::move(choices);
  return out;
}

/// Why packets may not be sent to just any switch.
std::optional<Refused> unfit(const Fabric& fabric) {
  if (fabric.host_count() == 0) return Refused{"no switch has hosts"};
  const auto component = components(fabric);
  for (const SwitchId s : fabric.switches())
    if (component[s] != component[SwitchId(0)])
      return Refused{fmt::format("no path leads from \"{}\" to \"{}\", where packets may be sent",
                                 fabric[SwitchId(0)].name, fabric[s].name)};
  return std::nullopt;
}

using Steps = std::optional<std::vector<Candidate>>;

/// The same routes in each phase, with so many lanes of their own; step(to, at, first lane, phase)
/// is as BaseRoutes::step.
template <class Step>
TwoPhases in_both_phases(const Fabric& fabric, const std::vector<SwitchId>& targets, int lanes,
                         Step step) {
  TwoPhases out = without_columns(fabric);
  ChoiceTables& choices = out.choices();
  add_host_columns(fabric, choices, [&](SwitchId to, SwitchId at) {
    return step(to, at, lanes, TwoPhases::to_host);
  });
  for (const SwitchId to : targets)
    choices.intermediates.columns.push_back(add_column(
        fabric, choices, [&](SwitchId at) { return step(to, at, 0, TwoPhases::to_intermediate); }));
  out.tables.lane_count = 2 * lanes;
  return out;
}

Found by_base_routes(const Fabric& fabric, const BaseRoutes& base, std::string_view word,
                     int most) {
  if (auto refused =
          too_few_lanes(2 * base.lanes, fmt::format("two phases of {} routes", word), most))
    return *refused;
  return in_both_phases(fabric, base.targets, base.lanes,
                        [&](SwitchId to, SwitchId at, int first_lane, PhaseId phase) {
                          return base.step(to, at, first_lane, phase);
                        });
}

Steps on_lane(const std::vector<PortNumber>& ports, int lane, PhaseId phase) {
  std::vector<Candidate> out;
  for (const PortNumber port : ports) out.push_back({port, static_cast<Lane>(lane), phase});
  return out;
}

/// A tree with hosts on its leaves only, all joined by routes up and then down.
std::optional<FatTree> fat_tree_of(const Fabric& fabric) {
  auto found = FatTree::find(fabric);
  if (std::holds_alternative<Refused>(found)) return std::nullopt;
  auto& tree = std::get<FatTree>(found);
  LeafChoices routes(fabric, tree);
  for (const SwitchId s : destinations(fabric)) {
    if (tree.level(s) != 0) return std::nullopt;
    routes.aim(s);
    if (routes.cut_off(s)) return std::nullopt;
  }
  return std::move(tree);
}

/// Up by any port to a nearest common ancestor and then down. One port for all hosts of a leaf, as
/// base routes have it, would send all that goes there over a single link.
Found by_ancestors(const Fabric& fabric, const FatTree& tree, int most) {
  if (auto refused = too_few_lanes(2, "two phases of routes up by any port", most)) return *refused;
  LeafChoices routes(fabric, tree);
  SwitchId aimed;
  return in_both_phases(fabric, destinations(fabric), 1,
                        [&](SwitchId to, SwitchId at, int lane, PhaseId phase) -> Steps {
                          if (at == to) return std::nullopt;
                          if (aimed != to) routes.aim(to);
                          aimed = to;
                          return on_lane(routes.ports(at), lane, phase);
                        });
}

enum class Via { group, router, as_booksim };

/// Adds the columns of a dragonfly.
class DragonflyColumns {
 public:
  DragonflyColumns(const Fabric& fabric, TwoPhases& out)
      : fabric_(fabric), routes_(*out.dragonfly), groups_(routes_.groups()), out_(out) {}

  void add(Via via) {
    add_host_columns(fabric_, out_.choices(), [&](SwitchId to, SwitchId at) -> Steps {
      if (at == to) return std::nullopt;
      return on_lane(out_.ports(at, to), lane_to_host(at, to), TwoPhases::to_host);
    });
    if (via == Via::group)
      for (std::uint32_t group = 0; group < groups_.size(); ++group) add_group(group);
    else
      for (const SwitchId to : fabric_.switches())
        if (!groups_.have_spines() || !fabric_.hosts_on(to).empty()) add_router(to);
    Intermediates& all = out_.choices().intermediates;
    // Of two groups neither is a third one.
    if (via != Via::as_booksim && groups_.size() > 2) all.rule = IntermediateRule::elsewhere;
    all.region.assign(fabric_.switch_count(), 0);
    for (const SwitchId s : fabric_.switches()) all.region[s] = groups_.of(s);
  }

 private:
  int lane_to_host(SwitchId at, SwitchId to) const {
    if (groups_.of(at) == groups_.of(to)) return out_.lanes.last;
    if (routes_.turns_back(at, groups_.of(to))) return out_.lanes.to_router;
    return leaves_group(at, groups_.of(to)) ? out_.lanes.global : out_.lanes.local;
  }
  bool leaves_group(SwitchId at, std::uint32_t group) const {
    for (const ChannelId link : groups_.between(groups_.of(at), group))
      if (fabric_.from(link) == at) return true;
    return false;
  }
  void note(ColumnId column) { out_.choices().intermediates.columns.push_back(column); }
  void add_group(std::uint32_t group) {
    note(add_column(fabric_, out_.choices(), [&](SwitchId at) -> Steps {
      if (groups_.of(at) == group) return std::nullopt;
      return on_lane(
          out_.all_links ? routes_.ports_to_group(at, group) : routes_.one_port_to_group(at, group),
          out_.lanes.detour, TwoPhases::to_intermediate);
    }));
  }
  void add_router(SwitchId to) {
    note(add_column(fabric_, out_.choices(), [&](SwitchId at) -> Steps {
      if (at == to) return std::nullopt;
      const bool arrived = groups_.of(at) == groups_.of(to);
      return on_lane(out_.ports(at, to), arrived ? out_.lanes.to_router : out_.lanes.detour,
                     TwoPhases::to_intermediate);
    }));
  }

  const Fabric& fabric_;
  const DragonflyRoutes& routes_;
  const SwitchGroups& groups_;
  TwoPhases& out_;
};

DragonflyLanes lanes_of(const SwitchGroups& groups, Via via, bool decides_again) {
  if (groups.have_spines()) return {0, 0, 0, 1, 1, 1, 2};
  DragonflyLanes lanes{0, 0, 0, 1, 1, 2, 3};
  if (via == Via::router) lanes = {0, 0, 1, 2, 2, 3, 4};
  if (via == Via::as_booksim) lanes = {0, 0, 0, 1, 2, 2, 3};
  if (!decides_again) return lanes;
  for (int* lane :
       {&lanes.detour, &lanes.to_router, &lanes.local, &lanes.global, &lanes.last, &lanes.count})
    ++*lane;
  return lanes;
}

bool as_booksim(const Params& params, TwoPhaseNeeds needs) {
  return needs.takes_booksim && params.is("lanes", "booksim");
}

Via via_of(const Params& params, TwoPhaseNeeds needs) {
  if (as_booksim(params, needs)) return Via::as_booksim;
  return params.is("via", "router") ? Via::router : Via::group;
}

Found on_dragonfly(const Fabric& fabric, DragonflyRoutes routes, const Params& params,
                   TwoPhaseNeeds needs) {
  const Via via = via_of(params, needs);
  TwoPhases out = without_columns(fabric);
  out.lanes = lanes_of(routes.groups(), via, needs.decides_again);
  if (auto refused = too_few_lanes(
          out.lanes.count, fmt::format("routes by a {}", via == Via::group ? "group" : "router"),
          as_booksim(params, needs) ? out.lanes.count : params.whole<int>("lanes")))
    return *refused;
  out.dragonfly = std::move(routes);
  out.all_links = params.is("links", "all");
  out.tables.lane_count = out.lanes.count;
  if (via == Via::group) out.choices().phases[TwoPhases::to_intermediate].name = "to another group";
  DragonflyColumns(fabric, out).add(via);
  return out;
}

/// dor on boxes, min on dragonflies, the links themselves where they join every two switches, else
/// up*/down*.
std::string usual_base(const Fabric& fabric) {
  if (std::holds_alternative<Box>(Box::find(fabric))) return "dor";
  const auto found = DragonflyRoutes::find(fabric);
  const auto* routes = std::get_if<DragonflyRoutes>(&found);
  if (routes == nullptr || !routes->groups().alike()) return "updown";
  return routes->groups().size() > 1 ? "min" : "shortest";
}

}  // namespace

std::optional<Refused> too_few_lanes(int needed, std::string_view what_for, int there) {
  if (needed <= there) return std::nullopt;
  return Refused{fmt::format("needs {} lanes for {}, and there {} {}", needed, what_for,
                             there == 1 ? "is" : "are", there)};
}

std::variant<TwoPhases, Refused> two_dimension_orders(const Fabric& fabric, int most) {
  const auto found = dimension_order_routes(fabric);
  if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
  if (auto refused = unfit(fabric)) return *refused;
  return by_base_routes(fabric, std::get<BaseRoutes>(found), "dor", most);
}

std::variant<TwoPhases, Refused> two_phases(const Fabric& fabric, const Params& params,
                                            TwoPhaseNeeds needs) {
  if (auto refused = unfit(fabric)) return *refused;
  std::string word = needs.dragonfly_only ? "min" : params.written("base");
  // Before dragonflies are looked for: small trees are dragonflies of pairs, too.
  if (word == "auto" && !as_booksim(params, needs))
    if (const auto tree = fat_tree_of(fabric))
      return by_ancestors(fabric, *tree, params.whole<int>("lanes"));
  if (word == "auto") word = usual_base(fabric);
  if (word == "min") {
    auto found = DragonflyRoutes::find(fabric);
    if (const auto* refused = std::get_if<Refused>(&found)) return *refused;
    auto& routes = std::get<DragonflyRoutes>(found);
    if (routes.groups().size() == 1) return Refused{"no dragonfly: it has one group only"};
    return on_dragonfly(fabric, std::move(routes), params, needs);
  }
  if (as_booksim(params, needs))
    return Refused{"lanes=booksim is for dragonflies; a number of lanes is needed"};
  const auto base = base_routes(fabric, word);
  if (const auto* refused = std::get_if<Refused>(&base)) return *refused;
  auto out = by_base_routes(fabric, std::get<BaseRoutes>(base), word, params.whole<int>("lanes"));
  if (auto* found = std::get_if<TwoPhases>(&out); found != nullptr && word == "dor")
    found->is_hyperx = std::get<Box>(Box::find(fabric)).complete();
  return out;
}

std::vector<Param> dragonfly_detour_params() {
  return {{"via", OneOf{"group", "router"}, "group",
           "on dragonflies, what is drawn: any switch of a group, or one switch (a lane more)"},
          {"links", OneOf{"one", "all"}, "one",
           "on dragonflies, of several links to a group: one in turn, or all as a choice"}};
}

std::vector<Param> detour_params() {
  std::vector<Param> out = dragonfly_detour_params();
  out.insert(
      out.begin(),
      {"base", OneOf{"auto", "updown", "nue", "shortest"}, "auto",
       "routes of each phase; auto: dor on grids, min on dragonflies, on fat trees up by any port, "
       "else updown; shortest: a lane per link"});
  return out;
}

}  // namespace weft
