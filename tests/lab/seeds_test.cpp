// SPDX-License-Identifier: Apache-2.0
// Several seeds in one row: closed forms of means and intervals, outcomes, sums, journals, and real
// simulations whatever the number of threads.
#include "lab/simulate/seeds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>

#include "base/error.hpp"
#include "base/student.hpp"
#include "lab/report/report.hpp"
#include "lab/sweep_support.hpp"
#include "support/files.hpp"

namespace weft::test::seeds_of_sweeps {
namespace {

TEST(Student, AgreesWithTables) {
  EXPECT_EQ(student_thousandths(1), 12706U);
  EXPECT_EQ(student_thousandths(9), 2262U);
  EXPECT_EQ(student_thousandths(31), 2040U);
  EXPECT_EQ(student_thousandths(32), 2037U);
  EXPECT_EQ(student_thousandths(60), 2000U);
  EXPECT_EQ(student_thousandths(120), 1980U);
  EXPECT_EQ(student_thousandths(100'000), 1960U);
}

TEST(Student, IntervalOfAMean) {
  const MeanOfValues of(std::vector<double>{8, 10, 12});
  EXPECT_DOUBLE_EQ(of.mean, 10);
  EXPECT_DOUBLE_EQ(of.half_width, 4.303 * 2 / std::sqrt(3.0));  // the deviation is 2
  EXPECT_TRUE(std::isnan(MeanOfValues(std::vector<double>{3}).half_width));
  EXPECT_TRUE(std::isnan(MeanOfValues(std::vector<double>{}).mean));
}

SweepRow row(double mean, double accepted, SimulationOutcome outcome) {
  SweepRow out;
  out.result.spec.fabric = "ring";
  out.result.outcome = outcome;
  out.result.mean = mean;
  out.result.accepted = accepted;
  out.result.packets = 100;
  out.result.sent = 7;
  out.result.most = 10 * mean;
  out.result.most_link = accepted;
  out.result.busiest = fmt::format("link of {}", accepted);
  out.result.lost_why = {{"link_down", 1}};
  return out;
}

TEST(Seeds, MeansSumsExtremesAndTheWorstOutcome) {
  using enum SimulationOutcome;
  const auto rows = over_seeds({row(8, 0.1, steady), row(10, 0.3, saturated), row(12, 0.2, steady),
                                row(1, 1, steady), row(1, 1, steady), row(1, 1, steady)},
                               3);
  ASSERT_EQ(rows.size(), 2U);
  const SimulationResult& result = rows[0].result;
  EXPECT_DOUBLE_EQ(result.mean, 10);
  EXPECT_DOUBLE_EQ(result.half_width, 4.303 * 2 / std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(result.accepted, 0.2);
  EXPECT_NEAR(rows[0].seeds->accepted_half_width, 4.303 * 0.1 / std::sqrt(3.0), 1e-12);
  EXPECT_EQ(result.outcome, saturated);
  EXPECT_EQ(rows[0].seeds->same_outcome, 1U);
  EXPECT_EQ(result.packets, 300U);
  EXPECT_EQ(result.sent, 21U);
  EXPECT_EQ(result.most, 120);
  EXPECT_EQ(result.busiest, "link of 0.3");
  EXPECT_EQ(result.lost_why.at("link_down"), 3U);
  EXPECT_EQ(rows[1].seeds->same_outcome, 3U);
  EXPECT_EQ(rows[1].result.half_width, 0);
}

TEST(Seeds, WithoutMeasuredPacketsHaveNoLatency) {
  SweepRow empty = row(1e9, 0.1, SimulationOutcome::deadlocked);
  empty.result.packets = 0;
  empty.result.explanation = "a cycle";
  const auto rows = over_seeds(
      {row(5, 0.1, SimulationOutcome::steady), empty, row(5, 0.1, SimulationOutcome::steady)}, 3);
  EXPECT_EQ(rows[0].result.mean, 5);
  EXPECT_EQ(rows[0].result.most, 50);
  EXPECT_EQ(rows[0].result.outcome, SimulationOutcome::deadlocked);
  EXPECT_EQ(rows[0].result.explanation, "a cycle");
}

TEST(Seeds, OneIsTheRowItself) {
  const auto rows = over_seeds({row(5, 0.1, SimulationOutcome::steady)}, 1);
  EXPECT_FALSE(rows[0].seeds);
  EXPECT_EQ(rows[0].result.sent, 7U);
}

SweepSpec seeded(const std::string& seeds, const std::string& seed = "1") {
  SweepSpec spec = testing::sweep_of("[0.1,0.2]");
  spec.seeds = seeds;
  spec.simulation.seed = seed;
  return spec;
}

std::string problem(const SweepSpec& spec) {
  try {
    request_of(spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Seeds, FollowTheFirstOneAtEveryPoint) {
  const SweepRequest request = request_of(seeded("3", "7"));
  std::string points;
  for (const SimulationRequest& point : request.points)
    points += fmt::format("{}/{}/{} ", point.spec.load, point.spec.seed, point.seed);
  EXPECT_EQ(points, "0.1/7/7 0.1/8/8 0.1/9/9 0.2/7/7 0.2/8/8 0.2/9/9 ");
}

TEST(Seeds, WrongOnesAreNamed) {
  EXPECT_EQ(problem(seeded("0")), "seeds=0: a whole number from 1 to 10000 is needed");
  EXPECT_EQ(problem(seeded("2", "[1,2]")), "seed=[1,2]: --seeds takes those from one seed on");
  EXPECT_EQ(problem(seeded("2", "18446744073709551615")),
            "seed=18446744073709551615: there are no 2 seeds from this one on");
  SweepSpec search = testing::saturation_of("iq", "0.01");
  search.seeds = "4";
  EXPECT_EQ(problem(search),
            "seeds=4: a search for saturation has one; --seed '[1..4]' searches with each");
  SweepSpec many = seeded("10000");
  many.simulation.load = "[0.01..0.2:0.01]";
  EXPECT_EQ(problem(many), "seeds=10000: more than 100000 points; a sweep has so many at most");
}

TEST(Seeds, AJournalHasEachOfThem) {
  const testing::TemporaryFolder folder;
  const SweepSpec spec = seeded("3");
  SimulationJournal journal((folder / "journal"), testing::identity(spec));
  testing::run_pretended(spec, testing::pretend, {.journal = &journal});
  EXPECT_EQ(read_journal<SimulationResult>("journal", testing::read_file(folder / "journal"),
                                           testing::identity(spec))
                .finished.size(),
            6U);
  EXPECT_THROW(SimulationJournal(folder / "journal", testing::identity(seeded("4"))), Error);
}

TEST(Seeds, RealSimulationsAreTheSameOnAnyNumberOfThreads) {
  SweepSpec spec = testing::sweep_of("[0.1,0.3]");
  spec.simulation.fabric = "mesh:dims=3x3";
  spec.simulation.warmup = "500";
  spec.simulation.cycles = "500";
  spec.seeds = "4";
  const auto csv = [&](std::uint64_t jobs) {
    const auto one = [](const SimulationExperiment& point) { return simulate(point); };
    std::ostringstream out;
    write_csv(out, over_seeds(run_sweep(resolve(request_of(spec)), one, {.jobs = jobs}), 4));
    return out.str();
  };
  const std::string alone = csv(1);
  EXPECT_EQ(alone, csv(3));
  EXPECT_NE(alone.find("--seeds 4,"), std::string::npos) << "the command repeats the row";
}

}  // namespace
}  // namespace weft::test::seeds_of_sweeps
