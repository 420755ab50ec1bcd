// SPDX-License-Identifier: Apache-2.0
// Broadcasts by groups with a root: they reach their range, once; many circuits of them at a time
// never deadlock, though buffers hold a few flits only; failures are reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "sim/network.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::sim::rooted {
namespace {

std::vector<HostId> range(std::size_t first, std::size_t last) {
  std::vector<HostId> out;
  for (std::size_t h = first; h <= last; ++h) out.push_back(HostId(h));
  return out;
}

void add_group(const Fabric& fabric, Tables& tables, const std::vector<HostId>& members,
               Lane lane = 0, const std::string& spec = "rooted") {
  const GroupRequest request{fmt::format("g{}", tables.groups.size()), members, {}, lane};
  tables.groups.push_back(std::get<Group>(weft::make_group({fabric, tables, request}, spec)));
}

std::vector<HostId> random_range(const Fabric& fabric, Rng& rng) {
  const std::size_t a = rng.below(fabric.host_count() - 1);
  return range(a, a + 1 + rng.below(fabric.host_count() - a - 1));
}

/// Closes a circuit some cycles after all that are to have its data have them.
class Source final : public Driver {
 public:
  Source(Network& network, Cycle delay) : network_(network), delay_(delay) {}

  void send(Packet packet) {
    packet.tag = left_.size();
    std::set<HostId> to{packet.to};
    if (packet.group != no_group) {
      const auto& members = network_.tables().groups[packet.group].members;
      to = {members.begin(), members.end()};
      to.erase(packet.from);
    }
    left_.push_back(to);
    to_fill_.push_back(to);
    network_.send(packet);
  }
  void filled(Network& network, const Packet& packet, HostId at, bool, unsigned) override {
    EXPECT_TRUE(to_fill_[packet.tag].erase(at)) << "data come twice, or to somebody else";
    if (!to_fill_[packet.tag].empty()) return;
    waiting_.emplace(network.now() + delay_, packet);
    network.wake(HostId(0), waiting_.begin()->first);
  }
  void timer(Network& network, HostId) override {
    while (!waiting_.empty() && waiting_.begin()->first <= network.now()) {
      const Packet packet = waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      if (!left_[packet.tag].empty()) network.close(packet.id);
    }
    if (!waiting_.empty()) network.wake(HostId(0), waiting_.begin()->first);
  }
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override {
    EXPECT_TRUE(left_[packet.tag].erase(at)) << "reported twice, or not meant";
    hops_[at] = hops;
    last_ = network.now();
    ++delivered_;
  }
  void lost(Network&, const Packet& packet, HostId at, Loss) override {
    EXPECT_TRUE(left_[packet.tag].erase(at)) << "reported twice, or not meant";
    ++lost_;
  }
  /// Whether everything was reported.
  bool done() const {
    return std::all_of(left_.begin(), left_.end(), [](const auto& left) { return left.empty(); });
  }

  int delivered_ = 0, lost_ = 0;
  Cycle last_ = 0;
  std::map<HostId, unsigned> hops_;

