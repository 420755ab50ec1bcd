// SPDX-License-Identifier: Apache-2.0
// The RHiNET-2 paper: what is exact in it, the calibration of its cluster file, barriers against a
// closed form, and the quick version of the study.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "base/message.hpp"
#include "papers/catalog.hpp"
#include "papers/claims_and_figures.hpp"
#include "papers/pages.hpp"
#include "papers/rhinet2/experiments.hpp"

namespace weft::papers {
namespace {

/// Of the whole quick study, which is run once.
const Page& quick_page() {
  static const Page page = page_of("rhinet2");
  return page;
}
const Section& quick_section(const std::string& id) {
  const auto& all = quick_page().sections;
  return *std::find_if(all.begin(), all.end(), [&](const Section& one) { return one.id == id; });
}

TEST(Rhinet2Paper, HopsAndBisectionsAreAsPrinted) {
  for (const char* table : {"table1", "table3"})
    for (const Comparison& answer : quick_section(table).answers)
      EXPECT_TRUE(answer.holds) << answer.stated.id;
}

/// T = 2.887 us x steps + 0.7 us x links on the deepest chain.
TEST(Rhinet2Paper, NumericalOrdersTakeTheirChainOfMessages) {
  const auto found = answers(quick_page());
  const auto closed = [](int steps, int links) { return 2.887 * steps + 0.7 * links; };
  EXPECT_NEAR(found.at("table11/Clos 16/SHIO").value, closed(8, 4), 0.1);
  EXPECT_NEAR(found.at("table11/fat tree 6/SHIO").value, closed(8, 4), 0.1);
  EXPECT_NEAR(found.at("table11/mesh 4x2/SHIO").value, closed(10, 4), 0.1);
}

TEST(Rhinet2Paper, TheQuickStudyAnswersEverything) {
  const auto found = answers(quick_page());
  std::size_t stated = 0;
  const std::vector<std::string> quick = find_request("rhinet2", true).experiments;
  for (const Stated& each : stated_by("rhinet2"))
    stated += static_cast<std::size_t>(
        std::count(quick.begin(), quick.end(), each.id.substr(0, each.id.find('/'))));
  EXPECT_EQ(found.size(), stated);
  std::size_t calibrated = 0;
  for (const auto& [id, answer] : found) {
    if (answer.stated.kind != StatementKind::calibration) continue;
    ++calibrated;
    EXPECT_LT(std::abs(answer.deviation), 0.01) << id;
  }
  EXPECT_EQ(calibrated, 4U);
  for (const char* id : {"table9/order", "table11/order", "table12/switches", "fig6/linear",
                         "fig10/no-distance", "fig9/Clos"})
    EXPECT_TRUE(found.at(id).holds) << id << ": " << found.at(id).because;
  for (const auto& [id, answer] : found) {  // average barriers, but for prefix routing
    const bool barrier = id.starts_with("table") && !id.starts_with("table12") &&
                         answer.stated.kind == StatementKind::prediction;
    const bool average =
        id.find("spread") == std::string::npos && id.find("largest") == std::string::npos;
    if (barrier && average && id.find("prefix") == std::string::npos) {
      EXPECT_LT(std::abs(answer.deviation), 0.12) << id;
    }
  }
  expect_judged_cases(quick_page());
  // The surrogate is called one wherever it appears.
  for (const auto& [id, answer] : found) EXPECT_EQ(id.find("/B/"), std::string::npos) << id;
}

TEST(Rhinet2Paper, FiguresHaveThePapersPanels) {
  const std::map<std::string, std::size_t> panels{{"fig5", 9}, {"fig6", 2}, {"fig7", 8},
                                                  {"fig8", 1}, {"fig9", 2}, {"fig10", 5}};
  for (const auto& [name, count] : panels) {
    const std::vector<PaperFigure>& figures = quick_section(name).figures;
    ASSERT_EQ(figures.size(), 1U) << name;
    EXPECT_EQ(figures.front().name, name);
    const std::vector<Chart> charts = charts_of(figures.front());
    EXPECT_EQ(charts.size(), count) << name;
    for (const Chart& chart : charts) expect_drawable(chart);
  }
}

TEST(Rhinet2Paper, SheetsHaveThePrintedMaxMin) {
  const std::vector<Stated> stated = stated_by("rhinet2");
  const Sheet& sheet = quick_section("table9").sheets.front();
  ASSERT_EQ(sheet.rows.size(), 6U);
  for (const auto& row : sheet.rows) {
    const std::string order = std::get<std::string>(row[0]);
    EXPECT_EQ(std::get<double>(row[1]), value_of(stated, "table9/A/updown/spread/" + order));
    // Back to back no host gets ahead of the others.
    EXPECT_LT(std::get<double>(row[3]), std::get<double>(row[2])) << order;
  }
}

TEST(Rhinet2Paper, SeedsChangeWhatIsDrawnAndNothingElse) {
  const auto values = [](const std::string& experiment, std::uint64_t repetition) {
    std::vector<double> out;
    for (const auto& [id, answer] :
         answers(reproduce(experiment, {.quick = true, .repetition = repetition, .threads = 2})))
      if (answer.form == AnswerForm::number) out.push_back(answer.value);
    return out;
  };
  for (const char* fixed : {"rhinet2/fig6", "rhinet2/table1"})
    EXPECT_EQ(values(fixed, 0), values(fixed, 1)) << fixed;
  for (const char* drawn : {"rhinet2/fig8", "rhinet2/table13", "rhinet2/simstudy"})
    EXPECT_NE(values(drawn, 0), values(drawn, 1)) << drawn;
}

TEST(Rhinet2Paper, CellsAreMeansOverSeeds) {
  const Page page = reproduce_with_seeds("rhinet2/simstudy", {.quick = true, .threads = 2}, 2);
  for (const auto& row : page.sections.front().sheets.front().rows)
    for (std::size_t column = 1; column < row.size(); ++column)
      EXPECT_TRUE(std::holds_alternative<SeedMean>(row[column])) << column;
}

TEST(Rhinet2Paper, SameBytesWithAnyNumberOfThreads) {
  const auto written = [](unsigned threads) {
    std::ostringstream out;
    write_page(out, reproduce("rhinet2/table13", {.quick = true, .threads = threads}));
    return out.str();
  };
  EXPECT_EQ(written(1), written(3));
}

TEST(Rhinet2Study, TrafficOf32Hosts) {
  const Lab lab{.quick = true};
  const Cluster cluster = find_cluster("rhinet2");
  const rhinet2::Rhinet2Study study(lab, cluster);
  const Fabric& mesh = study.machine("mesh 32", "dor").fabric();
  EXPECT_EQ(rhinet2::traffic(mesh, "bit-reversal").size(), 24U);  // 8 hosts are their own mirror
  EXPECT_EQ(rhinet2::traffic(mesh, "complement").front(), std::pair(HostId(0), HostId(31)));
  const auto transpose = rhinet2::traffic(mesh, "transpose");
  EXPECT_EQ(transpose.size(), 32U);                           // no host is left out
  EXPECT_EQ(transpose[1], std::pair(HostId(1), HostId(31)));  // (0,0) to (3,3)
  EXPECT_EQ(transpose[6], std::pair(HostId(6), HostId(24)));  // (3,0) to (0,3), the diagonal
  EXPECT_EQ(rhinet2::traffic(mesh, "pair 3").front(), std::pair(HostId(0), HostId(4)));
}

TEST(Rhinet2Study, WrongClustersAreRefused) {
  const Lab lab{.quick = true};
  Cluster cluster = find_cluster("rhinet2");
  cluster.nic.clear();
  EXPECT_EQ(test::message_of([&] { rhinet2::Rhinet2Study(lab, cluster); }),
            "RHiNET-2: [switches] needs a model and [hosts] a nic for this study");
  cluster = find_cluster("rhinet2");
  cluster.paper["orders"] = "5";
  EXPECT_EQ(test::message_of([&] { rhinet2::Rhinet2Study(lab, cluster); }),
            "rhinet2: orders=5: a whole number from 10 to 1000000 is needed");
}

}  // namespace
}  // namespace weft::papers
