// SPDX-License-Identifier: Apache-2.0
// Engines whose tables leave choices or send packets to intermediate destinations: lanes, lengths
// and loads as theory has them, every choice followed.
#include <gtest/gtest.h>

#include <set>

#include "base/message.hpp"
#include "fabric/builder.hpp"
#include "plan/check/survey.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "support/choice_routes.hpp"
#include "support/fabrics.hpp"

namespace weft::test::adaptive_routes {
namespace {

const ChoiceTables& choices(const Tables& tables) { return std::get<ChoiceTables>(tables.paths); }

Tables tables_of(const Fabric& fabric, const std::string& engine) {
  Routed routed = route(fabric, engine);
  if (const auto* refused = std::get_if<Refused>(&routed)) throw Error("{}", refused->why);
  return std::get<Tables>(std::move(routed));
}

std::string refusal(const std::string& topology, const std::string& engine) {
  const Routed out = route(make_fabric(topology), engine);
  return std::holds_alternative<Refused>(out) ? std::get<Refused>(out).why : "";
}

/// Of an engine on a topology.
struct Expected {
  std::string topology, engine;
  int lanes;
  std::size_t longest;  ///< channels
  bool acyclic = true;  ///< whatever is chosen
};

class AdaptiveEngines : public ::testing::TestWithParam<Expected> {};

TEST_P(AdaptiveEngines, HaveTheirLanesAndLengths) {
  const Expected& expected = GetParam();
  SCOPED_TRACE(expected.engine + " on " + expected.topology);
  const Fabric fabric = make_fabric(expected.topology);
  const Tables tables = tables_of(fabric, expected.engine);
  EXPECT_NO_THROW(require_fit(fabric, tables));
  EXPECT_TRUE(tables_of(fabric, expected.engine) == tables) << "not repeatable";
  EXPECT_EQ(tables.lane_count, expected.lanes);
  const AllowedRoutes seen = allowed_routes(fabric, tables);
  EXPECT_EQ(seen.wrong, "");
  EXPECT_EQ(seen.longest, expected.longest);
  EXPECT_EQ(seen.in_circles == 0, expected.acyclic) << seen.in_circles;
}

const std::string mesh = "mesh:dims=4x4", torus = "torus:dims=4x4", hyperx = "hyperx:dims=3x4",
                  dragonfly = "dragonfly:a=4,p=2,h=2", several = "dragonfly:a=4,p=1,h=2,groups=4",
                  plus = "dragonfly_plus:leaves=2,spines=2,hosts=1,groups=4",
                  arranged = "dragonfly_plus:leaves=2,spines=2,hosts=1,groups=5,h=2",
                  slim = "random_regular:switches=16,degree=5";

INSTANTIATE_TEST_SUITE_P(
    Networks, AdaptiveEngines,
    ::testing::Values(
        Expected{mesh, "valiant", 2, 12}, Expected{torus, "valiant", 4, 8},
        Expected{"torus:dims=3x3", "valiant", 2, 4}, Expected{hyperx, "valiant", 2, 4},
        Expected{dragonfly, "valiant", 3, 5}, Expected{dragonfly, "valiant:via=router", 4, 6},
        Expected{several, "valiant:links=all", 3, 5},
        Expected{"dragonfly_plus:groups=2", "valiant", 2, 4},
        Expected{"complete:switches=5", "valiant", 2, 2}, Expected{slim, "valiant", 2, 8},
        Expected{"tree:k=4,n=3", "valiant", 2, 8}, Expected{"clos3:radix=4", "ugal", 2, 8},
        Expected{slim, "valiant:base=shortest", 6, 6}, Expected{slim, "valiant:base=nue", 2, 7},
        Expected{mesh, "romm", 2, 12}, Expected{torus, "romm", 4, 8}, Expected{mesh, "xy_yx", 2, 6},
        Expected{torus, "xy_yx:start=queue", 4, 4}, Expected{hyperx, "xy_yx", 2, 2},
        Expected{mesh, "ugal", 2, 11}, Expected{hyperx, "ugal", 2, 4},
        Expected{dragonfly, "ugal", 3, 5}, Expected{dragonfly, "ugal:via=router", 4, 6},
        Expected{dragonfly, "ugal_g", 3, 5}, Expected{several, "ugal:links=all", 3, 5},
        Expected{dragonfly, "par", 4, 6}, Expected{dragonfly, "par:via=router", 5, 7},
        Expected{several, "par:links=all", 4, 6}, Expected{plus, "valiant", 2, 4},
        Expected{plus, "valiant:via=router", 2, 6}, Expected{plus, "ugal", 2, 4},
        Expected{arranged, "ugal", 2, 6}, Expected{arranged, "ugal:via=router", 2, 6},
        Expected{dragonfly, "min_adaptive", 2, 3}, Expected{several, "min_adaptive", 2, 3},
        Expected{plus, "min_adaptive", 1, 3}, Expected{mesh, "min_adaptive", 2, 6, false},
        Expected{"mesh:dims=4x4", "min_adaptive:lanes=4", 4, 6, false},
        Expected{torus, "min_adaptive", 3, 4, false}, Expected{hyperx, "min_adaptive", 2, 2, false},
        Expected{slim, "min_adaptive", 2, 5, false},
        Expected{slim, "min_adaptive:escape=nue", 2, 5, false},
        Expected{dragonfly, "min_adaptive:escape=updown", 2, 5, false},
        Expected{"tree:k=4,n=3", "updown_adaptive", 1, 4},
        Expected{slim, "updown_adaptive", 1, 4}));

/// Their source-local, global and intermediate-local links share lane 0: three groups suffice for a
/// circle.
TEST(BooksimLanes, CloseACircle) {
  const Fabric smallest = make_fabric("dragonfly:a=2,p=1,h=1,arrangement=absolute");
  const AllowedRoutes small = allowed_routes(smallest, tables_of(smallest, "ugal:lanes=booksim"));
  EXPECT_EQ(small.wrong, "");
  EXPECT_EQ(small.lane_channels, 30U);
  EXPECT_EQ(small.in_circles, 12U);
  const Fabric larger = make_fabric("dragonfly:a=4,p=2,h=2,arrangement=absolute");
  const AllowedRoutes large = allowed_routes(larger, tables_of(larger, "ugal:lanes=booksim"));
  EXPECT_EQ(large.lane_channels, 468U);
  EXPECT_EQ(large.in_circles, 180U);
}

/// The most packets on channels inside groups, and between them.
struct Busiest {
  double local = 0, global = 0;
};

Busiest busiest(const Fabric& fabric, const std::string& engine,
                const std::function<double(SwitchId, SwitchId)>& packets) {
  const auto all = packets_on_channels(fabric, tables_of(fabric, engine), packets);
  Busiest out;
  for (const ChannelId c : fabric.channels()) {
    const bool local = fabric[fabric.from(c)].at[0] == fabric[fabric.to(c)].at[0];
    double& most = local ? out.local : out.global;
    most = std::max(most, all[c]);
  }
  return out;
}

/// Of uniform traffic at a rate of one per host, sent to all hosts, oneself included.
double uniform(const Fabric& fabric, SwitchId from, SwitchId to) {
  return static_cast<double>(fabric.hosts_on(from).size() * fabric.hosts_on(to).size()) /
         static_cast<double>(fabric.host_count());
}

/// From each group to all hosts of the one that comes so many later.
double adversarial(const Fabric& fabric, SwitchId from, SwitchId to, int offset) {
  const int groups = fabric[SwitchId(fabric.switch_count() - 1)].at[0] + 1;
  if ((fabric[from].at[0] + offset) % groups != fabric[to].at[0]) return 0;
  const double group = static_cast<double>(fabric.host_count()) / groups;
  return static_cast<double>(fabric.hosts_on(from).size() * fabric.hosts_on(to).size()) / group;
}

TEST(DragonflyLoads, AreThoseOfTheory) {
  for (const int h : {2, 3}) {
    const Fabric fabric = make_fabric(fmt::format("dragonfly:a={},p={},h={}", 2 * h, h, h));
    const double ap = 2.0 * h * h, groups = ap + 1, hosts = ap * groups;
    const auto all = [&](SwitchId from, SwitchId to) { return uniform(fabric, from, to); };
    const Busiest min = busiest(fabric, "min_adaptive", all);
    EXPECT_NEAR(min.global, ap * ap / hosts, 1e-9);
    EXPECT_NEAR(min.local, h == 2 ? 0.9444 : 0.9737, 1e-4);
    EXPECT_NEAR(busiest(fabric, "valiant", all).global, 2, 1e-9);
    const auto next = [&](SwitchId from, SwitchId to) { return adversarial(fabric, from, to, 1); };
    EXPECT_NEAR(busiest(fabric, "min_adaptive", next).global, ap, 1e-9);
    EXPECT_NEAR(busiest(fabric, "valiant", next).global, 2 * ap / (groups - 2), 1e-9);
    // Local links carry what leaves a first group, what comes into a last one, and what passes an
    // intermediate one: all that came by one switch may leave by one other.
    const double ends = 2.0 * h * h;
    EXPECT_NEAR(busiest(fabric, "valiant", next).local, (ap + ends) / (groups - 2), 1e-9);
    const auto far = [&](SwitchId from, SwitchId to) { return adversarial(fabric, from, to, h); };
    const double by_groups = busiest(fabric, "valiant", far).local;
    EXPECT_NEAR(by_groups, (h * ap + ends) / (groups - 2), 1e-9);
    EXPECT_LT(busiest(fabric, "valiant:via=router", far).local, 0.7 * by_groups);
  }
}

TEST(ValiantLoads, AreTwiceThoseOfUniformTraffic) {
  for (const std::string spec : {"mesh:dims=4x4", "hyperx:dims=4x4,hosts=4", "mesh:dims=6"}) {
    const Fabric fabric = make_fabric(spec);
    const auto all = [&](SwitchId from, SwitchId to) { return uniform(fabric, from, to); };
    const auto other = [&](SwitchId from, SwitchId to) {
      const std::size_t n = fabric.switch_count();
      return to.index() == (from.index() + n / 2) % n
                 ? static_cast<double>(fabric.hosts_on(from).size())
                 : 0;
    };
    const auto once = packets_on_channels(fabric, tables_of(fabric, "xy_yx"), all);
    const auto twice = packets_on_channels(fabric, tables_of(fabric, "valiant"), all);
    const auto permutation = packets_on_channels(fabric, tables_of(fabric, "valiant"), other);
    for (const ChannelId c : fabric.channels()) {
      EXPECT_NEAR(twice[c], 2 * once[c], 1e-9) << spec;
      EXPECT_NEAR(permutation[c], twice[c], 1e-9) << spec;
    }
  }
}

TEST(Romm, TakesShortestRoutes) {
  for (const std::string spec : {"mesh:dims=4x3", "torus:dims=5x4", "hyperx:dims=3x4"}) {
    const Fabric fabric = make_fabric(spec);
    double sum = 0, shortest = 0;
    const auto one = [](SwitchId, SwitchId) { return 1.0; };
    for (const double packets : packets_on_channels(fabric, tables_of(fabric, "romm"), one))
      sum += packets;
    for (const double packets : packets_on_channels(fabric, tables_of(fabric, "xy_yx"), one))
      shortest += packets;
    EXPECT_NEAR(sum, shortest, 1e-6) << spec;
  }
}

/// Packets that pass their last switch on the way to the random one end there.
TEST(Valiant, EndsAtTheLastSwitchWhereItDoesNotGoPastIt) {
  const Fabric fabric = make_fabric(hyperx);  // hosts send to all, also to themselves
  using Coordinates = std::vector<int>;
  // In dimension order, a hop each: the switches on the way, with both ends.
  const auto way = [](Coordinates at, const Coordinates& to) {
    std::vector<Coordinates> out{at};
    for (std::size_t d = 0; d < to.size(); ++d)
      if (at[d] != to[d]) {
        at[d] = to[d];
        out.push_back(at);
      }
    return out;
  };
  double past = 0, ended = 0;
  for (const SwitchId from : fabric.switches())
    for (const SwitchId to : fabric.switches())
      for (const SwitchId via : fabric.switches()) {
        const auto first = way(fabric[from].at, fabric[via].at);
        const auto second = way(fabric[via].at, fabric[to].at);
        const auto last = std::find(first.begin(), first.end(), fabric[to].at);
        past += static_cast<double>(first.size() + second.size() - 2);
        ended += static_cast<double>(last == first.end() ? first.size() + second.size() - 2
                                                         : std::size_t(last - first.begin()));
      }
  const auto sum = [&](const std::string& engine) {
    double out = 0;
    for (const double packets : survey(fabric, tables_of(fabric, engine)).load) out += packets;
    return out;
  };
  EXPECT_NEAR(sum("valiant:past=no") / sum("valiant"), ended / past, 1e-6);
  EXPECT_LT(ended, 0.97 * past);
  EXPECT_EQ(message_of([] { tables_of(make_fabric(dragonfly), "valiant:past=no"); }),
            "valiant: past=no: dragonflies draw switches of other groups");
}

TEST(MinAdaptive, TakesAnyLaneFirstWhereItPrefersNone) {
  const Fabric fabric = make_fabric(mesh);
  const auto preferences = [&](const std::string& engine) {
    std::set<std::uint8_t> out;
    const Tables tables = tables_of(fabric, engine);
    for (const ChoiceTables::Entry set : {0U, 1U, 2U})
      for (const Candidate& c : choices(tables).candidates(set)) out.insert(c.preference);
    return out;
  };
  EXPECT_EQ(preferences("min_adaptive"), (std::set<std::uint8_t>{0, 1}));
  EXPECT_EQ(preferences("min_adaptive:prefer=none"), std::set<std::uint8_t>{0});
}

TEST(Ugal, DecidesByItsOwnNumbersUnlessTold) {
  using Queue = DetourDecision::Queue;
  const Fabric groups = make_fabric(dragonfly), lines = make_fabric(hyperx);
  const auto decision = [](const Fabric& fabric, const std::string& engine) {
    return choices(tables_of(fabric, engine)).decision;
  };
  EXPECT_EQ(decision(groups, "ugal"), (DetourDecision{Queue::port, 1, 2, 3, 1}));
  EXPECT_EQ(decision(lines, "ugal"), (DetourDecision{Queue::port, 0, 0, 2, 1}));
  EXPECT_EQ(decision(groups, "ugal_g"), (DetourDecision{Queue::path, 1, 1, 0, 1}));
  EXPECT_EQ(decision(groups, "ugal:queue=lane,threshold=-5,weights=3:4,draws=4"),
            (DetourDecision{Queue::lane, 3, 4, -5, 4}));
  EXPECT_EQ(decision(groups, "par:weights=hops"), (DetourDecision{Queue::port, 0, 0, 3, 1}));
  EXPECT_EQ(choices(tables_of(lines, "ugal")).intermediates.rule, IntermediateRule::aligned);
  EXPECT_EQ(choices(tables_of(groups, "ugal")).intermediates.rule, IntermediateRule::elsewhere);
  EXPECT_THROW(route(groups, "ugal:weights=1"), Error);
  EXPECT_EQ(refusal(hyperx, "ugal:lanes=booksim"),
            "lanes=booksim is for dragonflies; a number of lanes is needed");
}

/// Each phase goes up by any port: every link carries what it would if all were shared evenly.
TEST(Valiant, LoadsAllLinksOfAFatTreeAlike) {
  const Fabric fabric = make_fabric("tree:k=4,n=3");
  const auto all = [&](SwitchId from, SwitchId to) { return uniform(fabric, from, to); };
  const auto twice = packets_on_channels(fabric, tables_of(fabric, "valiant"), all);
  const auto once = packets_on_channels(fabric, tables_of(fabric, "updown_adaptive"), all);
  for (const ChannelId c : fabric.channels()) EXPECT_NEAR(twice[c], 2 * once[c], 1e-9);
  const auto most = [](const auto& packets) {
    return *std::max_element(packets.begin(), packets.end());
  };
  EXPECT_LT(most(twice), 2.001);
  EXPECT_GT(most(packets_on_channels(fabric, tables_of(fabric, "valiant:base=updown"), all)), 7);
}

TEST(TooFewLanes, SayHowManyWouldDo) {
  EXPECT_EQ(refusal(mesh, "valiant:lanes=1"),
            "needs 2 lanes for two phases of dor routes, and there is 1");
  EXPECT_EQ(refusal(torus, "romm:lanes=3"),
            "needs 4 lanes for two phases of dor routes, and there are 3");
  EXPECT_EQ(refusal(torus, "xy_yx:lanes=2"), "needs 4 lanes for both orders, and there are 2");
  EXPECT_EQ(refusal(dragonfly, "ugal:lanes=2"),
            "needs 3 lanes for routes by a group, and there are 2");
  EXPECT_EQ(refusal(dragonfly, "ugal_g:lanes=3,via=router"),
            "needs 4 lanes for routes by a router, and there are 3");
  EXPECT_EQ(refusal(dragonfly, "par:lanes=3"),
            "needs 4 lanes for routes by a group, and there are 3");
  EXPECT_EQ(refusal("clos2", "valiant:lanes=1"),
            "needs 2 lanes for two phases of routes up by any port, and there is 1");
  EXPECT_EQ(refusal(torus, "min_adaptive:lanes=2"),
            "needs 3 lanes for dor routes to escape to and adaptive ones, and there are 2");
  EXPECT_EQ(refusal(dragonfly, "min_adaptive:lanes=1"),
            "needs 2 lanes for all minimal routes of a dragonfly, and there is 1");
}

TEST(Refusals, OfEnginesWithChoices) {
  EXPECT_EQ(refusal(mesh, "par").substr(0, 14), "no dragonfly: ");
  EXPECT_EQ(refusal(plus, "par"),
            "serves dragonflies whose hosts' switches have the links to other groups");
  EXPECT_EQ(refusal("complete", "par"), "no dragonfly: it has one group only");
  EXPECT_EQ(refusal("random_regular", "romm"), "needs coordinates; switch \"s0\" has none");
  EXPECT_EQ(route(random_apart(1), "valiant").index(), 1U);
}

/// Up ports of a leaf: all of a whole tree; those that lead to the destination of a damaged one.
TEST(UpdownAdaptive, OffersAllUpPortsThatLeadThere) {
  const Fabric whole = make_fabric("tree:k=4,n=3");
  FabricBuilder builder("damaged");
  for (const SwitchId s : whole.switches()) builder.add_switch(whole[s]);
  for (const LinkId l : whole.links())
    if (l.index() != 0) builder.add_link(whole[l]);
  for (const HostId h : whole.hosts()) builder.add_host(whole[h]);
  const Fabric damaged = std::move(builder).build();
  const auto up = [](const Fabric& fabric, std::size_t from, std::size_t to) {
    const Tables tables = tables_of(fabric, "updown_adaptive");
    const auto entry =
        choices(tables).next[tables.to_host[HostId(to)]][fabric[HostId(from)].on.index()];
    return choices(tables).candidates(entry).size();
  };
  EXPECT_EQ(up(whole, 0, 63), 4U);
  EXPECT_EQ(up(damaged, 0, 63), 3U);
  EXPECT_EQ(up(damaged, 63, 0), 3U);
  EXPECT_EQ(allowed_routes(damaged, tables_of(damaged, "updown_adaptive")).wrong, "");
}

TEST(EnginesWithChoices, ServeRandomFabrics) {
  for (int seed = 1; seed <= tries(12, 1000) && !HasFailure(); ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const Fabric fabric = seed % 3 == 0   ? random_box(number)
                          : seed % 3 == 1 ? damaged_tree(number)
                                          : random_fabric(number, 12);
    for (const std::string engine :
         {"valiant", "valiant:base=nue", "valiant:base=shortest,lanes=64", "romm", "xy_yx", "ugal",
          "min_adaptive", "min_adaptive:escape=nue", "updown_adaptive"}) {
      SCOPED_TRACE(engine + " on " + fabric.name());
      const Routed routed = route(fabric, engine);
      if (!std::holds_alternative<Tables>(routed)) continue;
      const auto& tables = std::get<Tables>(routed);
      EXPECT_NO_THROW(require_fit(fabric, tables));
      const AllowedRoutes seen = allowed_routes(fabric, tables);
      EXPECT_EQ(seen.wrong, "");
      if (engine.find("min_adaptive") != 0) {
        EXPECT_EQ(seen.in_circles, 0U);
      }
    }
  }
}

}  // namespace
}  // namespace weft::test::adaptive_routes
