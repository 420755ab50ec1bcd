// SPDX-License-Identifier: Apache-2.0
// The worked examples of adaptive routing as tables, with their verdicts by what a switch waits
// for; each certificate is verified by the independent program.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "plan/check/check.hpp"
#include "plan/check/checks.hpp"
#include "plan/check/choice/table_states.hpp"
#include "plan/verify/verify_text.hpp"
#include "support/blocked_packets.hpp"
#include "support/choices.hpp"
#include "support/exhaustive_search.hpp"
#include "support/fabrics.hpp"
#include "support/worked_choices.hpp"

namespace weft::checked_choices {
namespace {

using test::choice_tables;
using test::ChoiceRule;
using test::detour_phase;
using test::minimal_in_mesh;
using test::minimal_with_escape;
using test::one_phase;
using test::torus_rule;
using test::undecided_phase;
using test::up_down_next;
using test::WantedHop;
using Hops = std::vector<WantedHop>;

/// "every", "some", "worms" for certificates; "cycle", by any choice "circle" or "blocked", where
/// some packet has several lanes to choose from, or holds several; "unknown"; with what is wrong if
/// a certificate, or a counterexample, does not hold.
std::string verdict(const Fabric& fabric, const Tables& tables, WaitKind waiting) {
  const DeadlockVerdict found = deadlock(fabric, tables, waiting);
  if (const auto* certificate = std::get_if<Certificate>(&found)) {
    const std::string wrong = verify(fabric, tables, *certificate).value_or("");
    const char* proofs[] = {"every", "some", "worms"};
    return proofs[static_cast<int>(certificate->proof)] + (wrong.empty() ? "" : ": " + wrong);
  }
  if (const auto* cycle = std::get_if<DependencyCycle>(&found); cycle && !cycle->by_any_choice)
    return "cycle";
  if (const BlockedPackets blocked = test::blocked_packets(found); !blocked.packets.empty()) {
    const auto wrong = test::not_blocked(fabric, tables, blocked);
    return (std::holds_alternative<BlockedPackets>(found) ? "blocked" : "circle") +
           (wrong ? ": " + *wrong : "");
  }
  if (const auto* refused = std::get_if<Refused>(&found)) return refused->why;
  return "unknown";
}
/// By switches that commit, and those that wait for any, with cut-through and wormhole switching.
std::string verdicts(const Fabric& fabric, const Tables& tables) {
  return verdict(fabric, tables, WaitKind::commit) + ", " +
         verdict(fabric, tables, WaitKind::cut_through) + ", " +
         verdict(fabric, tables, WaitKind::wormhole);
}
TEST(ChoiceTablesChecked, W1RingInOneDirection) {
  const auto [ring, tables] = test::one_way_ring();
  EXPECT_EQ(verdicts(ring, tables), "cycle, circle, circle");
  const auto cycle = std::get<DependencyCycle>(deadlock(ring, tables));
  ASSERT_EQ(cycle.waits.size(), 4U);
  EXPECT_NE(cycle.describe(ring).front().find(": it has no other choice"), std::string::npos);
}

WantedHop dateline(int at, int to) { return {(at + 1) % 4, at > to ? 1 : 0}; }

TEST(ChoiceTablesChecked, W2AndW3RingWithDatelineAndAFreeLane) {
  const Fabric ring = test::ring(4);
  EXPECT_EQ(verdicts(ring, one_phase(ring, 2,
                                     [](int, int at, int to) { return Hops{dateline(at, to)}; })),
            "every, every, every");
  EXPECT_EQ(verdicts(ring, one_phase(ring, 3,
                                     [](int, int at, int to) {
                                       return Hops{dateline(at, to), {(at + 1) % 4, 2}};
                                     })),
            "cycle, some, worms");
}

TEST(ChoiceTablesChecked, W4MeshOnOneLane) {
  const auto [fabric, tables] = test::minimal_mesh(2);
  EXPECT_EQ(verdicts(fabric, tables), "cycle, circle, circle");
}

TEST(ChoiceTablesChecked, W5MeshWithAnEscapeLane) {
  for (const int size : {2, 3}) {
    const Fabric fabric = test::square_mesh(size);
    // A switch that commits (W5c) may choose the adaptive lanes only.
    EXPECT_EQ(verdicts(fabric, one_phase(fabric, 2, minimal_with_escape(size))),
              "cycle, some, worms");
    EXPECT_EQ(verdicts(fabric, one_phase(fabric, 2, minimal_with_escape(size, false))),
              "cycle, circle, circle");
  }
}

TEST(ChoiceTablesChecked, StepsOfACommittingSwitchSayThatItChooses) {
  const Fabric fabric = test::square_mesh(2);
  const Tables tables = one_phase(fabric, 2, minimal_with_escape(2));
  const auto cycle = std::get<DependencyCycle>(deadlock(fabric, tables, WaitKind::commit));
  bool chooses = false;
  for (const std::string& line : cycle.describe(fabric))
    chooses |= line.find(", if it is chosen out of ") != std::string::npos;
  EXPECT_TRUE(chooses);
}

TEST(ChoiceTablesChecked, W6AnEscapePortInTheSameLaneIsNone) {
  for (const int size : {4, 5, 6}) {
    const auto [ring, tables] = test::ring_with_escape_port(size);
    EXPECT_EQ(verdicts(ring, tables), "cycle, blocked, blocked");
    const auto blocked = std::get<BlockedPackets>(deadlock(ring, tables));
    bool says_all = false;
    for (const std::string& line : blocked.describe(ring))
      says_all |= line.find("all of its 2 choices are held by these packets") != std::string::npos;
    EXPECT_TRUE(says_all);
  }
}

TEST(ChoiceTablesChecked, LongCounterexamplesAreCutShortForPeopleOnly) {
  const Fabric ring = test::ring(40);
  const Tables tables = one_phase(ring, 1, [](int, int at, int) {
    return Hops{{(at + 1) % 40}, {(at + 39) % 40}};
  });
  for (const WaitKind waiting : {WaitKind::commit, WaitKind::cut_through}) {
    const DeadlockVerdict verdict = deadlock(ring, tables, waiting);
    const Survey no_survey{};
    const Finding found = check_deadlock({ring, tables, no_survey, verdict, 0, waiting});
    const bool by_any = waiting == WaitKind::cut_through;
    const auto packets = static_cast<std::size_t>(found.numbers.at(by_any ? "blocked" : "cycle"));
    EXPECT_EQ(packets, by_any ? 80U : 2U) << "any: both directions";
    EXPECT_EQ(found.items.size(), packets);
    EXPECT_EQ(found.details.size(), std::min<std::size_t>(packets, 24));
    if (by_any) {
      EXPECT_EQ(found.details.back(), "and 57 more, which --json and --html list");
      EXPECT_EQ(std::get<std::vector<std::string>>(found.items[0][1].second).size(), 2U);
    }
  }
}

TEST(ChoiceTablesChecked, W7TorusWithAndWithoutEscapeLanes) {
  for (const int size : {3, 4, 5}) {
    const Fabric fabric = test::square_torus(size);
    EXPECT_EQ(verdicts(fabric, one_phase(fabric, 1, torus_rule(size, false))),
              "cycle, circle, circle");
    EXPECT_EQ(verdicts(fabric, one_phase(fabric, 3, torus_rule(size, true))), "cycle, some, worms");
  }
}

TEST(ChoiceTablesChecked, W8IsFreeForCutThroughOnly) {
  const auto [ring, tables] = test::ring_with_any_neighbour();
  EXPECT_EQ(verdicts(ring, tables), "cycle, some, blocked");
  const auto blocked = std::get<BlockedPackets>(deadlock(ring, tables));
  // Every lane that is wanted is held.
  std::set<std::pair<std::size_t, int>> held, wanted;
  for (const BlockedPacket& packet : blocked.packets) {
    for (const Hop& hop : packet.holds)
      EXPECT_TRUE(held.emplace(hop.channel.index(), hop.lane).second);
    for (const Hop& hop : packet.wants) wanted.emplace(hop.channel.index(), hop.lane);
    EXPECT_NE(packet.from, packet.to);
  }
  for (const auto& lane : wanted) EXPECT_TRUE(held.contains(lane));
  const Checked checked = run_checks(ring, tables);
  EXPECT_NE(checked.findings.front().summary.find("may go round"), std::string::npos);
  EXPECT_EQ(checked.findings.front().verdict, Verdict::fine);
}

TEST(ChoiceTablesChecked, W8sWhoIsInTheEscapeLaneStaysThere) {
  const Fabric ring = test::ring(4);
  const Tables tables =
      choice_tables(ring, 2, {Phase{"adaptive"}, Phase{"escape"}}, [](int phase, int at, int to) {
        Hops out{{up_down_next[at][to], 0, 1, 1}};
        if (phase == 0) {
          out.push_back({(at + 1) % 4, 1, 0});
          out.push_back({(at + 3) % 4, 1, 0});
        }
        return out;
      });
  EXPECT_EQ(verdicts(ring, tables), "cycle, some, worms");
}

TEST(ChoiceTablesChecked, W9IsNotKnownForWormholes) {
  const Fabric ring = test::ring(6);
  const Tables tables = one_phase(ring, 2, [](int, int at, int to) {
    // up*/down* with root 0: down the ring's two arms, over 0 or, to 3, by either.
    const auto depth = [](int s) { return std::min(s, 6 - s); };
    const auto is_left = [](int s) { return s > 3; };
    int next = 0;
    const bool same_arm = at == 3 || to == 3 || at == 0 || to == 0 || is_left(at) == is_left(to);
    if (depth(to) > depth(at) && same_arm)
      next = is_left(to) || (to == 3 && at > 3) ? (at + 5) % 6 : at + 1;
    else
      next = is_left(at) || (at == 3 && is_left(to)) ? (at + 1) % 6 : at - 1;
    Hops out{{next, 0}};
    const int clockwise = (to - at + 6) % 6;
    if (clockwise <= 3) out.push_back({(at + 1) % 6, 1});
    if (clockwise >= 3) out.push_back({(at + 5) % 6, 1});
    return out;
  });
  EXPECT_EQ(verdicts(ring, tables), "cycle, some, unknown");
  EXPECT_EQ(run_checks(ring, tables).findings.back().verdict, Verdict::unknown);
}

TEST(ChoiceTablesChecked, W10UgalOfBooksimWithThreeLanesDeadlocks) {
  const auto [fabric, tables] = test::three_lane_ugal();
  EXPECT_EQ(verdicts(fabric, tables), "cycle, circle, circle");
  EXPECT_EQ(std::get<DependencyCycle>(deadlock(fabric, tables)).waits.size(), 6U);
}

/// Lanes by phase: before the group of the intermediate destination 0; then 1 and 2.
Tables ugal_to_a_group(const Fabric& fabric) {
  using D = test::SmallestDragonfly;
  Tables out = choice_tables(
      fabric, 3, {undecided_phase(), detour_phase(2), Phase{"minimal"}},
      [](int phase, int at, int to) {
        if (phase == 1) return Hops{{D::next(at, D::group(at) == to ? at : 2 * to), 0, 1}};
        return Hops{{D::next(at, to), D::group(at) == D::group(to) ? 2 : 1, 2}};
      },
      3, [](int i, int at) { return D::group(at) == i; });
  auto& all = std::get<ChoiceTables>(out.paths).intermediates;
  all.rule = IntermediateRule::elsewhere;
  all.region = IdVector<SwitchId, std::uint32_t>(std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2});
  return out;
}

TEST(ChoiceTablesChecked, W10kAndW10rWithLanesThatSuffice) {
  using D = test::SmallestDragonfly;
  const Fabric fabric = D::fabric();
  EXPECT_EQ(verdicts(fabric, ugal_to_a_group(fabric)), "every, every, every");
  const Tables to_router = choice_tables(
      fabric, 4, {undecided_phase(), detour_phase(2), Phase{"minimal"}},
      [](int phase, int at, int to) {
        const bool last = D::group(at) == D::group(to);
        if (phase == 1) return Hops{{D::next(at, to), last ? 1 : 0, 1}};
        return Hops{{D::next(at, to), last ? 3 : 2, 2}};
      },
      6, [](int i, int at) { return i == at; });
  EXPECT_EQ(verdicts(fabric, to_router), "every, every, every");
}

TEST(ChoiceTablesChecked, W11TreeWithBothUpPorts) {
  // Leaves 0 to 2 with hosts, spines 3 and 4: to a spine packets go down, too.
  const Fabric fabric = test::from_links(5, {{0, 3}, {0, 4}, {1, 3}, {1, 4}, {2, 3}, {2, 4}});
  const Tables tables = one_phase(fabric, 1, [](int, int at, int to) {
    if (at >= 3 && to >= 3) return Hops{};
    if (at >= 3 || to >= 3) return Hops{{to}};
    return Hops{{3}, {4}};
  });
  EXPECT_EQ(verdicts(fabric, tables), "every, every, every");
}

TEST(ChoiceTablesChecked, W12MinimalDragonfly) {
  using D = test::SmallestDragonfly;
  const Fabric fabric = D::fabric();
  EXPECT_EQ(
      verdicts(fabric,
               one_phase(fabric, 2,
                         [](int, int at, int to) {
                           return Hops{{D::next(at, to), D::group(at) == D::group(to) ? 1 : 0}};
                         })),
      "every, every, every");
}

TEST(ChoiceTablesChecked, W13PositionsThatNoPacketComesToDoNotCount) {
  // Dimension order on a mesh, and on lane 1, which nothing leads to, round it.
  const Fabric fabric = test::square_mesh(2);
  const Tables tables =
      choice_tables(fabric, 1, {Phase{"xy"}, Phase{"unused"}}, [](int phase, int at, int to) {
        constexpr int round[] = {1, 3, 0, 2};
        return Hops{{phase == 0 ? minimal_in_mesh(2, at, to).front() : round[at], 0, phase}};
      });
  EXPECT_EQ(verdicts(fabric, tables), "every, every, every");
}

// --- what they carry
// ------------------------------------------------------------------------------

TEST(ChoiceTablesChecked, ChoicesSplitTheLoad) {
  const Fabric fabric = test::from_links(4, {{0, 2}, {0, 3}, {1, 2}, {1, 3}});
  const Tables tables = one_phase(fabric, 1, [](int, int at, int to) {
    if (at + to == 1) return Hops{{2}, {3}};
    if (at + to == 5) return Hops{{0}};
    return Hops{{to}};
  });
  const Survey seen = survey(fabric, tables);
  EXPECT_TRUE(seen.complete());
  EXPECT_EQ(seen.most_hops, 3U);
  // A packet of each pair 0-1 is split; 2 and 3 send by 0.
  const auto load = [&](std::size_t from, std::size_t to) {
    for (const ChannelId c : fabric.out(SwitchId(from)))
      if (fabric.to(c) == SwitchId(to)) return seen.load[c];
    return -1.0;
  };
  EXPECT_EQ(load(0, 2), 2.5);
  EXPECT_EQ(load(2, 1), 1.5);
  EXPECT_DOUBLE_EQ(seen.mean_hops(), (4 * 1 + 4 * 3 + 8 * 2) / 16.0);
}

TEST(ChoiceTablesChecked, DetoursHaveALoadOfTheirOwn) {
  const Fabric fabric = test::SmallestDragonfly::fabric();
  const Survey seen = survey(fabric, ugal_to_a_group(fabric));
  EXPECT_TRUE(seen.complete());
  double stays = 0, away = 0;
  for (const ChannelId c : fabric.channels()) {
    stays += seen.load[c];
    away += seen.detour_load[c];
  }
  EXPECT_GT(away, stays);
  EXPECT_EQ(seen.most_hops, 6U);  // local, global, local, global, local: 5 channels
}

TEST(ChoiceTablesChecked, PacketsThatAreLostOrGoRoundAreSaid) {
  const Fabric ring = test::ring(4);
  // To switch 2 nothing leads away from 0; to 3 packets prefer to go round 0 and 1.
  const Tables tables = one_phase(ring, 1, [](int, int at, int to) {
    if (to == 2 && at == 0) return Hops{};
    if (to == 3 && at < 2) return Hops{{1 - at, 0, 0, 0}, {at == 0 ? 3 : 2, 0, 0, 1}};
    return Hops{{at < to ? at + 1 : at - 1}};
  });
  const Survey seen = survey(ring, tables);
  EXPECT_EQ(seen.pairs - seen.reached, 3U);
  ASSERT_EQ(seen.lost.size(), 2U);
  EXPECT_EQ(seen.lost[0].cause(), "loop");
  EXPECT_EQ(seen.lost[0].pairs, 2U);
  EXPECT_EQ(seen.lost[1].cause(), "no entry");
  EXPECT_EQ(run_checks(ring, tables).findings.front().verdict, Verdict::bad);
}

TEST(ChoiceTablesChecked, HostsOfAColumnNeedNotAllBeReached) {
  const Fabric fabric = test::from_links(2, {{0, 1}}, 2);
  ChoiceTables choices(1, 2);
  const HostId first = fabric.hosts_on(SwitchId(1)).front();
  choices.next[ColumnId(0)][0] = choices.add({{fabric.out_port(ChannelId(0)), 0}});
  choices.next[ColumnId(0)][1] = choices.add({{fabric[first].port, 0}});  // of one host alone
  Tables tables;
  for (const HostId host : fabric.hosts())
    tables.to_host.push_back(fabric[host].on == SwitchId(1) ? ColumnId(0) : ColumnId::none());
  tables.paths = choices;
  EXPECT_EQ(survey(fabric, tables).reached, 4U) << "of 8 that have a column";
}

TEST(ChoiceTablesChecked, MulticastCopiesWaitForTheirOwnPort) {
  const Fabric fabric = test::square_mesh(2);
  Tables tables = one_phase(fabric, 2, minimal_with_escape(2));
  Group group{"g", {HostId(0), HostId(1), HostId(2), HostId(3)}};
  group.lane = 0;
  for (std::size_t s = 0; s < 4; ++s) {
    PortSet set{SwitchId(s), {}};
    for (PortNumber port = 1; port <= fabric[SwitchId(s)].ports; ++port)
      if (fabric.at_port(SwitchId(s), port).host.valid() ||
          fabric.at_port(SwitchId(s), port).channel.valid())
        set.ports.push_back(port);
    group.out.push_back(set);
  }
  tables.groups = {group};  // round and round
  EXPECT_EQ(verdict(fabric, tables, WaitKind::cut_through), "circle");
  EXPECT_NE(run_checks(fabric, tables).findings.back().summary.find("though unicast alone cannot"),
            std::string::npos);
}

// --- random tables
// ------------------------------------------------------------------------------

/// The same tables with another candidate in every set, on lane 1.
Tables with_more_candidates(const Fabric& fabric, const Tables& tables, Rng& rng) {
  Tables out = tables;
  auto& choices = std::get<ChoiceTables>(out.paths);
  for (const ColumnId column : choices.ids())
    for (const SwitchId s : fabric.switches()) {
      const ChoiceTables::Entry entry = choices.next[column][s.index()];
      if (entry >= choices.set_count()) continue;
      const auto set = choices.candidates(entry);
      std::vector<Candidate> more(set.begin(), set.end());
      const auto links = fabric.out(s);
      more.push_back({fabric.out_port(links[rng.below(links.size())]), 1, set[0].phase});
      choices.next[column][s.index()] = choices.add(more);
    }
  return out;
}

TEST(ChoiceTablesChecked, RandomTablesAgreeWithExhaustiveSearch) {
  const int networks = test::tries(200, 20'000);
  Rng rng(11);
  int deadlocks = 0, certificates = 0, searched = 0, worm_deadlocks = 0, unknown = 0;
  for (int i = 0; i < networks; ++i) {
    const bool is_line = rng.below(3) == 0;
    const Fabric fabric = is_line ? test::from_links(4, {{0, 1}, {1, 2}, {2, 3}}) : test::ring(3);
    const Tables tables = test::random_choices(fabric, rng);
    SCOPED_TRACE(i);
    const std::string committing = verdict(fabric, tables, WaitKind::commit);
    const std::string any = verdict(fabric, tables, WaitKind::cut_through);
    const std::string worms = verdict(fabric, tables, WaitKind::wormhole);
    // A certificate holds for all switches that wait for more, and hold less.
    EXPECT_TRUE(committing == "cycle" || (committing == "every" && any == "every"));
    const bool refuted = any == "circle" || any == "blocked";
    EXPECT_TRUE(refuted || any == "some" || any == "every") << any;
    EXPECT_TRUE(worms == any ||
                (any == "some" && (worms == "worms" || worms == "blocked" || worms == "unknown")))
        << worms;
    certificates += refuted ? 0 : 1;
    const TableStates states(fabric, tables);
    test::ExhaustiveSearch search(states.states());
    if (search.lanes() > 7) continue;
    ++searched;
    ASSERT_EQ(refuted, search.finds_deadlock());
    deadlocks += refuted ? 1 : 0;
    const WaitingStates committed = test::committed_states(states.states());
    ASSERT_EQ(committing == "cycle", test::ExhaustiveSearch(committed).finds_deadlock());
    const bool worms_block = test::ExhaustiveWorms(states.states()).finds_deadlock();
    worm_deadlocks += worms_block && !refuted ? 1 : 0;
    if (worms == "unknown")
      ++unknown;
    else
      ASSERT_EQ(worms_block, worms == "circle" || worms == "blocked") << worms;
  }
  fmt::print(
      "campaign: {} random choice tables searched for deadlocks: {} refuted for cut-through, {} "
      "more for wormhole, {} unknown\n",
      searched, deadlocks, worm_deadlocks, unknown);
  EXPECT_GT(searched, networks / 2);
  EXPECT_GT(deadlocks, networks / 20);
  EXPECT_GT(certificates, networks / 20);
}

TEST(ChoiceTablesChecked, MoreCandidatesNeverHarmThoseThatWaitForAny) {
  Rng rng(12);
  for (int i = 0; i < test::tries(50, 2'000); ++i) {
    const Fabric fabric = test::square_mesh(2);
    const Tables tables = one_phase(fabric, 2, minimal_with_escape(2));
    // They lead to no new position in the escape lane.
    const Tables more = with_more_candidates(fabric, tables, rng);
    EXPECT_EQ(verdict(fabric, more, WaitKind::cut_through), "some") << i;
  }
}

/// The tables, with the columns of others to the second LIDs of hosts.
Tables with_second_lids(Tables tables, const Tables& others) {
  auto& choices = std::get<ChoiceTables>(tables.paths);
  const auto& from = std::get<ChoiceTables>(others.paths);
  for (const HostId host : others.to_host.ids()) {
    std::vector<ChoiceTables::Entry> column;
    for (const ChoiceTables::Entry entry : from.next[others.to_host[host]]) {
      const bool is_set = entry < from.set_count();
      const auto all = is_set ? from.candidates(entry) : std::span<const Candidate>{};
      column.push_back(is_set ? choices.add({all.begin(), all.end()}) : entry);
    }
    tables.further.push_back({host, 1, choices.next.push_back(column)});
  }
  return tables;
}

TEST(ChoiceTablesChecked, ColumnsOfFurtherLidsCount) {
  const auto [mesh, minimal] = test::minimal_mesh(2);
  const Tables first = one_phase(mesh, 1, [](int, int at, int to) {
    return Hops{{test::minimal_in_mesh(2, at, to).front()}};
  });
  EXPECT_EQ(verdicts(mesh, first), "every, every, every");
  EXPECT_EQ(verdicts(mesh, with_second_lids(first, first)), "every, every, every");
  const Tables adaptive = with_second_lids(first, minimal);
  EXPECT_NO_THROW(require_fit(mesh, adaptive));
  EXPECT_EQ(verdicts(mesh, adaptive), "cycle, circle, circle");
  const auto cycle = std::get<DependencyCycle>(deadlock(mesh, adaptive));
  bool names_lid = false;
  for (const std::string& line : cycle.describe(mesh))
    names_lid |= line.find(" by LID + 1") != std::string::npos;
  EXPECT_TRUE(names_lid);
  EXPECT_NE(verify(mesh, adaptive, std::get<Certificate>(deadlock(mesh, first))), std::nullopt);
}

TEST(ChoiceTablesChecked, FurtherLidsAreReached) {
  const auto [mesh, minimal] = test::minimal_mesh(2);
  const Tables lost = one_phase(mesh, 1, [](int, int at, int to) -> Hops {
    if (at == 0 && to == 3) return {};
    return {{test::minimal_in_mesh(2, at, to).front()}};
  });
  const auto lost_pairs = [&, &fabric = mesh](const Tables& tables) {
    return run_checks(fabric, tables).findings.front().numbers.at("lost_by_further_lids");
  };
  EXPECT_EQ(lost_pairs(with_second_lids(minimal, minimal)), 0);
  EXPECT_EQ(lost_pairs(with_second_lids(minimal, lost)), 1);
}

}  // namespace
}  // namespace weft::checked_choices
