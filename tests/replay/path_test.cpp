// SPDX-License-Identifier: Apache-2.0
// Critical paths and items of replays: small programs whose path is known, and properties of random
// ones, as programs and as graphs, on several machines.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <random>
#include <sstream>

#include "lab/replay/experiment.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/replay_report.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"
#include "trace/replay/expansion.hpp"

namespace weft {
namespace {

using namespace std::chrono_literals;

class ReplayPaths : public ::testing::Test {
 protected:
  ReplayExperiment experiment(ReplaySpec spec, const std::vector<std::string>& texts) {
    for (const std::string& text : texts) {
      spec.traces.push_back(folder_ / fmt::format("job{}.trace", spec.traces.size()));
      std::ofstream(spec.traces.back()) << text;
    }
    return resolve(request_of(spec), networks_);
  }
  ReplayResult run(const ReplaySpec& spec, const std::vector<std::string>& texts) {
    return run_replay(experiment(spec, texts), {.path = true, .steps = true, .ideal = true});
  }
  Networks networks_;
  weft::testing::TemporaryFolder folder_;
};

ReplaySpec on_crossbar(const std::string& nic, const std::string& library) {
  return {.topology = "crossbar:hosts=8", .engine = "minhop", .nic = nic, .library = library};
}

/// Totals of steps that follow each other without gaps.
PathTotals totals_of(const std::vector<PathStep>& steps) {
  PathTotals out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const PathStep& step = steps[i];
    const Duration time = step.end - step.begin;
    EXPECT_GE(time.count(), 0);
    if (i > 0) {
      EXPECT_EQ(step.begin, steps[i - 1].end) << "step " << i;
      EXPECT_EQ(step.rank, steps[i - 1].to) << "step " << i;
    }
    const auto own = std::find_if(own_parts.begin(), own_parts.end(),
                                  [&](const OwnPart& each) { return each.part == step.part; });
    if (own != own_parts.end()) {
      out.*own->of += time;
      out.at_rank[step.rank] += time;
      continue;
    }
    const bool has_data = step.part == PathPart::message || step.part == PathPart::read;
    if (!has_data && time.count() == 0) continue;
    const bool by_receiver = step.part == PathPart::read || step.part == PathPart::answer;
    const std::pair pair{by_receiver ? step.peer : step.rank, by_receiver ? step.rank : step.peer};
    out.pairs[pair].add({has_data ? 1U : 0U, has_data ? step.bytes : 0, time});
  }
  return out;
}

void expect_same(const PathTotals& one, const PathTotals& other) {
  for (const OwnPart& own : own_parts) EXPECT_EQ(one.*own.of, other.*own.of) << to_text(own.part);
  EXPECT_EQ(one.at_rank, other.at_rank);
  ASSERT_EQ(one.pairs.size(), other.pairs.size());
  for (const auto& [pair, messages] : one.pairs) {
    const PairOnPath& same = other.pairs.at(pair);
    EXPECT_EQ(messages.messages, same.messages);
    EXPECT_EQ(messages.bytes, same.bytes);
    EXPECT_EQ(messages.time, same.time);
  }
}

/// Every part is there, and they add up.
void expect_sound(const ReplayResult& result) {
  ASSERT_EQ(result.ended, run::WorldEnd::finished) << result.explanation;
  const JobResult& job = result.jobs.at(result.path_job);
  EXPECT_LE(job.ideal, job.time);
  for (const RankItems& rank : job.by_rank) {
    Duration sum{};
    for (const Duration item : {rank.compute, rank.library, rank.lower, rank.send_ready,
                                rank.packet, rank.nic_ready, rank.ack}) {
      EXPECT_GE(item.count(), 0);
      sum += item;
    }
    EXPECT_EQ(sum, rank.total);
  }
  const PathTotals& path = result.path.value();
  EXPECT_EQ(path.length(), job.time);
  const Duration own = path.compute + path.library + path.lower + path.waiting;
  Duration at_ranks{};
  for (const auto& [rank, time] : path.at_rank) at_ranks += time;
  EXPECT_EQ(at_ranks, own);
  for (const Duration part : {path.compute, path.library, path.lower, path.waiting})
    EXPECT_GE(part.count(), 0);
  for (const auto& [pair, messages] : path.pairs) EXPECT_GE(messages.time.count(), 0);
  comm::Rank first = 0;
  for (std::size_t job = 0; job < result.path_job; ++job) first += result.jobs[job].ranks;
  expect_same(totals_of(result.path_steps).numbered_from(first), path);
}

std::string two_ranks(const std::string& first, const std::string& second) {
  return "ranks 2\nrank 0\ninit\n" + first + "finalize\nrank 1\ninit\n" + second + "finalize\n";
}

// --- known paths --------------------------------------------------------------------------------

/// The receiver is idle until the sender has computed; what that does after the send hangs on its
/// own work before.
TEST_F(ReplayPaths, OfALateSenderAreItsOwnWork) {
  const std::string text =
      two_ranks("compute 100000000\nsend 1 1 1000000\ncompute 1000000\n", "recv 0 1 1000000\n");
  for (const char* library : {"ucx", "mvich", "none"}) {
    const ReplayResult result = run(on_crossbar("hca", library), {text});
    expect_sound(result);
    EXPECT_EQ(result.path->compute, Duration(101ms)) << library;
    EXPECT_EQ(result.path->waiting, Duration(0)) << library;
  }
  const ReplayResult acknowledged =
      run(on_crossbar("gm", "none"), {two_ranks("compute 1000500\nsend 1 1 8\n", "recv 0 1 8\n")});
  expect_sound(acknowledged);
  EXPECT_EQ(acknowledged.path->compute, Duration(1000500ns));
  EXPECT_EQ(acknowledged.path->pairs.begin()->first, std::pair(0, 1));
}

/// Steps are in the order in which they happened: the sender computes, works on the message, and it
/// travels; its receiver takes it and computes.
TEST_F(ReplayPaths, HaveStepsInTheOrderOfTime) {
  const ReplayResult result =
      run(on_crossbar("martini", "mpich_score"),
          {two_ranks("compute 1000000\nsend 1 1 800\n", "recv 0 1 800\ncompute 2000000\n")});
  expect_sound(result);
  std::string order;
  for (const PathStep& step : result.path_steps)
    order += fmt::format("{} {}, ", step.rank, to_text(step.part));
  EXPECT_EQ(
      order,
      "0 compute, 0 MPI, 0 below MPI, 0 message, 1 below MPI, 1 MPI, 1 below MPI, 1 compute, ");
  EXPECT_EQ(result.path_steps.at(0).end, Duration(1ms));
  const PathStep& message = result.path_steps.at(3);
  EXPECT_EQ(message.to, 1);
  EXPECT_EQ(message.peer, 1);
  EXPECT_EQ(message.bytes, 800U);
}

TEST_F(ReplayPaths, HaveNoStepsUnlessTheyAreWanted) {
  const ReplayExperiment any =
      experiment(on_crossbar("hca", "none"), {two_ranks("send 1 1 8\n", "recv 0 1 8\n")});
  EXPECT_TRUE(run_replay(any, {.path = true}).path_steps.empty());
}

TEST_F(ReplayPaths, OfALateReceiverAreItsOwnWorkAndTheTransfer) {
  const std::string text =
      two_ranks("send 1 1 1000000\n", "compute 100000000\nrecv 0 1 1000000\ncompute 2000000\n");
  for (const char* library : {"ucx", "mvich", "none"}) {
    const ReplayResult result = run(on_crossbar("hca", library), {text});
    expect_sound(result);
    EXPECT_EQ(result.path->compute, Duration(102ms)) << library;
    EXPECT_EQ(result.path->messages().messages, 1U) << library;
    EXPECT_EQ(result.path->messages().bytes, 1000000U) << library;
    EXPECT_EQ(result.path->pairs.begin()->first, std::pair(0, 1)) << library;
  }
}

/// A long message is read by its receiver, who then says so: it is one message, on the links from
/// its sender to its receiver.
TEST_F(ReplayPaths, OfALongMessageAreTheMessageAndItsLinks) {
  ReplaySpec spec = on_crossbar("hca", "ucx");
  spec.topology = "mesh:dims=2,hosts=1";
  const ReplayResult result = run(spec, {two_ranks("send 1 1 4194304\n", "recv 0 1 4194304\n")});
  expect_sound(result);
  EXPECT_EQ(result.path->messages().messages, 1U);
  EXPECT_EQ(result.path->messages().bytes, 4194304U);
  EXPECT_GT(result.path->messages().time, result.jobs[0].time * 9 / 10);
  ASSERT_EQ(result.path->pairs.size(), 1U);
  EXPECT_EQ(result.path->pairs.begin()->first, std::pair(0, 1));
  EXPECT_EQ(result.path_links.size(), 1U);
}

/// Copies of a short message are work of the library, at its sender and at its receiver.
TEST_F(ReplayPaths, TellTheWorkOnAMessageFromTheNetwork) {
  const ReplayResult result =
      run(on_crossbar("martini", "mpich_score"), {two_ranks("send 1 1 8000\n", "recv 0 1 8000\n")});
  expect_sound(result);
  EXPECT_GT(result.path->library.count(), 0);
  EXPECT_GT(result.path->lower.count(), 0);
  EXPECT_GT(result.path->at_rank.at(0).count(), 0);
  EXPECT_GT(result.path->at_rank.at(1).count(), 0);
  EXPECT_LT(result.path->messages().time, result.jobs[0].time * 3 / 4);
}

/// A message that comes while its receiver computes is not on the network until that has ended.
TEST_F(ReplayPaths, OfABusyReceiverAreItsOwnWork) {
  const ReplayResult result =
      run(on_crossbar("hca", "ucx"),
          {two_ranks("send 1 1 8\n", "irecv 0 0 1 8\ncompute 1000000\nwait 0\ncompute 1000\n")});
  expect_sound(result);
  EXPECT_EQ(result.path->compute, Duration(1001us));
  EXPECT_EQ(result.path->messages().messages, 0U);
}

/// A message that comes while another stream computes does not take the path.
TEST_F(ReplayPaths, OfStreamsGoOnFromWhereTheirWorkBegan) {
  const ReplayResult result =
      run(on_crossbar("hca", "none"),
          {"num_ranks 2\nrank 0 {\na: calc 50000 cpu 1\nr: recv 8b from 1 tag 1\n}\n"
           "rank 1 {\nc: calc 10000\ns: send 8b to 0 tag 1\ns requires c\n}\n"});
  expect_sound(result);
  EXPECT_EQ(result.path->compute + result.path->lower, Duration(50us));  // the processor receives
  EXPECT_GT(result.path->compute, Duration(49us));
  EXPECT_EQ(result.path->messages().messages, 0U);
}

TEST_F(ReplayPaths, OfSectionsEndWhereTheyEnd) {
  const ReplayResult result =
      run(on_crossbar("hca", "none"),
          {two_ranks("wtime begin 0\ncompute 1000000\nwtime end 0\nrecv 1 1 8\ncompute 5000000\n",
                     "wtime begin 0\ncompute 500000\nwtime end 0\ncompute 9000000\nsend 0 1 8\n")});
  expect_sound(result);
  EXPECT_EQ(result.path->compute, Duration(1ms));
}

/// The section of rank 0 begins long before that of rank 1, on whose work before it hangs.
TEST_F(ReplayPaths, OfSectionsBeginWithTheirRank) {
  const ReplayResult result =
      run(on_crossbar("hca", "none"),
          {two_ranks("wtime begin 0\nrecv 1 1 8\ncompute 1000\nwtime end 0\n",
                     "compute 9000000\nwtime begin 0\nsend 0 1 8\ncompute 100\nwtime end 0\n")});
  expect_sound(result);
  EXPECT_EQ(result.path->compute, Duration(9001us));
}

TEST_F(ReplayPaths, OfSeveralJobsNumberRanksAsTheirTraceDoes) {
  const std::string text = two_ranks("compute 5000\nsend 1 1 8\n", "recv 0 1 8\n");
  const std::string longer = two_ranks("compute 9000\nsend 1 1 8\n", "recv 0 1 8\n");
  const ReplayExperiment both = experiment(on_crossbar("hca", "none"), {text, longer});
  const ReplayResult result = run_replay(both, {.path = true, .steps = true, .record = true});
  expect_sound(result);
  EXPECT_EQ(result.path_job, 1U);
  EXPECT_EQ(result.path->pairs.begin()->first, std::pair(0, 1));
  EXPECT_EQ(result.path_steps.front().rank, 2);  // of all jobs, as in the records
  for (const run::OperationRecord& record : result.records)
    EXPECT_TRUE(record.kind != comm::OpKind::send || record.peer == record.rank + 1);
  std::ostringstream line, human;
  write_time_line(line, result);
  EXPECT_NE(line.str().find("\"name\":\"job 2 rank 1\""), std::string::npos);
  EXPECT_NE(line.str().find("\"name\":\"compute\""), std::string::npos);
  EXPECT_EQ(line.str().find("\"peer\":3"), std::string::npos);
  write_replay(human, both.machine.fabric(), result);
  EXPECT_NE(human.str().find("critical path  of job 2: compute"), std::string::npos) << human.str();
}

// --- runs that do not finish --------------------------------------------------------------------

TEST_F(ReplayPaths, AJobThatIsStuckDoesNotHideTheOthers) {
  const ReplayExperiment both =
      experiment(on_crossbar("hca", "none"),
                 {two_ranks("ssend 1 1 8\nrecv 1 1 8\n", "ssend 0 1 8\nrecv 0 1 8\n"),
                  two_ranks("compute 9000\nsend 1 1 8\n", "recv 0 1 8\n")});
  const ReplayResult result = run_replay(both, {.path = true, .ideal = true});
  EXPECT_EQ(result.ended, run::WorldEnd::stuck);
  EXPECT_FALSE(result.jobs.at(0).has_finished);
  EXPECT_TRUE(result.jobs.at(1).has_finished);
  EXPECT_EQ(result.jobs.at(1).ideal, Duration(9us));
  EXPECT_EQ(result.path->length(), result.jobs.at(1).time);
  std::ostringstream human;
  write_replay(human, both.machine.fabric(), result);
  EXPECT_NE(human.str().find("job1.trace"), std::string::npos);
  EXPECT_NE(human.str().find("9 us on an ideal network"), std::string::npos) << human.str();
}

TEST_F(ReplayPaths, OfRunsThatAreCutKnowTheTimeUntilThen) {
  ReplaySpec spec = on_crossbar("hca", "none");
  spec.until = "10us";
  const ReplayExperiment cut = experiment(
      spec, {two_ranks("compute 5000\nwtime begin 0\ncompute 500000\nsend 1 1 8\nwtime end 0\n",
                       "wtime begin 0\nrecv 0 1 8\nwtime end 0\n")});
  const ReplayResult result = run_replay(cut, {.path = true, .ideal = true});
  EXPECT_EQ(result.ended, run::WorldEnd::out_of_time);
  EXPECT_FALSE(result.path);
  for (const RankItems& rank : result.jobs.at(0).by_rank) {
    EXPECT_GE(rank.total.count(), 0);
    EXPECT_LE(rank.total, Duration(10us));
  }
  std::ostringstream json;
  write_json(json, document_of(cut.machine.fabric(), result));
  EXPECT_NE(json.str().find("\"time_us\": null"), std::string::npos) << json.str();
  EXPECT_EQ(json.str().find("_us\": -"), std::string::npos) << json.str();
  EXPECT_NE(result.explanation.find("in compute"), std::string::npos) << result.explanation;
}

// --- random programs ----------------------------------------------------------------------------

/// Ranks that compute, send to each other in all kinds of calls, and call collectives; some of them
/// time a section.
class RandomProgram {
 public:
  explicit RandomProgram(unsigned seed) : random_(seed), ranks_(2 + below(5)) {
    calls_.assign(ranks_, "init\n");
    requests_.resize(ranks_);
    has_sections_ = below(2) == 0;
  }

