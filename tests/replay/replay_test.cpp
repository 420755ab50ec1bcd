// SPDX-License-Identifier: Apache-2.0
// Replays of small traces: what they take, what the time was spent on, what it hangs on, and what
// is said of programs that cannot end.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <sstream>

#include "base/message.hpp"
#include "lab/replay/experiment.hpp"
#include "lab/replay/placement.hpp"
#include "plan/topo/topology.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"
#include "trace/check.hpp"
#include "trace/formats/format.hpp"
#include "trace/replay/expansion.hpp"

namespace weft {
namespace {

using namespace std::chrono_literals;

/// A replay of texts, each of which is a job.
class Replays : public ::testing::Test {
 protected:
  ReplaySpec spec(const std::vector<std::string>& texts) {
    ReplaySpec out{.topology = "crossbar:hosts=4", .engine = "minhop", .nic = "loggp"};
    for (const std::string& text : texts) {
      const std::string path = folder_ / fmt::format("job{}.trace", out.traces.size());
      std::ofstream(path) << text;
      out.traces.push_back(path);
    }
    return out;
  }
  static ReplayResult run(const ReplaySpec& of, const ReplayOptions& options = {}) {
    Networks networks;
    return run_replay(resolve(request_of(of), networks), options);
  }
  weft::testing::TemporaryFolder folder_;
};

/// Rank 0 computes and sends; rank 1 computes less, waits and computes again.
constexpr const char* late_sender =
    "ranks 2\n"
    "rank 0\ninit\ncompute 100000\nsend 1 7 8\nfinalize\n"
    "rank 1\ninit\ncompute 40000\nrecv 0 7 8 0 8\ncompute 20000\nfinalize\n";

TEST_F(Replays, SayWhatTimeWasSpentOn) {
  const ReplayResult result = run(spec({late_sender}), {.path = true, .ideal = true});
  ASSERT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
  const JobResult& job = result.jobs.at(0);
  EXPECT_EQ(job.ideal, Duration(120us));
  EXPECT_GT(job.time, Duration(121us));  // a message takes more than a microsecond
  EXPECT_LT(job.time, Duration(125us));
  const RankItems& receiver = job.by_rank.at(1);
  EXPECT_EQ(receiver.compute, Duration(60us));
  EXPECT_EQ(receiver.total, job.time);
  EXPECT_NEAR(static_cast<double>(receiver.packet.count()) / 1e6, 61, 2);
  EXPECT_EQ(receiver.compute + receiver.library + receiver.lower + receiver.send_ready +
                receiver.packet + receiver.nic_ready + receiver.ack,
            receiver.total);
}

TEST_F(Replays, TimeHangsOnTheLateSender) {
  const ReplayResult result = run(spec({late_sender}), {.path = true});
  ASSERT_TRUE(result.path);
  EXPECT_EQ(result.path->compute, Duration(120us));
  EXPECT_EQ(result.path->messages().messages, 1U);
  EXPECT_EQ(result.path->messages().bytes, 8U);
  EXPECT_EQ(result.path->pairs.begin()->first, std::pair(0, 1));
  EXPECT_GE(result.path->at_rank.at(0), Duration(100us));
  EXPECT_EQ(result.path->length(), result.jobs.at(0).time);
}

/// The sender is early: the time hangs on the receiver alone.
TEST_F(Replays, AMessageThatNobodyWaitsForIsNotOnThePath) {
  const ReplayResult result = run(spec({"ranks 2\nrank 0\ninit\nsend 1 7 8\nfinalize\n"
                                        "rank 1\ninit\ncompute 50000\nrecv 0 7 8 0 8\nfinalize\n"}),
                                  {.path = true});
  EXPECT_EQ(result.path->messages().messages, 0U);
  EXPECT_EQ(result.path->compute, Duration(50us));
}

TEST_F(Replays, ScaleComputeTimes) {
  ReplaySpec scaled = spec({late_sender});
  scaled.scale = "0.5";
  scaled.nic = "ideal";
  EXPECT_EQ(run(scaled).jobs.at(0).time, Duration(60us));
}

TEST_F(Replays, CalibrateComputeTimes) {
  ReplaySpec timed =
      spec({"ranks 2\nrank 0\ninit\ncompute 5000\nwtime begin 0\ncompute 3000\nwtime end 1\n"
            "finalize\nrank 1\ninit\nwtime begin 0\ncompute 1000\nwtime end 1\nfinalize\n"});
  timed.nic = "ideal";
  timed.scale = "10us";  // on average, instead of 2 us
  EXPECT_EQ(run(timed).jobs.at(0).time, Duration(15us));
  EXPECT_EQ(run(timed).jobs.at(0).mean().compute, Duration(10us));
  ReplaySpec idle = spec({"ranks 1\nrank 0\ninit\nfinalize\n"});
  idle.scale = "1s";
  EXPECT_NE(test::message_of([&] { run(idle); }).find("nobody computes in the section"),
            std::string::npos);
}

TEST_F(Replays, TimeTheSectionThatTheProgramTimes) {
  ReplaySpec timed =
      spec({"ranks 1\nrank 0\ninit\ncompute 5000\nwtime begin 0\ncompute 3000\nwtime end 1\n"
            "compute 9000\nfinalize\n"});
  timed.nic = "ideal";
  EXPECT_EQ(run(timed).jobs.at(0).time, Duration(3us));
}

/// All kinds of calls between two ranks, among them those to nobody, to itself and with wildcards.
TEST_F(Replays, MakeAllCallsBetweenRanks) {
  const ReplayResult result = run(
      spec({"ranks 2\n"
            "rank 0\ninit\nisend 0 1 3 100\nirecv 1 1 4 100\nwaitall 0 1 ; 1 1 100\n"
            "sendrecv 1 5 8 1 6 8 1 8\nssend 1 9 100000\nirecv 2 0 1 8\nsend 0 1 8\nwait 2 0 8\n"
            "send -2 1 8\nrecv -2 1 8 -2 0\nisend 3 1 2 8\nwait 3\nfinalize\n"
            "rank 1\ninit\nirecv 0 0 3 100\nsend 0 4 100\nwait 0 0 100\n"
            "sendrecv 0 6 8 0 5 8 0 8\nrecv 0 9 100000 0 100000\nrecv -1 -1 8 0 8 2\nfinalize\n"}));
  EXPECT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
}

TEST_F(Replays, CollectivesOnCommunicatorsOfTheirOwn) {
  std::string text = "ranks 4\n";
  for (int rank = 0; rank < 4; ++rank) {
    const int other = rank % 2;
    text += fmt::format(
        "rank {}\ninit\ncomm {} split 0 {} {}\nallreduce 64 @{}\nbcast {} 4096 @{}\nbarrier\n"
        "alltoallv 1 2 3 4 ; {} {} {} {}\nallgather 100\nscan 8\ngather 0 10\nscatter 2 10\n"
        "reducescatter 5 6 7 8\nfinalize\n",
        rank, 1 + other, other, other + 2, 1 + other, other, 1 + other, rank + 1, rank + 1,
        rank + 1, rank + 1);
  }
  for (const char* nic : {"loggp", "ideal"}) {
    ReplaySpec of = spec({text});
    of.nic = nic;
    const ReplayResult result = run(of);
    EXPECT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
  }
}

/// Two jobs that share a host's link take longer together than alone.
TEST_F(Replays, JobsDisturbEachOther) {
  const std::string text =
      "ranks 2\nrank 0\ninit\nsend 1 1 4000000\nfinalize\n"
      "rank 1\ninit\nrecv 0 1 4000000 0 4000000\nfinalize\n";
  ReplaySpec of = spec({text, text});
  of.hosts = "2";
  of.ranks = "2";
  of.placement = "round_robin";  // both jobs use both hosts
  const ReplayResult result = run(of, {.alone = true});
  ASSERT_EQ(result.jobs.size(), 2U);
  for (const JobResult& job : result.jobs) {
    EXPECT_GT(job.time, job.alone * 3 / 2);
    EXPECT_LT(job.time, job.alone * 5 / 2);
  }
}

TEST_F(Replays, OptionsDoNotChangeTimes) {
  const ReplayResult plain = run(spec({late_sender}));
  const ReplayResult all =
      run(spec({late_sender}), {.path = true, .links = true, .record = true, .ideal = true});
  EXPECT_EQ(plain.time, all.time);
  EXPECT_EQ(plain.packets, all.packets);
  EXPECT_FALSE(all.records.empty());
  double most = 0;
  for (const auto& loads : all.links.loads)
    for (const double load : loads) most = std::max(most, load);
  EXPECT_GT(most, 0);
  EXPECT_LE(most, 1);
}

TEST_F(Replays, OfSchedulesBeginWhatIsReady) {
  // The second calc and the send wait for nothing; both streams compute at once.
  ReplaySpec of =
      spec({"num_ranks 2\nrank 0 {\na: calc 1000\nb: calc 5000 cpu 1\ns: send 8b to 1 tag 1\n"
            "s requires a\n}\nrank 1 {\nr: recv 8b from 0 tag 1\nc: calc 500\nc requires r\n}\n"});
  of.nic = "ideal";
  const ReplayResult result = run(of);
  ASSERT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
  EXPECT_EQ(result.jobs.at(0).by_rank.at(0).total, Duration(5us));
  EXPECT_EQ(result.jobs.at(0).by_rank.at(0).compute, Duration(5us));
  EXPECT_EQ(result.jobs.at(0).by_rank.at(1).total, Duration(1500ns));
}

TEST_F(Replays, OfProgramsThatDeadlockListWhatIsPending) {
  const ReplayResult result =
      run(spec({"ranks 2\nrank 0\ninit\nssend 1 1 8\nrecv 1 2 8 1 8\nfinalize\n"
                "rank 1\ninit\nssend 0 2 8\nrecv 0 1 8 0 8\nfinalize\n"}));
  EXPECT_EQ(result.ended, run::WorldEnd::stuck);
  EXPECT_NE(result.explanation.find("line 4 (rank 0, ssend) has not ended\n"
                                    "  rank 0 waits since 0ps in send to 1, tag 1"),
            std::string::npos)
      << result.explanation;
}

TEST_F(Replays, ThatAreStuckEndWhereTheyAreStuckWhateverIsSampled) {
  const ReplaySpec of =
      spec({"ranks 2\nrank 0\ninit\nsend 1 3 8\nssend 1 1 8\n"
            "recv 1 2 8 1 8\nfinalize\n"
            "rank 1\ninit\nrecv 0 3 8 0 8\nssend 0 2 8\nrecv 0 1 8 0 8\n"
            "finalize\n"});
  const ReplayResult plain = run(of), sampled = run(of, {.links = true});
  ASSERT_EQ(plain.ended, run::WorldEnd::stuck);
  EXPECT_EQ(sampled.ended, plain.ended);
  EXPECT_EQ(sampled.time, plain.time);
  EXPECT_EQ(sampled.jobs.at(0).by_rank.at(1).total, plain.jobs.at(0).by_rank.at(1).total);
  EXPECT_FALSE(sampled.links.links.empty());
  std::vector<comm::Rank> waiting;
  for (const run::OperationRecord& record : run(of, {.record = true}).records)
    if (record.status == comm::Status::pending) {
      waiting.push_back(record.rank);
      EXPECT_EQ(record.completed, plain.time);
    }
  EXPECT_EQ(waiting, (std::vector<comm::Rank>{0, 1}));
}

TEST_F(Replays, RecordTheFirstOperationsFromATimeOn) {
  const ReplaySpec of =
      spec({"ranks 2\n"
            "rank 0\ninit\ncompute 100000\nbarrier\nwtime begin 0\nsend 1 7 8\n"
            "wtime end 0\nfinalize\n"
            "rank 1\ninit\ncompute 40000\nbarrier\nwtime begin 0\nrecv 0 7 8 0 8\n"
            "wtime end 0\nfinalize\n"});
  const ReplayResult all = run(of, {.record = true});
  ASSERT_EQ(all.ended, run::WorldEnd::finished) << all.explanation;
  EXPECT_EQ(all.records_left_out, 0U);
  ASSERT_EQ(all.collectives.size(), 2U);
  EXPECT_EQ(all.collectives[0].kind, trace::CallKind::barrier);
  for (const CollectiveRecord& each : all.collectives) {
    EXPECT_EQ(each.begin, Duration(each.rank == 0 ? 100us : 40us));
    EXPECT_GT(each.end, Duration(100us));
  }
  ASSERT_TRUE(all.timed);
  EXPECT_GE(all.timed->begin, all.collectives[0].end);
  EXPECT_GT(all.timed->end, all.timed->begin);

  const RecordWindow window{.from = Duration(100us), .most = 2};
  const ReplayResult some = run(of, {.record = true, .window = window});
  ASSERT_EQ(some.records.size(), 2U);
  std::size_t later = 0;
  for (const run::OperationRecord& record : all.records)
    later += record.completed >= window.from ? 1 : 0;
  EXPECT_EQ(some.records_left_out, later - 2);
  for (const run::OperationRecord& record : some.records) EXPECT_GE(record.completed, window.from);
}

/// Ends of messages that nobody waits for come before the end of the program.
TEST_F(Replays, FinalizeEndsOpenRequests) {
  const ReplayResult result =
      run(spec({"ranks 2\nrank 0\ninit\nisend 0 1 1 1000000\nfinalize\n"
                "rank 1\ninit\ncompute 100000\nrecv 0 1 1000000\nfinalize\n"}));
  EXPECT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
  EXPECT_GT(result.jobs.at(0).by_rank.at(0).total, Duration(100us));
}

/// Rank 2 sends first, but in the recorded run the message of rank 1 came first.
TEST_F(Replays, ReceivesWithWildcardsGetWhatTheyGotWhenRecorded) {
  const std::string senders =
      "rank 1\ninit\ncompute 100000\nsend 0 1 8\nsend 0 1 1000\nfinalize\n"
      "rank 2\ninit\ncompute 90000\nsend 0 1 8\nfinalize\n";
  for (const char* receives : {"recv -1 1 8 1 8\nrecv 1 1 1000\nrecv 2 1 8\n",
                               "irecv 0 -1 1 8\nrecv 2 1 8\nwait 0 1 8\nrecv 1 1 1000\n"}) {
    const ReplayResult result =
        run(spec({fmt::format("ranks 3\nrank 0\ninit\n{}finalize\n{}", receives, senders)}));
    EXPECT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
  }
}

TEST_F(Replays, OfSchedulesThatDeadlockNameTheCallsThatHaveBegun) {
  const std::string rank = "r: recv 8b from {} tag 1\ns: send 8b to {} tag 1\ns requires r\n";
  const ReplayResult result = run(spec(
      {fmt::format("num_ranks 2\nrank 0 {{\n{}c: calc 500\n}}\nrank 1 {{\n{}c: calc 500\n}}\n",
                   fmt::format(fmt::runtime(rank), 1, 1), fmt::format(fmt::runtime(rank), 0, 0))}));
  EXPECT_EQ(result.ended, run::WorldEnd::stuck);
  EXPECT_NE(result.explanation.find("line 3 (rank 0, recv) has not ended\n  rank 0 waits"),
            std::string::npos)
      << result.explanation;
  EXPECT_EQ(result.explanation.find("compute"), std::string::npos) << result.explanation;
}

TEST_F(Replays, NameTheCallThatCannotBeMade) {
  ReplaySpec of = spec({"ranks 1\nrank 0\ninit\ncompute 4611686018427387\nfinalize\n"});
  of.scale = "1e3";
  EXPECT_EQ(test::message_of([&] { run(of); }),
            of.traces[0] +
                ": line 4 (rank 0, compute): 4611686018427387ns times 1000 are longer than "
                "106 days, which is the most");
}

TEST_F(Replays, CommunicatorsMayHaveAnyNumber) {
  const ReplayResult result =
      run(spec({"ranks 1\nrank 0\ninit\ncomm 2000000000 dup 0 0\nbarrier @2000000000\n"
                "finalize\n"}));
  EXPECT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
}

TEST(CollectiveAlgorithms, HaveNamesOfMpiAndOfTheCatalogue) {
  const auto message = [](const std::string& text) {
    return test::message_of([&] { trace::CollectiveAlgorithms(std::vector<std::string>{text}); });
  };
  for (const char* text : {"bcast=chain", "broadcast=chain", "reducescatter=ring",
                           "reduce_scatter=ring", "gatherv=linear", "alltoallv=pairwise"})
    EXPECT_EQ(message(text), "(no error)");
  EXPECT_NE(message("brodcast=chain").find("did you mean broadcast?"), std::string::npos);
  EXPECT_EQ(message("bcast=hardware"),
            "collective: bcast=hardware: it needs a multicast group, and a replay has none");
  EXPECT_EQ(message("barrier=schedule:by=puts"),
            "collective: barrier=schedule:by=puts: it needs a visiting order, and a replay has "
            "none");
  EXPECT_EQ(message("gatherv=binomial"),
            "collective: gatherv=binomial: only the root knows all sizes; linear is possible");
  EXPECT_EQ(message("alltoallv=bruck"), "collective: alltoallv=bruck: it needs blocks of one size");
}

// --- expansion ----------------------------------------------------------------------------------

/// A trace written as GOAL, read again and replayed, takes the time of the trace itself.
TEST_F(Replays, OfAProgramAndOfItsMessagesTakeTheSameTime) {
  for (const char* name : {"is.S.16", "mg.S.16", "floor/cg.S.16"})
    for (const std::vector<std::string>& chosen :
         {std::vector<std::string>{}, {"allreduce=ring", "bcast=linear", "alltoall=bruck"}}) {
      const std::string path =
          (weft::testing::source_dir() / "tests/recorded/npb" / fmt::format("{}.trace.zst", name))
              .string();
      ReplaySpec program = spec({""});
      program.topology = "crossbar:hosts=16";
      program.nic = "ideal";
      program.traces = {path};
      program.collectives = chosen;
      const trace::Trace messages =
          expanded(trace::read_trace(path), trace::CollectiveAlgorithms(chosen));
      check(messages);
      EXPECT_FALSE(needs_expansion(messages));
      std::ostringstream goal;
      for (const trace::TraceFormat& format : trace::trace_formats())
        if (format.name == "goal") format.write(goal, messages);
      ReplaySpec schedule = spec({goal.str()});
      schedule.topology = "crossbar:hosts=16";
      schedule.nic = "ideal";
      const ReplayResult one = run(program), other = run(schedule);
      EXPECT_EQ(other.ended, run::WorldEnd::finished) << other.explanation;
      EXPECT_EQ(one.time, other.time) << name;
      EXPECT_EQ(one.messages, other.messages) << name;
    }
}

TEST_F(Replays, OnlyMessagesCanBeWrittenAsMessages) {
  const ReplaySpec of =
      spec({"ranks 2\nrank 0\ninit\nbarrier\nfinalize\n"
            "rank 1\ninit\nbarrier\nfinalize\n"});
  const std::vector<std::string> chosen{"barrier=pairwise_rdma"};
  EXPECT_EQ(test::message_of([&] {
              expanded(trace::read_trace(of.traces[0]), trace::CollectiveAlgorithms(chosen));
            }),
            of.traces[0] +
                ": line 4 (rank 0, barrier): an algorithm that does more than send messages (put) "
                "cannot be written as messages");
}

/// GOAL has one space of tags: a receive with any tag would take messages of the barrier.
TEST_F(Replays, AnyTagCannotBeWrittenBesideCollectives) {
  const auto program = [&](const std::string& wait) {
    return spec({fmt::format("ranks 2\nrank 0\ninit\nirecv 0 1 -1 8\nbarrier\n{}\nfinalize\n"
                             "rank 1\ninit\nbarrier\nsend 0 7 8\nfinalize\n",
                             wait)})
        .traces[0];
  };
  const trace::CollectiveAlgorithms usual;
  const std::string path = program("wait 0");
  EXPECT_EQ(test::message_of([&] { expanded(trace::read_trace(path), usual); }),
            path +
                ": line 4 (rank 0, irecv): a receive with any tag would also take messages of "
                "collectives and of other communicators, and the trace does not say which tag "
                "it got");
  check(expanded(trace::read_trace(program("wait 0 1 8 7")), usual));
}

// --- placement ----------------------------------------------------------------------------------

std::string placed(const Fabric& fabric, const std::string& rule, int each, std::size_t ranks) {
  PlacementRequest request{.rule = rule, .ranks_per_host = each, .seed = 3};
  for (const HostId host : fabric.hosts()) request.hosts.push_back(host);
  std::string out;
  for (const HostId host : place_ranks(fabric, request, ranks)) out += fabric[host].name + " ";
  return out;
}

TEST(Placement, RulesFillHostsInTheirOrder) {
  const Fabric fabric = make_fabric("mesh:dims=2x2,hosts=2");
  EXPECT_EQ(placed(fabric, "by_switch", 1, 4), "h0 h1 h2 h3 ");
  EXPECT_EQ(placed(fabric, "by_switch", 2, 5), "h0 h0 h1 h1 h2 ");
  EXPECT_EQ(placed(fabric, "round_robin", 1, 6), "h0 h2 h4 h6 h1 h3 ");
  EXPECT_EQ(placed(fabric, "round_robin", 2, 10), "h0 h2 h4 h6 h1 h3 h5 h7 h0 h2 ");
  EXPECT_NE(placed(fabric, "random", 1, 8), placed(fabric, "by_switch", 1, 8));
  EXPECT_EQ(test::message_of([&] { placed(fabric, "by_switch", 1, 9); }),
            "9 ranks: 8 hosts with 1 each have room for 8; more ranks on each host (--ranks) or a "
            "larger fabric are needed");
}

TEST(Placement, FilesKeepToHostsAndRanks) {
  const Fabric fabric = make_fabric("crossbar:hosts=3");
  const weft::testing::TemporaryFolder folder;
  const std::string path = folder / "places";
  const auto message = [&](const std::string& text, std::size_t ranks) {
    std::ofstream(path) << text;
    PlacementRequest request{.rule = path, .hosts = {HostId(0), HostId(1)}};
    return test::message_of([&] { place_ranks(fabric, request, ranks); });
  };
  EXPECT_EQ(message("# two\n h1 \r\n\nh0\n", 2), "(no error)");
  EXPECT_EQ(message("h1\nh1\n", 2), path + ":2: host h1 has 2 ranks, and may have 1 (--ranks)");
  EXPECT_EQ(message("h2\n", 1), path + ":1: host h2 is none of those that may be used (--hosts)");
  EXPECT_EQ(message("h0\nh1\n", 1), path + ": it places 2 ranks, and there are 1");
  EXPECT_EQ(message("h0\n", 2), path + ": it places 1 rank, and there are 2");
  EXPECT_EQ(message("h\x1b[2J\n", 1), path + ":1: the fabric has no host \"h?[2J\"");
  EXPECT_EQ(test::message_of(
                [&] { place_ranks(fabric, {.rule = folder.path(), .hosts = {HostId(0)}}, 1); }),
            folder.path() + ": Is a directory");
}

}  // namespace
}  // namespace weft
