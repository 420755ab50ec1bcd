// SPDX-License-Identifier: Apache-2.0
// Flows on a machine: programs that pace themselves, promises and refusals, managers that no flow
// delays, and no promises to packets that take different routes.
#include "lab/flows/flows.hpp"

#include <gtest/gtest.h>

#include "base/message.hpp"
#include "lab/program/experiment.hpp"
#include "plan/topo/topology.hpp"
#include "sim/nics/nic.hpp"
#include "support/flows.hpp"
#include "support/routes.hpp"

namespace weft {
namespace {

using namespace std::chrono_literals;

TEST(Flows, AProgramCanSendMessagesAtARateOfItsOwn) {
  const Machine machine = make_machine({.cluster = "gmqos"});
  FlowPlan flow;
  flow.name = "flow";
  flow.from = HostId(0);
  flow.to = HostId(1);
  flow.service = FlowService::free;
  flow.every = 2ms;
  flow.stop = 40ms;
  FlowsPlan plan;
  plan.flows = {flow};
  plan.bin = 1ms;
  const FlowsFound found = run_flows(machine, plan);
  EXPECT_EQ(found.flows[0].bytes, 20 * 65536U);
  // A message is sent at full speed, in three quarters of a millisecond; then there is silence.
  for (std::size_t bin = 0; bin < 38; ++bin)
    EXPECT_EQ(found.flows[0].packets[bin], bin % 2 == 0 ? 16U : 0U) << bin;
}

/// Whatever messages a program sends, a promise is kept or refused, also beside other flows; the
/// default ones can use it all.
TEST(Flows, PromisesThatMessagesCannotCarryAreRefused) {
  const Machine machine = make_machine({.cluster = "gmqos", .nic = "gm:schedule=rate"});
  FlowsPlan plan;
  plan.limits = test::myrinet_limits();
  int refused = 0;
  for (const std::int64_t message : {1000, 4096, 16'384, 65'536})
    for (const int window : {1, 2, 4}) {
      FlowPlan other;
      other.stop = 40ms;
      plan.flows = {{.name = "flow",
                     .from = HostId(0),
                     .to = HostId(1),
                     .service = FlowService::promised,
                     .bandwidth = test::megabytes(message < 4096 ? 15 : 60),
                     .message = Bytes{message},
                     .stop = 40ms,
                     .window = window}};
      for (const auto& [from, to] : {std::pair{0U, 2U}, {0U, 3U}, {4U, 1U}}) {
        other.from = HostId(from);
        other.to = HostId(to);
        plan.flows.push_back(other);
      }
      const FlowsFound found = run_flows(machine, plan);
      SCOPED_TRACE(fmt::format("{} messages of {}", window, message));
      if (found.flows[0].granted) {
        EXPECT_GE(sent_between(found, 0, 10ms, 40ms), 0.97 * (message < 4096 ? 15 : 60));
        continue;
      }
      ++refused;
      EXPECT_LT(window * message, 4 * 65'536);
      EXPECT_NE(found.flows[0].why.find(fmt::format(", {} under way, can use ", window)),
                std::string::npos)
          << found.flows[0].why;
    }
  EXPECT_GE(refused, 3);
  EXPECT_LE(refused, 9);
}

TEST(Flows, WithoutAFixedPathAreRefused) {
  const Fabric fabric = make_fabric("tree:k=2,n=2,speed=1.28Gb/s");
  const Machine machine{
      std::make_shared<const ResolvedNetwork>(fabric, test::routed(fabric, "nca")),
      sim::model_from("iq:flit=32B,flow=stop_go,buffer=8"),
      sim::nic_from("gm:schedule=rate"),
      {}};
  FlowsPlan plan;
  plan.limits = test::myrinet_limits();
  for (const std::size_t to : {1U, 2U})
    plan.flows.push_back({.name = "to h" + std::to_string(to),
                          .from = HostId(0),
                          .to = HostId(to),
                          .service = FlowService::promised,
                          .bandwidth = test::megabytes(10),
                          .stop = 20ms});
  const FlowsFound found = run_flows(machine, plan);
  EXPECT_TRUE(found.flows[0].granted) << found.flows[0].why << ": both are on one switch";
  EXPECT_FALSE(found.flows[1].granted);
  EXPECT_EQ(found.flows[1].why,
            "packets from h0 to h2 have no fixed path: the tables leave 1 switch a choice");
}

Machine myrinet(const std::string& topology = "", const std::string& engine = "") {
  return make_machine({.cluster = "gmqos", .topology = topology, .engine = engine});
}

FlowPlan promised(std::size_t from, std::size_t to, std::int64_t megabytes) {
  FlowPlan flow;
  flow.name = "flow";
  flow.from = HostId(from);
  flow.to = HostId(to);
  flow.service = FlowService::promised;
  flow.bandwidth = {megabytes * 8'000'000};
  flow.stop = 100ms;
  return flow;
}

/// A slow flow of high priority between the same hosts does not delay messages of managers.
TEST(Flows, ManagersWaitForNoFlow) {
  FlowsPlan plan;
  plan.limits = test::myrinet_limits();
  plan.flows = {promised(0, 1, 1), promised(1, 0, 10)};
  plan.flows[0].priority = comm::Priority::high;
  plan.flows[1].start = 20ms;
  const FlowsFound found = run_flows(myrinet(), plan);
  EXPECT_LT(found.flows[1].began, Duration(22ms));
  EXPECT_NEAR(sent_between(found, 1, 30ms, 100ms), 10, 0.2);
}

TEST(Flows, ThatAreRefusedSendNothing) {
  FlowsPlan plan;
  plan.limits = test::myrinet_limits();
  plan.flows = {promised(0, 1, 60), promised(0, 2, 60), promised(3, 4, 40)};
  plan.flows[2].message = Bytes{1024};
  const FlowsFound found = run_flows(myrinet(), plan);
  EXPECT_TRUE(found.flows[0].granted);
  for (const std::size_t refused : {1U, 2U}) {
    EXPECT_FALSE(found.flows[refused].granted);
    for (const std::uint64_t packets : found.flows[refused].packets) EXPECT_EQ(packets, 0U);
  }
  EXPECT_NE(found.flows[2].why.find("messages of 1KiB do not fill their packets: 40MB/s of data "
                                    "take 160MB/s"),
            std::string::npos)
      << found.flows[2].why;
}

TEST(Flows, ADeadlockIsReported) {
  FlowsPlan plan;
  for (std::size_t i = 0; i < 8; ++i) {
    plan.flows.push_back(promised(i, (i + 3) % 8, 0));
    plan.flows.back().service = FlowService::free;
  }
  const FlowsFound found = run_flows(myrinet("ring:switches=8", "minhop"), plan);
  EXPECT_EQ(found.deadlock.rfind("deadlock at cycle", 0), 0U) << found.deadlock;
}

TEST(Flows, HaveSoMuchUnderWay) {
  FlowsPlan plan;
  plan.flows = {promised(0, 1, 0)};
  plan.flows[0].service = FlowService::free;
  plan.flows[0].message = Bytes{std::int64_t{64} << 20U};
  plan.flows[0].window = 1024;
  EXPECT_EQ(test::message_of([&] { run_flows(myrinet(), plan); }),
            "flow: 1024 messages of 64MiB under way, and those of other flows, are more than 1GiB");
}

}  // namespace
}  // namespace weft