  std::string text() {
    const unsigned phases = 4 + below(12);
    for (unsigned phase = 0; phase < phases; ++phase) add_phase(phase, phases);
    std::string out = fmt::format("ranks {}\n", ranks_);
    for (unsigned rank = 0; rank < ranks_; ++rank) {
      wait_for_all(rank);
      out += fmt::format("rank {}\n{}finalize\n", rank, calls_[rank]);
    }
    return out;
  }

 private:
  struct OpenRequests {
    unsigned next = 0;
    std::vector<unsigned> open{};
  };
  unsigned below(unsigned most) { return static_cast<unsigned>(random_() % most); }
  unsigned size() {
    constexpr std::array<unsigned, 6> sizes{0, 8, 1000, 9000, 30000, 200000};
    return sizes[below(sizes.size())];
  }

  void add_phase(unsigned phase, unsigned phases) {
    for (unsigned rank = 0; rank < ranks_; ++rank) {
      if (below(2) == 0) calls_[rank] += fmt::format("compute {}\n", 1 + below(200000));
      if (has_sections_ && phase == 1) calls_[rank] += "wtime begin 0\n";
      if (has_sections_ && phase + 1 == phases) calls_[rank] += "wtime end 0\n";
    }
    const unsigned kind = below(8);
    if (kind < 2) return add_collective();
    if (kind == 2) return add_gathering(phase);
    add_messages();
  }
  void add_collective() {
    const unsigned root = below(ranks_), bytes = size();
    const std::vector<std::string> all{"barrier", fmt::format("allreduce {}", bytes),
                                       fmt::format("bcast {} {}", root, bytes),
                                       fmt::format("alltoall {}", bytes)};
    const std::string& call = all[below(static_cast<unsigned>(all.size()))];
    for (std::string& calls : calls_) calls += call + "\n";
  }
  /// Receives from anybody.
  void add_gathering(unsigned phase) {
    const unsigned root = below(ranks_), bytes = size();
    for (unsigned rank = 0; rank < ranks_; ++rank) {
      if (rank == root) continue;
      calls_[rank] += fmt::format("send {} {} {}\n", root, 100 + phase, bytes);
      calls_[root] += fmt::format("recv -1 {} {}\n", 100 + phase, bytes);
    }
  }
  void add_messages() {
    struct RandomMessage {
      unsigned from, to, tag, bytes;
    };
    std::vector<RandomMessage> messages;
    for (unsigned i = 1 + below(2 * ranks_); i > 0; --i)
      messages.push_back({below(ranks_), below(ranks_), below(3), size()});
    for (const RandomMessage& each : messages)
      calls_[each.to] +=
          fmt::format("irecv {} {} {} {}\n", request(each.to), each.from, each.tag, each.bytes);
    for (const RandomMessage& each : messages) {
      const std::string what = fmt::format("{} {} {}\n", each.to, each.tag, each.bytes);
      const unsigned kind = below(5);
      calls_[each.from] += kind < 3 ? fmt::format("isend {} {}", request(each.from), what)
                                    : (kind == 3 ? "send " : "ssend ") + what;
    }
    for (unsigned rank = 0; rank < ranks_; ++rank)
      if (below(4) > 0) wait_for_all(rank);
  }
  unsigned request(unsigned rank) {
    requests_[rank].open.push_back(requests_[rank].next);
    return requests_[rank].next++;
  }
  void wait_for_all(unsigned rank) {
    std::vector<unsigned>& open = requests_[rank].open;
    if (!open.empty()) calls_[rank] += fmt::format("waitall {}\n", fmt::join(open, " "));
    open.clear();
  }

