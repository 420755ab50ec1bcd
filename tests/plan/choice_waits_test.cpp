// SPDX-License-Identifier: Apache-2.0
// Packets that wait for any of their candidates: worked examples with known verdicts, and random
// networks against an exhaustive search.
#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <map>
#include <set>

#include "base/rng.hpp"
#include "plan/check/choice/blocked_set.hpp"
#include "plan/check/choice/worms.hpp"
#include "support/exhaustive_search.hpp"
#include "support/fabrics.hpp"

namespace weft {
namespace {

using StateId = WaitingStates::StateId;

/// Where a packet is: it came from a switch (-1: a host) on a lane; `via` is a switch that it goes
/// to first, or says by which of several rules it goes.
struct Place {
  int from = -1, at = 0, lane = 0, to = 0, via = -1;
  friend auto operator<=>(const Place&, const Place&) = default;
};
/// A neighbour that it may go to, and the lane there.
struct Candidate {
  int next = 0, lane = 0;
  int via = -1;
};
using Routing = std::function<std::vector<Candidate>(const Place&)>;

/// A network of a few switches, each with a host, and all states that its packets can reach.
struct SmallNetwork {
  std::map<std::pair<int, int>, std::size_t> channels{};
  std::size_t lanes;
  WaitingStates states;
  std::vector<Place> places{};

  /// Packets start by each of the rules `via`.
  SmallNetwork(int switches, const std::vector<std::pair<int, int>>& links, std::size_t lane_count,
               const Routing& routing, const std::vector<int>& via = {-1})
      : lanes(lane_count), states(numbered(links) * lane_count) {
    std::map<Place, StateId> known;
    const auto state_of = [&](const Place& place) {
      const auto [found, is_new] = known.try_emplace(place, StateId{0});
      if (is_new) {
        found->second = states.add(place.from < 0 ? LaneChannel::none() : lane_of(place));
        places.push_back(place);
      }
      return found->second;
    };
    for (int from = 0; from < switches; ++from)
      for (int to = 0; to < switches; ++to)
        for (const int by : via)
          if (from != to) state_of({-1, from, 0, to, by});
    for (StateId s = 0; s < places.size(); ++s) {
      const Place place = places[s];
      std::vector<StateId> next;
      if (place.at != place.to)
        for (const Candidate& each : routing(place))
          next.push_back(state_of({place.at, each.next, each.lane, place.to, each.via}));
      states.set_candidates(s, next);
    }
  }

