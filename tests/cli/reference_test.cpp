// SPDX-License-Identifier: Apache-2.0
// The reference: pages for man(1) have every verb and option and no errors, generated documents are
// up to date, and every row of every catalogue can be asked for.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/reference/catalogues.hpp"
#include "cli/reference/topics.hpp"
#include "command.hpp"

namespace weft::testing {
namespace {

using Reference = Command;

/// A text as roff has it.
std::string in_roff(std::string text) {
  for (std::size_t at = 0; (at = text.find('-', at)) != std::string::npos; at += 2)
    text.insert(at, "\\");
  return text;
}

TEST_F(Reference, EveryVerbAndOptionIsInItsManualPage) {
  ASSERT_EQ(run("weft help --man-pages man").status, 0);
  const std::string main_page = read_file(path("man/man1/weft.1"));
  for (const cli::Verb& verb : cli::verbs()) {
    const std::string page = read_file(path(fmt::format("man/man1/weft-{}.1", verb.name)));
    EXPECT_NE(main_page.find(fmt::format("\\fB{}\\fR", verb.name)), std::string::npos);
    const cli::Takes known = cli::takes(verb);
    for (const cli::Takes::Positional& place : known.places)
      EXPECT_NE(page.find(fmt::format("\\fB{}\\fR", place.name)), std::string::npos) << place.name;
    EXPECT_FALSE(known.options.empty());
    for (const cli::Takes::Option& option : known.options)
      for (const std::string& name : option.names)
        EXPECT_NE(page.find(in_roff(name)), std::string::npos) << verb.name << ' ' << name;
    EXPECT_EQ(run(fmt::format("weft help --man {}", verb.name)).out, page);
  }
  EXPECT_NE(read_file(path("man/man1/weft-verify.1")).find("weft\\-verify FABRIC TABLES"),
            std::string::npos);
  for (const cli::Topic& topic : cli::topics())
    EXPECT_TRUE(std::filesystem::exists(
        path(fmt::format("man/man{0}/weft-{1}.{0}", topic.manual_section, topic.name))));
}

TEST_F(Reference, EveryVerbIsInTheTableOfVerbs) {
  const std::string page = read_file(source_dir() / "docs/reference/commands.md");
  for (const cli::Verb& verb : cli::verbs())
    EXPECT_NE(page.find(fmt::format("`{} ", verb.name)), std::string::npos) << verb.name;
}

TEST_F(Reference, EveryResultFileIsDescribed) {
  std::istringstream page(read_file(source_dir() / "docs/reference/results.md"));
  std::vector<std::string> headings;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("## ")) headings.push_back(line);
  const auto is_result = [](const std::string& name) {
    return name == "--csv" || name == "--json" || name == "--by-rank" || name == "--links";
  };
  for (const cli::Verb& verb : cli::verbs())
    for (const cli::Takes::Option& option : cli::takes(verb).options)
      for (const std::string& name : option.names)
        EXPECT_TRUE(!is_result(name) ||
                    std::any_of(headings.begin(), headings.end(),
                                [&](const std::string& heading) {
                                  const std::string command = fmt::format("weft {} ", verb.name);
                                  const auto place = heading.find(command);
                                  return place != std::string::npos &&
                                         heading.find(name, place) != std::string::npos;
                                }))
            << verb.name << ' ' << name;
}

TEST_F(Reference, ManualPagesHaveNoErrors) {
  if (run("command -v groff").status != 0) GTEST_SKIP() << "groff is not installed";
  ASSERT_EQ(run("weft help --man-pages man").status, 0);
  const ProgramOutput output =
      run("for page in man/*/*; do groff -ww -man -Kutf8 -Tutf8 -z $page; done");
  EXPECT_EQ(output.err, "");
  EXPECT_EQ(output.status, 0);
}

TEST_F(Reference, DocumentsAreUpToDate) {
  for (const cli::Topic& topic : cli::topics()) {
    const std::string file = fmt::format("docs/reference/{}.md", topic.name);
    EXPECT_EQ(run(fmt::format("weft help --markdown {}", topic.name)).out,
              read_file(source_dir() / file))
        << "weft help --markdown " << topic.name << " > " << file << " renews it";
  }
}

TEST_F(Reference, EveryRowOfEveryCatalogueIsPrinted) {
  const std::string page = run("weft help catalogues").out;
  for (const cli::Listing& kind : cli::listings())
    for (const cli::ListedItem& item : kind.entries()) {
      const std::string start = item.params.empty() ? "\n  " : "\n";
      EXPECT_NE(page.find(start + item.name), std::string::npos) << kind.name << ' ' << item.name;
      for (const Param& param : item.params)
        EXPECT_NE(page.find(fmt::format("\n  {} ", param.name)), std::string::npos) << param.name;
    }
  for (const char* words : {"nics hca", "engines dl", "collectives hardware", "papers ibamesh"}) {
    const ProgramOutput output = run(fmt::format("weft list {}", words));
    EXPECT_EQ(output.status, 0) << output.err;
    for (const std::string& line : split_lines(output.out)) EXPECT_LE(line.size(), 120U) << line;
  }
}

TEST_F(Reference, CataloguesAsJson) {
  const auto json = nlohmann::json::parse(run("weft list nics hca --json -").out);
  EXPECT_EQ(json["weft"], "catalogues 1");
  const auto& rows = json["catalogues"]["nics"];
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["parameters"][0],
            (nlohmann::json{{"name", "post"},
                            {"default", "80ns"},
                            {"values", "time"},
                            {"meaning", "processor: write a work queue entry with its doorbell"}}));
  const auto all = nlohmann::json::parse(run("weft list --json -").out);
  EXPECT_EQ(all["catalogues"].size(), cli::listings().size());
}

}  // namespace
}  // namespace weft::testing
