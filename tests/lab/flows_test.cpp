// SPDX-License-Identifier: Apache-2.0
// Flows on a machine: programs that hold themselves back.
#include "lab/flows.hpp"

#include <gtest/gtest.h>

#include "lab/program_run.hpp"

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

}  // namespace
}  // namespace weft
