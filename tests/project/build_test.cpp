// SPDX-License-Identifier: Apache-2.0
// The build as users see it: warnings do not stop it, programs are hardened, and the installed one
// works elsewhere.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;

class Build : public ::testing::Test {
 protected:
  /// The commands that would compile weft. Options stay in effect for the next call.
  std::string commands(const std::string& options) const {
    const std::string build = folder_ / "build";
    const auto result = run_shell("cmake -S " + shell_quoted(source_dir().string()) + " -B " +
                                  shell_quoted(build) + " -G Ninja " + options);
    EXPECT_EQ(result.status, 0) << result.output;
    return read_file(build + "/compile_commands.json");
  }

  /// The folder in which the program under test was built.
  static fs::path build_folder() { return program().parent_path().parent_path(); }

  TemporaryFolder folder_;
};

TEST_F(Build, WarningsAreErrorsOnlyWhereTheProjectAsks) {
  EXPECT_EQ(commands("").find("-Werror"), std::string::npos);
  const std::string ours = commands("-DCMAKE_COMPILE_WARNING_AS_ERROR=ON");
  EXPECT_NE(ours.find("-Werror"), std::string::npos);
  const std::string presets = read_file((source_dir() / "CMakePresets.json").string());
  EXPECT_NE(presets.find("\"CMAKE_COMPILE_WARNING_AS_ERROR\": \"ON\""), std::string::npos);
  EXPECT_NE(read_file((source_dir() / ".ci/run").string()).find("WEFT_WERROR=ON"),
            std::string::npos);
}

TEST_F(Build, OptimisedBuildsAreHardened) {
  const auto has = [](const std::string& text, const char* word) {
    return text.find(word) != std::string::npos;
  };
  const std::string ours = commands("");
  for (const char* flag : {"-fstack-protector-strong", "-fPIE", "-Wformat-security"})
    EXPECT_TRUE(has(ours, flag)) << flag;
  const std::regex inner_file(R"(-c \S*src[/_](sim[/_](flit|hosts)|run|comm)[/_])");
  for (const auto& line : split_lines(ours)) {
    if (!has(line, "\"command\":")) continue;
    const bool inner = std::regex_search(line, inner_file);
    EXPECT_EQ(has(line, "-fno-stack-protector"), inner)
        << "only inner files of the simulator are exempt: " << line;
    EXPECT_FALSE(has(line, "-mbranch-protection=bti") && !inner) << line;
    EXPECT_FALSE(has(line, "-mbranch-protection=none")) << line;
  }
  const std::string users = commands("-DCMAKE_CXX_FLAGS=-D_FORTIFY_SOURCE=3");
  EXPECT_FALSE(has(users, "_FORTIFY_SOURCE=2")) << "users have set it themselves";
  for (const std::string options : {"-DCMAKE_CXX_FLAGS= -DCMAKE_BUILD_TYPE=Debug",
                                    "-DCMAKE_BUILD_TYPE=Release -DWEFT_SANITIZE=address"}) {
    const std::string plain = commands(options);
    EXPECT_FALSE(has(plain, "-fstack-protector") || has(plain, "_FORTIFY_SOURCE")) << options;
  }
}

TEST_F(Build, TheProgramIsHardened) {
  const std::string settings = read_file(build_folder() / "CMakeCache.txt");
  if (settings.find("CMAKE_BUILD_TYPE:STRING=Release") == std::string::npos ||
      settings.find("WEFT_HARDEN:BOOL=ON") == std::string::npos)
    GTEST_SKIP() << "not an optimised build with its own flags";
  const auto elf = run_shell("LC_ALL=C readelf --wide --file-header --program-headers --dynamic " +
                             shell_quoted(program().string()));
  ASSERT_EQ(elf.status, 0) << elf.output;
  for (const char* sign : {"Type: +DYN ", "\n +GNU_RELRO ", "\\(FLAGS\\).*BIND_NOW",
                           "\\(FLAGS_1\\).*NOW.*PIE", "\n +GNU_STACK .* RW +0x"})
    EXPECT_TRUE(std::regex_search(elf.output, std::regex(sign))) << sign << "\n" << elf.output;
  const auto symbols = run_shell("readelf --wide --symbols " + shell_quoted(program().string()));
  EXPECT_NE(symbols.output.find("__stack_chk_fail"), std::string::npos);
}

TEST_F(Build, TheInstalledProgramWorks) {
  const std::string to = folder_ / "usr";
  for (const char* component : {"Unspecified", "licenses"}) {
    const auto installed = run_shell("cmake --install " + shell_quoted(build_folder().string()) +
                                     " --component " + component + " --prefix " + shell_quoted(to));
    ASSERT_EQ(installed.status, 0) << installed.output;
  }
  for (const char* file :
       {"bin/weft", "bin/weft-verify", "share/bash-completion/completions/weft",
        "share/zsh/vendor-completions/_weft", "share/fish/vendor_completions.d/weft.fish",
        "share/man/man1/weft.1", "share/man/man1/weft-verify.1", "share/man/man5/weft-results.5",
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
