// SPDX-License-Identifier: Apache-2.0
// Sweeps of replays: their points, resuming them, and replays that are refused.
#include "lab/replay/sweep.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/message.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/replay_report.hpp"
#include "support/files.hpp"

namespace weft {
namespace {

class ReplaySweeps : public ::testing::Test {
 protected:
  ReplaySpec spec() {
    const std::string path = folder_ / "job.trace";
    std::ofstream out(path);
    out << "ranks 4\n";
    for (int rank = 0; rank < 4; ++rank)
      out << "rank " << rank << "\ninit\ncompute 1000\nallreduce 4096\nfinalize\n";
    return {.traces = {path},
            .topology = "[mesh:dims=2x2|clos2:leaves=2,spines=2,hosts=2]",
            .engine = "[updown,dor]"};
  }
  static ReplaySweep sweep_of(const ReplaySpec& of) {
    Networks networks;
    return resolve(sweep_request_of(of), networks);
  }
  static std::string csv(const std::vector<ReplayResult>& results) {
    std::ostringstream out;
    write_csv(out, results);
    return out.str();
  }
  weft::testing::TemporaryFolder folder_;
};

TEST_F(ReplaySweeps, CollectivesVaryFastest) {
  ReplaySpec one = spec();
  EXPECT_TRUE(is_sweep(one));
  one.topology = "crossbar";
  one.engine = "minhop";
  EXPECT_FALSE(is_sweep(one));
  one.collectives = {"allreduce=[ring,tree]"};
  EXPECT_TRUE(is_sweep(one));
  one.placement = "[by_switch,random]";
  std::string points;
  for (const ReplaySpec& point : expand(one))
    points += point.placement + " " + point.collectives.at(0) + "\n";
  EXPECT_EQ(points,
            "by_switch allreduce=ring\nby_switch allreduce=tree\nrandom allreduce=ring\n"
            "random allreduce=tree\n");
}

TEST_F(ReplaySweeps, RowsAreThoseOfSingleReplays) {
  ReplaySpec swept = spec();
  swept.engine = "updown";
  swept.collectives = {"allreduce=[ring,tree]"};
  std::vector<ReplayResult> single;
  for (const ReplaySpec& point : expand(swept)) {
    Networks networks;
    single.push_back(run_replay(resolve(request_of(point), networks), {.ideal = true}));
  }
  EXPECT_EQ(csv(run_sweep(sweep_of(swept), {.ideal = true}, {.jobs = 2})), csv(single));
}

TEST_F(ReplaySweeps, TheFastestIsFirstAndTheRefusedLast) {
  const std::vector<ReplayResult> results = run_sweep(sweep_of(spec()), {.ideal = true});
  ASSERT_EQ(results.size(), 4U);
  EXPECT_TRUE(outcome_of(results[3]).starts_with("refused: dor: ")) << outcome_of(results[3]);
  std::ostringstream table, plot, json;
  write_table(table, results);
  write_svg(plot, chart_of(results));
  write_json(json, document_of(results));
  for (const std::string& text : {table.str(), plot.str(), json.str(), csv(results)})
    EXPECT_NE(text.find("refused: dor: "), std::string::npos) << text;
  std::istringstream lines(table.str());
  std::string heading, blank, names, first, line, last;
  std::getline(lines, heading);
  std::getline(lines, blank);
  std::getline(lines, names);
  std::getline(lines, first);
  while (std::getline(lines, line)) last = line;
  EXPECT_NE(names.find("topology"), std::string::npos) << names;
  EXPECT_NE(first.find("  0.0  "), std::string::npos) << first;
  EXPECT_NE(last.find("refused"), std::string::npos) << last;
}

TEST_F(ReplaySweeps, AFabricThatIsTooSmallIsARow) {
  ReplaySpec one = spec();
  one.topology = "crossbar:hosts=[2,4]";
  one.engine = "minhop";
  const std::vector<ReplayResult> results = run_sweep(sweep_of(one), {});
  EXPECT_TRUE(results.at(0).refused());
  EXPECT_TRUE(results.at(1).finished());
  one.topology = "crossbar:hosts=[2,3]";
  EXPECT_EQ(test::message_of([&] { sweep_of(one); }),
            "4 ranks: 2 hosts with 1 each have room for 2; more ranks on each host (--ranks) or a "
            "larger fabric are needed");
}

TEST_F(ReplaySweeps, ResumeToTheSameFile) {
  const std::string path = folder_ / "journal";
  const ReplayOptions wanted{.ideal = true};
  const SweepIdentity identity = identity_of(sweep_request_of(spec()), wanted);
  const ReplaySweep sweep = sweep_of(spec());
  const auto run_with_journal = [&](std::string& whole) {
    ReplayJournal journal(path, identity);
    const std::string out = csv(run_sweep(sweep, wanted, {1, &journal, {}}));
    whole = weft::testing::read_file(path);
    journal.remove();
    return out;
  };
  std::string journal, again;
  const std::string at_once = run_with_journal(journal);
  for (std::size_t at = 0; at < journal.size(); at = journal.find('\n', at) + 1) {
    std::ofstream(path) << journal.substr(0, at + 5);  // torn within a line
    EXPECT_EQ(run_with_journal(again), at_once);
    EXPECT_EQ(again, journal);
  }
  EXPECT_NE(identity, identity_of(sweep_request_of(spec()), {}));
  ReplayResult out;
  EXPECT_THROW(read_entry("{}", out), Error);
  EXPECT_THROW(read_entry("[", out), Error);
}

}  // namespace
}  // namespace weft