  std::size_t numbered(const std::vector<std::pair<int, int>>& links) {
    for (const auto& [a, b] : links)
      for (const auto& channel : {std::pair(a, b), std::pair(b, a)})
        channels.try_emplace(channel, channels.size());
    return channels.size();
  }
  LaneChannel lane_of(const Place& place) const {
    return LaneChannel(channels.at({place.from, place.at}) * lanes +
                       static_cast<std::size_t>(place.lane));
  }
  std::set<std::size_t> used() const {
    std::set<std::size_t> out;
    for (StateId s = 0; s < states.size(); ++s)
      if (states.lane(s).valid()) out.insert(states.lane(s).index());
    return out;
  }
  std::size_t levels() const {
    std::set<std::uint32_t> out;
    for (const std::uint32_t number : eliminate(states).number)
      if (number != Elimination::unused) out.insert(number);
    return out.size();
  }
};

/// The plain graph: every candidate is waited for.
bool has_cycle(const SmallNetwork& network) {
  std::map<std::size_t, std::set<std::size_t>> after;
  for (StateId s = 0; s < network.states.size(); ++s)
    for (const StateId next : network.states.candidates(s))
      if (network.states.lane(s).valid())
        after[network.states.lane(s).index()].insert(network.states.lane(next).index());
  for (bool changed = true; changed;) {
    changed = false;
    for (auto node = after.begin(); node != after.end();) {
      std::erase_if(node->second, [&](std::size_t next) { return !after.contains(next); });
      changed |= node->second.empty();
      node = node->second.empty() ? after.erase(node) : std::next(node);
    }
  }
  return !after.empty();
}

enum class Worms { free, blocked, unknown };
Worms worms_of(const SmallNetwork& network) {
  const WormVerdict verdict = judge_worms(network.states, network.lanes);
  if (std::holds_alternative<BlockedWorms>(verdict)) return Worms::blocked;
  return std::holds_alternative<WormsNotJudged>(verdict) ? Worms::unknown : Worms::free;
}

std::vector<std::pair<int, int>> ring_links(int size) {
  std::vector<std::pair<int, int>> out;
  for (int s = 0; s < size; ++s) out.emplace_back(s, (s + 1) % size);
  return out;
}
SmallNetwork ring(int size, std::size_t lanes, const Routing& routing) {
  return {size, ring_links(size), lanes, routing};
}

TEST(ChoiceWaits, W1RingInOneDirection) {
  const SmallNetwork net = ring(4, 1, [](const Place& p) {
    return std::vector<Candidate>{{(p.at + 1) % 4, 0}};
  });
  EXPECT_TRUE(has_cycle(net));
  EXPECT_EQ(eliminate(net.states).blocked.size(), 4U);
  EXPECT_EQ(small_blocked_set(net.states, eliminate(net.states)).size(), 4U);
  EXPECT_EQ(worms_of(net), Worms::blocked);
}

/// Lane 1 while the wrap 3 > 0 is still ahead.
Candidate dateline(const Place& p) { return {(p.at + 1) % 4, p.at > p.to ? 1 : 0}; }

TEST(ChoiceWaits, W2RingWithDateline) {
  const SmallNetwork net =
      ring(4, 2, [](const Place& p) { return std::vector<Candidate>{dateline(p)}; });
  EXPECT_FALSE(has_cycle(net));
  EXPECT_TRUE(eliminate(net.states).is_free());
  EXPECT_EQ(net.levels(), 6U);
  EXPECT_EQ(worms_of(net), Worms::free);
}

TEST(ChoiceWaits, W3RingWithDatelineAndAFreeLane) {
  const SmallNetwork net = ring(4, 3, [](const Place& p) {
    return std::vector<Candidate>{dateline(p), {(p.at + 1) % 4, 2}};
  });
  EXPECT_TRUE(has_cycle(net));
  EXPECT_TRUE(eliminate(net.states).is_free());
  EXPECT_EQ(net.levels(), 6U);
  EXPECT_EQ(worms_of(net), Worms::free);
}

/// Meshes of `size` x `size` switches, and the neighbours on shortest paths.
std::vector<std::pair<int, int>> mesh_links(int size) {
  std::vector<std::pair<int, int>> out;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      if (x + 1 < size) out.emplace_back(y * size + x, y * size + x + 1);
      if (y + 1 < size) out.emplace_back(y * size + x, (y + 1) * size + x);
    }
  return out;
}
std::vector<int> minimal_in_mesh(int size, const Place& p) {
  std::vector<int> out;
  const int dx = p.to % size - p.at % size, dy = p.to / size - p.at / size;
  if (dx != 0) out.push_back(p.at + (dx > 0 ? 1 : -1));
  if (dy != 0) out.push_back(p.at + (dy > 0 ? size : -size));
  return out;
}

TEST(ChoiceWaits, W4MeshOnOneLane) {
  const SmallNetwork net(4, mesh_links(2), 1, [](const Place& p) {
    std::vector<Candidate> out;
    for (const int next : minimal_in_mesh(2, p)) out.push_back({next, 0});
    return out;
  });
  EXPECT_TRUE(has_cycle(net));
  EXPECT_EQ(eliminate(net.states).blocked.size(), 8U);
  EXPECT_EQ(worms_of(net), Worms::blocked);
}

Routing mesh_with_escape(int size) {
  return [size](const Place& p) {
    const std::vector<int> minimal = minimal_in_mesh(size, p);
    std::vector<Candidate> out{{minimal.front(), 0}};  // x first
    for (const int next : minimal) out.push_back({next, 1});
    return out;
  };
}

TEST(ChoiceWaits, W5MeshWithAnEscapeLane) {
  for (const auto& [size, levels] : {std::pair(2, 3U), std::pair(3, 5U)}) {
    const SmallNetwork net(size * size, mesh_links(size), 2, mesh_with_escape(size));
    EXPECT_TRUE(has_cycle(net));
    EXPECT_TRUE(eliminate(net.states).is_free());
    EXPECT_EQ(net.levels(), levels);
    EXPECT_EQ(worms_of(net), Worms::free);
  }
}

TEST(ChoiceWaits, W6AnEscapePortInTheSameLaneIsNone) {
  for (const int size : {4, 5, 6}) {
    const SmallNetwork net = ring(size, 1, [size](const Place& p) {
      const int clockwise = (p.to - p.at + size) % size;
      std::set<int> next;
      if (2 * clockwise <= size) next.insert((p.at + 1) % size);
      if (2 * clockwise >= size) next.insert((p.at + size - 1) % size);
      next.insert(p.to < p.at ? p.at - 1 : p.at + 1);  // up*/down* without the link size-1 - 0
      std::vector<Candidate> out;
      for (const int each : next) out.push_back({each, 0});
      return out;
    });
    EXPECT_TRUE(has_cycle(net));
    EXPECT_EQ(worms_of(net), Worms::blocked) << size;
  }
}

/// Tori of `size` x `size`.
std::vector<std::pair<int, int>> torus_links(int size) {
  std::vector<std::pair<int, int>> out;
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < size; ++x) {
      out.emplace_back(y * size + x, y * size + (x + 1) % size);
      out.emplace_back(y * size + x, (y + 1) % size * size + x);
    }
  return out;
}
/// Steps of -1 and 1 on shortest paths from one place of a ring to another.
std::vector<int> ring_steps(int size, int from, int to) {
  const int up = (to - from + size) % size;
  std::vector<int> out;
  if (up != 0 && 2 * up <= size) out.push_back(1);
  if (up != 0 && 2 * up >= size) out.push_back(-1);
  return out;
}
int torus_step(int size, int at, int dimension, int step) {
  const int x = at % size, y = at / size;
  return dimension == 0 ? y * size + (x + step + size) % size : (y + step + size) % size * size + x;
}

