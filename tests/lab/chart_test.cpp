// SPDX-License-Identifier: Apache-2.0
// Charts of lines and bars: a line for each series, round ticks, text of any kind.
#include "lab/report/chart.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <pugixml.hpp>
#include <sstream>

#include "lab/drawn_picture.hpp"
#include "lab/report/report.hpp"

namespace weft::test::charts {
namespace {

using Texts = std::vector<std::string>;
constexpr double gap = std::numeric_limits<double>::quiet_NaN();

Chart two_flows() {
  Chart chart{"title", "note", "time, s", "MB/s", {}};
  chart.series.push_back({"", {{0, 40}, {2, gap}}, 0, true, true});
  chart.series.push_back({"one", {{0, 38}, {1, 41}, {2, gap}}, 0, false, true});
  chart.series.push_back({"two", {{0, gap}, {1, 20}, {2, gap}}, 1, false, true});
  return chart;
}

TEST(Chart, HasALineForEachSeriesAndLegendEntry) {
  const DrawnPicture drawn(two_flows());
  EXPECT_EQ(drawn.paths("line dashed").size(), 1U);
  EXPECT_EQ(drawn.paths("line").size(), 4U) << "two lines, and two samples of them";
  EXPECT_EQ(drawn.words("//text[@class='ink']"), (Texts{"one", "two"}));
  EXPECT_EQ(drawn.words("//text[@class='ink title']"), Texts{"title"});
}

TEST(Chart, StepsHoldUpToTheNextPoint) {
  const DrawnPicture drawn(two_flows());
  const std::string one = drawn.paths("line")[0], two = drawn.paths("line")[1];
  // Across, up, across to the end; and a line that begins in the middle.
  EXPECT_EQ(std::count(one.begin(), one.end(), 'H'), 2) << one;
  EXPECT_EQ(std::count(one.begin(), one.end(), 'V'), 1) << one;
  EXPECT_EQ(std::count(two.begin(), two.end(), 'M'), 1) << two;
  EXPECT_EQ(std::count(two.begin(), two.end(), 'H'), 1) << two;
}

TEST(Chart, LinesBreakAtGaps) {
  Chart chart;
  chart.series.push_back({"", {{0, 1}, {1, 2}, {2, gap}, {3, 1}, {4, 3}}, 0, false, false});
  const std::string path = DrawnPicture(chart).paths("line")[0];
  EXPECT_EQ(std::count(path.begin(), path.end(), 'M'), 2) << path;
  EXPECT_EQ(std::count(path.begin(), path.end(), 'L'), 2) << path;
}

TEST(Chart, TextIsEscapedAndCut) {
  Chart chart = two_flows();
  chart.title = "a < b & \"c\"\n" + std::string(200, 'x');
  chart.series[1].name = "</text><script>alert(1)</script>";
  chart.series[2].name = "fünfundfünfzig Flüsse mit sehr langen Namen";
  const DrawnPicture drawn(chart);
  EXPECT_TRUE(drawn.words("//text[@class='ink title']")[0].starts_with("a < b & \"c\"?xxx"));
  EXPECT_TRUE(drawn.words("//text[@class='ink title']")[0].ends_with("x…"));
  EXPECT_EQ(drawn.words("//text[@class='ink']")[0], "</text><script>alert(1)</script>");
  EXPECT_EQ(drawn.words("//text[@class='ink']")[1], "fünfundfünfzig Flüsse mit sehr …");
  EXPECT_FALSE(drawn.page.select_node("//script"));
}

TEST(Chart, ShowsManySeries) {
  Chart chart;
  for (std::size_t i = 0; i < 200; ++i)
    chart.series.push_back({"f" + std::to_string(i), {{0, 1}, {1, 2}}, i, false, true});
  const DrawnPicture drawn(chart);
  EXPECT_EQ(drawn.paths("line").size(), 200U + 14U);
  EXPECT_EQ(drawn.words("//text[@class='soft']").back(), "and 186 more");
}

TEST(Chart, NeedsNothing) {
  EXPECT_TRUE(DrawnPicture(Chart{}).paths("line").empty());
  Chart chart;
  chart.series.push_back({"nothing", {}, 0, false, true});
  chart.series.push_back({"zero", {{0, 0}, {1, 0}}, 0, false, true});
  EXPECT_EQ(DrawnPicture(chart).text.find("nan"), std::string::npos);
}

TEST(Ticks, AreRound) {
  const auto ticks = [](double most, int about) {
    const Ticks of = Ticks::up_to(most, about);
    std::string out;
    for (int i = 0; i <= of.count; ++i) out += (i > 0 ? " " : "") + of.text(i);
    return out;
  };
  EXPECT_EQ(ticks(85.3, 6), "0 20 40 60 80 100");
  EXPECT_EQ(ticks(6, 8), "0 1 2 3 4 5 6");
  EXPECT_EQ(ticks(0.35, 8), "0.00 0.05 0.10 0.15 0.20 0.25 0.30 0.35");
  EXPECT_EQ(ticks(1234, 6), "0 500 1000 1500");
  EXPECT_EQ(ticks(1, 6), "0.0 0.2 0.4 0.6 0.8 1.0");
  EXPECT_EQ(ticks(0, 6), "0 1");
}

TEST(ChartSheets, DashTheLineToAnOpenPointAndShowErrors) {
  Chart chart{.x_name = "load", .y_name = "latency", .log_y = true};
  chart.series.push_back({.name = "dor",
                          .points = {{0.1, 20, 5}, {0.2, 30, 0}, {0.3, 4000, 10, true}},
                          .marked = true});
  const DrawnPicture drawn(ChartSheet{"title", "note", {chart, chart}});
  EXPECT_EQ(drawn.all("//circle[@class='dot']").size(), 4U);
  EXPECT_EQ(drawn.all("//circle[@class='open']").size(), 2U);
  EXPECT_EQ(drawn.all("//path[@class='line dashed']").size(), 2U);
  EXPECT_EQ(drawn.all("//path[@class='error']").size(), 2U) << "one is too small to see";
  EXPECT_EQ(drawn.words("//text[@class='ink']"), Texts{"dor"}) << "one legend";
}

/// Equal factors are equally far apart; an arrow at the upper edge stands for what is above it.
TEST(ChartSheets, LogarithmicAxes) {
  Chart chart{.log_y = true};
  chart.series.push_back({.points = {{0, 10}, {1, 100}, {2, 1000}, {3, 1e9}}, .marked = true});
  chart.y_limit = 1000;
  const DrawnPicture drawn(ChartSheet{"", "", {chart}});
  const std::vector<double> heights = drawn.numbers("//circle", "cy");
  ASSERT_EQ(heights.size(), 3U);
  EXPECT_NEAR(heights[0] - heights[1], heights[1] - heights[2], 0.2);
  EXPECT_EQ(drawn.all("//path[@class='open']").size(), 1U);
}

TEST(BarCharts, LengthsAreProportional) {
  BarChart chart{"title", "note", {{"a", 1, " %"}, {"b", 0, ""}}, {}};
  chart.rows = {{.name = "group"},
                {.name = "one", .values = {10, 4}},
                {.name = "two", .values = {20, std::nan("")}},
                {.name = "three", .remark = "refused: <no>"}};
  const DrawnPicture drawn(chart);
  const std::vector<double> widths = drawn.numbers("//rect[@class='bar']", "width");
  ASSERT_EQ(widths.size(), 3U);
  EXPECT_NEAR(widths[2], 2 * widths[0], 0.2);
  EXPECT_EQ(drawn.words("//text[@class='ink']"), (Texts{"one", "two", "three"}));
  EXPECT_EQ(drawn.words("//text[@class='soft']").back(), "refused: <no>");
}

TEST(SweepPlots, EndCurvesAtTheFirstPointThatIsNotSteady) {
  std::vector<SweepRow> rows;
  for (const char* tables : {"dor", "updown"})
    for (const char* load : {"0.1", "0.2", "0.3", "0.4"}) {
      SweepRow row;
      row.result.spec.fabric = "ring";
      row.result.spec.tables = tables;
      row.result.spec.load = load;
      row.result.accepted = row.result.offered = std::stod(load);
      row.result.packets = 10;
      row.result.mean = 20;
      if (row.result.spec.tables == "updown" && row.result.offered > 0.25) {
        row.result.outcome = SimulationOutcome::saturated;
        row.result.mean = 1e6;
      }
      rows.push_back(row);
    }
  std::ostringstream out;
  write_svg(out, chart_of(rows));
  pugi::xml_document page;
  ASSERT_TRUE(page.load_string(out.str().c_str()));
  EXPECT_EQ(page.select_nodes("//text[@class='ink']").size(), 2U);
  // Latency: 4 and 2 steady points, an arrow to the first saturated one, and no deadlock; accepted:
  // all, two of them open.
  EXPECT_EQ(page.select_nodes("//circle[@class='dot']").size(), 6U + 6U);
  EXPECT_EQ(page.select_nodes("//circle[@class='open']").size(), 2U);
  EXPECT_EQ(page.select_nodes("//path[@class='open']").size(), 1U);
  EXPECT_EQ(out.str().find("crosses"), std::string::npos);
  rows.back().result.outcome = SimulationOutcome::deadlocked;
  std::ostringstream again;
  write_svg(again, chart_of(rows));
  ASSERT_TRUE(page.load_string(again.str().c_str()));
  EXPECT_EQ(page.select_nodes("//circle[@class='open']").size(), 1U);
  EXPECT_EQ(page.select_nodes("//path[@class='error']").size(), 1U);
  EXPECT_NE(again.str().find("crosses: deadlock"), std::string::npos);
}

}  // namespace
}  // namespace weft::test::charts