 private:
  Network& network_;
  Cycle delay_;
  std::vector<std::set<HostId>> left_, to_fill_;  ///< by tag: who is to be reported, to be filled
  std::multimap<Cycle, Packet> waiting_;
};

TEST(Broadcast, ReachesItsRangeOnce) {
  const Fabric fabric = make_fabric("tree:k=4,n=3");
  Tables tables = test::routed(fabric, "nca");
  add_group(fabric, tables, range(5, 40));
  // Packets of 191 flits, buffers of 128: Elite's.
  Network network(fabric, tables, model_from("iq:lanes=2,buffer=128"),
                  {.check = true, .longest_packet = 191, .circuits = true});
  Source driver(network, 50);
  for (const std::size_t from : {5U, 17U, 63U, 0U})  // members, and others
    driver.send({.from = HostId(from), .group = 0, .flits = 191, .circuit = true});
  driver.send({.from = HostId(40), .group = 0, .flits = 191});
  EXPECT_EQ(network.run(driver, never), NetworkEnd::quiet);
  EXPECT_TRUE(driver.done());
  EXPECT_EQ(driver.lost_, 0);
  EXPECT_EQ(driver.delivered_, 35 + 35 + 36 + 36 + 35);
  EXPECT_EQ(driver.hops_[HostId(20)], 5U);
}

TEST(Broadcast, LeavesTheRootByThePortItCameIn) {
  const Fabric fabric = test::from_links(3, {{0, 1}, {1, 2}}, 2);
  Tables tables = test::routed(fabric, "updown");
  add_group(fabric, tables, range(0, 1), 0, "rooted:root=s2");
  Network network(fabric, tables, model_from("iq:lanes=1,buffer=4"),
                  {.check = true, .longest_packet = 30, .circuits = true});
  Source driver(network, 50);
  for (int i = 0; i < 3; ++i)
    driver.send({.from = HostId(0), .group = 0, .flits = 30, .circuit = true});
  EXPECT_EQ(network.run(driver, never), NetworkEnd::quiet);
  EXPECT_TRUE(driver.done());
  EXPECT_EQ(driver.delivered_, 3);
  EXPECT_EQ(driver.hops_[HostId(1)], 5U) << "up over three switches, and down over two more";
}

TEST(Broadcast, IsNotSlowedByTheNumberOfHosts) {
  const auto time = [](const char* spec) {
    const Fabric fabric = make_fabric(spec);
    Tables tables = test::routed(fabric, "nca");
    add_group(fabric, tables, range(0, fabric.host_count() - 1));
    Network network(fabric, tables, model_from("iq:lanes=2,buffer=16"),
                    {.longest_packet = 100, .circuits = true});
    Source driver(network, 0);
    driver.send({.from = HostId(0), .group = 0, .flits = 100, .circuit = true});
    EXPECT_EQ(network.run(driver, never), NetworkEnd::quiet);
    return driver.last_;
  };
  EXPECT_LT(time("tree:k=4,n=4"), time("tree:k=4,n=2") + 60) << "256 hosts against 16";
}

TEST(Broadcast, NeedsLinksThatLanesShareByFlit) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  Tables tables = test::routed(fabric, "nca");
  add_group(fabric, tables, range(0, 3));
  try {
    Network network(fabric, tables,
                    model_from("iq:switching=cut_through,multiplex=packet,buffer=64"), {});
    ADD_FAILURE() << "was taken";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what())
                  .find("groups with a root need links that lanes share flit by flit"),
              std::string::npos)
        << error.what();
  }
}

/// Fabrics and tables with groups that have a certificate.
struct Setting {
  Fabric fabric;
  Tables tables;
};

Setting random_setting(Rng& rng, std::uint64_t seed) {
  if (rng.below(3) > 0) {
    const Fabric fabric =
        make_fabric(fmt::format("tree:k={},n={}", 2 + rng.below(3), 1 + rng.below(3)));
    Tables tables = test::routed(fabric, rng.below(2) == 0 ? "nca" : "updown");
    for (int g = 0; g < 5; ++g) add_group(fabric, tables, random_range(fabric, rng));
    return {fabric, tables};
  }
  // Anywhere, on a lane of their own.
  const Fabric fabric = test::random_fabric(seed, 10);
  Tables tables = test::routed(fabric, "updown");
  tables.lane_count = 2;
  if (fabric.host_count() < 2) return {fabric, tables};
  for (int g = 0; g < 5; ++g) add_group(fabric, tables, random_range(fabric, rng), 1);
  return {fabric, tables};
}

void send_anything(const Fabric& fabric, const Tables& tables, Source& driver, Rng& rng) {
  for (int i = 0; i < 120; ++i) {
    Packet packet{.from = HostId(rng.below(fabric.host_count()))};
    packet.flits = static_cast<std::uint32_t>(2 + rng.below(40));
    packet.circuit = rng.below(4) > 0;
    if (rng.below(2) == 0) {
      packet.group = static_cast<std::uint32_t>(rng.below(tables.groups.size()));
      const auto& members = tables.groups[packet.group].members;
      if (members.size() == 1 && members.front() == packet.from) continue;
    } else {
      packet.to = HostId((packet.from.index() + 1 + rng.below(fabric.host_count() - 1)) %
                         fabric.host_count());
    }
    driver.send(packet);
  }
}

/// Anything goes: few groups with roots anywhere, on the lane of the routes.
Setting wild_setting(Rng& rng, std::uint64_t seed) {
  const Fabric fabric = rng.below(2) == 0 ? test::random_fabric(seed, 8)
                                          : make_fabric(fmt::format("tree:k=2,n={}", 2 + seed % 2));
  Tables tables = test::routed(fabric, rng.below(2) == 0 ? "updown" : "minhop");
  if (fabric.host_count() < 2) return {fabric, tables};
  const std::string one = fabric[SwitchId(rng.below(fabric.switch_count()))].name;
  const bool roots_differ = rng.below(2) == 0;
  for (std::uint64_t g = 1 + rng.below(3); g > 0; --g)
    add_group(fabric, tables, random_range(fabric, rng), 0,
              "rooted:root=" +
                  (roots_differ ? fabric[SwitchId(rng.below(fabric.switch_count()))].name : one));
  return {fabric, tables};
}