TEST(ChoiceWaits, W7TorusWithMinimalPortsAndWithAnEscape) {
  const std::map<int, std::size_t> levels{{3, 3}, {5, 13}};  // even sizes: depends on ties
  for (const int size : {3, 4, 5}) {
    const auto minimal = [size](const Place& p, int lane) {
      std::vector<Candidate> out;
      for (const int dimension : {0, 1}) {
        const auto of = [&](int at) { return dimension == 0 ? at % size : at / size; };
        for (const int step : ring_steps(size, of(p.at), of(p.to)))
          out.push_back({torus_step(size, p.at, dimension, step), lane});
      }
      return out;
    };
    const SmallNetwork one(size * size, torus_links(size), 1,
                           [&](const Place& p) { return minimal(p, 0); });
    EXPECT_TRUE(has_cycle(one));
    EXPECT_EQ(eliminate(one.states).blocked.size(), one.used().size());
    const SmallNetwork two(size * size, torus_links(size), 3, [&](const Place& p) {
      std::vector<Candidate> out = minimal(p, 2);
      const int dimension = p.at % size != p.to % size ? 0 : 1;
      const auto of = [&](int at) { return dimension == 0 ? at % size : at / size; };
      const int step = ring_steps(size, of(p.at), of(p.to)).back();
      const bool wraps = step > 0 ? of(p.at) > of(p.to) : of(p.at) < of(p.to);
      out.push_back({torus_step(size, p.at, dimension, step), wraps ? 1 : 0});
      return out;
    });
    EXPECT_TRUE(has_cycle(two));
    EXPECT_TRUE(eliminate(two.states).is_free());
    if (levels.contains(size)) {
      EXPECT_EQ(two.levels(), levels.at(size)) << size;
    }
    EXPECT_EQ(worms_of(two), Worms::free) << size;
  }
}

