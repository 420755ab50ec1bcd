// SPDX-License-Identifier: Apache-2.0
// Papers as sections of an HTML page.
#include "papers/runner/html_page.hpp"

#include "lab/page/chart_section.hpp"

namespace weft::papers {
namespace {

using Json = nlohmann::ordered_json;

/// What the page calls met: of a calibrated number nothing is judged.
Json is_met(const Json& answer) {
  if (answer.at("open") || answer.at("kind") == "cal") return nullptr;
  return answer.at("holds");
}

Json row_of(const Json& answer) {
  const Json& deviation = answer.at("deviation");
  Json row{{"id", answer.at("id")},
           {"kind", answer.at("kind")},
           {"says", answer.at("says")},
           {"unit", answer.at("unit")},
           {"paper", answer.at("paper")},
           {"ours", answer.at("ours")},
           {"deviation", deviation.is_null() ? Json() : Json(100 * deviation.get<double>())},
           {"met", is_met(answer)}};
  return row;
}

Json table_of(const Json& section) {
  Json rows = Json::array();
  for (const Json& answer : section.at("answers")) rows.push_back(row_of(answer));
  Json table{{"title", section.at("id")}, {"note", section.at("about")}, {"rows", std::move(rows)}};
  return table;
}

/// The charts of a figure. Those of a sheet have its title before their own, and its note, as they
/// stand among those of other figures.
std::vector<Json> charts_of(const PaperFigure& figure) {
  const AnyChart any = std::visit([](const auto& chart) { return AnyChart(chart); }, figure.chart);
  const PageSection section = charts_section(figure.name, any);
  std::vector<Json> out = section.at("charts");
  if (!std::holds_alternative<ChartSheet>(figure.chart)) return out;
  for (Json& chart : out) {
    const std::string own = chart.at("title"), whole = section.at("title");
    chart["title"] = whole.empty() || own.empty() ? whole + own : whole + ": " + own;
    if (section.contains("note") && !chart.contains("note")) chart["note"] = section["note"];
  }
  return out;
}

}  // namespace

PageSection paper_section(const Json& document) {
  std::size_t predictions = 0, within = 0;
  PageSection out{{"kind", "paper"},
                  {"id", "paper"},
                  {"title", document.at("title")},
                  {"summary", document.at("summary")}};
  out["tables"] = Json::array();
  for (const Json& section : document.at("sections")) {
    for (const Json& answer : section.at("answers")) {
      if (answer.at("kind") != "prediction" || !answer.at("repeats").get<std::string>().empty())
        continue;
      ++predictions;
      if (answer.at("holds") && !answer.at("open")) ++within;
    }
    if (!section.at("answers").empty()) out["tables"].push_back(table_of(section));
  }
  out["within"] = within;
  out["predictions"] = predictions;
  out["figures"] = Json::array();
  return out;
}

HtmlPage html_page(const Page& page) {
  HtmlPage out{.title = "reproduced: " + page.name, .seed = page.seed};
  for (const auto& [key, value] : page.declared)
    if (key != "seed") out.specs.push_back({key, value});
  PageSection section = paper_section(document_of(page));
  for (const Section& each : page.sections)
    for (const PaperFigure& figure : each.figures)
      for (Json& chart : charts_of(figure)) section.at("figures").push_back(std::move(chart));
  out.sections.push_back(std::move(section));
  return out;
}

}  // namespace weft::papers
