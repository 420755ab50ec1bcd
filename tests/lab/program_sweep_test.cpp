// SPDX-License-Identifier: Apache-2.0
// Sweeps of host programs: their points, resuming them, and runs that are refused.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "lab/program/sweep.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "support/files.hpp"

namespace weft {
namespace {

ProgramSpec on_a_mesh(const std::string& program) {
  ProgramSpec run;
  run.program = program;
  run.topology = "mesh:dims=2x2,hosts=2";
  run.engine = "dor";
  run.switches = "iq:buffer=64";
  run.nic = "hca:mtu=256B";
  return run;
}

ProgramSweep sweep_of(const ProgramSpec& spec) {
  Networks networks;
  return resolve(sweep_request_of(spec), networks);
}

std::string csv(const std::vector<ProgramResult>& runs) {
  std::ostringstream out;
  write_csv(out, runs);
  return out.str();
}

std::string json(const std::vector<ProgramResult>& runs) {
  std::ostringstream out;
  write_json(out, document_of(runs));
  return out.str();
}

TEST(ProgramSweeps, TheProgramVariesFastest) {
  ProgramSpec spec = on_a_mesh("allreduce:algorithm=[ring,tree],bytes=[8B..64B:x8]");
  EXPECT_FALSE(is_sweep(on_a_mesh("barrier")));
  EXPECT_TRUE(is_sweep(spec));
  spec.hosts = "[2,4]";
  std::string points;
  for (const ProgramSpec& point : expand(spec)) points += point.hosts + " " + point.program + "\n";
  EXPECT_EQ(points,
            "2 allreduce:algorithm=ring,bytes=8B\n2 allreduce:algorithm=ring,bytes=64B\n"
            "2 allreduce:algorithm=tree,bytes=8B\n2 allreduce:algorithm=tree,bytes=64B\n"
            "4 allreduce:algorithm=ring,bytes=8B\n4 allreduce:algorithm=ring,bytes=64B\n"
            "4 allreduce:algorithm=tree,bytes=8B\n4 allreduce:algorithm=tree,bytes=64B\n");
}

TEST(ProgramSweeps, PointsThatOthersRepeatAreDropped) {
  ProgramSpec spec = on_a_mesh("barrier:iterations=[1,1]");
  spec.hosts = "[8,]";
  EXPECT_THROW(expand(spec), Error);
  spec.hosts = "[8|]";  // all there are
  EXPECT_EQ(sweep_of(spec).points.size(), 1U);
}

TEST(ProgramSweeps, RowsAreThoseOfSingleRuns) {
  ProgramSpec spec = on_a_mesh("allreduce:algorithm=[ring,tree],bytes=[8B,600B],iterations=2");
  spec.hosts = "[4,8]";
  std::vector<ProgramResult> single;
  for (const ProgramSpec& point : expand(spec)) single.push_back(run_program(point));
  const std::vector<ProgramResult> swept = run_sweep(sweep_of(spec), {.jobs = 2});
  EXPECT_EQ(csv(swept), csv(single));
  EXPECT_EQ(json(swept), json(single));
}

TEST(ProgramSweeps, EntriesOfJournalsComeBackWhole) {
  for (const char* program : {"pingpong:iterations=2", "orphan", "barrier:iterations=1"}) {
    const ProgramResult result = run_program(on_a_mesh(program));
    ProgramResult back;
    read_entry(entry_text(result), back);
    EXPECT_EQ(entry_text(back), entry_text(result));
    EXPECT_EQ(json({back}), json({result}));
    EXPECT_EQ(back.ranks, 8);
  }
  ProgramResult out;
  EXPECT_THROW(read_entry("{}", out), Error);
  EXPECT_THROW(read_entry("[", out), Error);
}

TEST(ProgramSweeps, ResumeToTheSameFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "journal";
  const ProgramSpec spec = on_a_mesh("barrier:algorithm=[tree,counter],iterations=[1..3]");
  const SweepIdentity identity = identity_of(sweep_request_of(spec));
  const ProgramSweep sweep = sweep_of(spec);
  std::string whole;
  const auto run_with_journal = [&](std::size_t& ran) {
    ProgramJournal journal(path, identity);
    const std::size_t before = journal.finished().size();
    const std::string out = json(run_sweep(sweep, {1, &journal, {}}));
    whole = testing::read_file(path);
    ran = sweep.points.size() - before;
    journal.remove();
    return out;
  };
  std::size_t ran = 0;
  const std::string at_once = run_with_journal(ran);
  const std::string journal = whole;
  EXPECT_EQ(ran, 6U);
  for (std::size_t lines = 0, at = 0; at < journal.size();
       at = journal.find('\n', at) + 1, ++lines) {
    std::ofstream(path) << journal.substr(0, at + 5);  // torn within a line
    EXPECT_EQ(run_with_journal(ran), at_once);
    EXPECT_EQ(ran, 6 - (lines == 0 ? 0 : lines - 1));
    EXPECT_EQ(whole, journal);
  }
}

TEST(ProgramSweeps, ARefusedPointIsARow) {
  const ProgramSpec spec = on_a_mesh("barrier:algorithm=[tree,counter],iterations=1");
  const std::vector<ProgramResult> runs = run_sweep(sweep_of(spec));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_TRUE(runs[0].finished());
  EXPECT_EQ(outcome_of(runs[1]),
            "refused: counter: its 8 ranks are on several hosts; smp is for those");
  EXPECT_EQ(runs[1].ranks, 8);
  EXPECT_NE(csv(runs).find(",refused: counter: its 8 ranks"), std::string::npos) << csv(runs);
}

TEST(ProgramSweeps, ARoutingEngineThatRefusesAFabricIsARow) {
  ProgramSpec spec = on_a_mesh("barrier:iterations=1");
  spec.topology = "[mesh:dims=2x2,hosts=2|clos2:leaves=2,spines=2,hosts=2]";
  spec.engine = "[updown,dor]";
  const std::vector<ProgramResult> runs = run_sweep(sweep_of(spec));
  ASSERT_EQ(runs.size(), 4U);
  for (const std::size_t fine : {0U, 1U, 2U}) EXPECT_TRUE(runs[fine].finished()) << fine;
  EXPECT_TRUE(outcome_of(runs[3]).starts_with("refused: dor: ")) << outcome_of(runs[3]);
  EXPECT_EQ(runs[3].spec.topology, "clos2:leaves=2,spines=2,hosts=2");
  std::ostringstream table, plot;
  write_table(table, runs);
  write_svg(plot, chart_of(runs));
  EXPECT_NE(table.str().find("refused: dor: "), std::string::npos) << table.str();
  EXPECT_NE(plot.str().find("refused: dor: "), std::string::npos) << plot.str();
  EXPECT_NE(csv(runs).find("refused: dor: "), std::string::npos) << csv(runs);
  spec.topology = "clos2:leaves=[2,3],spines=2,hosts=2";
  spec.engine = "dor";
  EXPECT_THROW(sweep_of(spec), RefusedError);
  spec.engine = "[updown,dro]";
  EXPECT_THROW(sweep_of(spec), Error);
}

TEST(ProgramSweeps, AFabricWithTooFewHostsIsARow) {
  ProgramSpec spec = on_a_mesh("barrier:algorithm=[tree,dissemination],iterations=1");
  spec.hosts = "[8,9]";
  const std::vector<ProgramResult> runs = run_sweep(sweep_of(spec));
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_EQ(outcome_of(runs[3]), "refused: hosts=9: a whole number from 1 to 8 is needed");
  std::ostringstream table;
  write_table(table, runs);
  EXPECT_EQ(table.str().find("0 ranks"), std::string::npos) << table.str();
  spec.hosts = "[9,10]";
  EXPECT_THROW(sweep_of(spec), Error);
}

TEST(ProgramSweeps, AllRefusedIsAnError) {
  EXPECT_THROW(run_sweep(sweep_of(on_a_mesh("barrier:algorithm=counter,iterations=[1,2]"))), Error);
}

}  // namespace
}  // namespace weft
