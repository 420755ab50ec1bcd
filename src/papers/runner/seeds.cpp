// SPDX-License-Identifier: Apache-2.0
// Merging pages of different seeds.
#include "papers/runner/seeds.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/student.hpp"

namespace weft::papers {
namespace {

/// The same experiment on all pages.
using SectionGroup = std::vector<const Section*>;

SectionGroup sections_named(const std::vector<Page>& pages, const std::string& id) {
  SectionGroup out;
  for (const Page& page : pages)
    for (const Section& section : page.sections)
      if (section.id == id) out.push_back(&section);
  return out;
}

void merge_number(Comparison& into, const SectionGroup& all, std::size_t index) {
  std::vector<double> values;
  for (const Section* section : all) values.push_back(section->answers[index].value);
  const MeanOfValues found(values);
  into.value = found.mean;
  into.ours = human_readable(found.mean);
  into.half_width = found.half_width;
  into.deviation = found.mean / into.stated.value - 1;
  const double allowed = allowed_deviation(into.stated.kind);
  const double reach = std::abs(found.half_width / into.stated.value);
  into.open = reach > 0 && std::abs(std::abs(into.deviation) - allowed) < reach;
  into.holds = !into.open && std::abs(into.deviation) <= allowed;
}

void merge_verdict(Comparison& into, const SectionGroup& all, std::size_t index) {
  into.seeds_held = 0;
  for (const Section* section : all) into.seeds_held += section->answers[index].holds ? 1 : 0;
  into.holds = into.seeds_held == all.size();
  into.open = !into.holds && into.seeds_held > 0;
}

Cell merged_cell(const SectionGroup& all, std::size_t sheet, std::size_t row, std::size_t column) {
  std::vector<double> values;
  const auto at = [&](const Section* section) -> const Cell& {
    return section->sheets[sheet].rows[row][column];
  };
  for (const Section* section : all) {
    if (const auto* number = std::get_if<double>(&at(section)))
      values.push_back(*number);
    else if (const auto* whole = std::get_if<std::int64_t>(&at(section)))
      values.push_back(static_cast<double>(*whole));
    else
      return at(all.front());
  }
  const bool same = std::all_of(values.begin(), values.end(),
                                [&](double value) { return value == values.front(); });
  if (same) return at(all.front());
  const MeanOfValues found(values);
  return SeedMean{found.mean, found.half_width};
}

/// Whether rows have the same texts and as many cells.
bool same_rows(const Sheet& one, const Sheet& other) {
  const auto same_text = [](const Cell& a, const Cell& b) {
    const auto *first = std::get_if<std::string>(&a), *second = std::get_if<std::string>(&b);
    return first == nullptr || second == nullptr ? first == second : *first == *second;
  };
  return std::equal(one.rows.begin(), one.rows.end(), other.rows.begin(), other.rows.end(),
                    [&](const std::vector<Cell>& a, const std::vector<Cell>& b) {
                      return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_text);
                    });
}

/// Sheets of the same shape; one whose rows depend on the seed stays that of the first.
void merge_sheets(Section& into, const SectionGroup& all) {
  for (std::size_t s = 0; s < into.sheets.size(); ++s) {
    Sheet& sheet = into.sheets[s];
    const bool alike = std::all_of(all.begin(), all.end(), [&](const Section* section) {
      return section->sheets.size() == into.sheets.size() && same_rows(section->sheets[s], sheet);
    });
    if (!alike) continue;
    for (std::size_t row = 0; row < sheet.rows.size(); ++row)
      for (std::size_t column = 0; column < sheet.rows[row].size(); ++column)
        sheet.rows[row][column] = merged_cell(all, s, row, column);
  }
}

/// The series of a figure that can have error bars.
std::vector<ChartSeries*> series_of(PaperFigure& figure) {
  std::vector<ChartSeries*> out;
  const auto add = [&](Chart& chart) {
    for (ChartSeries& series : chart.series)
      if (!series.published) out.push_back(&series);
  };
  if (auto* chart = std::get_if<Chart>(&figure.chart)) add(*chart);
  if (auto* sheet = std::get_if<ChartSheet>(&figure.chart))
    for (Chart& chart : sheet->charts) add(chart);
  return out;
}

/// Means with error bars, where all seeds have the same points.
void merge_points(ChartSeries& into, const std::vector<const ChartSeries*>& all) {
  for (const ChartSeries* series : all)
    if (series->points.size() != into.points.size()) return;
  for (std::size_t i = 0; i < into.points.size(); ++i) {
    std::vector<double> values;
    for (const ChartSeries* series : all) values.push_back(series->points[i].y);
    const MeanOfValues found(values);
    into.points[i].y = found.mean;
    into.points[i].error = found.half_width;
  }
}

void merge_columns(ColumnChart& into, const std::vector<const ColumnChart*>& all) {
  for (std::size_t s = 0; s < into.series.size(); ++s) {
    ColumnSeries& series = into.series[s];
    series.errors.assign(series.values.size(), 0);
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      std::vector<double> values;
      for (const ColumnChart* chart : all) values.push_back(chart->series[s].values[i]);
      const MeanOfValues found(values);
      series.values[i] = found.mean;
      series.errors[i] = found.half_width;
    }
  }
}

void merge_figures(Section& into, const SectionGroup& all) {
  std::vector<Section> copies;  // to change nothing but `into`
  for (const Section* section : all) copies.push_back(*section);
  for (std::size_t f = 0; f < into.figures.size(); ++f) {
    const std::vector<ChartSeries*> lines = series_of(into.figures[f]);
    for (std::size_t s = 0; s < lines.size(); ++s) {
      std::vector<const ChartSeries*> same;
      for (Section& copy : copies) same.push_back(series_of(copy.figures[f])[s]);
      merge_points(*lines[s], same);
    }
    if (auto* columns = std::get_if<ColumnChart>(&into.figures[f].chart)) {
      std::vector<const ColumnChart*> same;
      for (const Section& copy : copies)
        same.push_back(&std::get<ColumnChart>(copy.figures[f].chart));
      merge_columns(*columns, same);
    }
  }
}

void merge(Section& into, const SectionGroup& all) {
  for (std::size_t i = 0; i < into.answers.size(); ++i) {
    Comparison& answer = into.answers[i];
    for (const Section* section : all)
      invariant(section->answers[i].stated.id == answer.stated.id,
                "seeds answer different statements");
    answer.seeds = all.size();
    if (answer.form == AnswerForm::number) merge_number(answer, all, i);
    if (answer.form == AnswerForm::verdict) merge_verdict(answer, all, i);
  }
  merge_sheets(into, all);
  merge_figures(into, all);
}

}  // namespace

Page over_seeds(const std::vector<Page>& pages) {
  Page out = pages.front();
  out.seeds = pages.size();
  for (Section& section : out.sections) {
    const SectionGroup all = sections_named(pages, section.id);
    if (all.size() > 1) merge(section, all);
  }
  return out;
}

}  // namespace weft::papers
