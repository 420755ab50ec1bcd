// SPDX-License-Identifier: Apache-2.0
// The build as users see it: warnings do not stop it, and the installed program works elsewhere.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;

class Build : public ::testing::Test {
 protected:
  /// The commands that would compile weft.
  std::string commands(const std::string& name, const std::string& options) const {
    const std::string build = folder_ / name;
    const auto result = run_shell("cmake -S " + shell_quoted(source_dir().string()) + " -B " +
                                  shell_quoted(build) + " -G Ninja " + options);
    EXPECT_EQ(result.status, 0) << result.output;
    return read_file(build + "/compile_commands.json");
  }

  TemporaryFolder folder_;
};

TEST_F(Build, WarningsAreErrorsOnlyWhereTheProjectAsks) {
  EXPECT_EQ(commands("users", "").find("-Werror"), std::string::npos);
  const std::string ours = commands("ours", "-DCMAKE_COMPILE_WARNING_AS_ERROR=ON");
  EXPECT_NE(ours.find("-Werror"), std::string::npos);
  const std::string presets = read_file((source_dir() / "CMakePresets.json").string());
  EXPECT_NE(presets.find("\"CMAKE_COMPILE_WARNING_AS_ERROR\": \"ON\""), std::string::npos);
  EXPECT_NE(read_file((source_dir() / ".ci/run").string()).find("WEFT_WERROR=ON"),
            std::string::npos);
}

TEST_F(Build, TheInstalledProgramWorks) {
  const fs::path build = program().parent_path().parent_path();
  const std::string to = folder_ / "usr";
  for (const char* component : {"Unspecified", "licenses"}) {
    const auto installed = run_shell("cmake --install " + shell_quoted(build.string()) +
                                     " --component " + component + " --prefix " + shell_quoted(to));
    ASSERT_EQ(installed.status, 0) << installed.output;
  }
  for (const char* file : {"bin/weft", "share/bash-completion/completions/weft",
                           "share/weft/clusters/rhinet2.toml", "share/weft/scenarios/premium.toml",
                           "share/doc/weft/README.md", "share/doc/weft/licenses/libfmt-dev",
                           "share/doc/weft/copyright", "share/doc/weft/docs/design/overview.md"})
    EXPECT_TRUE(fs::exists(to + "/" + file)) << file;
  const std::string here = program().parent_path().string();
  const auto run = [&](const std::string& where) {
    return run_shell("cd / && PATH=" + shell_quoted(where) +
                     ":\"$PATH\" weft route torus:dims=4x4,hosts=2 dor && bash -n " +
                     shell_quoted(to + "/share/bash-completion/completions/weft"));
  };
  const auto ours = run(here), theirs = run(to + "/bin");
  EXPECT_EQ(theirs.status, 0) << theirs.output;
  EXPECT_EQ(theirs.output, ours.output);
}

TEST_F(Build, TheScriptRefusesWordsItDoesNotKnow) {
  const auto said = [](const std::string& words) {
    const auto result =
        run_shell("cd " + shell_quoted(source_dir().string()) + " && ./weft.sh " + words);
    EXPECT_EQ(result.status, 2) << words;
    return result.output;
  };
  EXPECT_EQ(said("nonsense"), "weft.sh: there is no verb \"nonsense\"; see ./weft.sh help\n");
  for (const std::string verb : {"build", "test", "bench", "package"})
    EXPECT_EQ(said(verb + " extra"),
              "weft.sh: " + verb + ": \"extra\" is one word too many; see ./weft.sh help\n");
}

}  // namespace
}  // namespace weft::testing
