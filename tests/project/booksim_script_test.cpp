// SPDX-License-Identifier: Apache-2.0
// bench/booksim.sh: what it says to wrong words, and that it has the rows of bench/flits.cpp that
// have a figure of BookSim 2, with the same loads, packets, lanes and buffers. And what
// bench/instructions.sh says.
#include <gtest/gtest.h>

#include <map>
#include <regex>
#include <string>

#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::testing {
namespace {

CommandResult script_of(const std::string& name, const std::string& words) {
  return run_shell("cd " + shell_quoted(source_dir().string()) + " && bench/" + name + " " + words);
}
CommandResult script(const std::string& words) { return script_of("booksim.sh", words); }

/// The rows that the script lists: its settings for BookSim by name.
std::map<std::string, std::string> listed_rows() {
  const auto list = script("--list");
  EXPECT_EQ(list.status, 0) << list.output;
  std::map<std::string, std::string> rows;
  for (const auto& line : split_lines(list.output)) {
    const auto tab = line.find('\t');
    EXPECT_NE(tab, std::string::npos) << line;
    EXPECT_TRUE(rows.emplace(line.substr(0, tab), line.substr(tab + 1)).second) << line;
  }
  return rows;
}

/// What "key=value" gives a key, or `otherwise`; separators are commas, colons and spaces.
std::string value(const std::string& settings, const std::string& key,
                  const std::string& otherwise) {
  std::smatch match;
  const std::regex setting("(?:^|[,: ])" + key + "=([^, ]+)");
  return std::regex_search(settings, match, setting) ? match[1].str() : otherwise;
}

TEST(BookSimScript, HasTheRowsOfTheBenchmark) {
  // {"name", "topology", "engine", "switch model", "packet", "load", cycles, figure of BookSim}
  static const std::regex row(
      R"re(\{"([^"]+)",\s*"[^"]+",\s*"[^"]+",\s*"([^"]+)",\s*"([^"]+)",\s*"([^"]+)",)re"
      R"re(\s*[\d']+,\s*[\d.]+\})re");
  auto listed = listed_rows();
  const std::string text = read_file(source_dir() / "bench/flits.cpp");
  int found = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), row), end; at != end; ++at, ++found) {
    const std::string name = (*at)[1], model = (*at)[2];
    ASSERT_TRUE(listed.contains(name)) << name << " is missing in bench/booksim.sh";
    const std::string settings = listed[name];
    EXPECT_EQ(value(settings, "packet_size", ""), (*at)[3]) << name;
    EXPECT_EQ(std::stod(value(settings, "injection_rate", "0")), std::stod((*at)[4])) << name;
    EXPECT_EQ(value(settings, "vc_buf_size", "8"), value(model, "buffer", "8")) << name;
    const std::string lanes = value(settings, "num_vcs", "");
    EXPECT_EQ(value(model, "lanes", lanes), lanes) << name;
    listed.erase(name);
  }
  EXPECT_GT(found, 10);
  for (const auto& [name, settings] : listed)
    ADD_FAILURE() << name << " has no figure of BookSim in bench/flits.cpp";
}

TEST(BookSimScript, Explains) {
  const auto help = script("--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_TRUE(help.output.starts_with("usage: bench/booksim.sh BOOKSIM [ROW...]\n")) << help.output;
  EXPECT_NE(help.output.find("\nexample: bench/booksim.sh "), std::string::npos) << help.output;
}

TEST(InstructionsScript, ExplainsAndRefusesWrongWords) {
  const auto help = script_of("instructions.sh", "--help");
  EXPECT_EQ(help.status, 0);
  EXPECT_TRUE(help.output.starts_with("usage: bench/instructions.sh [ROW...]\n")) << help.output;
  EXPECT_NE(help.output.find("\nexample: bench/instructions.sh "), std::string::npos)
      << help.output;
  const auto wrong = script_of("instructions.sh", "--nonsense");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.output,
            "instructions.sh: there is no option --nonsense; see bench/instructions.sh --help\n");
}

TEST(BookSimScript, RefusesWrongWords) {
  const auto said = [](const std::string& words) {
    const auto result = script(words);
    EXPECT_EQ(result.status, 2) << words;
    return result.output;
  };
  const std::string help = "; see bench/booksim.sh --help\n";
  EXPECT_EQ(said(""), "booksim.sh: the path of BookSim is missing" + help);
  EXPECT_EQ(said("/nowhere/booksim"), "booksim.sh: there is no program /nowhere/booksim" + help);
  EXPECT_EQ(said("README.md"), "booksim.sh: README.md is not a program" + help);
  EXPECT_EQ(said("/bin/true nonsense"), "booksim.sh: no row's name contains \"nonsense\"" + help);
  EXPECT_EQ(said("--nonsense"), "booksim.sh: there is no option --nonsense" + help);
}

TEST(BookSimScript, StopsWhenTheProgramIsAnother) {
  const auto result = script("/bin/true 'mesh 8x8, 1 flit'");
  EXPECT_EQ(result.status, 1);
  EXPECT_NE(result.output.find("true printed no statistics: is it BookSim 2?\n"), std::string::npos)
      << result.output;
}

}  // namespace
}  // namespace weft::testing