  std::mt19937 random_;
  unsigned ranks_;
  bool has_sections_ = false;
  std::vector<std::string> calls_;
  std::vector<OpenRequests> requests_;
};

using MachineNames = std::pair<const char*, const char*>;  ///< NIC and library

TEST_F(ReplayPaths, OfRandomProgramsAddUp) {
  constexpr std::array<MachineNames, 9> machines{{{"hca", "none"},
                                                  {"hca", "ucx"},
                                                  {"hca", "mvich"},
                                                  {"martini", "none"},
                                                  {"martini", "mpich_score"},
                                                  {"gm", "mpich_gm"},
                                                  {"elan", "none"},
                                                  {"elan", "mpich_qsnet"},
                                                  {"loggp", "none"}}};
  for (unsigned seed = 0; seed < 54; ++seed) {
    const MachineNames& machine = machines[seed % machines.size()];
    ReplaySpec spec = on_crossbar(machine.first, machine.second);
    spec.ranks = seed % 4 == 0 ? "2" : "1";
    SCOPED_TRACE(fmt::format("seed {}, nic {}, library {}", seed, spec.nic, spec.library));
    ReplayExperiment program = experiment(spec, {RandomProgram(seed).text()});
    const ReplayOptions options{.path = true, .steps = true, .ideal = true};
    expect_sound(run_replay(program, options));
    program.jobs[0] = expanded(program.jobs[0], program.algorithms);
    expect_sound(run_replay(program, options));
  }
}

/// Graphs whose calls depend on earlier ones at random, on two streams.
std::string random_graph(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](unsigned most) { return static_cast<unsigned>(random() % most); };
  constexpr unsigned ranks = 3, steps = 30;
  std::array<std::string, ranks> calls{};
  std::array<unsigned, ranks> made{};
  const auto add = [&](unsigned rank, const std::string& call) {
    const unsigned number = made[rank]++;
    calls[rank] += fmt::format("l{}: {}\n", number, call);
    if (number > 0 && below(3) > 0)
      calls[rank] +=
          fmt::format("l{} requires l{}\n", number, number - 1 - below(std::min(number, 3U)));
  };
  for (unsigned step = 0; step < steps; ++step) {
    const unsigned from = below(ranks), to = (from + 1) % ranks, bytes = 1U << below(19);
    add(from, fmt::format("calc {} cpu {}", below(50000), below(2)));
    add(from, fmt::format("send {}b to {} tag {}", bytes, to, step));
    add(to, fmt::format("recv {}b from {} tag {}", bytes, from, step));
  }
  std::string out = fmt::format("num_ranks {}\n", ranks);
  for (unsigned rank = 0; rank < ranks; ++rank)
    out += fmt::format("rank {} {{\n{}}}\n", rank, calls[rank]);
  return out;
}

