// SPDX-License-Identifier: Apache-2.0
// Faults that pass: a link that damages one packet, and links that come back.
#include <gtest/gtest.h>

#include <map>

#include "base/rng.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/networks.hpp"
#include "support/routes.hpp"

namespace weft::sim::passing_faults {
namespace {

using test::Recorder;
using test::Script;

/// Closes circuits at once, and keeps the reports.
class Closer final : public Recorder {
 public:
  using Recorder::Recorder;
  void filled(Network& network, const Packet& packet, HostId at, bool whole, unsigned) override {
    whole_[{packet.tag, at}] = whole;
    if (++filled_[packet.tag] == ends_of_each_) network.close(packet.id);
  }
  void broken(Network&, const Packet& packet, const FaultSite& site) override {
    broken_.emplace_back(packet.tag, site);
  }
  int ends_of_each_ = 1;
  std::map<std::pair<std::uint64_t, HostId>, bool> whole_;
  std::vector<std::pair<std::uint64_t, FaultSite>> broken_;

 private:
  std::map<std::uint64_t, int> filled_;
};

/// s0, s1, s2 in a row, a host on each. Which of four packets of 16 flits from h0 to h2, sent 100
/// cycles apart, are lost.
struct Row {
  Fabric fabric = test::from_links(3, {{0, 1}, {1, 2}});
  Tables tables = test::routed(fabric, "minhop");

