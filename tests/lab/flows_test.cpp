// SPDX-License-Identifier: Apache-2.0
// Flows on a machine: programs that hold themselves back, and nothing is promised to packets that
// go different ways.
#include "lab/flows.hpp"

#include <gtest/gtest.h>

#include "lab/program_run.hpp"
#include "plan/topo/topology.hpp"
#include "support/flows.hpp"
#include "support/routes.hpp"

namespace weft {
namespace {

using namespace std::chrono_literals;

TEST(Flows, AProgramCanSendMessagesAtARateOfItsOwn) {
  ProgramRun run;
  run.cluster = "gmqos";
  const Machine machine = machine_of(run);
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

TEST(Flows, WithoutAFixedPathAreRefused) {
  const Fabric fabric = make_fabric("tree:k=2,n=2,speed=1.28Gb/s");
  const Machine machine{fabric, test::routed(fabric, "nca"),
                        sim::model_from("iq:flit=32B,flow=stop_go,buffer=8"),
                        sim::nic_from("gm:schedule=rate")};
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

}  // namespace
}  // namespace weft
