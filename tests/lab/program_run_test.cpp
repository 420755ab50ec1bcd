// SPDX-License-Identifier: Apache-2.0
// Runs of host programs: every program on a small machine, its results, and wrong input.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error.hpp"
#include "lab/program/experiment.hpp"
#include "plan/mcast/mcast.hpp"

namespace weft {
namespace {

ProgramSpec small(const std::string& program) {
  ProgramSpec run;
  run.program = program;
  run.topology = "mesh:dims=2x2,hosts=2";
  run.engine = "dor";
  run.switches = "iq:buffer=64";
  run.nic = "hca:mtu=256B";
  return run;
}

TEST(ProgramRuns, EveryProgramRuns) {
  for (const ProgramRow& row : programs()) {
    // Those of Elan3lib have a test of their own.
    if (row.name == "orphan" || row.name == "elan_ping" || row.name == "hot_spot") continue;
    const ProgramResult result = run_program(small(std::string(row.name)));
    EXPECT_EQ(result.ended, run::WorldEnd::finished) << row.name << '\n' << result.explanation;
    const bool steady = row.name != "put" && row.name != "flood" && row.name != "overlap";
    EXPECT_EQ(result.iterations, steady ? 12U : 1000U) << row.name;
    EXPECT_GT(result.iteration.mean, Duration(0)) << row.name;
    EXPECT_LE(result.iteration.least, result.iteration.mean) << row.name;
    EXPECT_GE(result.iteration.most, result.iteration.mean) << row.name;
    EXPECT_GE(result.slowest.mean, result.rank_means.most) << row.name;
    EXPECT_EQ(result.by_rank.size(), 8U) << row.name;
    EXPECT_GT(result.messages, result.iterations) << row.name;
    EXPECT_GT(result.packets, result.iterations) << row.name;
    ASSERT_EQ(result.parts.size(), 6U);
    EXPECT_EQ(result.parts[0].part, "processor");
    for (const PartUse& part : result.parts) {
      EXPECT_LE(part.mean, part.most + 1e-12) << row.name;
      EXPECT_LE(part.most, 1) << row.name;
    }
    EXPECT_GT(result.parts[2].most, 0) << row.name;
  }
}

/// All that a run says of its ranks and parts.
std::string report_of(const ProgramResult& result) {
  std::string out =
      fmt::format("{} {} {} {} {} {}\n", static_cast<int>(result.ended), result.time.count(),
                  result.iterations, result.messages, result.packets, result.flit_hops);
  for (const Times& times : result.by_rank)
    out += fmt::format("{} {} {}\n", times.mean.count(), times.least.count(), times.most.count());
  out += fmt::format("{}\n", result.slowest.mean.count());
  for (const PartUse& part : result.parts)
    out += fmt::format("{} {} {}\n", part.part, part.mean, part.most);
  for (const comm::PendingOperation& each : result.pending)
    out += fmt::format("{} {}\n", each.rank, each.since.count());
  return out;
}

TEST(ProgramRuns, AreTheSameOnAnyNumberOfThreads) {
  for (const ProgramRow& row : programs()) {
    if (row.name == "elan_ping" || row.name == "hot_spot") continue;
    for (const std::string until : {"", "20us"}) {
      ProgramSpec spec = small(std::string(row.name));
      spec.topology = "torus:dims=3x3,hosts=2,delay=50ns";
      spec.ranks = row.name == "overlap" ? "1" : "2";
      if (row.name == "overlap") spec.hosts = "16";
      spec.until = until;
      Networks networks;
      ProgramExperiment experiment = resolve(request_of(spec), networks);
      const std::string alone = report_of(run_program(experiment));
      for (const unsigned threads : {2U, 3U, 7U}) {
        experiment.options.threads = threads;
        experiment.options.thread_use = sim::ThreadUse::always;
        EXPECT_EQ(report_of(run_program(experiment)), alone) << row.name << ' ' << threads;
      }
    }
  }
}

ProgramResult with_path(const std::string& program) {
  Networks networks;
  ProgramExperiment experiment = resolve(request_of(small(program)), networks);
  experiment.options.record = experiment.options.path = true;
  return run_program(experiment);
}

/// The critical path of a run is as long as the run, without gaps, and watching it costs no virtual
/// time.
TEST(ProgramRuns, HaveACriticalPathOfTheirMessages) {
  for (const char* program :
       {"barrier:algorithm=dissemination,iterations=4,warmup=0",
        "allreduce:bytes=64k,iterations=2,warmup=0", "alltoall", "pingpong"}) {
    const ProgramResult result = with_path(program);
    ASSERT_EQ(result.time, run_program(small(program)).time) << program;
    ASSERT_FALSE(result.path_steps.empty()) << program;
    comm::Time at{};
    comm::Rank rank = result.path_steps.front().rank;
    for (const PathStep& step : result.path_steps) {
      EXPECT_EQ(step.begin, at) << program;
      EXPECT_EQ(step.rank, rank) << program;
      at = step.end;
      rank = step.to;
    }
    EXPECT_EQ(at, result.time) << program;
  }
}

/// A barrier of 8 ranks by dissemination has 3 rounds.
TEST(ProgramRuns, HaveAMessageOfEachRoundOnTheirPath) {
  const ProgramResult result = with_path("barrier:algorithm=dissemination,iterations=4,warmup=0");
  const auto messages =
      std::count_if(result.path_steps.begin(), result.path_steps.end(),
                    [](const PathStep& step) { return step.part == PathPart::message; });
  EXPECT_EQ(messages, 3 * 4);
}

/// What ends a wait for memory is not known.
TEST(ProgramRuns, HaveNoCriticalPathOfWrites) {
  const ProgramResult result = with_path("put");
  EXPECT_FALSE(result.records.empty());
  EXPECT_TRUE(result.path_steps.empty());
}

/// Iterations go on until their mean is known to one percent, and all ranks have the same.
TEST(ProgramRuns, IterationsUntilTheMeanIsSteady) {
  const auto asked = [](const std::vector<int>& times) {
    std::vector<std::size_t> watched;
    Laps laps(2, [&](std::size_t ended, std::optional<std::size_t> all) {
      EXPECT_FALSE(all);
      watched.push_back(ended);
    });
    laps.expect_until_steady();
    std::size_t i = 0;
    for (; laps.goes_on(i); ++i) {
      const Duration time(times[i % times.size()]);
      for (const comm::Rank rank : {0, 1}) laps.add(rank, i, time);
      EXPECT_TRUE(laps.goes_on(i));
    }
    EXPECT_FALSE(laps.goes_on(i)) << "the other rank asks later";
    EXPECT_EQ(laps.iterations(), i);
    EXPECT_EQ(watched.size(), i);
    return i;
  };
  EXPECT_EQ(asked({500}), 12U);
  // A deviation of 100 of 1000: 1.96 * 0.1 / sqrt(n) <= 0.01 from n = 385 on, and two more.
  EXPECT_EQ(asked({900, 1100}), 387U);
  EXPECT_EQ(asked({1, 1000}), 1000U);
}

TEST(ProgramRuns, EveryAlgorithmAndOrderRuns) {
  std::vector<std::string> algorithms;
  for (const auto& row : orders()) algorithms.emplace_back(row.name);
  for (const auto& row : comm::algorithms<comm::Barrier>()) algorithms.emplace_back(row.name);
  for (const std::string& algorithm : algorithms) {
    const bool one_host = algorithm == "counter" || algorithm == "flags";
    if (algorithm == "schedule") continue;
    ProgramSpec run = small("barrier:iterations=20,algorithm=" + algorithm);
    run.ranks = "3";
    if (one_host) run.hosts = "1";
    EXPECT_EQ(run_program(run).ended, run::WorldEnd::finished) << algorithm;
  }
  for (const char* algorithm : {"shio", "ro", "binomial", "hardware"}) {
    ProgramSpec run = small(fmt::format("broadcast:iterations=20,root=5,algorithm={}", algorithm));
    run.ranks = "3";
    EXPECT_EQ(run_program(run).ended, run::WorldEnd::finished) << algorithm;
  }
}

/// Data in memory are verified in every iteration; they take the time of their size alone.
TEST(ProgramRuns, EveryCollectiveVerifiesItsData) {
  comm::for_each_collective([]<class AnyCollective>() {
    if constexpr (!std::is_same_v<AnyCollective, comm::Barrier>)
      for (const auto& row : comm::algorithms<AnyCollective>()) {
        if (row.name == "schedule") continue;
        const std::string program = fmt::format(
            "{}:algorithm={},iterations=2,warmup=1,bytes=", AnyCollective::kind, row.name);
        for (const char* bytes : {"0B", "1001", "3KiB"}) {
          const ProgramResult with = run_program(small(program + bytes + ",contents=yes")),
                              without = run_program(small(program + bytes));
          EXPECT_EQ(with.ended, run::WorldEnd::finished) << program << bytes;
          EXPECT_EQ(with.by_rank, without.by_rank) << program << bytes;
        }
      }
  });
}

/// Blocks of an alltoall by bruck are turned first, then half of them are packed and unpacked in
/// every step; an allgather packs those around the end of its buffer.
TEST(ProgramRuns, CopiesWithinARankTakeTime) {
  const auto time = [](const std::string& program, const char* rate) {
    ProgramSpec run = small(program);
    run.nic = fmt::format("hca:copy={}", rate);
    return run_program(run).slowest.mean;
  };
  const Duration kilobyte{1'000'000};  // at 1 GB/s
  const auto slower = [&](const std::string& program) {
    return time(program, "1GB/s") - time(program, "1000GB/s");
  };
  EXPECT_GE(slower("alltoall:algorithm=bruck,bytes=10000,iterations=1"),
            kilobyte * (8 + 3 * 8) * 10 * 99 / 100);
  EXPECT_GE(slower("alltoall:algorithm=pairwise,bytes=10000,iterations=1"),
            kilobyte * 10 * 99 / 100);
  EXPECT_GE(slower("allgather:algorithm=bruck,bytes=80000,iterations=1"), kilobyte * 10 * 99 / 100);
}

TEST(ProgramRuns, CollectivesReportTheBandwidthsOfNcclTests) {
  const auto expect = [](const char* program, double bytes, double bus_factor) {
    const ProgramResult result = run_program(small(program));
    const double us = static_cast<double>(result.slowest.mean.count()) / 1e6;
    EXPECT_NEAR(figure_of(result, "algbw"), bytes / us, 1e-9) << program;
    EXPECT_NEAR(figure_of(result, "busbw"), bytes / us * bus_factor, 1e-9) << program;
  };
  expect("allreduce:algorithm=ring,bytes=4000", 4000, 2 * 7.0 / 8);
  expect("allgather:bytes=4000", 4000, 7.0 / 8);
  expect("reduce_scatter:bytes=4000", 4000, 7.0 / 8);
  expect("alltoall:bytes=500", 4000, 7.0 / 8);
  expect("gather:bytes=500", 4000, 7.0 / 8);
  expect("scatter:bytes=500", 4000, 7.0 / 8);
  expect("broadcast:bytes=4000", 4000, 1);
  expect("reduce:bytes=4000,root=3", 4000, 1);
  EXPECT_EQ(run_program(small("scan:bytes=4000")).figures.size(), 1U);
}

TEST(ProgramRuns, AGivenScheduleIsTheOrderItWasMadeOf) {
  ProgramSpec run = small("barrier:iterations=20,algorithm=hio");
  const ProgramResult named = run_program(run);
  Networks networks;
  const Machine machine = resolve(request_of(run).machine, networks);
  ProgramOptions options;
  OrderRequest request{{}, {}, 1};
  for (const HostId host : machine.fabric().hosts()) request.hosts.push_back(host);
  for (const Send& send : make_order(machine.fabric(), "hio", request))
    options.schedule.push_back({send.step, static_cast<comm::Rank>(send.from.index()),
                                static_cast<comm::Rank>(send.to.index())});
  const ProgramResult given =
      run_program(machine, "barrier:iterations=20,algorithm=schedule", options);
  EXPECT_EQ(given.by_rank, named.by_rank);
  EXPECT_EQ(given.time, named.time);
}

TEST(ProgramRuns, AreTheSameEveryTime) {
  ProgramSpec run = small("barrier:iterations=20,algorithm=ro");
  const ProgramResult one = run_program(run), two = run_program(run);
  EXPECT_EQ(one.by_rank, two.by_rank);
  run.seed = "2";
  EXPECT_NE(run_program(run).by_rank, one.by_rank);
}

TEST(ProgramRuns, TakeHostsInTheOrderOfTheirNames) {
  ProgramSpec run = small("pingpong:iterations=20");
  run.hosts = "2";
  const Duration near = run_program(run).iteration.mean;
  run.hosts = "h7,h0";
  const ProgramResult far = run_program(run);
  EXPECT_GT(far.iteration.mean, near);
  EXPECT_EQ(far.spec.hosts, "h7,h0");
  ASSERT_EQ(far.figures.size(), 2U);
  EXPECT_EQ(far.figures[0].name, "one_way");
  EXPECT_NEAR(far.figures[0].value, static_cast<double>(far.iteration.mean.count()) / 2e6, 1e-3);
}

TEST(ProgramRuns, WritesAtOnceAreFasterThanOneByOne) {
  const auto bandwidth = [](int window) {
    return run_program(small(fmt::format("put:iterations=100,window={}", window)))
        .figures.at(0)
        .value;
  };
  EXPECT_GT(bandwidth(4), 1.2 * bandwidth(1));
}

TEST(ProgramRuns, NoWindowIsFasterThanTheBus) {
  for (const char* window : {"1", "8", "64"}) {
    ProgramSpec run = small(fmt::format("put:window={},bytes=16KiB,iterations=50", window));
    run.nic = "hca:mtu=256B,bus=100MB/s";
    const ProgramResult result = run_program(run);
    ASSERT_EQ(result.figures.size(), 1U);
    EXPECT_LE(result.figures[0].value, 100) << window;
    EXPECT_GE(result.figures[0].value, 50) << window;
  }
}

TEST(ProgramRuns, NoRankLeavesABroadcastWithDataToPassOn) {
  ProgramSpec run = small("broadcast:algorithm=shio,by=puts,iterations=20");
  run.nic = "via:mtu=256B";
  run.library = "mvich";
  const ProgramResult result = run_program(run);
  EXPECT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
}

TEST(ProgramRuns, BackToBackNoRankGetsAheadOfABroadcast) {
  const auto difference = [](const std::string& more) {
    const Times means =
        run_program(small("broadcast:algorithm=shio,iterations=20" + more)).rank_means;
    return means.most - means.least;
  };
  EXPECT_LT(difference(",back_to_back=yes"), difference("") / 4);
}

TEST(ProgramRuns, VirtualTimeThatRunsOutIsReported) {
  try {
    run_program(small("barrier:every=1000000s,iterations=20"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "times of hosts add up to more than 106 days, which is the most");
  }
  ProgramSpec slow = small("put:iterations=1,warmup=0,bytes=3KiB");
  slow.nic = "hca:mtu=256B,bus=1b/s";
  EXPECT_GT(run_program(slow).iteration.mean, Duration(std::chrono::seconds(24'000)));
}

TEST(ProgramRuns, AWriteIsNoticedInSeveralWays) {
  const auto one_way = [](const std::string& how) {
    ProgramSpec run = small("notify:iterations=300,bytes=100B," + how);  // numbers wrap around
    run.nic = "via";
    run.library = "mvich";
    const ProgramResult result = run_program(run);
    EXPECT_EQ(result.ended, run::WorldEnd::finished) << how << result.explanation;
    return result.figures.at(0).value;
  };
  const double value = one_way("by=value"), immediate = one_way("by=immediate");
  EXPECT_LT(value, immediate);
  EXPECT_NEAR(one_way("by=interrupt,interrupt=40us"), immediate + 40, 0.1);
  EXPECT_GT(one_way("registration=always"), value + 20);  // registering memory takes as long
  EXPECT_GT(one_way("by=immediate,registration=always"), immediate + 20);
}

TEST(ProgramRuns, BarriersThatOverlapNeedTheRightTest) {
  EXPECT_EQ(run_program(small("overlap:iterations=600")).ended, run::WorldEnd::finished);
  const ProgramResult wrong = run_program(small("overlap:iterations=600,test=equal,slow=3"));
  EXPECT_EQ(wrong.ended, run::WorldEnd::stuck);
  EXPECT_NE(wrong.explanation.find("rank 3 waits since"), std::string::npos);
}

TEST(ProgramRuns, TheLibraryOfTheClusterCarriesTheMessages) {
  ProgramSpec run{.program = "pingpong:iterations=10", .cluster = "viabarrier1", .hosts = "2"};
  const ProgramResult with = run_program(run);
  EXPECT_EQ(with.spec.library.substr(0, 6), "mvich:");
  run.library = "mvich:send=0,recv=0,check=0,mhz=700";
  EXPECT_LT(run_program(run).iteration.mean, with.iteration.mean);
}

TEST(ProgramRuns, RanksThatWaitForeverAreReported) {
  ProgramSpec run = small("orphan:rank=2");
  run.hosts = "3";
  const ProgramResult result = run_program(run);
  EXPECT_EQ(result.ended, run::WorldEnd::stuck);
  ASSERT_EQ(result.pending.size(), 3U);
  EXPECT_EQ(result.explanation,
            "rank 0 waits since 0ps in recv from 2, tag 7\n"
            "rank 1 waits since 0ps in recv from 2, tag 7\n"
            "rank 2 waits since 0ps in recv from anyone, tag 7\n");
}

std::string complaint(const ProgramSpec& run) {
  try {
    run_program(run);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(ProgramRuns, RejectWrongInput) {
  const auto with = [](std::string ProgramSpec::*part, const std::string& value) {
    ProgramSpec run = small("barrier");
    run.*part = value;
    return complaint(run);
  };
  EXPECT_EQ(with(&ProgramSpec::program, "dance"),
            "no program is called \"dance\"; there are: barrier broadcast reduce allreduce scan "
            "reduce_scatter allgather gather scatter alltoall pingpong flood put notify overlap "
            "elan_ping "
            "hot_spot orphan");
  EXPECT_EQ(with(&ProgramSpec::program, "reduce:algorithm=ro"),
            "no reduce is called \"ro\"; there are: binomial linear chain rabenseifner");
  EXPECT_EQ(with(&ProgramSpec::program, "reduce:segment=1KiB"),
            "binomial: unknown parameter \"segment\"; it takes none");
  EXPECT_EQ(with(&ProgramSpec::program, "reduce:root=8"),
            "reduce: root=8: a whole number from 0 to 7 is needed");
  EXPECT_EQ(with(&ProgramSpec::program, "barrier:algorithm=none"),
            "barrier: algorithm=none: neither a barrier (pairwise pairwise_rdma dissemination tree "
            "schedule hardware counter flags smp) nor an order (ro hio sho shio sco 1sho-3ro)");
  EXPECT_EQ(with(&ProgramSpec::program, "barrier:algorithm=schedule"),
            "barrier: algorithm=schedule: a schedule has to be given; or name an order: weft list "
            "orders");
  EXPECT_EQ(with(&ProgramSpec::program, "barrier:algorithm=pairwise_rdma,by=puts"),
            "pairwise_rdma: unknown parameter \"by\"; it takes none");
  EXPECT_EQ(with(&ProgramSpec::program, "barrier:iterations=0"),
            "barrier: iterations=0: a whole number from 1 to 1000000000 is needed");
  EXPECT_EQ(with(&ProgramSpec::program, "pingpong:to=0"),
            "pingpong: to=0: another rank than the first is needed");
  EXPECT_EQ(with(&ProgramSpec::program, "notify:bytes=0B"),
            "notify: bytes=0B: a special value takes a byte or more");
  EXPECT_EQ(with(&ProgramSpec::program, "notify:by=post"),
            "notify: by=post: it can be value, immediate, interrupt");
  EXPECT_EQ(with(&ProgramSpec::library, "lam"),
            "no library is called \"lam\"; there are: none mvich mpich_gm mpich_score tports "
            "mpich_qsnet ucx");
  EXPECT_EQ(complaint([] {
              ProgramSpec run = small("overlap");
              run.hosts = "3";
              return run;
            }()),
            "overlap: 3 ranks: a power of two, 2 or more, is needed");
  EXPECT_EQ(with(&ProgramSpec::program, "broadcast:bytes=5GiB"),
            "broadcast: bytes=5GiB: 4GiB is the most");
  EXPECT_EQ(with(&ProgramSpec::hosts, "9"), "hosts=9: a whole number from 1 to 8 is needed");
  EXPECT_EQ(with(&ProgramSpec::hosts, "h0,h9"),
            "the fabric has no host \"h9\"; its hosts are \"h0\" to \"h7\"");
  EXPECT_EQ(with(&ProgramSpec::ranks, "0"), "ranks=0: a whole number from 1 to 4096 is needed");
  EXPECT_EQ(with(&ProgramSpec::seed, "x"),
            "seed=x: a whole number from 0 to 18446744073709551615 is needed");
  EXPECT_TRUE(with(&ProgramSpec::until, "soon").starts_with("until=soon: "));
  EXPECT_EQ(with(&ProgramSpec::engine, ""),
            "a program runs on a cluster (--cluster), or on a topology (--topology) with an engine "
            "(--engine); give the one or the two");
}

TEST(ProgramRuns, TheCommandReproducesTheRun) {
  ProgramSpec run = small("barrier:algorithm=shio");
  run.hosts = "4";
  EXPECT_EQ(command_of(run),
            "weft run --topology mesh:dims=2x2,hosts=2 --engine dor --switch iq:buffer=64 --nic "
            "hca:mtu=256B --hosts 4 barrier:algorithm=shio");
}

}  // namespace
}  // namespace weft