/// Columns of up*/down* on a ring of 4 with root 0: the next switch by destination and switch.
constexpr std::array<std::array<int, 4>, 4> up_down_next{
    {{-1, 1, 1, 3}, {0, -1, 2, 0}, {1, 1, -1, 3}, {0, 0, 2, -1}}};

TEST(ChoiceWaits, W8AProofOfCutThroughIsNoneOfWormhole) {
  const auto routing = [](bool stays, const Place& p) {
    std::vector<Candidate> out{
        {up_down_next[static_cast<std::size_t>(p.at)][static_cast<std::size_t>(p.to)], 0}};
    if (stays && p.from >= 0 && p.lane == 0) return out;
    out.push_back({(p.at + 1) % 4, 1});
    out.push_back({(p.at + 3) % 4, 1});
    return out;
  };
  const SmallNetwork any = ring(4, 2, [&](const Place& p) { return routing(false, p); });
  EXPECT_TRUE(has_cycle(any));
  EXPECT_TRUE(eliminate(any.states).is_free());
  EXPECT_EQ(any.levels(), 4U);
  EXPECT_EQ(worms_of(any), Worms::blocked);
  const SmallNetwork stays = ring(4, 2, [&](const Place& p) { return routing(true, p); });
  EXPECT_TRUE(has_cycle(stays));
  EXPECT_TRUE(eliminate(stays.states).is_free());
  EXPECT_EQ(worms_of(stays), Worms::free);
}

TEST(ChoiceWaits, W9IsNotJudged) {
  const SmallNetwork net = ring(6, 2, [](const Place& p) {
    // up*/down* with root 0: down the ring's two arms, over 0 or, to 3, by either.
    const auto depth = [](int s) { return std::min(s, 6 - s); };
    const auto is_left = [](int s) { return s > 3; };
    int next = 0;
    const bool same_arm =
        p.at == 3 || p.to == 3 || p.at == 0 || p.to == 0 || is_left(p.at) == is_left(p.to);
    if (depth(p.to) > depth(p.at) && same_arm)
      next = is_left(p.to) || (p.to == 3 && p.at > 3) ? (p.at + 5) % 6 : p.at + 1;
    else
      next = is_left(p.at) || (p.at == 3 && is_left(p.to)) ? (p.at + 1) % 6 : p.at - 1;
    std::vector<Candidate> out{{next, 0}};
    const int clockwise = (p.to - p.at + 6) % 6;
    if (clockwise <= 3) out.push_back({(p.at + 1) % 6, 1});
    if (clockwise >= 3) out.push_back({(p.at + 5) % 6, 1});
    return out;
  });
  EXPECT_TRUE(has_cycle(net));
  EXPECT_TRUE(eliminate(net.states).is_free());
  EXPECT_NE(worms_of(net), Worms::blocked);
}

/// The smallest dragonfly: three groups of two routers, each with a global link (absolute).
struct SmallDragonfly {
  static constexpr int routers = 6;
  static std::vector<std::pair<int, int>> links() {
    return {{0, 1}, {2, 3}, {4, 5}, {0, 2}, {1, 4}, {3, 5}};
  }
  static int group(int router) { return router / 2; }
  /// The next router on the canonical route: local, global, local.
  static int next(int at, int to) {
    if (group(at) == group(to)) return to;
    for (const auto& [a, b] : links())
      for (const auto& [from, beyond] : {std::pair(a, b), std::pair(b, a)})
        if (group(from) == group(at) && group(beyond) == group(to))
          return from == at ? beyond : from;
    return -1;
  }
  static std::vector<int> all_routers() { return {-1, 0, 1, 2, 3, 4, 5}; }
};

