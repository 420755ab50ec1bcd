// SPDX-License-Identifier: Apache-2.0
// Pages of several seeds as one: means, intervals, verdicts on which seeds disagree; and which
// experiments depend on a seed at all.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <sstream>

#include "papers/pages.hpp"
#include "papers/runner/expected.hpp"
#include "papers/runner/seeds.hpp"

namespace weft::papers {
namespace {

const std::string stated_text =
    "id,kind,cases,paper,unit,says\n"
    "fig1/a,prediction,,100,MB/s,one flow\n"
    "fig1/b,claim,2,,,more is better\n"
    "fig2/c,prediction,,10,us,a message\n";

Section first_figure(double value, bool holds) {
  Answers answers(read_stated({"p.csv", stated_text}), "fig1");
  answers.number("a", value);
  Cases cases;
  cases.add(true, "A");
  cases.add(holds, "B");
  answers.claim("b", cases);
  Section out{.id = "fig1", .about = "flows"};
  out.sheets.push_back(
      {"fig1", "MB/s", {"hosts", "rate", "name"}, {{std::int64_t{2}, value, "x"}}});
  Chart chart = figure_chart("Figure 1", "hosts", "MB/s");
  add_curve(chart, "ours").points = {{.x = 2, .y = value}};
  add_published(chart, {{.x = 2, .y = 100}});
  out.figures.push_back({"fig1", chart});
  out.answers = std::move(answers).done();
  return out;
}

std::vector<Page> pages_of(const std::vector<double>& values, std::size_t failing) {
  std::vector<Page> out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    out.emplace_back();
    out.back().sections.push_back(first_figure(values[i], i >= failing));
  }
  Answers fixed(read_stated({"p.csv", stated_text}), "fig2");
  fixed.number("c", 10.5);
  Section second{.id = "fig2", .about = "messages"};
  second.answers = std::move(fixed).done();
  out.front().sections.push_back(second);  // it depends on no seed
  return out;
}

TEST(Seeds, NumbersAreMeansWithIntervals) {
  const Page page = over_seeds(pages_of({104, 106, 108}, 0));
  const Comparison& answer = page.sections[0].answers[0];
  EXPECT_DOUBLE_EQ(answer.value, 106);
  EXPECT_NEAR(answer.half_width, 4.303 * 2 / std::sqrt(3), 1e-3);  // Student's t for two
  EXPECT_NEAR(answer.deviation, 0.06, 1e-12);
  EXPECT_TRUE(answer.open);  // 106 ± 5 lies on both sides of 110
  EXPECT_FALSE(answer.holds);
  EXPECT_EQ(answer.seeds, 3U);
  EXPECT_FALSE(over_seeds(pages_of({104, 104.1, 103.9}, 0)).sections[0].answers[0].open);
  const Comparison& fixed = page.sections[1].answers[0];
  EXPECT_EQ(fixed.seeds, 1U);
  EXPECT_EQ(fixed.half_width, 0);
}

TEST(Seeds, SheetsAndFiguresHaveIntervals) {
  const Page page = over_seeds(pages_of({104, 106, 108}, 0));
  const std::vector<Cell>& row = page.sections[0].sheets[0].rows[0];
  EXPECT_EQ(std::get<std::int64_t>(row[0]), 2);  // the same with all seeds
  EXPECT_DOUBLE_EQ(std::get<SeedMean>(row[1]).mean, 106);
  EXPECT_EQ(std::get<std::string>(row[2]), "x");
  const Chart& chart = std::get<Chart>(page.sections[0].figures[0].chart);
  EXPECT_DOUBLE_EQ(chart.series[0].points[0].y, 106);
  EXPECT_GT(chart.series[0].points[0].error, 4);
  EXPECT_EQ(chart.series[1].points[0].error, 0);  // the paper's
  std::ostringstream csv, text;
  write_csv(csv, page, page.sections[0].sheets[0]);
  EXPECT_TRUE(csv.str().starts_with(
      "hosts,rate,name,rate interval,cluster,quick,seed,revision\n2,106.0,x,"))
      << csv.str();
  write_page(text, page);
  EXPECT_NE(text.str().find("ours 106.0±4.97, +6.0 %; its interval lies on both sides of 10 %"),
            std::string::npos)
      << text.str();
}

TEST(Seeds, VerdictsOnWhichTheyDisagreeAreOpen) {
  const auto verdict = [](std::size_t failing) {
    return over_seeds(pages_of({100, 101, 102}, failing)).sections[0].answers[1];
  };
  EXPECT_TRUE(verdict(0).holds);
  EXPECT_FALSE(verdict(0).open);
  EXPECT_FALSE(verdict(1).holds);
  EXPECT_TRUE(verdict(1).open);
  EXPECT_EQ(verdict(1).seeds_held, 2U);
  EXPECT_EQ(verdict_word(verdict(1)), "OPEN");
  EXPECT_FALSE(verdict(3).open);
  EXPECT_EQ(verdict_word(verdict(3)), "FAILS");
}

TEST(Seeds, OnePageIsAsItIs) {
  const Page page = over_seeds(pages_of({104}, 0));
  EXPECT_EQ(page.seeds, 1U);
  EXPECT_EQ(page.sections[0].answers[0].seeds, 1U);
}

/// The answers of every experiment of a paper.
std::map<std::string, std::string> answers_with(std::string_view paper, std::uint64_t repetition) {
  std::map<std::string, std::string> out;
  const Page page = reproduce(paper, {.quick = true, .repetition = repetition, .threads = 2});
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers)
      out[section.id] += fmt::format("{} {} {} {}\n", answer.stated.id, answer.value, answer.holds,
                                     answer.because);
  return out;
}

/// All papers in long tests, otherwise one whose study is short.
TEST(Seeds, OnlyExperimentsDrawnAtRandomDependOnThem) {
  const bool is_long = std::getenv("WEFT_LONG") != nullptr;
  for (const Paper& paper : papers()) {
    if (paper.name != "ibamesh" && !is_long) continue;
    auto first = answers_with(paper.name, 0), second = answers_with(paper.name, 1);
    for (const Experiment& experiment : paper.experiments) {
      const std::string name(experiment.name);
      EXPECT_EQ(first[name] == second[name], !experiment.random) << paper.name << '/' << name;
    }
  }
}

}  // namespace
}  // namespace weft::papers
