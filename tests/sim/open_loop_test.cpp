// SPDX-License-Identifier: Apache-2.0
// The open loop keeps what no NIC can begin, and on large fabrics blocks of switches run several
// cycles each: packets come and go as if every one was sent in the cycle in which it is created,
// and all switches ran cycle by cycle.
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "plan/topo/topology.hpp"
#include "sim/workload/gaps.hpp"
#include "sim/workload/packet_source.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

/// When a packet ended, and what it was.
using PacketEnd = std::tuple<Cycle, HostId, HostId, Cycle, Cycle, unsigned, int>;

Demand demand(const Fabric& fabric, std::string_view lengths) {
  return {make_pattern(fabric, "uniform"), Lengths(lengths, Bytes{8}), Chance(), 3};
}

/// Sends every packet when it is created.
class EagerLoop : public Workload {
 public:
  EagerLoop(const Fabric& fabric, std::string_view lengths, Chance packets, Meter& meter)
      : source_(demand(fabric, lengths), fabric.host_count()), gaps_(packets), meter_(meter) {}
  void start(Network& network) override {
    for (HostId host : network.fabric().hosts())
      network.wake(host, network.now() + gaps_(source_.rng(host)));
  }
  bool ends() const override { return source_.ends(); }
  void timer(Network& network, HostId host) override {
    const DrawnPacket packet = source_.next(host);
    meter_.sent(host, packet.flits);
    network.send(host, packet.to, packet.flits, packet.urgent != 0, network.now());
    network.wake(host, network.now() + 1 + gaps_(source_.rng(host)));
  }
  void delivered(Network& network, const Packet& packet, HostId, unsigned hops) override {
    meter_.delivered(packet, network.now(), hops);
  }
  void lost(Network& network, const Packet& packet, HostId, Loss why) override {
    meter_.lost(packet, network.now(), why);
  }

 private:
  PacketSource source_;
  Gaps gaps_;
  Meter& meter_;
};

/// Passes everything on to a workload, and records the ends of packets.
class Recorded : public Driver {
 public:
  explicit Recorded(Workload& workload) : workload_(workload) {}
  void timer(Network& network, HostId host) override { workload_.timer(network, host); }
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override {
    record(network, packet, hops, -1);
    workload_.delivered(network, packet, at, hops);
  }
  void lost(Network& network, const Packet& packet, HostId at, Loss why) override {
    record(network, packet, 0, static_cast<int>(why));
    workload_.lost(network, packet, at, why);
  }
  AnswerScope answers() const override { return workload_.answers(); }
  void stopped(Network& network) override { workload_.stopped(network); }
  /// In the order of cycles: hosts may hear of losses late.
  std::vector<PacketEnd> ends() const {
    std::vector<PacketEnd> out = ends_;
    std::sort(out.begin(), out.end());
    return out;
  }

 private:
  void record(const Network& network, const Packet& packet, unsigned hops, int why) {
    ends_.emplace_back(network.now(), packet.from, packet.to, packet.created, packet.injected, hops,
                       why);
  }
  Workload& workload_;
  std::vector<PacketEnd> ends_;
};

struct Case {
  const char *fabric, *engine, *switches, *lengths, *faults;
  double load;
  Cycle cycles = 6000;
  bool holes = false;  ///< tables that lose packets
};

class OpenLoop : public testing::TestWithParam<Case> {};

TEST_P(OpenLoop, IsAsIfEveryPacketWasSentWhenItIsCreated) {
  const Case& of = GetParam();
  const Fabric fabric = make_fabric(of.fabric);
  Tables tables = test::routed(fabric, of.engine);
  if (of.holes) {
    auto& columns = std::get<DestinationTables>(tables.paths);
    for (std::size_t i = 0; i < columns.size(); ++i) columns[ColumnId(i)][7] = no_port;
  }
  const Lengths lengths(of.lengths, Bytes{8});
  NetworkOptions options{.longest_packet = lengths.longest()};
  if (*of.faults != 0) options.faults = faults_from(fabric, of.faults);
  const Chance load = chance_from(fmt::format("{}", of.load));
  Network one(fabric, tables, model_from(of.switches), options);
  Network other(fabric, tables, model_from(of.switches), options);
  Meter of_one(fabric.host_count()), of_other(fabric.host_count());
  const auto open = open_loop(demand(fabric, of.lengths), load, of_one);
  EagerLoop eager(fabric, of.lengths, lengths.packets_at(load), of_other);
  Recorded first(*open), second(eager);
  open->start(one);
  eager.start(other);
  for (const Cycle until : {Cycle{1}, Cycle{2}, of.cycles / 9, of.cycles / 9 + 1, of.cycles}) {
    ASSERT_EQ(one.run(first, until), NetworkEnd::in_time);
    ASSERT_EQ(other.run(second, until), NetworkEnd::in_time);
    EXPECT_EQ(first.ends(), second.ends()) << until;
    EXPECT_EQ(of_one.last(), of_other.last()) << until;
    EXPECT_EQ(of_one.counts().sent, of_other.counts().sent) << until;
    EXPECT_EQ(of_one.counts().squares, of_other.counts().squares) << until;
    EXPECT_EQ(of_one.flits_sent_of(), of_other.flits_sent_of()) << until;
    EXPECT_EQ(one.totals().waiting + open->kept(), other.totals().waiting) << until;
    EXPECT_EQ(one.totals().flit_hops, other.totals().flit_hops) << until;
    EXPECT_EQ(one.totals().flits_injected, other.totals().flits_injected) << until;
  }
  EXPECT_GT(first.ends().size(), 1000U);
}

