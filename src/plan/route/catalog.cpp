// SPDX-License-Identifier: Apache-2.0
// The table of routing engines.
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/detour_decision.hpp"
#include "plan/route/algorithms/orientation.hpp"
#include "plan/route/algorithms/pair_routes.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

std::vector<Param> operator+(std::vector<Param> a, const std::vector<Param>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

constexpr Whole lanes{1, most_lanes};
const Param at_most{"lanes", lanes, "16",
                    "lanes there are; it is refused when they do not suffice"};
const Param select{"select", port_choice, "low_port",
                   "the choice among equal routes; balanced needs more lanes"};

const std::vector<Param> grid_params{
    {"order", OneOf{"first", "last"}, "first", "the dimension that is corrected first"},
    {"select", port_choice, "balanced",
     "halfway round a ring: balanced alternates, low_port goes up"},
    {"lanes", OneOf{"turn", "service", "one"}, "turn",
     "on rings: turn (lane by in- and out-port), service (InfiniBand service levels), one (not "
     "free of deadlock)"}};

using EngineRows = std::vector<RoutingEngineRow>;

/// Of tables without choices, or with a source's choices.
EngineRows deterministic() {
  return {
      {{"minhop", minhop, "shortest routes; can deadlock", form_params()}, {false, true}},
      {{"xy", xy, "first x, then y, on a mesh of two dimensions", grid_params}, {true, true}},
      {{"dor", dor, "dimension order on meshes, tori (two lanes) and HyperX", grid_params},
       {true, true}},
      {{"updown", updown, "up*/down*: shortest legal routes over a spanning tree",
        orientation_params() + form_params() +
            std::vector<Param>{
                {"lanes", lanes, "1", "routes are spread over them and keep theirs"}}},
       {true, false}},
      {{"prefix",
        prefix,
        "prefix routing: tree labels and one cross link",
        {{"parent", OneOf{"low", "high"}, "low", "the parent among equally near switches"}}},
       {true, false}},
      {{"sbp", sbp, "structured channel pools: a higher lane on every link",
        form_params() + std::vector<Param>{at_most}},
       {true, true}},
      {{"lash",
        lash,
        "layered shortest paths: every pair keeps one lane",
        {at_most,
         select,
         {"even", YesNo{}, "yes", "move pairs until the lanes are evenly filled"}}},
       {true, true}},
      {{"dl", dl, "descending layers: up*/down* on every lane, down a lane at a forbidden turn",
        orientation_params() + form_params() +
            std::vector<Param>{{"lanes", Whole{.least = 1, .most = most_lanes, .word = "minimal"},
                                "2", "how many; minimal: as many as shortest routes need"}}},
       {true, false}},
      {{"min", min_on_dragonfly, "dragonflies: a local, a global and a local link (two lanes)", {}},
       {true, false}},
      {{"dmodk", dmodk, "destination mod k on fat trees, also damaged ones in any order", {}},
       {true, false}},
      {{"nca", nca, "trees: up by any link to a nearest common ancestor, then down", {}},
       {true, false}},
      {{"sssp", sssp, "shortest routes with the least load so far; can deadlock", {}},
       {false, true}},
      {{"dfsssp",
        dfsssp,
        "sssp, with routes moved to further lanes until no cycle is left",
        {at_most}},
       {true, true}},
      {{"nue",
        nue,
        "searches inside the dependency graph; any number of lanes suffices",
        {{"lanes", lanes, "1", "destinations are divided among them"},
         {"columns", column_choice, "host", "a route for every host, or for every switch"}}},
       {true, false}},
  };
}

/// Of tables that leave switches a choice, or send packets to intermediate destinations.
EngineRows with_choices() {
  const Param ugal_lanes{
      "lanes", Whole{.least = 1, .most = most_lanes, .word = "booksim"}, "16",
      "lanes there are; booksim: a router by the three lanes of BookSim 2, which can deadlock"};
  return {
      {{"valiant", valiant, "by a random switch or group, then to the destination",
        detour_params() +
            std::vector<Param>{{"past", OneOf{"yes", "no"}, "yes",
                                "whether packets that come by their last switch on the way to the "
                                "random one go on"},
                               at_most}},
       {true, false}},
      {{"romm", romm, "grids: by a random switch on a shortest route, in dimension order",
        std::vector<Param>{at_most}},
       {true, true}},
      {{"xy_yx",
        xy_yx,
        "grids: dimension order from the first dimension or from the last",
        {{"start", OneOf{"random", "queue"}, "random",
          "the order of a packet: by chance, or that whose first port has the shorter queue"},
         at_most}},
       {true, true}},
      {{"ugal", ugal, "minimal, or by a random switch or group where the own queue is too long",
        detour_params() + decision_params() +
            std::vector<Param>{{"queue", OneOf{"port", "lane"}, "port",
                                "that is compared: of the port, or of the lane to be taken there"},
                               ugal_lanes}},
       {true, false}},
      {{"ugal_g", ugal_g, "ugal that knows the queues of all switches on the way",
        detour_params() + decision_params() + std::vector<Param>{at_most}},
       {true, false}},
      {{"par", par, "dragonflies: ugal that decides again before it leaves the group",
        dragonfly_detour_params() + decision_params() + std::vector<Param>{at_most}},
       {true, false}},
      {{"min_adaptive",
        min_adaptive,
        "any port that leads closer, with lanes to escape to; dragonflies: all minimal routes",
        {{"escape", OneOf{"auto", "dor", "updown", "nue"}, "auto",
          "deterministic routes to escape to; auto: dor on grids, none on dragonflies, else "
          "updown"},
         {"prefer", OneOf{"adaptive", "none"}, "adaptive",
          "lanes that packets take first: adaptive ones, or none in particular"},
         {"lanes", Whole{.least = 1, .most = most_lanes, .word = "auto"}, "auto",
          "all together; auto: one adaptive lane beside those to escape to"}}},
       {true, false}},
      {{"updown_adaptive", updown_adaptive,
        "up*/down* by any shortest legal route; trees: up by any port", orientation_params()},
       {true, false}},
  };
}

}  // namespace

std::span<const RoutingEngineRow> engines() {
  static const EngineRows rows = [] {
    EngineRows all = deterministic();
    for (RoutingEngineRow& row : with_choices()) all.push_back(std::move(row));
    return all;
  }();
  return rows;
}

Routed route(const Fabric& fabric, std::string_view text) {
  const Spec spec = Spec::parse(text);
  const RoutingEngineRow& row = find_row(engines(), "routing engine", spec.name);
  const Params params(spec, row.params);
  if (fabric.switch_count() == 0) return Refused{"the fabric has no switches"};
  Routed routed = row.make(fabric, params);
  if (auto* tables = std::get_if<Tables>(&routed)) tables->engine = params.spec();
  return routed;
}

}  // namespace weft
