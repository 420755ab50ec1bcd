// SPDX-License-Identifier: Apache-2.0
// Mutation testing (tests/mutants): the scripts do what they say, and every recorded survivor is
// explained.
#include <gtest/gtest.h>

#include <string>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

CommandResult python(const std::string& words) {
  return run_shell("cd " + shell_quoted(source_dir().string()) + " && python3 -B tests/mutants/" +
                   words);
}

TEST(Mutants, ScriptsPassTheirTests) {
  const auto result = python("mutants_test.py");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST(Mutants, EverySurvivorIsExplained) {
  const auto result = python("mutants.py --check");
  EXPECT_EQ(result.status, 0) << result.output;
}

TEST(Mutants, HelpHasAnExample) {
  const auto result = python("mutants.py --help");
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.output.starts_with("usage: ./weft.sh mutants ")) << result.output;
  EXPECT_NE(result.output.find("\nexample:\n  ./weft.sh mutants "), std::string::npos)
      << result.output;
}

TEST(Mutants, WrongRoomsAreNamed) {
  const auto result = python("mutants.py nowhere");
  EXPECT_EQ(result.status, 2);
  EXPECT_EQ(result.output, "mutants: there is no room \"nowhere\"; src/rooms.txt lists them\n");
}

}  // namespace
}  // namespace weft::testing