TEST(ChoiceWaits, W10UgalOfBooksimWithThreeLanesDeadlocks) {
  using D = SmallDragonfly;
  // The phase is the lane, as the packet came; from a host it is 2 in the own group, 1 by the
  // minimal route, 0 by way of a random router.
  const auto routing = [](const Place& p) {
    int phase = p.lane;
    if (p.from < 0)
      phase = D::group(p.at) == D::group(p.to)                 ? 2
              : p.via < 0 || D::group(p.via) == D::group(p.at) ? 1
                                                               : 0;
    if (phase == 0 && p.at == p.via) phase = 1;
    const int next = D::next(p.at, phase == 0 ? p.via : p.to);
    if (phase == 1 && D::group(next) != D::group(p.at)) phase = 2;
    return std::vector<Candidate>{{next, phase, phase == 0 ? p.via : -1}};
  };
  const SmallNetwork net(6, D::links(), 3, routing, D::all_routers());
  EXPECT_TRUE(has_cycle(net));
  EXPECT_EQ(net.used().size(), 30U);
  EXPECT_EQ(eliminate(net.states).blocked.size(), 12U);
  EXPECT_EQ(small_blocked_set(net.states, eliminate(net.states)).size(), 6U);
  EXPECT_EQ(worms_of(net), Worms::blocked);
}

TEST(ChoiceWaits, W10ValiantToAGroupOnThreeLanesAndToARouterOnFour) {
  using D = SmallDragonfly;
  const auto to_group = [](const Place& p) {
    int via = p.via;
    if (via >= 0 && (D::group(p.at) == D::group(via) || D::group(p.to) == D::group(via))) via = -1;
    const int next = D::next(p.at, via >= 0 ? via : p.to);
    const int lane = via >= 0 ? 0 : D::group(p.at) == D::group(p.to) ? 2 : 1;
    return std::vector<Candidate>{{next, lane, via}};
  };
  const SmallNetwork group(6, D::links(), 3, to_group, D::all_routers());
  EXPECT_FALSE(has_cycle(group));
  EXPECT_EQ(group.levels(), 5U);
  EXPECT_EQ(worms_of(group), Worms::free);
  const auto to_router = [](const Place& p) {
    int via = p.via;
    if (via >= 0 && p.at == via) via = -1;
    if (p.from < 0 && via >= 0 &&
        (D::group(p.at) == D::group(via) || D::group(p.to) == D::group(via)))
      via = -1;
    const int next = D::next(p.at, via >= 0 ? via : p.to);
    const bool last = D::group(p.at) == D::group(via >= 0 ? via : p.to);
    return std::vector<Candidate>{{next, (via >= 0 ? 0 : 2) + (last ? 1 : 0), via}};
  };
  const SmallNetwork router(6, D::links(), 4, to_router, D::all_routers());
  EXPECT_FALSE(has_cycle(router));
  EXPECT_EQ(worms_of(router), Worms::free);
}

TEST(ChoiceWaits, W11TreeWithBothUpPorts) {
  // Leaves 0 to 2, spines 3 and 4.
  const SmallNetwork net(5, {{0, 3}, {0, 4}, {1, 3}, {1, 4}, {2, 3}, {2, 4}}, 1,
                         [](const Place& p) {
                           if (p.at >= 3 && p.to >= 3)
                             return std::vector<Candidate>{{0, 0}};  // nobody asks for it
                           if (p.at >= 3) return std::vector<Candidate>{{p.to, 0}};
                           if (p.to >= 3) return std::vector<Candidate>{{p.to, 0}};
                           return std::vector<Candidate>{{3, 0}, {4, 0}};
                         });
  EXPECT_TRUE(eliminate(net.states).is_free());
}

TEST(ChoiceWaits, W12MinimalDragonflyOnTwoLanes) {
  using D = SmallDragonfly;
  const SmallNetwork net(6, D::links(), 2, [](const Place& p) {
    return std::vector<Candidate>{{D::next(p.at, p.to), D::group(p.at) == D::group(p.to) ? 1 : 0}};
  });
  EXPECT_FALSE(has_cycle(net));
  EXPECT_EQ(net.levels(), 3U);
}

