// SPDX-License-Identifier: Apache-2.0
// Pages: what papers state is read whole, the summary has one form, JSON and CSV carry everything.
#include "papers/runner/page.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "base/error.hpp"
#include "lab/embedded.hpp"
#include "lab/revision.hpp"
#include "papers/catalog.hpp"
#include "papers/runner/expected.hpp"
#include "papers/runner/html_page.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::papers {
namespace {

std::string complaint(const std::string& text) {
  try {
    read_stated({"p.csv", text});
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

const std::string example_text =
    "id,kind,cases,paper,unit,says\n"
    "fig1/a,prediction,,100,MB/s,one flow\n"
    "# a remark\n"
    "fig1/b,prediction,,50,MB/s,two flows\n"
    "fig1/c,cal,,10,us,start\n"
    "fig1/e,derived,,2,,flow b to a\n"
    "\"fig2/N(1,2)\",worked example,,\"1, \"\"2\"\"\",,ports\n"
    "fig2/d,claim,3,,,more is better\n"
    "fig2/f,again,,fig1/b,,two flows\n"
    "fig2/g,check,,,,it ends\n"
    "fig2/h,ours,,,,and without limits\n";

TEST(Stated, IsReadFromCsv) {
  const auto stated = read_stated({"p.csv", example_text});
  ASSERT_EQ(stated.size(), 9U);
  EXPECT_EQ(stated[0].id, "fig1/a");
  EXPECT_EQ(stated[0].kind, StatementKind::prediction);
  EXPECT_EQ(stated[0].value, 100);
  EXPECT_EQ(stated[0].unit, "MB/s");
  EXPECT_EQ(stated[0].says, "one flow");
  EXPECT_EQ(stated[2].kind, StatementKind::calibration);
  EXPECT_EQ(stated[3].kind, StatementKind::derived);
  EXPECT_EQ(stated[4].id, "fig2/N(1,2)");
  EXPECT_EQ(stated[4].kind, StatementKind::example);
  EXPECT_EQ(stated[4].paper, "1, \"2\"");
  EXPECT_EQ(stated[5].kind, StatementKind::claim);
  EXPECT_EQ(stated[5].cases, 3U);
  // The same number in another table: kind and number are those of the first.
  EXPECT_EQ(stated[6].kind, StatementKind::prediction);
  EXPECT_EQ(stated[6].repeats, "fig1/b");
  EXPECT_EQ(stated[6].value, 50);
  EXPECT_EQ(stated[6].unit, "MB/s");
  EXPECT_EQ(stated[7].kind, StatementKind::check);
  EXPECT_EQ(stated[8].kind, StatementKind::ours);
}

TEST(Stated, ComplaintsNameTheLine) {
  const std::string right =
      "a line is id,kind,cases,paper,unit,says; kinds are prediction, derived, worked example, "
      "claim (with the number of cases it names), check, ours, cal, and again (with the id of the "
      "line it repeats)";
  EXPECT_EQ(complaint("id,kind,cases,paper,unit,says\nfig1/a,guess,,1,,x\n"), "p.csv:2: " + right);
  EXPECT_EQ(complaint("fig1/a,claim,1,,x\n"), "p.csv:1: " + right);
  EXPECT_EQ(complaint("fig1,claim,1,,,x\n"), "p.csv:1: " + right);
  EXPECT_EQ(complaint("fig1/a,claim,,,,x\n"), "p.csv:1: " + right);
  EXPECT_EQ(complaint("fig1/a,check,2,,,x\n"), "p.csv:1: " + right);
  EXPECT_EQ(complaint("fig1/a,prediction,,much,,x\n"), "p.csv:1: " + right);
  EXPECT_EQ(complaint("fig1/a,cal,,0,,x\n"), "p.csv:1: " + right);
  EXPECT_EQ(complaint("fig1/a,again,,fig1/b,,x\n"), "p.csv:1: " + right);
}

TEST(Stated, IsEmbeddedInTheProgram) {
  auto files = testing::files_below("src/papers", {".csv"});
  std::erase_if(files, [](const auto& file) { return file.filename() != "expected.csv"; });
  const auto embedded = embedded_expectations();
  ASSERT_EQ(embedded.size(), files.size());
  ASSERT_EQ(embedded.size(), papers().size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(embedded[i].name, files[i].parent_path().filename().string());
    EXPECT_EQ(embedded[i].text, testing::read_file(weft::testing::source_dir() / files[i]));
  }
  for (const Paper& paper : papers()) EXPECT_FALSE(stated_by(paper.name).empty()) << paper.name;
  try {
    stated_by("nobody");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "there is no file of what the paper nobody states");
  }
}

TEST(Stated, BelongsToAnExperiment) {
  for (const Paper& paper : papers())
    for (const Stated& stated : stated_by(paper.name)) {
      const std::string experiment = stated.id.substr(0, stated.id.find('/'));
      EXPECT_NO_THROW(find_request(fmt::format("{}/{}", paper.name, experiment))) << stated.id;
    }
}

Page example() {
  const auto stated = read_stated({"p.csv", example_text});
  Answers first(stated, "fig1"), second(stated, "fig2");
  first.number("a", 109.9);
  first.number("b", 42.9, "the bus is shared");
  first.number("c", 10.5);
  first.number("e", 2.5);
  second.exact("N(1,2)", "1, \"2\"");
  Cases more;
  more.add(true, "A");
  more.add(false, "B");
  more.add(true, "C");
  second.claim("d", more, "a bound says so");
  second.number("f", 42.9);
  second.claim("g", true, "it did");
  second.claim("h", false, "never");
  Page page{.name = "example", .title = "A Title", .declared = {{"speed", "8Gb/s"}}, .seed = 7};
  page.sections.push_back({"fig1", "flows", {"a note"}, {}, std::move(first).done()});
  const Sheet sheet{"data", "times in us", {"size", "time"}, {{std::int64_t{32}, 1.25}}};
  page.sections.push_back({"fig2", "ports", {}, {sheet}, std::move(second).done()});
  return page;
}

const std::regex summary_form(
    R"(\S+( \(quick\))?( \(\d+ seeds\))?: \d+ of \d+ predictions within 10 %, )"
    R"(\d+ of \d+ claims hold, worst [+-]\d+\.\d % \(\S+\); \d+ derived, )"
    R"(\d+ worked examples( \(\d+ FAIL\))?, \d+ checks( \(\d+ FAIL\))?, \d+ cal(, \d+ ours( \(\d+ FAIL\))?)?)");

TEST(Summary, HasOneForm) {
  Page page = example();
  EXPECT_EQ(summary(page),
            "example: 1 of 2 predictions within 10 %, 0 of 1 claims hold, worst +25.0 % (fig1/e); "
            "1 derived, 1 worked examples, 1 checks, 1 cal, 1 ours (1 FAIL)");
  EXPECT_TRUE(std::regex_match(summary(page), summary_form));
  page.quick = true;
  page.sections.erase(page.sections.begin());
  EXPECT_EQ(summary(page),
            "example (quick): 0 of 1 predictions within 10 %, 0 of 1 claims hold, worst -14.2 % "
            "(fig2/f); 0 derived, 1 worked examples, 1 checks, 0 cal, 1 ours (1 FAIL)");
  EXPECT_TRUE(std::regex_match(summary(page), summary_form));
  page.sections[0].answers[3].holds = false;  // a bug is told
  EXPECT_NE(summary(page).find(", 1 checks (1 FAIL), "), std::string::npos) << summary(page);
  EXPECT_TRUE(std::regex_match(summary(page), summary_form));
  page.seeds = 10;
  EXPECT_TRUE(std::regex_match(summary(page), summary_form));
  page.sections.clear();
  EXPECT_TRUE(std::regex_match(summary(page), summary_form));
}

template <class... Arguments>
std::string written(void (*write)(std::ostream&, const Page&, Arguments...), const Page& page,
                    Arguments... arguments) {
  std::ostringstream out;
  write(out, page, arguments...);
  return out.str();
}

TEST(Page, IsHumanReadable) {
  EXPECT_EQ(written(write_page, example()),
            "A Title\n"
            "declared: speed=8Gb/s\n"
            "\n"
            "fig1: flows\n"
            "  a note\n"
            "  met    fig1/a  one flow: paper 100 MB/s, ours 109.9, +9.9 %\n"
            "  OFF    fig1/b  two flows: paper 50 MB/s, ours 42.9, -14.2 %; the bus is shared\n"
            "  cal    fig1/c  start: paper 10 us, ours 10.5, +5.0 %\n"
            "  OFF    fig1/e  flow b to a: paper 2, ours 2.50, +25.0 %; derived\n"
            "\n"
            "fig2: ports\n"
            "  times in us\n"
            "  size time\n"
            "    32 1.25\n"
            "\n"
            "  exact  fig2/N(1,2)  ports: 1, \"2\"\n"
            "  FAILS  fig2/d       more is better; in 2 of 3 cases; not for B; a bound says so\n"
            "  OFF    fig2/f       two flows: paper 50 MB/s, ours 42.9, -14.2 %; the same as "
            "fig1/b\n"
            "  holds  fig2/g       it ends; it did\n"
            "  FAILS  fig2/h       and without limits; ours; never\n"
            "\n" +
                summary(example()) + "\n");
}

TEST(Page, AQuickOneSaysSo) {
  Page page = example();
  page.quick = true;
  EXPECT_NE(written(write_page, page).find("\nQUICK: "), std::string::npos);
}

TEST(Page, AsJson) {
  const nlohmann::json json = document_of(example());
  EXPECT_EQ(json["weft"], "page 1");
  EXPECT_EQ(json["revision"], std::string(revision()));
  EXPECT_EQ(json["seed"], 7);
  EXPECT_EQ(json["quick"], false);
  EXPECT_EQ(json["declared"]["speed"], "8Gb/s");
  EXPECT_EQ(json["summary"], summary(example()));
  const auto& answers = json["sections"][0]["answers"];
  EXPECT_EQ(answers[1]["paper"], 50);
  EXPECT_EQ(answers[1]["ours"], 42.9);
  EXPECT_NEAR(answers[1]["deviation"].get<double>(), -0.142, 1e-9);
  EXPECT_EQ(answers[1]["holds"], false);
  EXPECT_EQ(json["sections"][1]["answers"][0]["deviation"], nullptr);
  EXPECT_EQ(json["sections"][1]["sheets"][0]["rows"][0]["time"], 1.25);
}

TEST(Page, AsHtmlNamesTheFigureOfEachPanel) {
  Page page = example();
  page.declared.emplace_back("seed", "7");
  ChartSheet sheet{.title = "Figure 5", .note = "with errors"};
  sheet.charts = {{.title = "(a) small"}, {.title = "(b) large", .note = "its own"}};
  page.sections[0].figures = {{"fig5", sheet}, {"fig6", Chart{.title = "Figure 6"}}};
  const HtmlPage html = html_page(page);
  ASSERT_EQ(html.specs.size(), 1U);  // the seed is said once
  const auto& figures = html.sections[0].at("figures");
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0]["title"], "Figure 5: (a) small");
  EXPECT_EQ(figures[0]["note"], "with errors");
  EXPECT_EQ(figures[1]["title"], "Figure 5: (b) large");
  EXPECT_EQ(figures[1]["note"], "its own");
  EXPECT_EQ(figures[2]["title"], "Figure 6");
}