TEST_F(ReplayPaths, OfRandomGraphsAddUp) {
  constexpr std::array<MachineNames, 4> machines{
      {{"hca", "none"}, {"hca", "ucx"}, {"elan", "none"}, {"elan", "mpich_qsnet"}}};
  for (unsigned seed = 0; seed < 40; ++seed) {
    const MachineNames& machine = machines[seed % machines.size()];
    SCOPED_TRACE(fmt::format("seed {}, nic {}, library {}", seed, machine.first, machine.second));
    expect_sound(run(on_crossbar(machine.first, machine.second), {random_graph(seed)}));
  }
}

TEST_F(ReplayPaths, OfRecordedProgramsAddUp) {
  for (const char* topology : {"torus:dims=4x4", "tree:k=4,n=2", "crossbar:hosts=16"})
    for (const char* name : {"cg.S.16", "is.S.16", "mg.S.16"}) {
      SCOPED_TRACE(fmt::format("{} on {}", name, topology));
      ReplaySpec spec = on_crossbar("hca", "ucx");
      spec.topology = topology;
      spec.engine = "updown";
      spec.traces = {
          (weft::testing::source_dir() / fmt::format("tests/recorded/npb/{}.trace.zst", name))
              .string()};
      expect_sound(run_replay(resolve(request_of(spec), networks_), {.path = true, .steps = true}));
    }
}

