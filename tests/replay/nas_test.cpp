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

/// All that a replay says of its ranks.
std::string report_of(const ReplayResult& result) {
  std::string out =
      fmt::format("{} {} {} {} {}\n", static_cast<int>(result.ended), result.time.count(),
                  result.messages, result.packets, result.flit_hops);
  for (const RankItems& each : result.jobs.at(0).by_rank)
    for (const Duration time : {each.total, each.compute, each.library, each.lower, each.send_ready,
                                each.packet, each.nic_ready, each.ack})
      out += fmt::format("{} ", time.count());
  return out + result.explanation;
}

/// Hosts go with the switches of their threads.
TEST(NasReplays, AreTheSameOnAnyNumberOfThreads) {
  for (const char* trace : {"is.S.16.trace.zst", "mg.S.16.trace.zst", "floor/cg.S.16.trace.zst"})
    for (const char* topology : {"tree:k=4,n=2,delay=40ns", "torus:dims=4x4,delay=100ns"}) {
      SCOPED_TRACE(fmt::format("{} on {}", trace, topology));
      ReplaySpec spec = on_ideal_network(trace);
      spec.topology = topology;
      spec.engine = "updown";
      spec.nic = "hca";
      Networks networks;
      const ReplayExperiment experiment = resolve(request_of(spec), networks);
      const std::string alone = report_of(run_replay(experiment));
      for (const unsigned threads : {2U, 3U, 7U})
        EXPECT_EQ(report_of(run_replay(experiment,
                                       {.threads = threads, .thread_use = sim::ThreadUse::always})),
                  alone)
            << threads;
    }
}

}  // namespace
}  // namespace weft