TEST(Page, AsCsv) {
  const std::string origin = fmt::format(",,false,7,{}\n", revision());
  const std::string answers = written<>(write_csv, example());
  EXPECT_TRUE(
      answers.starts_with("id,kind,says,paper,ours,unit,deviation,holds,cases,held,interval,seeds,"
                          "seeds_held,open,repeats,because,"
                          "cluster,quick,seed,revision\n"
                          "fig1/a,prediction,one flow,100.0,109.9,MB/s,"))
      << answers;
  EXPECT_NE(answers.find("\"fig2/N(1,2)\",worked example,ports,\"1, \"\"2\"\"\",\"1, "
                         "\"\"2\"\"\",,,true,,,,1,,false,," +
                         origin),
            std::string::npos)
      << answers;
  const Page page = example();
  EXPECT_EQ(written<const Sheet&>(write_csv, page, page.sections[1].sheets[0]),
            "size,time,cluster,quick,seed,revision\n32,1.25" + origin);
}

TEST(Numbers, AreHumanReadable) {
  EXPECT_EQ(human_readable(8389.2), "8389");
  EXPECT_EQ(human_readable(102.44), "102.4");
  EXPECT_EQ(human_readable(3.314), "3.31");
  EXPECT_EQ(human_readable(-0.5), "-0.50");
}

TEST(AnswersDeathTest, NothingIsHidden) {
  const auto stated = read_stated({"p.csv", example_text});
  EXPECT_DEATH(Answers(stated, "fig2").done(), "bug: unanswered: fig2/N\\(1,2\\)");
  EXPECT_DEATH(Answers(stated, "fig2").claim("e", true, ""), "the paper does not state fig2/e");
  EXPECT_DEATH(Answers(stated, "fig2").number("d", 1), "in another form: fig2/d");
}

TEST(Papers, AreFoundByName) {
  const PaperRequest whole = find_request("ibamesh");
  EXPECT_EQ(whole.paper->name, "ibamesh");
  EXPECT_EQ(whole.experiments.size(), whole.paper->experiments.size());
  EXPECT_EQ(find_request("ibamesh/mft").experiments, std::vector<std::string>{"mft"});
  EXPECT_THROW(find_request("ibamesh/"), Error);  // texts: tests/transcripts/reproduce.txt
  EXPECT_THROW(find_request(""), Error);
}

}  // namespace
}  // namespace weft::papers