/// A program and its own graph wait for the same things.
TEST_F(ReplayPaths, GraphsWaitForWhatTheirProgramsWaitFor) {
  ReplaySpec spec = on_crossbar("elan", "mpich_qsnet");
  spec.topology = "crossbar:hosts=16";
  spec.traces = {(weft::testing::source_dir() / "tests/recorded/npb/sp.S.16.trace.zst").string()};
  ReplayExperiment program = resolve(request_of(spec), networks_);
  const JobResult one = run_replay(program).jobs.at(0);
  program.jobs[0] = expanded(program.jobs[0], program.algorithms);
  const JobResult other = run_replay(program).jobs.at(0);
  const auto share = [](const JobResult& job, Duration RankItems::*item) {
    const RankItems mean = job.mean();
    return static_cast<double>((mean.*item).count()) / static_cast<double>(mean.total.count());
  };
  EXPECT_NEAR(share(one, &RankItems::packet), share(other, &RankItems::packet), 0.05);
  EXPECT_NEAR(share(one, &RankItems::send_ready), share(other, &RankItems::send_ready), 0.05);
}

// --- long paths ---------------------------------------------------------------------------------

/// Two ranks that send to and fro, of which one begins a section on the way.
class ToAndFro {
 public:
  static constexpr int messages = 300000, before_section = messages / 3;
  static constexpr comm::Rank last = messages % 2;