TEST(ChoiceWaits, W5cASwitchThatCommitsDoesNotEscape) {
  // The candidate that it has chosen is part of the state: the choice is made one switch before.
  const auto choices = mesh_with_escape(2);
  WaitingStates states(mesh_links(2).size() * 2 * 2);
  const SmallNetwork any(4, mesh_links(2), 2, choices);
  // For every state of the network one state for each candidate, which it waits for alone.
  std::map<std::pair<StateId, std::size_t>, StateId> committed;
  std::vector<std::pair<StateId, std::size_t>> order;
  for (StateId s = 0; s < any.states.size(); ++s)
    for (std::size_t i = 0; i < std::max<std::size_t>(any.states.candidates(s).size(), 1); ++i) {
      committed[{s, i}] = states.add(any.states.lane(s));
      order.emplace_back(s, i);
    }
  for (StateId c = 0; c < order.size(); ++c) {
    std::vector<StateId> next;
    const auto [s, i] = order[c];
    if (!any.states.delivers(s)) next.push_back(committed.at({any.states.candidates(s)[i], 0}));
    states.set_candidates(c, next);
  }
  EXPECT_EQ(eliminate(states).blocked.size(), 12U);
}

// --- random networks
// ------------------------------------------------------------------------------

/// By switch and destination, some neighbours, on some lanes; whether packets arrive does not
/// matter.
SmallNetwork random_network(Rng& rng) {
  const int switches = rng.below(3) == 0 ? 4 : 3;
  const bool is_ring = switches == 3 || rng.below(2) == 0;
  std::vector<std::pair<int, int>> links = ring_links(switches);
  if (!is_ring) links.pop_back();
  const std::size_t lanes = switches == 3 && rng.below(4) == 0 ? 2 : 1;
  std::map<std::pair<int, int>, std::vector<Candidate>> table;
  for (int at = 0; at < switches; ++at)
    for (int to = 0; to < switches; ++to) {
      std::vector<Candidate> all;
      for (const auto& [a, b] : links)
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          if (a == at) all.push_back({b, static_cast<int>(lane)});
          if (b == at) all.push_back({a, static_cast<int>(lane)});
        }
      rng.shuffle(all);
      all.resize(1 + rng.below(std::min<std::size_t>(all.size(), 3)));
      table[{at, to}] = all;
    }
  return {switches, links, lanes, [&](const Place& p) { return table.at({p.at, p.to}); }};
}

TEST(ChoiceWaits, AgreeWithExhaustiveSearch) {
  const int networks = test::tries(300, 20'000);
  Rng rng(7);
  int deadlocks = 0, judged_worms = 0;
  for (int i = 0; i < networks; ++i) {
    const SmallNetwork net = random_network(rng);
    if (net.used().size() > 8) continue;
    const Elimination found = eliminate(net.states);
    ASSERT_EQ(!found.is_free(), test::ExhaustiveSearch(net.states).finds_deadlock()) << i;
    deadlocks += found.is_free() ? 0 : 1;
    for (StateId s = 0; found.is_free() && s < net.states.size(); ++s) {
      if (net.states.delivers(s) || !net.states.lane(s).valid()) continue;
      const auto next = net.states.candidates(s);
      EXPECT_TRUE(std::any_of(next.begin(), next.end(), [&](StateId each) {
        return found.number[net.states.lane(each).index()] >
               found.number[net.states.lane(s).index()];
      }));
    }
    if (worms_of(net) == Worms::free) ++judged_worms;
    if (!found.is_free()) {
      EXPECT_EQ(worms_of(net), Worms::blocked);
    }
  }
  EXPECT_GT(deadlocks, networks / 20);
  EXPECT_GT(judged_worms, networks / 20);
}

}  // namespace
}  // namespace weft
