// SPDX-License-Identifier: Apache-2.0
// Circuits: a packet keeps its lanes until its source has received the acknowledgment, two lanes
// let two circuits overlap, and failures end each of them once.
#include <gtest/gtest.h>

#include <map>

#include "base/rng.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "sim/network.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

/// Acknowledges circuits some cycles after their data have reached all receivers; sends the next
/// packet of a host when one has left it.
class Acknowledger final : public Driver {
 public:
  Acknowledger(Network& network, Cycle delay) : network_(network), delay_(delay) {}
  void send(Packet packet) {
    packet.circuit = true;
    packet.tag = sent_++;
    network_.send(packet);
  }
  void reached(Network&, const Packet& packet, HostId at) override {
    EXPECT_TRUE(reached_.emplace(packet.tag, at).second) << "it came twice";
  }
  void filled(Network& network, const Packet& packet, HostId at, bool whole,
              unsigned hops) override {
    hops_[{packet.tag, at}] = hops;
    EXPECT_FALSE(ended_.count(packet.tag)) << "its end came before its data";
    EXPECT_TRUE(packet.flits < 3 || reached_.count({packet.tag, at})) << "its data came before it";
    if (!whole) ++damaged_;
    filled_[packet.tag].push_back(network.now());
    if (filled_[packet.tag].size() < expected_) return;
    waiting_.emplace(network.now() + delay_, packet);
    network.wake(HostId(0), waiting_.begin()->first);
  }
  void timer(Network& network, HostId) override {
    while (!waiting_.empty() && waiting_.begin()->first <= network.now()) {
      const Packet packet = waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      if (!ended_.count(packet.tag)) network.close(packet.id);
    }
    if (!waiting_.empty()) network.wake(HostId(0), waiting_.begin()->first);
  }
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override {
    EXPECT_EQ((hops_[{packet.tag, at}]), hops) << "its end came another way than its data";
    EXPECT_TRUE(filled_.count(packet.tag));
    EXPECT_TRUE(reports_.emplace(packet.tag, at).second) << "reported twice";
    ended_[packet.tag] = network.now();
  }
  void lost(Network& network, const Packet& packet, HostId at, Loss) override {
    EXPECT_TRUE(reports_.emplace(packet.tag, at).second) << "reported twice";
    ended_[packet.tag] = network.now();
    ++lost_;
  }

  Network& network_;
  Cycle delay_;
  std::size_t expected_ = 1;  ///< ends of a circuit
  std::uint64_t sent_ = 0;
  int damaged_ = 0, lost_ = 0;
  std::map<std::uint64_t, std::vector<Cycle>> filled_;
  std::map<std::uint64_t, Cycle> ended_;
  std::map<std::pair<std::uint64_t, HostId>, unsigned> hops_;  ///< of the data
  std::set<std::pair<std::uint64_t, HostId>> reports_, reached_;

 private:
  std::multimap<Cycle, Packet> waiting_;
};

Cycle time_of(int lanes, Cycle delay) {
  const Fabric fabric = make_fabric("mesh:dims=3,hosts=1");
  const Tables tables = test::routed(fabric, "minhop");
  Network network(fabric, tables, model_from(fmt::format("iq:lanes={},buffer=16", lanes)),
                  {.check = true, .longest_packet = 100, .circuits = true});
  Acknowledger driver(network, delay);
  for (int i = 0; i < 50; ++i) driver.send({.from = HostId(0), .to = HostId(2), .flits = 100});
  EXPECT_EQ(network.run(driver, never), NetworkEnd::quiet);
  EXPECT_EQ(driver.ended_.size(), 50U);
  return driver.ended_[49];
}

TEST(Circuits, KeepTheirLaneUntilTheyAreAcknowledged) {
  // One lane: data, their flight, the acknowledgment, one after another. Two: the next packet's
  // data pass meanwhile.
  const Cycle way = time_of(1, 0) / 50 - 100;
  EXPECT_LT(way, 30U);
  EXPECT_NEAR(static_cast<double>(time_of(1, 80)), 50 * (180 + static_cast<double>(way)), 60);
  EXPECT_NEAR(static_cast<double>(time_of(2, 70)), 50 * 100, 250);
  EXPECT_NEAR(static_cast<double>(time_of(2, 300)), 25 * (400 + static_cast<double>(way)), 250);
}

TEST(Circuits, BlockOthersOnTheirWay) {
  const Fabric fabric = make_fabric("mesh:dims=3,hosts=2");
  const Tables tables = test::routed(fabric, "minhop");
  Network network(fabric, tables, model_from("iq:lanes=1,buffer=4"),
                  {.check = true, .longest_packet = 8, .circuits = true});
  Acknowledger driver(network, 1000);
  driver.send({.from = HostId(0), .to = HostId(4), .flits = 8});
  driver.send({.from = HostId(1), .to = HostId(5), .flits = 8});  // over the same links
  EXPECT_EQ(network.run(driver, never), NetworkEnd::quiet);
  EXPECT_GT(driver.filled_[1].front(), driver.filled_[0].front() + 1000);
}

