// SPDX-License-Identifier: Apache-2.0
// The help of every verb, and its example, which must work.
#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "command.hpp"
#include "lab/revision.hpp"
#include "support/transcript.hpp"

namespace weft::testing {
namespace {

using Help = Command;

TEST_F(Help, EndsInTheExample) {
  for (const cli::Verb& verb : cli::verbs()) {
    const ProgramOutput output = run(fmt::format("weft {} --help", verb.name));
    EXPECT_EQ(output.status, 0);
    EXPECT_EQ(output.err, "");
    EXPECT_TRUE(output.out.starts_with(verb.summary)) << output.out;
    EXPECT_TRUE(output.out.ends_with(fmt::format("\nExample: {}\n", verb.example))) << output.out;
    EXPECT_EQ(run(fmt::format("weft {} -h", verb.name)).out, output.out);
    EXPECT_EQ(run(fmt::format("weft help {}", verb.name)).out, output.out);
  }
}

TEST_F(Help, FitsInto100Columns) {
  std::string all = run("weft --help").out;
  for (const cli::Verb& verb : cli::verbs()) all += run(fmt::format("weft {} -h", verb.name)).out;
  for (const std::string& line : split_lines(all)) EXPECT_LE(line.size(), 100U) << line;
}

TEST_F(Help, ListsTheVerbsAndExitCodes) {
  const std::string out = run("weft --help").out;
  for (const cli::Verb& verb : cli::verbs())
    EXPECT_NE(out.find(fmt::format("  {:<12}{}\n", verb.name, verb.summary)), std::string::npos);
  EXPECT_NE(out.find("Exit code: 0 fine, 1 a check found something, an engine refused or a promise "
                     "was broken,\n"
                     "2 wrong input, 3 a simulation ran into a deadlock, 4 a host program did not "
                     "come to its\n"
                     "end.\n"),
            std::string::npos);
  EXPECT_TRUE(out.ends_with("\nExample: weft study\n")) << out;
}

/// Whether a transcript runs this command, which is a test itself.
bool in_a_transcript(std::string_view command) {
  return std::ranges::any_of(transcript_files(), [&](const std::filesystem::path& file) {
    return read_file(source_dir() / file).find(fmt::format("\n$ {}\n", command)) !=
           std::string::npos;
  });
}

TEST_F(Help, ExamplesWork) {
  ASSERT_EQ(run("weft make torus:dims=4x4,hosts=4 -o torus.toml").status, 0);
  ASSERT_EQ(run("weft route torus.toml dl -o torus.tables --certificate torus.cert").status, 0);
  copy_recorded("opensm/mesh4x4/ibnetdiscover.txt", "fabric.ibnetdiscover");
  copy_recorded("opensm/mesh4x4/dor/opensm-lfts.dump", "opensm-lfts.dump");
  const std::string shard =
      "weft sweep mesh:dims=2x2 xy --cycles 100 --seed [1..10] --shard $i/10 -o curve.csv";
  ASSERT_EQ(run("for i in {1..10}; do " + shard + "; done").status, 0);
  for (const cli::Verb& verb : cli::verbs()) {
    if (in_a_transcript(verb.example)) continue;
    const ProgramOutput output = run(std::string(verb.example));
    EXPECT_EQ(output.status, 0) << verb.example << '\n' << output.out << output.err;
    EXPECT_EQ(output.err, "") << verb.example;
  }
  for (const char* name : {"study.csv", "torus.toml", "torus.tables", "torus.cert", "findings.json",
                           "both.tables", "links.csv", "curve.csv"})
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
}

TEST_F(Help, VersionAndRevision) {
  const ProgramOutput output = run("weft --version");
  EXPECT_EQ(output.status, 0);
  EXPECT_EQ(output.out, fmt::format("weft {} ({})\n", version(), revision()));
  EXPECT_NE(version(), "");
}

}  // namespace
}  // namespace weft::testing
