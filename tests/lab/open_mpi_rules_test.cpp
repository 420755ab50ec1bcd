// SPDX-License-Identifier: Apache-2.0
// Rules for Open MPI: their text, how they count sizes, and comparisons that give none.
#include "lab/program/open_mpi_rules.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "compared_runs.hpp"

namespace weft::testing {
namespace {

std::string rules(const std::vector<ProgramResult>& runs) {
  try {
    return open_mpi_rules(compare_algorithms(runs).value());
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(OpenMpiRules, NameTheFastestThatOpenMpiHas) {
  EXPECT_EQ(rules(allreduces()),
            "1 # collective\n"
            "2 # allreduce\n"
            "2 # numbers of ranks\n"
            "4 # ranks\n"
            "2 # rules: from bytes on, algorithm, fan-out, segment\n"
            "0 3 0 0 # recursive_doubling\n"
            "65536 4 0 0 # ring\n"
            "16 # ranks\n"
            "2 # rules: from bytes on, algorithm, fan-out, segment\n"
            "0 3 0 0 # recursive_doubling\n"
            "65536 4 0 0 # ring\n");
  EXPECT_EQ(without_open_mpi_counterpart(*compare_algorithms(allreduces())),
            std::vector<std::string>{"tree"});
}

/// Open MPI counts the blocks for all ranks, and a rule that repeats another is left out.
TEST(OpenMpiRules, CountSizesAsOpenMpiDoes) {
  const auto line_after = [](const std::string& text) {
    return text.substr(text.find("segment\n") + 8);
  };
  const auto pair = [](const std::string& program, const std::string& slow,
                       const std::string& fast) {
    std::vector<ProgramResult> out;
    for (const char* size : {"1KiB", "2KiB", "4KiB"}) {
      const bool small = std::string(size) == "1KiB";
      out.push_back(took(program + ":algorithm=" + slow + ",bytes=" + size, 8, small ? 1 : 9));
      out.push_back(took(program + ":algorithm=" + fast + ",bytes=" + size, 8, 5));
    }
    return out;
  };
  EXPECT_EQ(line_after(rules(pair("alltoall", "bruck", "pairwise"))),
            "0 3 0 0 # bruck\n16384 2 0 0 # pairwise\n");
  EXPECT_EQ(line_after(rules(pair("allgather", "bruck", "ring"))),
            "0 2 0 0 # bruck\n2048 4 0 0 # ring\n");
  EXPECT_EQ(line_after(rules(pair("broadcast", "binomial", "chain"))),
            "0 6 0 0 # binomial\n2048 3 0 65536 # chain\n");
  EXPECT_EQ(line_after(rules(pair("broadcast", "binomial", "scatter_allgather"))),
            "0 6 0 0 # binomial\n2048 9 0 0 # scatter_allgather\n");
}

TEST(OpenMpiRules, Refusals) {
  EXPECT_EQ(rules({took("scan:algorithm=linear", 4, 1), took("scan", 4, 2)}),
            "scan: Open MPI has no rules for it by the size of its data");
  EXPECT_EQ(rules({took("barrier:algorithm=flags", 4, 1), took("barrier:algorithm=smp", 4, 2)}),
            "barrier: Open MPI has none of the algorithms that are compared");
  std::vector<ProgramResult> runs = allreduces();
  for (ProgramResult& run : runs) run.ranks = 16;
  EXPECT_EQ(rules(runs),
            "Open MPI's rules know the number of ranks alone, and 16 ranks are placed twice");
}

}  // namespace
}  // namespace weft::testing