TEST(Circuits, ToAGroupEndWhenAllHaveTheirData) {
  const Fabric fabric = make_fabric("tree:k=4,n=2");
  Tables tables = test::routed(fabric, "updown");
  std::vector<HostId> everyone;
  for (const HostId host : fabric.hosts()) everyone.push_back(host);
  const GroupRequest request{"all", everyone, HostId(5), 0};
  tables.groups.push_back(std::get<Group>(make_group({fabric, tables, request}, "union")));
  Network network(fabric, tables, model_from("iq:lanes=2,buffer=64"),
                  {.check = true, .longest_packet = 40, .circuits = true});
  Acknowledger driver(network, 100);
  driver.expected_ = everyone.size() - 1;
  for (int i = 0; i < 3; ++i) driver.send({.from = HostId(5), .group = 0, .flits = 40});
  EXPECT_EQ(network.run(driver, never), NetworkEnd::quiet);
  EXPECT_EQ(driver.reports_.size(), 3 * driver.expected_);
  EXPECT_EQ(driver.lost_, 0);
  // Host 5 has three others at its own switch.
  EXPECT_EQ((driver.hops_[{0, HostId(4)}]), 1U);
  EXPECT_EQ((driver.hops_[{0, HostId(0)}]), 3U);
}

TEST(Circuits, DamagedOnesAreReportedBeforeTheyEnd) {
  const Fabric fabric = make_fabric("crossbar:hosts=4");
  const Tables tables = test::routed(fabric, "minhop");
  NetworkOptions options{.check = true, .longest_packet = 50, .circuits = true};
  options.faults.bit_error_rate = 1e-4;
  Network network(fabric, tables, model_from("iq:lanes=2"), options);
  Acknowledger driver(network, 20);
  for (int i = 0; i < 400; ++i) driver.send({.from = HostId(1), .to = HostId(2), .flits = 50});
  EXPECT_EQ(network.run(driver, never), NetworkEnd::quiet);
  EXPECT_EQ(driver.damaged_, driver.lost_);
  // 400 bytes over two links, at 1e-4 a bit: a good half.
  EXPECT_NEAR(driver.lost_, 400 * (1 - std::exp(-2 * 3200 * 1e-4)), 40);
}

/// Round a ring of three switches: a packet fills the buffer behind s0 and waits for a lane of the
/// circuit from h1, which waits for one of the circuit from h2, which has a lane to that buffer,
/// but no room.
TEST(Circuits, ADeadlockBehindAFullBufferIsFound) {
  const Fabric fabric = test::ring(3, 1);
  Tables tables;
  SourceRoutes routes(3);
  for (HostId to : fabric.hosts()) {
    tables.to_host.push_back(ColumnId(to.index()));
    for (SwitchId from : fabric.switches()) {
      std::vector<PortNumber> ports;
      for (std::size_t at = from.index(); at != to.index(); at = (at + 1) % 3)
        for (const ChannelId c : fabric.out(SwitchId(at)))
          if (fabric.to(c).index() == (at + 1) % 3) ports.push_back(fabric.out_port(c));
      routes.push_back(ports);
    }
  }
  tables.paths = routes;
  Network network(fabric, tables, model_from("iq:lanes=1,buffer=4"),
                  {.check = true, .longest_packet = 8, .circuits = true});
  Acknowledger driver(network, 0);
  network.send({.from = HostId(0), .to = HostId(2), .flits = 4, .tag = 100});
  driver.send({.from = HostId(1), .to = HostId(0), .flits = 8});
  driver.send({.from = HostId(2), .to = HostId(1), .flits = 8});
  EXPECT_EQ(network.run(driver, 1'000'000), NetworkEnd::deadlocked);
  EXPECT_NE(network.explanation().find("packet h0 > h2 in s1"), std::string::npos)
      << network.explanation();
}

TEST(Circuits, FailuresEndEachOfThemOnce) {
  for (int turn = 0; turn < test::tries(200, 5000); ++turn) {
    const auto seed = static_cast<std::uint64_t>(turn);
    Rng rng(seed);
    const Fabric fabric = make_fabric(fmt::format("tree:k=2,n=3,delay={}ns", 100 * (seed % 5)));
    const Tables tables = test::routed(fabric, "updown");
    NetworkOptions options{.check = true, .longest_packet = 60, .circuits = true};
    for (std::uint64_t i = 1 + rng.below(4); i > 0; --i)
      options.faults.links.push_back(
          {LinkId(rng.below(fabric.link_count())), HostId::none(), rng.below(3000)});
    if (rng.below(3) == 0)
      options.faults.links.push_back({LinkId::none(), HostId(rng.below(8)), rng.below(3000)});
    if (rng.below(3) == 0)
      options.faults.switches.push_back(
          {SwitchId(rng.below(fabric.switch_count())), rng.below(3000)});
    Network network(fabric, tables, model_from("iq:lanes=2,buffer=8"), options);
    Acknowledger driver(network, rng.below(100));
    for (int i = 0; i < 150; ++i) {
      const std::size_t from = rng.below(8), to = (from + 1 + rng.below(7)) % 8;
      driver.send({.from = HostId(from),
                   .to = HostId(to),
                   .flits = static_cast<std::uint32_t>(2 + rng.below(58))});
    }
    ASSERT_EQ(network.run(driver, never), NetworkEnd::quiet) << "seed " << seed;
    ASSERT_EQ(driver.ended_.size(), 150U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weft::sim