INSTANTIATE_TEST_SUITE_P(
    All, OpenLoop,
    testing::Values(
        Case{"mesh:dims=4x4", "dor", "iq:lanes=2", "1", "", 1.0},
        Case{"mesh:dims=4x4", "dor", "iq:lanes=2", "1", "", 0.1},
        Case{"mesh:dims=4x4", "dor", "iq", "1*0.5+16*0.5", "", 0.6},
        Case{"tree:k=2,n=3", "nca", "iq", "4", "", 0.9},
        Case{"tree:k=2,n=3", "dmodk", "iq:lanes=2,buffer=32,switching=cut_through,multiplex=packet",
             "16", "", 0.9},
        Case{"mesh:dims=4x4", "dor", "iq:flow=stop_go,buffer=32", "5", "", 0.9},
        Case{"mesh:dims=4x4", "dor", "iq:lanes=2", "4", "link=h3@650", 0.9},
        Case{"clos3:radix=16", "dmodk", "iq", "1", "", 0.3, 300},
        Case{"clos3:radix=16", "nca", "iq:lanes=2,link=4", "1*0.5+5*0.5", "", 0.7, 200},
        Case{"clos3:radix=16", "dmodk", "iq:lanes=4,flow=stop_go,buffer=32", "6", "", 0.6, 200},
        Case{"dragonfly:a=4,p=2,h=2", "dfsssp", "iq:buffer=5", "1", "", 0.9, 1000},
        Case{"clos3:radix=16", "dmodk",
             "iq:lanes=4,buffer=32,switching=cut_through,multiplex=packet,credit=1", "4", "", 0.6,
             400}));

/// Sends whenever its NIC has nothing to send.
class Overrunning final : public Driver {
 public:
  void timer(Network& network, HostId host) override {
    ++sent;
    network.send({.from = host, .to = HostId(1)});
    network.wake_when_idle(host, network.now());
  }
  void delivered(Network&, const Packet&, HostId, unsigned) override {}
  void lost(Network&, const Packet&, HostId, Loss) override { ++losses; }
  std::uint64_t sent = 0, losses = 0;
};

TEST(OpenLoop, AHostWhoseLinkHasFailedLosesFewPacketsACycle) {
  const Fabric fabric = make_fabric("mesh:dims=2x2");
  const Tables tables = test::routed(fabric, "dor");
  NetworkOptions options;
  options.faults = faults_from(fabric, "link=h0@50");
  Network network(fabric, tables, model_from("iq"), options);
  Overrunning driver;
  network.wake(HostId(0), 0);
  EXPECT_EQ(network.run(driver, 150), NetworkEnd::in_time);
  EXPECT_GE(driver.losses, 90U);
  EXPECT_LE(driver.sent, 2U * 150);
}

/// Sends one packet, when it is woken first.
class SendsOnce final : public Driver {
 public:
  void timer(Network& network, HostId host) override {
    if (++woken > 1) return;
    network.send({.from = host, .to = HostId(1)});
    network.wake_when_idle(host, network.now());
  }
  void delivered(Network&, const Packet&, HostId, unsigned) override {}
  void lost(Network&, const Packet&, HostId, Loss) override {}
  int woken = 0;
};

TEST(OpenLoop, AHostWhoseLinkHasFailedIsWokenOnce) {
  const Fabric fabric = make_fabric("mesh:dims=2x2");
  const Tables tables = test::routed(fabric, "dor");
  for (const char* faults : {"", "link=h0@50"}) {
    NetworkOptions options;
    options.faults = faults_from(fabric, faults);
    Network network(fabric, tables, model_from("iq"), options);
    SendsOnce driver;
    network.wake(HostId(0), 60);
    EXPECT_EQ(network.run(driver, never), NetworkEnd::quiet);
    EXPECT_EQ(driver.woken, 2) << faults;
  }
}

TEST(OpenLoop, StepsEndHoweverOftenDeadlocksAreLookedFor) {
  const Fabric fabric = make_fabric("clos3:radix=16");
  const Tables tables = test::routed(fabric, "dmodk");
  for (const Cycle review : {0U, 1U, 3U}) {
    Network network(fabric, tables, model_from("iq"), {.review = review});
    Meter meter(fabric.host_count());
    const auto open = open_loop(demand(fabric, "1"), chance_from("0.05"), meter);
    open->start(network);
    EXPECT_EQ(network.run(*open, 20), NetworkEnd::in_time);
    EXPECT_EQ(network.now(), 20U);
    EXPECT_GT(meter.counts().delivered, 0U);
  }
}

}  // namespace
}  // namespace weft::sim
