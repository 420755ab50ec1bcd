// SPDX-License-Identifier: Apache-2.0
// No paper makes switches whose reuse=auto is not decided for its tables: where lanes must be empty
// before they are given away, it would simulate others than those that are proved.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

TEST(SwitchModels, OfPapersAreSettled) {
  std::vector<std::string> unsettled;
  const std::filesystem::path papers = source_dir() / "src/papers";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(papers)) {
    if (!entry.is_regular_file()) continue;
    for (const std::string& line : split_lines(read_file(entry.path())))
      if (line.find("model_from(") != std::string::npos &&
          line.find("settled(sim::model_from(") == std::string::npos)
        unsettled.push_back(entry.path().filename().string() + ": " + line);
  }
  EXPECT_EQ(unsettled, std::vector<std::string>{});
}

}  // namespace
}  // namespace weft::testing
