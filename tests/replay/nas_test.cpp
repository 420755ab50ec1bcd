// SPDX-License-Identifier: Apache-2.0
// Replays of recorded NAS benchmarks: on an ideal network they take the time that their recording
// says, and on any machine they come to their end.
#include <gtest/gtest.h>

#include "lab/replay/experiment.hpp"
#include "support/paths.hpp"

namespace weft {
namespace {

ReplaySpec on_ideal_network(const std::string& trace) {
  return {.traces = {(weft::testing::source_dir() / "tests/recorded/npb" / trace).string()},
          .collectives = {"bcast=linear", "reduce=linear"},
          .topology = "crossbar:hosts=64",
          .engine = "minhop",
          .nic = "ideal",
          .library = "none"};
}

double milliseconds_of(const ReplaySpec& spec) {
  Networks networks;
  const ReplayResult result = run_replay(resolve(request_of(spec), networks));
  EXPECT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
  return static_cast<double>(result.jobs.at(0).time.count()) / 1e9;
}

/// The times of the timed sections with a network that takes no time, as recorded.
TEST(NasReplays, TakeTheRecordedTimeOnAnIdealNetwork) {
  EXPECT_NEAR(milliseconds_of(on_ideal_network("is.S.16.trace.zst")), 0.214, 0.0005);
  EXPECT_NEAR(milliseconds_of(on_ideal_network("is.S.32.trace.zst")), 0.199, 0.0005);
  EXPECT_NEAR(milliseconds_of(on_ideal_network("is.S.64.trace.zst")), 0.150, 0.0005);
  EXPECT_NEAR(milliseconds_of(on_ideal_network("mg.S.16.trace.zst")), 0.396, 0.0005);
  EXPECT_NEAR(milliseconds_of(on_ideal_network("mg.A.16.trace.zst")), 42.822, 0.0005);
  EXPECT_NEAR(milliseconds_of(on_ideal_network("floor/cg.S.16.trace.zst")), 3.991, 0.0005);
  EXPECT_NEAR(milliseconds_of(on_ideal_network("bt.S.16.trace.zst")), 6.234, 0.0005);
  EXPECT_NEAR(milliseconds_of(on_ideal_network("sp.S.16.trace.zst")), 6.245, 0.0005);
}

}  // namespace
}  // namespace weft