  explicit ToAndFro(std::size_t moments) : path(2, moments) {
    for (int i = 0; i < messages; ++i) send(i);
    end = counts_[last].at;
    path.section_ends(last, counts_[last]);
  }

  CriticalPath path;
  comm::Time section{}, end{};
  std::size_t most_kept = 0;

 private:
  static void compute(RankCounts& counts) {
    counts = {.at = counts.at + 2ns, .compute = counts.compute + 2ns, .busy = counts.busy + 2ns};
  }
  void send(int i) {
    const comm::Rank from = i % 2, to = 1 - from;
    RankCounts& sender = counts_[static_cast<std::size_t>(from)];
    RankCounts& receiver = counts_[static_cast<std::size_t>(to)];
    const auto number = static_cast<std::uint64_t>(i + 1);
    const comm::MessageStep step{.sender = from, .receiver = to, .message = number, .bytes = 8};
    const comm::Time waits_since = receiver.at;
    compute(sender);
    if (i == before_section) {
      path.section_begins(from, sender);
      section = sender.at;
      compute(sender);
    }
    path.left(step, sender);
    path.ended_send(number, from, sender);
    receiver.at = sender.at + 5ns;
    path.arrived(step, receiver, true);
    path.ended_recv(number, to);
    path.waited(to, waits_since);
    most_kept = std::max(most_kept, path.kept());
  }

