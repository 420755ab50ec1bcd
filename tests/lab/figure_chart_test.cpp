// SPDX-License-Identifier: Apache-2.0
// Charts as papers have them: scales, categories, bands, rings around published values, columns;
// and any chart at all stays within its picture.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <limits>
#include <set>

#include "lab/drawn_picture.hpp"

namespace weft::test::figures {
namespace {

using Texts = std::vector<std::string>;
constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr double endless = std::numeric_limits<double>::infinity();

std::vector<ChartPoint> points(std::initializer_list<double> xs, double y = 1) {
  std::vector<ChartPoint> out;
  for (const double x : xs) out.push_back({x, y});
  return out;
}

Chart unlined(std::vector<ChartPoint> of) {
  Chart chart;
  chart.series.push_back({.points = std::move(of), .unlined = true});
  return chart;
}

TEST(FigureCharts, LogarithmicXAxes) {
  Chart chart = unlined(points({1, 10, 100}));
  chart.x_scale = AxisScale::log;
  const DrawnPicture drawn(chart);
  const auto x = drawn.numbers("//circle", "cx");
  ASSERT_EQ(x.size(), 3U);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.2);
  for (const char* tick : {"1", "2", "5", "10", "20", "50", "100"})
    EXPECT_FALSE(drawn.all(std::string("//text[.='") + tick + "']").empty()) << tick;
}

TEST(FigureCharts, ByteAxesHaveZeroAtTheLeftEdge) {
  Chart chart = unlined(points({0, 64, 1024, 65536}));
  chart.x_scale = AxisScale::bytes;
  const DrawnPicture drawn(chart);
  const auto x = drawn.numbers("//circle", "cx");
  ASSERT_EQ(x.size(), 4U);
  EXPECT_EQ(x[0], drawn.numbers("//line[@class='grid']", "x1")[0]);
  EXPECT_NEAR((x[2] - x[1]) / 4, (x[3] - x[2]) / 6, 0.2) << "2^6, 2^10, 2^16";
  const auto label = [&](const std::string& text) {
    return drawn.numbers("//text[.='" + text + "'][@text-anchor='middle']", "x");
  };
  EXPECT_EQ(label("0"), std::vector{x[0]});
  EXPECT_EQ(label("64"), std::vector{x[1]});
  EXPECT_EQ(label("1K"), std::vector{x[2]});
  EXPECT_EQ(label("64K"), std::vector{x[3]});
}

TEST(FigureCharts, BeginWhereTheFigureDoes) {
  Chart chart = unlined(points({1, 2, 16}));
  chart.x_least = 2;
  const DrawnPicture drawn(chart);
  const auto x = drawn.numbers("//circle", "cx");
  ASSERT_EQ(x.size(), 2U) << "what lies before is left out";
  EXPECT_EQ(drawn.numbers("//text[.='2'][@text-anchor='middle']", "x"), std::vector{x[0]});
  EXPECT_EQ(drawn.numbers("//text[.='16'][@text-anchor='middle']", "x"), std::vector{x[1]});
  chart.x_least = 1.5;
  EXPECT_EQ(DrawnPicture(chart).all("//text[.='1.5']").size(), 1U) << "labelled, round or not";
}

TEST(FigureCharts, CategoriesAreWrappedOrTurned) {
  Chart chart = unlined(points({0, 1, 2}));
  chart.x_words = {"IS", "a category of many words that is wrapped", "FT"};
  const DrawnPicture wrapped(chart);
  EXPECT_EQ(wrapped.all("//text[@transform]").size(), 0U);
  EXPECT_EQ(wrapped.numbers("//text[.='IS']", "x")[0], wrapped.numbers("//circle", "cx")[0]);
  for (int i = 0; i < 12; ++i) chart.x_words.push_back("a_long_category_" + std::to_string(i));
  const DrawnPicture turned(chart);
  EXPECT_EQ(turned.all("//text[@transform]").size(), 15U);
  EXPECT_EQ(turned.outside(), Texts{});
}

TEST(FigureCharts, ScattersHaveABandOfTenPercent) {
  Chart chart = unlined({{2, 2.1}, {30, 29}});
  chart.x_scale = AxisScale::log;
  chart.log_y = true;
  chart.bands.push_back({{{1, 0.9}, {100, 90}}, {{1, 1.1}, {100, 110}}, "± 10 %"});
  const DrawnPicture drawn(chart);
  EXPECT_EQ(drawn.paths("band").size(), 1U);
  EXPECT_EQ(drawn.all("//rect[@class='band']").size(), 1U) << "in the legend";
  EXPECT_TRUE(drawn.paths("line").empty());
  EXPECT_EQ(drawn.words("//circle/title"), (Texts{"2.1 at 2", "29 at 30"}));
  EXPECT_EQ(drawn.outside(), Texts{});
}

TEST(FigureCharts, PublishedValuesAreRingsOnTop) {
  Chart chart;
  chart.series.push_back({.name = "paper", .points = {{1, 5}, {2, none}}, .published = true});
  chart.series.push_back({.points = {{1, 4}, {2, 6}}, .marked = true});
  const DrawnPicture drawn(chart);
  EXPECT_EQ(drawn.words("//circle[@class='ring']/title"), Texts{"paper: 5 at 1"});
  EXPECT_EQ(drawn.all("//circle[@class='ring']").size(), 2U) << "one in the legend";
  EXPECT_GT(drawn.text.find("class=\"ring\""), drawn.text.rfind("class=\"dot\""));
}

TEST(FigureCharts, PublishedSeriesOfOneNameHaveOneEntry) {
  Chart chart;
  for (const bool published : {false, true, true})
    chart.series.push_back({.name = "dor", .points = {{1, 5}}, .published = published});
  EXPECT_EQ(DrawnPicture(chart).words("//text[@class='ink']"), (Texts{"dor", "dor"}));
}

TEST(FigureCharts, DistinctSeriesDifferWithoutColour) {
  Chart chart;
  chart.distinct = true;
  for (std::size_t i = 0; i < 12; ++i)
    chart.series.push_back({.name = "s" + std::to_string(i),
                            .points = {{0, 1.0 + static_cast<double>(i)}},
                            .colour = i,
                            .marked = true});
  const DrawnPicture drawn(chart);
  std::set<std::string> shapes, looks;
  for (std::size_t i = 0; i < 12; ++i) {
    const std::string entry = "s" + std::to_string(i);
    // In the legend, a line and a marker precede the name.
    const pugi::xml_node name =
        drawn.page.select_node(("//text[.='" + entry + "']").c_str()).node();
    const pugi::xml_node marker = name.previous_sibling(), line = marker.previous_sibling();
    const std::string outline = marker.attribute("d").value();
    const std::string shape = outline.substr(std::min(outline.size(), outline.find('m')));
    shapes.insert(shape);
    looks.insert(shape + "|" + line.attribute("stroke-dasharray").value());
    EXPECT_EQ(std::string(line.attribute("class").value()), "line");
  }
  EXPECT_EQ(shapes.size(), 8U);
  EXPECT_EQ(looks.size(), 12U);
}

TEST(ChartSheets, HaveRowsAndTitles) {
  Chart chart = unlined(points({1, 2}));
  const Texts titles{"(a)", "(b)", "(c)"};
  ChartSheet sheet{.columns = 2};
  for (const std::string& title : titles) {
    chart.title = title;
    chart.series[0].name = title == "(c)" ? "two" : "one";
    sheet.charts.push_back(chart);
  }
  const DrawnPicture drawn(sheet);
  EXPECT_EQ(drawn.words("//text[@class='ink caption']"), titles);
  const auto x = drawn.numbers("//text[@class='ink caption']", "x");
  const auto y = drawn.numbers("//text[@class='ink caption']", "y");
  EXPECT_EQ(x[0], x[2]);
  EXPECT_EQ(y[0], y[1]);
  EXPECT_LT(x[0], x[1]);
  EXPECT_LT(y[0], y[2]);
  EXPECT_EQ(drawn.words("//text[@class='ink']"), (Texts{"one", "two"})) << "one legend of all";
}

TEST(ColumnCharts, HeightsAreProportional) {
  const ColumnChart chart{"title",
                          "note",
                          "speed-up",
                          {"a", "b"},
                          {{"x", {1, 2}, {0.1}, {none, 2.5}}, {"y", {none, 4}, {}, {}}}};
  const DrawnPicture drawn(chart);
  const auto heights = drawn.numbers("//rect[@class='column'][title]", "height");
  ASSERT_EQ(heights.size(), 3U);
  EXPECT_NEAR(heights[1], 2 * heights[0], 0.2);
  EXPECT_NEAR(heights[2], 4 * heights[0], 0.4);
  EXPECT_EQ(drawn.words("//circle/title"), Texts{"x, b: 2.5 as published"});
  EXPECT_EQ(drawn.words("//rect/title"), (Texts{"x, a: 1 ± 0.1", "x, b: 2", "y, b: 4"}));
  EXPECT_EQ(drawn.words("//text[@class='ink']"), (Texts{"x", "y", "as published"}));
}

/// Every pattern that a column refers to is there once, and no two have the same lines.
TEST(ColumnCharts, PatternsDiffer) {
  ColumnChart chart{.groups = Texts(14, "a group"), .series{}};
  for (int i = 0; i < 8; ++i)
    chart.series.push_back({"s" + std::to_string(i), std::vector<double>(14, i), {}, {}});
  const DrawnPicture drawn(chart);
  const auto lines = drawn.values("//pattern/path", "d");
  EXPECT_EQ(std::set<std::string>(lines.begin(), lines.end()).size(), 8U);
  for (const std::string& fill : drawn.values("//rect[@class='column']", "fill"))
    EXPECT_EQ(drawn.all("//pattern[@id='" + fill.substr(5, fill.size() - 6) + "']").size(), 1U);
  for (const double width : drawn.numbers("//rect[@class='column']", "width")) EXPECT_GT(width, 6);
  EXPECT_EQ(drawn.outside(), Texts{});
}

rc::Gen<double> any_value() {
  return rc::gen::weightedOneOf<double>(
      {{3, rc::gen::map(rc::gen::inRange(1, 1'000'000), [](int i) { return i / 100.0; })},
       {1, rc::gen::element(none, endless, -endless, 0.0, -3.0, 0.01, 1e6, 1e7 + 1, 1e300, 1e-300,
                            5e-324, 64.0)}});
}

rc::Gen<std::string> any_text() {
  return rc::gen::map(
      rc::gen::container<Texts>(rc::gen::element<std::string>(
          "up*/down*", "<&\">", "größer", "a", "unbreakable_names_of_categories", "± 10 %")),
      [](const Texts& words) {
        std::string out;
        for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
        return out;
      });
}

template <class Value>
rc::Gen<std::vector<Value>> up_to(int most, rc::Gen<Value> value) {
  return rc::gen::mapcat(rc::gen::inRange(0, most + 1), [value](int count) {
    return rc::gen::container<std::vector<Value>>(static_cast<std::size_t>(count), value);
  });
}

ChartPoint any_point() {
  return {*any_value(), *any_value(), *any_value(), *rc::gen::arbitrary<bool>(),
          *rc::gen::arbitrary<bool>()};
}

std::vector<ChartPoint> any_points() {
  std::vector<ChartPoint> out(*rc::gen::inRange<std::size_t>(0, 6));
  for (ChartPoint& point : out) point = any_point();
  return out;
}

ChartSeries any_series() {
  const auto flag = [] { return *rc::gen::arbitrary<bool>(); };
  return {.name = *any_text(),
          .points = any_points(),
          .colour = *rc::gen::inRange<std::size_t>(0, 20),
          .dashed = flag(),
          .stepped = flag(),
          .marked = flag(),
          .filled = flag(),
          .unlined = flag(),
          .published = flag()};
}

Chart any_chart() {
  Chart chart{
      .title = *any_text(), .note = *any_text(), .x_name = *any_text(), .y_name = *any_text()};
  for (std::size_t i = *rc::gen::inRange<std::size_t>(0, 20); i > 0; --i)
    chart.series.push_back(any_series());
  chart.log_y = *rc::gen::arbitrary<bool>();
  chart.marks = {{*any_value(), *any_text()}, {*any_value(), *any_text()}};
  if (*rc::gen::arbitrary<bool>()) chart.x_least_end = *any_value();
  if (*rc::gen::arbitrary<bool>()) chart.y_limit = *any_value();
  if (*rc::gen::arbitrary<bool>()) chart.x_least = *any_value();
  chart.x_scale = *rc::gen::element(AxisScale::linear, AxisScale::log, AxisScale::bytes);
  if (*rc::gen::inRange(0, 4) == 0) chart.x_words = *up_to(14, any_text());
  if (*rc::gen::arbitrary<bool>()) chart.bands.push_back({any_points(), any_points(), *any_text()});
  chart.distinct = *rc::gen::arbitrary<bool>();
  return chart;
}

template <class Picture>
void expect_clean(const Picture& picture) {
  const DrawnPicture drawn(picture);
  for (const char* word : {"nan", "inf"})
    if (drawn.text.find(word) != std::string::npos) RC_FAIL(word + (" in\n" + drawn.text));
  const Texts outside = drawn.outside();
  if (!outside.empty()) RC_FAIL("outside: " + outside[0] + "\n" + drawn.text);
}

TEST(RandomCharts, StayWithinTheirPictures) {
  EXPECT_TRUE(rc::check([] { expect_clean(any_chart()); }));
}

TEST(RandomCharts, SheetsStayWithinTheirPictures) {
  EXPECT_TRUE(rc::check([] {
    ChartSheet sheet{*any_text(), *any_text(), {}, *rc::gen::inRange<std::size_t>(0, 4)};
    for (std::size_t i = *rc::gen::inRange<std::size_t>(0, 5); i > 0; --i)
      sheet.charts.push_back(any_chart());
    expect_clean(sheet);
  }));
}

TEST(RandomCharts, ColumnsStayWithinTheirPictures) {
  EXPECT_TRUE(rc::check([] {
    ColumnChart chart{*any_text(), *any_text(), *any_text(), *up_to(14, any_text()), {}};
    for (std::size_t i = *rc::gen::inRange<std::size_t>(0, 10); i > 0; --i)
      chart.series.push_back(
          {*any_text(), *up_to(16, any_value()), *up_to(16, any_value()), *up_to(16, any_value())});
    expect_clean(chart);
  }));
}

}  // namespace
}  // namespace weft::test::figures
