// SPDX-License-Identifier: Apache-2.0
// Charts as sections of a page.
#include "lab/page/chart_section.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(number_or_null(value));
  return out;
}

const char* scale_name(AxisScale scale) {
  switch (scale) {
    case AxisScale::linear:
      return "linear";
    case AxisScale::log:
      return "log";
    case AxisScale::bytes:
      return "bytes";
  }
  return "linear";
}

/// A quantity and its unit, which may be empty.
struct NameAndUnit {
  std::string name{}, unit{};
};

bool is_unit(std::string_view word) {
  static constexpr std::array units{"ns",
                                    "us",
                                    "ms",
                                    "s",
                                    "B",
                                    "bytes",
                                    "MB/s",
                                    "GB/s",
                                    "Gb/s",
                                    "%",
                                    "cycles",
                                    "hops",
                                    "flits per cycle",
                                    "flits per host and cycle",
                                    "flits per cycle and direction",
                                    "ticks of 0.5 us"};
  return std::find(units.begin(), units.end(), word) != units.end();
}

/// Names of axes have their units at their ends: "latency, cycles (logarithmic)", "time (ms)", or
/// are nothing else: "MB/s". The scale says that it is logarithmic.
NameAndUnit name_and_unit(std::string name) {
  constexpr std::string_view logarithmic = " (logarithmic)";
  if (name.ends_with(logarithmic)) name.resize(name.size() - logarithmic.size());
  if (is_unit(name)) return {"", name};
  const bool bracketed = name.ends_with(')');
  const std::string_view before = bracketed ? " (" : ", ";
  const std::size_t at = name.rfind(before);
  if (at == std::string::npos) return {name};
  const std::string last = name.substr(at + 2, name.size() - at - 2 - (bracketed ? 1 : 0));
  return is_unit(last) ? NameAndUnit{name.substr(0, at), last} : NameAndUnit{name};
}

Json axis_of(const std::string& name) {
  const NameAndUnit quantity = name_and_unit(name);
  Json out{{"name", quantity.name}};
  if (!quantity.unit.empty()) out["unit"] = quantity.unit;
  return out;
}

/// Units of bars stand after their values, some with a space before them.
Json column_of(const BarColumn& column) {
  const std::size_t begin = column.unit.find_first_not_of(' ');
  const NameAndUnit quantity = begin == std::string::npos
                                   ? name_and_unit(column.name)
                                   : NameAndUnit{column.name, column.unit.substr(begin)};
  return {{"name", quantity.name}, {"unit", quantity.unit}, {"places", column.places}};
}

Json points_of(const std::vector<ChartPoint>& points) {
  Json out = Json::array();
  for (const ChartPoint& point : points) {
    Json each = Json::array({number_or_null(point.x), number_or_null(point.y)});
    if (point.error > 0) each.push_back(number_or_null(point.error));
    out.push_back(std::move(each));
  }
  return out;
}

Json series_of(const ChartSeries& series) {
  Json out{{"name", series.name}, {"colour", series.colour}, {"points", points_of(series.points)}};
  const auto points = [&](const char* name, bool ChartPoint::*is_so) {
    for (std::size_t i = 0; i < series.points.size(); ++i)
      if (series.points[i].*is_so) out[name].push_back(i);
  };
  points("open", &ChartPoint::open);
  points("crossed", &ChartPoint::crossed);
  const auto flag = [&](const char* name, bool is_set) {
    if (is_set) out[name] = true;
  };
  flag("dashed", series.dashed);
  flag("stepped", series.stepped);
  flag("marked", series.marked);
  flag("filled", series.filled);
  flag("opaque", series.opaque);
  flag("unlined", series.unlined);
  flag("published", series.published);
  return out;
}

Json titled(const char* form, const std::string& title, const std::string& note) {
  Json out{{"form", form}, {"title", title}};
  if (!note.empty()) out["note"] = note;
  return out;
}

PageSection section_of(const std::string& id, const std::string& title, const std::string& note) {
  PageSection out{{"kind", "charts"}, {"id", id}, {"title", title}};
  if (!note.empty()) out["note"] = note;
  out["charts"] = Json::array();
  return out;
}

/// On a sheet one legend serves all charts; on a page each has its own.
void name_series(Chart& chart, const Chart& with_names) {
  for (ChartSeries& series : chart.series) {
    const auto found = std::find_if(
        with_names.series.begin(), with_names.series.end(), [&](const ChartSeries& named) {
          return named.colour == series.colour && named.dashed == series.dashed;
        });
    if (series.name.empty() && found != with_names.series.end()) series.name = found->name;
  }
}

PageSection section_with(const std::string& id, const ChartSheet& sheet) {
  PageSection out = section_of(id, sheet.title, sheet.note);
  for (Chart chart : sheet.charts) {
    name_series(chart, sheet.charts.front());
    out["charts"].push_back(page_chart(chart));
  }
  if (sheet.columns > 0) out["columns"] = sheet.columns;
  return out;
}

/// A single chart.
PageSection section_with(const std::string& id, const auto& chart) {
  PageSection out = section_of(id, chart.title, "");
  out["charts"].push_back(page_chart(chart));
  return out;
}

}  // namespace

Json page_chart(const Chart& chart) {
  Json out = titled("lines", chart.title, chart.note);
  out["x"] = axis_of(chart.x_name);
  out["x"]["scale"] = scale_name(chart.x_scale);
  if (!chart.x_words.empty()) out["x"]["words"] = chart.x_words;
  out["y"] = axis_of(chart.y_name);
  out["y"]["scale"] = chart.log_y ? "log" : "linear";
  if (std::isfinite(chart.y_limit)) out["y"]["limit"] = chart.y_limit;
  out["series"] = Json::array();
  for (const ChartSeries& series : chart.series) out["series"].push_back(series_of(series));
  for (const ChartMark& mark : chart.marks)
    out["marks"].push_back({{"x", mark.x}, {"word", mark.word}});
  for (const ChartBand& band : chart.bands)
    out["bands"].push_back(
        {{"name", band.name}, {"low", points_of(band.low)}, {"high", points_of(band.high)}});
  return out;
}

Json page_chart(const BarChart& chart) {
  Json out = titled("bars", chart.title, chart.note);
  out["columns"] = Json::array();
  for (const BarColumn& column : chart.columns) out["columns"].push_back(column_of(column));
  out["rows"] = Json::array();
  for (const BarRow& row : chart.rows) {
    Json each{{"name", row.name}, {"values", numbers(row.values)}, {"colour", row.colour}};
    if (!row.errors.empty()) each["errors"] = numbers(row.errors);
    if (!row.remark.empty()) each["remark"] = row.remark;
    out["rows"].push_back(std::move(each));
  }
  return out;
}

Json page_chart(const ColumnChart& chart) {
  Json out = titled("columns", chart.title, chart.note);
  out["y"] = axis_of(chart.y_name);
  out["groups"] = chart.groups;
  out["series"] = Json::array();
  for (const ColumnSeries& series : chart.series) {
    Json each{{"name", series.name}, {"values", numbers(series.values)}};
    if (!series.errors.empty()) each["errors"] = numbers(series.errors);
    if (!series.published.empty()) each["published"] = numbers(series.published);
    out["series"].push_back(std::move(each));
  }
  return out;
}

PageSection charts_section(const std::string& id, const AnyChart& any) {
  return std::visit([&](const auto& chart) { return section_with(id, chart); }, any);
}

}  // namespace weft