  std::array<RankCounts, 2> counts_{};
};

/// What paths have in common is summed up, and the path of a section that begins within it is as
/// long as the section.
TEST(LongPaths, AreSummedUp) {
  const ToAndFro run(0);
  EXPECT_LT(run.most_kept, 200000U);
  EXPECT_EQ(run.path.path_of_section(run.last, {}).length(), run.end);
  EXPECT_EQ(run.path.path_of_section(run.last, {}).messages().messages,
            std::uint64_t{run.messages});
  const PathTotals section = run.path.path_of_section(run.last, run.section);
  EXPECT_EQ(section.length(), run.end - run.section);
  EXPECT_EQ(section.messages().messages, std::uint64_t{run.messages - run.before_section});
  EXPECT_EQ(section.compute, Duration(2ns) * (run.messages - run.before_section));
  EXPECT_TRUE(run.path.steps_of_section(run.last, {}).empty());
}

TEST(LongPaths, KeepTheirStepsWhereTheyAreWanted) {
  const ToAndFro run(std::size_t{1} << 30U);
  for (const comm::Time begin : {comm::Time{}, run.section})
    expect_same(totals_of(run.path.steps_of_section(run.last, begin)),
                run.path.path_of_section(run.last, begin));
}

TEST(LongPaths, KeepTheFirstOfTheirSteps) {
  const ToAndFro run(1000), all(std::size_t{1} << 30U);
  const std::vector<PathStep> first = run.path.steps_of_section(run.last, {});
  const std::vector<PathStep> every = all.path.steps_of_section(run.last, {});
  EXPECT_GT(first.size(), 900U);
  EXPECT_LT(first.size(), 1100U);
  EXPECT_EQ(first.front().begin, comm::Time{});
  EXPECT_EQ(first.back().end, every.at(first.size() - 1).end);
  EXPECT_EQ(totals_of(first).length(), first.back().end);
  EXPECT_TRUE(run.path.steps_of_section(run.last, run.section).empty());
}

}  // namespace
}  // namespace weft
