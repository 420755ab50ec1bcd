// SPDX-License-Identifier: Apache-2.0
// The best algorithm by size and ranks: which runs are compared, tables and pictures.
#include "lab/program/compare.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "compared_runs.hpp"
#include "lab/program/sweep.hpp"
#include "lab/report/report.hpp"

namespace weft::testing {
namespace {

std::string table(const std::vector<ProgramResult>& runs) {
  std::ostringstream out;
  write_table(out, runs);
  return out.str();
}

TEST(Compare, TheFastestBySizeAndRanks) {
  const std::string text = table(allreduces());
  EXPECT_EQ(text.substr(text.find("fastest by")),
            "fastest by the slowest rank's time, and how much longer the next one takes\n\n"
            "  bytes  4 ranks    16 ranks\n"
            "     8B  tree 33 %  tree 25 %\n"
            "  64KiB  ring 25 %  ring 10 %\n");
}

TEST(Compare, OfASweep) {
  ProgramSpec spec{.program = "allreduce:algorithm=[ring,recursive_doubling],iterations=2",
                   .topology = "crossbar",
                   .engine = "minhop",
                   .hosts = "[4,16]"};
  Networks networks;
  const auto compared = compare_algorithms(run_sweep(resolve(sweep_request_of(spec), networks)));
  ASSERT_TRUE(compared);
  for (const std::size_t at : {0U, 1U}) {  // 2 or 4 steps against 6 or 30
    ASSERT_EQ(compared->ranking(0, at).size(), 2U);
    EXPECT_EQ(compared->algorithms[compared->ranking(0, at)[0].algorithm].name,
              "recursive_doubling");
  }
}

TEST(Compare, RefusedRunsHaveNoTime) {
  const auto compared = compare_algorithms(
      {took("barrier:algorithm=tree", 4, 5), took("barrier:algorithm=counter", 4, 0)});
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared->ranking(0, 0).size(), 1U);
  EXPECT_EQ(compared->sizes, std::vector{Bytes{0}});
}

TEST(Compare, OnlyAlgorithmsOfOneProgramOnOneMachine) {
  EXPECT_FALSE(compare_algorithms({}));
  EXPECT_FALSE(compare_algorithms({took("barrier", 4, 1), took("scan", 4, 1)}));
  EXPECT_FALSE(compare_algorithms({took("barrier", 4, 1), took("barrier", 8, 1)}));
  EXPECT_FALSE(compare_algorithms({took("pingpong", 2, 1), took("pingpong:bytes=1KiB", 2, 1)}));
  EXPECT_FALSE(compare_algorithms({took("barrier:algorithm=tree", 4, 1),
                                   took("barrier:algorithm=pairwise,iterations=2", 4, 1)}));
  std::vector<ProgramResult> runs = allreduces();
  runs[0].spec.topology = "ring";
  EXPECT_FALSE(compare_algorithms(runs));
}

TEST(Compare, OtherParametersMakeAlgorithmsToo) {
  const auto compared = compare_algorithms(
      {took("reduce:algorithm=chain,segment=1KiB", 4, 2), took("reduce:algorithm=binomial", 4, 3)});
  ASSERT_TRUE(compared);
  EXPECT_EQ(compared->algorithms[0].name, "chain, segment 1KiB");
}

TEST(Compare, Pictures) {
  std::ostringstream over_sizes, over_ranks, bars;
  write_svg(over_sizes, chart_of(allreduces()));
  EXPECT_NE(over_sizes.str().find("16 ranks"), std::string::npos);
  EXPECT_NE(over_sizes.str().find(">recursive_doubling<"), std::string::npos);
  write_svg(over_ranks,
            chart_of(std::vector<ProgramResult>{took("barrier:algorithm=tree", 4, 5),
                                                took("barrier:algorithm=tree", 8, 7),
                                                took("barrier:algorithm=pairwise", 4, 4)}));
  EXPECT_NE(over_ranks.str().find(">ranks<"), std::string::npos);
  write_svg(bars, chart_of(std::vector<ProgramResult>{took("barrier", 4, 1), took("scan", 4, 0)}));
  EXPECT_NE(bars.str().find("refused: no"), std::string::npos);
}

}  // namespace
}  // namespace weft::testing