  std::vector<std::uint64_t> lost(
      const std::string& faults, bool circuit,
      std::vector<std::pair<std::uint64_t, FaultSite>>* broken = nullptr, bool back = false) const {
    NetworkOptions options{.check = true, .longest_packet = 16};
    options.faults = faults_from(fabric, faults);
    options.circuits = circuit;
    options.fault_sites = true;
    Network network(fabric, tables, model_from("iq:lanes=2,buffer=16"), options);
    Script script;
    for (Cycle i = 0; i < 4; ++i) {
      Packet packet{.from = HostId(back ? 2 : 0), .to = HostId(back ? 0 : 2), .flits = 16};
      packet.circuit = circuit;
      script.push_back({100 * i, packet});
    }
    Closer closer(network, script);
    EXPECT_EQ(network.run(closer, never), NetworkEnd::quiet);
    EXPECT_FALSE(closer.miscounted(network));
    std::vector<std::uint64_t> out;
    for (const auto& end : closer.ends()) {
      if (circuit) {
        EXPECT_EQ((closer.whole_[{end.packet.tag, end.at}]), !end.why);
      }
      if (!end.why) continue;
      EXPECT_EQ(*end.why, Loss::corrupted);
      out.push_back(end.packet.tag);
    }
    if (broken != nullptr) *broken = closer.broken_;
    return out;
  }
};

using Tags = std::vector<std::uint64_t>;

TEST(Glitches, DamageOnePacketEach) {
  const Row row;
  for (const bool circuit : {false, true})
    for (const bool back : {false, true})
      for (const char* link : {"corrupt=h0@", "corrupt=s0:1@", "corrupt=s1:2@", "corrupt=h2@"}) {
        const auto lost = [&](const char* at) {
          return row.lost(fmt::format("{}{}", link, at), circuit, nullptr, back);
        };
        EXPECT_EQ(lost("0"), Tags{0}) << link;
        EXPECT_EQ(lost("70"), Tags{1}) << link;
        EXPECT_EQ(lost("250"), Tags{3}) << link;
        EXPECT_EQ(lost("1000"), Tags{}) << link;
      }
  EXPECT_EQ(row.lost("corrupt=s0:1@0;corrupt=s0:1@1;corrupt=s1:2@2", false), Tags{0});
  EXPECT_EQ(row.lost("corrupt=s0:1@150;corrupt=s1:1@0;corrupt=h2@250", false), (Tags{0, 2, 3}));
}

/// From when a packet has begun to enter the link until its last flit, or (of a circuit) the flit
/// before it, has.
TEST(Glitches, StrikeWhileFlitsCross) {
  const Row row;
  std::map<bool, int> hit;
  for (Cycle at = 0; at < 100; ++at)
    for (const bool circuit : {false, true}) {
      const Tags lost = row.lost(fmt::format("corrupt=s0:1@{}", at), circuit);
      ASSERT_EQ(lost.size(), 1U);
      ASSERT_LT(lost.front(), 2U);
      hit[circuit] += lost.front() == 0 ? 1 : 0;
    }
  // The head enters at cycle 4 (routing, lane, crossbar after its arrival at 2), then 15 more.
  EXPECT_EQ(hit[false], 20);
  EXPECT_EQ(hit[true], 19);
}

TEST(Glitches, AreNoticedWhereTheyStrike) {
  const Row row;
  std::vector<std::pair<std::uint64_t, FaultSite>> broken;
  for (const bool circuit : {false, true}) {
    row.lost("corrupt=s1:2@0", circuit, &broken);
    ASSERT_EQ(broken.size(), 1U);
    EXPECT_EQ(broken.front().second.why, Loss::corrupted);
    EXPECT_EQ(broken.front().second.hops, 2U);
    EXPECT_EQ(row.fabric.from(broken.front().second.channel), SwitchId(1));
    row.lost("corrupt=h2@0", circuit, &broken);
    ASSERT_EQ(broken.size(), 1U);
    EXPECT_EQ(broken.front().second.host, HostId(2));
    EXPECT_EQ(broken.front().second.hops, 3U);
  }
}

/// Of a group, those behind the link.
TEST(Glitches, DamageCopiesBehindTheLink) {
  const Fabric fabric = test::from_links(3, {{0, 1}, {1, 2}});
  Tables tables = test::routed(fabric, "minhop");
  const GroupRequest request{"all", {HostId(0), HostId(1), HostId(2)}, HostId(0), 0};
  tables.groups.push_back(std::get<Group>(make_group({fabric, tables, request}, "union")));
  for (const bool circuit : {false, true})
    for (const auto& [fault, expected] : {std::pair{"corrupt=h0@0", std::set{HostId(1), HostId(2)}},
                                          {"corrupt=s1:2@0", {HostId(2)}},
                                          {"corrupt=h1@0", {HostId(1)}},
                                          {"corrupt=h2@0", {HostId(2)}}}) {
      NetworkOptions options{.check = true, .longest_packet = 16, .circuits = true};
      options.faults = faults_from(fabric, fault);
      Network network(fabric, tables, model_from("iq:lanes=2,buffer=16"), options);
      Packet packet{.from = HostId(0), .group = 0, .flits = 16};
      packet.circuit = circuit;
      Closer closer(network, {{0, packet}, {100, packet}});
      closer.ends_of_each_ = 2;
      ASSERT_EQ(network.run(closer, never), NetworkEnd::quiet);
      std::set<HostId> lost;
      for (const auto& end : closer.ends()) {
        if (circuit) {
          EXPECT_EQ((closer.whole_[{end.packet.tag, end.at}]), !end.why) << fault;
        }
        if (!end.why) continue;
        EXPECT_EQ(end.packet.tag, 0U);
        EXPECT_EQ(*end.why, Loss::corrupted);
        lost.insert(end.at);
      }
      EXPECT_EQ(lost, expected) << fault;
      EXPECT_EQ(closer.ends().size(), 4U);
    }
}

TEST(LinksThatComeBack, CarryPacketsAgain) {
  const Fabric fabric = test::from_links(3, {{0, 1}, {1, 2}});
  const Tables tables = test::routed(fabric, "minhop");
  for (const char* link : {"link=s0:1@200-400", "link=s2:1@200-400", "link=h0@200-400",
                           "link=h2@200-400", "link=s0:1@200-300;link=s0:1@250-400"})
    for (const bool busy : {false, true}) {
      Script script;
      for (Cycle at = 0; at < 1000; at += busy ? 4 : 20)
        script.push_back({at, {.from = HostId(0), .to = HostId(2), .flits = 4}});
      NetworkOptions options{.check = true, .longest_packet = 4};
      options.faults = faults_from(fabric, link);
      Network network(fabric, tables, model_from("iq:lanes=2,buffer=6"), options);
      Recorder recorder(network, script);
      ASSERT_EQ(network.run(recorder, never), NetworkEnd::quiet);
      EXPECT_FALSE(recorder.miscounted(network));
      for (const auto& end : recorder.ends()) {
        const Cycle sent = end.packet.created;
        if (sent < 160 || sent >= 400) {
          EXPECT_FALSE(end.why) << link << " " << sent;
        }
        if (sent >= 200 && sent < 370) {
          EXPECT_EQ(end.why, Loss::link_down) << link << " " << sent;
        }
      }
    }
}

TEST(LinksThatComeBack, NotWhileASwitchIsDown) {
  const Fabric fabric = test::from_links(3, {{0, 1}, {1, 2}});
  const Tables tables = test::routed(fabric, "minhop");
  NetworkOptions options{.check = true};
  options.faults = faults_from(fabric, "link=s0:1@100-200;switch=s1@150");
  Network network(fabric, tables, model_from("iq"), options);
  Recorder recorder(network, {{50, {.from = HostId(0), .to = HostId(2)}},
                              {300, {.from = HostId(0), .to = HostId(2)}}});
  ASSERT_EQ(network.run(recorder, never), NetworkEnd::quiet);
  EXPECT_EQ(recorder.lost_count(), 1U);
  std::uint64_t flits = 0;
  for (const LaneUse& use : network.lane_use())
    if (use.channel.valid()) flits += use.flits;
  EXPECT_EQ(flits, 2U) << "the second packet was sent to the dead switch";
}

/// A packet that waits for one of two links takes the other one as soon as that is back.
TEST(LinksThatComeBack, AreChosenByThoseWhoWait) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  const Tables tables = test::routed(fabric, "nca");
  NetworkOptions options{.check = true, .longest_packet = 1000};
  options.faults = faults_from(fabric, "link=s0:4@0-300");
  Network network(fabric, tables, model_from("iq:lanes=1"), options);
  Recorder recorder(network, {{10, {.from = HostId(0), .to = HostId(2), .flits = 1000}},
                              {20, {.from = HostId(1), .to = HostId(3), .flits = 10}}});
  ASSERT_EQ(network.run(recorder, never), NetworkEnd::quiet);
  ASSERT_EQ(recorder.ends().size(), 2U);
  EXPECT_EQ(recorder.ends().front().packet.tag, 1U);
  EXPECT_GT(recorder.ends().front().when, 300U);
  EXPECT_LT(recorder.ends().front().when, 350U);
}

TEST(LinksThatComeBack, CountsStayRight) {
  std::uint64_t came_back = 0, all = 0;
  const int turns = test::tries(200, 10'000);
  for (int turn = 0; turn < turns; ++turn) {
    const auto seed = static_cast<std::uint64_t>(turn);
    test::RandomNetwork random =
        test::random_network(seed, {.speeds = true, .groups = true, .faults = true});
    Rng rng(seed);
    Faults& faults = random.options.faults;
    for (std::uint64_t i = rng.below(8); i > 0 && random.fabric.link_count() > 0; --i)
      faults.links.push_back(
          {LinkId(rng.below(random.fabric.link_count())), HostId::none(), rng.below(600)});
    for (LinkFault& fault : faults.links)
      if (rng.below(4) > 0) fault.until = fault.at + 1 + rng.below(100), ++came_back;
    for (std::uint64_t i = rng.below(5); i > 0; --i)
      faults.glitches.push_back(
          {LinkId::none(), HostId(rng.below(random.fabric.host_count())), rng.below(600)});
    all += faults.links.size() + faults.switches.size() + faults.glitches.size();
    const test::Ran ran = test::run_to_end(random, true);
    ASSERT_EQ(ran.ended, NetworkEnd::quiet) << random.describe() << ran.wrong;
    ASSERT_EQ(ran.wrong, "") << random.describe();
  }
  EXPECT_GT(came_back, static_cast<std::uint64_t>(turns)) << "faults are hardly tried";
  fmt::print("campaign: counts stay right in {} random networks with {} faults, {} of which pass\n",
             turns, all, came_back);
}

/// A packet that its link has cut ends with a flit that was made up, and whose credit nobody had
/// spent: the lane is not empty before that flit has gone.
TEST(LinksThatComeBack, LeaveOnePacketInALane) {
  const Fabric fabric = make_fabric("torus:dims=4x4");
  const Tables tables = test::routed(fabric, "min_adaptive");
  const SwitchModel model = model_from("iq:reuse=empty,buffer=4,route=0,allocate_lane=0");
  for (int seed = 0; seed < test::tries(60, 3'000); ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed));
    NetworkOptions options{.check = true, .longest_packet = 16};
    for (int i = 0; i < 12; ++i) {
      const Cycle at = 50 + rng.below(150);
      options.faults.links.push_back(
          {LinkId(rng.below(fabric.link_count())), HostId::none(), at, at + 30 + rng.below(60)});
    }
    Network network(fabric, tables, model, options);
    Script script;
    for (const HostId from : fabric.hosts())
      for (Cycle at = rng.below(20); at < 400; at += 17 + rng.below(8))
        script.push_back(
            {at, {.from = from, .to = HostId(rng.below(fabric.host_count())), .flits = 16}});
    Recorder recorder(network, script);
    EXPECT_EQ(network.run(recorder, never), NetworkEnd::quiet) << seed;
  }
}

}  // namespace
}  // namespace weft::sim::passing_faults
