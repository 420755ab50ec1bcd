// SPDX-License-Identifier: Apache-2.0
// Sweeps of replays as tables and as pictures: the fastest machine first.
#include <algorithm>
#include <cmath>
#include <functional>
#include <ostream>
#include <tuple>

#include "lab/report/chart.hpp"
#include "lab/report/replay_items.hpp"
#include "lab/report/replay_report.hpp"
#include "lab/report/run_table.hpp"

namespace weft {
namespace {

/// A line of the table: a job of a point. A point that was refused has one line.
struct ReplayLine {
  const ReplayResult* point = nullptr;
  const JobResult* job = nullptr;
  bool has_finished() const { return job != nullptr && job->has_finished; }
  /// How it ended, and where it did not, the first thing to know about that.
  std::string outcome() const {
    if (has_finished()) return "finished";
    const std::string& why = point->explanation;
    return outcome_of(*point) + (why.empty() ? "" : ": " + why.substr(0, why.find('\n')));
  }
};

void sort_by_time(std::vector<ReplayResult>& results) {
  const auto key = [](const ReplayResult& one) {
    return std::tuple(one.refused(), !one.finished(), one.longest());
  };
  std::stable_sort(results.begin(), results.end(),
                   [&](const ReplayResult& a, const ReplayResult& b) { return key(a) < key(b); });
}

std::vector<ReplayLine> lines_of(const std::vector<ReplayResult>& results) {
  std::vector<ReplayLine> out;
  for (const ReplayResult& result : results) {
    if (result.jobs.empty()) out.push_back({&result, nullptr});
    for (const JobResult& job : result.jobs) out.push_back({&result, &job});
  }
  return out;
}

std::vector<VariedValue> varied_fields(const std::vector<ReplayLine>& lines) {
  std::vector<VariedValue> out;
  for (const ReplayField& field : replay_fields())
    add_varied(out, values_by_run(field.name, lines, [&](const ReplayLine& line) {
                 return line.point->spec.*field.text;
               }));
  const std::size_t collectives = lines.front().point->spec.collectives.size();
  for (std::size_t i = 0; i < collectives; ++i)
    add_varied(out, values_by_run("collective", lines, [&](const ReplayLine& line) {
                 return line.point->spec.collectives[i];
               }));
  return out;
}

/// What all points have in common.
std::string sweep_title(const ReplaySpec& first, const std::vector<VariedValue>& varied) {
  const ReplaySpec usual;
  std::string out;
  for (const std::string& trace : first.traces)
    out += (out.empty() ? "" : ", ") + file_name_of(trace);
  for (const ReplayField& field : replay_fields()) {
    const std::string& value = first.*field.text;
    if (has_value(varied, field.name) || value == usual.*field.text ||
        (field.text == &ReplaySpec::library && value == "none"))
      continue;
    out += ", " + (field.text == &ReplaySpec::topology ? value : field.name + " " + value);
  }
  return out;
}

struct JobColumn {
  std::string name;
  std::function<double(const JobResult&)> number;
};

std::vector<JobColumn> time_columns(const std::vector<ReplayLine>& lines) {
  std::vector<JobColumn> out{
      {"time us", [](const JobResult& job) { return microseconds_of(job.time); }}};
  const Duration best = lines.front().point->longest();
  if (best.count() > 0 && lines.front().point->jobs.size() == 1)
    out.push_back(
        {"longer %", [best](const JobResult& job) { return percentage(job.time - best, best); }});
  if (lines.front().has_finished() && lines.front().job->ideal.count() > 0)
    out.push_back(
        {"ideal %", [](const JobResult& job) { return percentage(job.ideal, job.time); }});
  return out;
}

std::vector<JobColumn> share_columns(const std::vector<ReplayLine>& lines) {
  std::vector<JobColumn> out;
  std::vector<const JobResult*> finished;
  for (const ReplayLine& line : lines)
    if (line.has_finished()) finished.push_back(line.job);
  for (const ReplayItem& item : spent_items(finished))
    out.push_back({fmt::format("{} %", item.words), [item](const JobResult& job) {
                     const RankItems mean = job.mean();
                     return percentage(mean.*item.of, mean.total);
                   }});
  return out;
}

}  // namespace

void write_table(std::ostream& out, std::vector<ReplayResult> results) {
  if (results.empty()) return;
  sort_by_time(results);
  const std::vector<ReplayLine> lines = lines_of(results);
  const std::vector<VariedValue> varied = varied_fields(lines);
  RunTable table(lines.size());
  table.add(varied);
  if (results.front().spec.traces.size() > 1)
    table.add("job", true, [&](std::size_t i) {
      return lines[i].job == nullptr ? "" : file_name_of(lines[i].job->trace);
    });
  for (const auto& columns : {time_columns(lines), share_columns(lines)})
    for (const JobColumn& column : columns)
      table.add(column.name, false, [&](std::size_t i) {
        return !lines[i].has_finished() ? "-" : fmt::format("{:.1f}", column.number(*lines[i].job));
      });
  table.add("outcome", true, [&](std::size_t i) { return lines[i].outcome(); });
  out << sweep_title(results.front().spec, varied) << "\n\n";
  table.write(out);
}

BarChart chart_of(std::vector<ReplayResult> results) {
  if (results.empty()) return {};
  sort_by_time(results);
  const std::vector<ReplayLine> lines = lines_of(results);
  const std::vector<VariedValue> varied = varied_fields(lines);
  const std::vector<JobColumn> columns = time_columns(lines);
  BarChart chart{sweep_title(results.front().spec, varied), "", {}, {}};
  for (const JobColumn& column : columns) chart.columns.push_back({column.name, 1, ""});
  for (std::size_t i = 0; i < lines.size(); ++i) {
    BarRow& row = chart.rows.emplace_back();
    for (const VariedValue& value : varied)
      row.name += (row.name.empty() ? "" : ", ") + value.values[i];
    if (lines[i].job != nullptr && lines[i].point->jobs.size() > 1)
      row.name += ": " + file_name_of(lines[i].job->trace);
    row.colour = i;
    for (const JobColumn& column : columns)
      row.values.push_back(!lines[i].has_finished() ? std::nan("") : column.number(*lines[i].job));
    if (!lines[i].has_finished()) row.remark = lines[i].outcome();
  }
  return chart;
}

}  // namespace weft