TEST(Broadcast, ManyNeverDeadlock) {
  int tried = 0, refused = 0;
  const int turns = test::tries(600, 20'000);
  for (int turn = 0; turn < turns; ++turn) {
    const auto seed = static_cast<std::uint64_t>(turn);
    Rng rng(seed);
    const bool wild = turn % 3 == 0;
    const auto [fabric, tables] = wild ? wild_setting(rng, seed) : random_setting(rng, seed);
    if (fabric.host_count() < 2) continue;
    const auto why_not = test::not_certified(fabric, tables);
    ASSERT_FALSE(!wild && why_not) << "seed " << seed << ": " << *why_not;
    refused += why_not ? 1 : 0;
    if (why_not) continue;
    const int lanes = tables.lane_count == 2 ? 2 : 1 + static_cast<int>(rng.below(3));
    Network network(fabric, tables,
                    model_from(fmt::format("iq:lanes={},buffer={}", lanes, 1 + rng.below(8))),
                    {.check = true, .longest_packet = 42, .circuits = true, .review = 256});
    Source driver(network, rng.below(60));
    send_anything(fabric, tables, driver, rng);
    ASSERT_EQ(network.run(driver, never), NetworkEnd::quiet) << "seed " << seed << "\n"
                                                             << network.explanation();
    ASSERT_TRUE(driver.done()) << "seed " << seed;
    ASSERT_EQ(driver.lost_, 0) << "seed " << seed;
    ++tried;
  }
  EXPECT_GT(tried, turns / 2);
  if (turns >= 600) {
    EXPECT_GT(refused, 0);
  }
}

TEST(Broadcast, TwoRootsDeadlockAndThatIsReported) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  Tables tables = test::routed(fabric, "nca");
  for (const SwitchId s : fabric.switches())
    if (fabric.hosts_on(s).empty())
      add_group(fabric, tables, range(0, 3), 0, "rooted:root=" + fabric[s].name);
  ASSERT_TRUE(test::not_certified(fabric, tables));
  int deadlocks = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Rng rng(seed);
    Network network(fabric, tables, model_from("iq:lanes=1,buffer=4"),
                    {.check = true, .longest_packet = 42, .circuits = true, .review = 256});
    Source driver(network, 20);
    send_anything(fabric, tables, driver, rng);
    if (network.run(driver, never) != NetworkEnd::deadlocked) continue;
    ++deadlocks;
    EXPECT_NE(network.explanation().find("wait for each other"), std::string::npos);
    EXPECT_NE(network.explanation().find(" > g"), std::string::npos);
  }
  EXPECT_GT(deadlocks, 5);
}

TEST(Broadcast, FailuresAreReportedOnceForEveryMember) {
  int lost = 0, delivered = 0;
  for (int turn = 0; turn < test::tries(300, 10'000); ++turn) {
    const auto seed = static_cast<std::uint64_t>(turn);
    Rng rng(seed);
    const Fabric fabric = make_fabric(fmt::format("tree:k=2,n=3,delay={}ns", 100 * (seed % 4)));
    Tables tables = test::routed(fabric, rng.below(2) == 0 ? "nca" : "updown");
    for (int g = 0; g < 4; ++g) add_group(fabric, tables, random_range(fabric, rng));
    NetworkOptions options{.check = true, .longest_packet = 42, .circuits = true, .review = 256};
    for (std::uint64_t i = 1 + rng.below(3); i > 0; --i)
      options.faults.links.push_back(
          {LinkId(rng.below(fabric.link_count())), HostId::none(), rng.below(2000)});
    if (rng.below(2) == 0)
      options.faults.links.push_back({LinkId::none(), HostId(rng.below(8)), rng.below(2000)});
    if (rng.below(3) == 0)
      options.faults.switches.push_back(
          {SwitchId(rng.below(fabric.switch_count())), rng.below(2000)});
    Network network(fabric, tables, model_from("iq:lanes=2,buffer=6"), options);
    Source driver(network, rng.below(60));
    send_anything(fabric, tables, driver, rng);
    ASSERT_EQ(network.run(driver, never), NetworkEnd::quiet) << "seed " << seed << "\n"
                                                             << network.explanation();
    ASSERT_TRUE(driver.done()) << "seed " << seed;
    lost += driver.lost_;
    delivered += driver.delivered_;
  }
  EXPECT_GT(lost, 100);
  EXPECT_GT(delivered, 100);
}

}  // namespace
}  // namespace weft::sim::rooted
