// SPDX-License-Identifier: Apache-2.0
// Replays side by side. Jobs are compared by the names of their traces, whatever their order.
#include "lab/report/replay_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "lab/report/columns.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/replay_items.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

void require_key(const std::string& path, const Json& in, const char* key, bool right_kind) {
  if (!in.contains(key)) throw Error("{}: \"{}\" is missing", path, key);
  if (!right_kind) throw Error("{}: \"{}\" is not what weft replay --json writes", path, key);
}

/// A replay's result as it was written.
Json result_from(const std::string& path) {
  Json document = Json::parse(read_file(path), nullptr, false);
  const auto of = [](const Json& in, const char* key) { return in.value(key, Json()); };
  if (!document.is_object() || of(document, "weft") != "replay 1")
    throw Error("{}: it is no result of weft replay --json", path);
  for (const char* key : {"spec", "fabric"})
    require_key(path, document, key, of(document, key).is_object());
  require_key(path, document, "outcome", of(document, "outcome").is_string());
  require_key(path, document, "jobs", of(document, "jobs").is_array());
  for (const Json& job : document["jobs"])
    if (!job.is_object() || !of(job, "trace").is_string())
      throw Error("{}: a job without \"trace\" is not what weft replay --json writes", path);
  return document;
}

std::string plain_text(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string out;
  for (const Json& each : value) out += (out.empty() ? "" : " ") + plain_text(each);
  return out;
}

/// The jobs of a result with this trace, in their order.
std::vector<const Json*> jobs_with(const Json& result, const std::string& trace) {
  std::vector<const Json*> out;
  for (const Json& job : result["jobs"])
    if (file_name_of(job["trace"].get<std::string>()) == trace) out.push_back(&job);
  return out;
}

/// The names of traces, each once, in the order in which they come first.
std::vector<std::string> traces_of(const std::vector<Json>& results) {
  std::vector<std::string> out;
  for (const Json& result : results)
    for (const Json& job : result["jobs"]) {
      const std::string name = file_name_of(job["trace"].get<std::string>());
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  return out;
}

/// How much a number is above the first.
std::string change_text(double first, double number) {
  if (std::isnan(first) || std::isnan(number) || first == 0) return "";
  return fmt::format("{:+.1f} %", 100 * (number / first - 1));
}

/// The values of a job: names for tables, and keys.
std::vector<std::pair<std::string, std::string>> job_values() {
  std::vector<std::pair<std::string, std::string>> out{
      {"time, us", "time_us"}, {"  ideal network", "ideal_us"}, {"  alone", "alone_us"}};
  for (const ReplayItem& item : replay_items)
    out.emplace_back(fmt::format("  {}", item.words), fmt::format("{}_us", item.key));
  return out;
}

}  // namespace

ReplayComparison::ReplayComparison(const std::vector<std::string>& paths) {
  std::vector<Json> results;
  for (const std::string& path : paths) {
    results.push_back(result_from(path));
    names_.push_back(file_name_of(path));
  }
  add_differences(results);
  const bool all_have_finished =
      std::all_of(results.begin(), results.end(),
                  [](const Json& result) { return result["outcome"] == "finished"; });
  if (!all_have_finished) add_texts("outcome", results, "outcome");
  bool any = false;
  for (const std::string& trace : traces_of(results)) any = add_jobs(trace, results) || any;
  if (!any)
    throw Error("{}: they are replays of different traces; results of the same one are needed",
                fmt::join(names_, ", "));
}

void ReplayComparison::add_texts(const std::string& name, const std::vector<Json>& results,
                                 const std::string& pointer) {
  ComparedValue row{.name = name, .key = name};
  const Json::json_pointer place("/" + pointer);
  for (const Json& result : results)
    row.texts.push_back(result.contains(place) ? plain_text(result.at(place)) : "");
  rows_.push_back(std::move(row));
}

/// What differs in what was replayed, but for the traces.
void ReplayComparison::add_differences(const std::vector<Json>& results) {
  for (const std::string part : {"spec", "fabric"}) {
    std::vector<std::string> keys;
    for (const Json& result : results)
      for (const auto& [key, value] : result[part].items())
        if (key != "traces" && std::find(keys.begin(), keys.end(), key) == keys.end())
          keys.push_back(key);
    for (const std::string& key : keys) {
      add_texts(key, results, part + "/" + key);
      const std::vector<std::string>& texts = rows_.back().texts;
      if (std::equal(texts.begin() + 1, texts.end(), texts.begin())) rows_.pop_back();
    }
  }
}

/// The jobs with this trace; returns whether more than one result has them. Of one that has not
/// finished nothing is compared.
bool ReplayComparison::add_jobs(const std::string& trace, const std::vector<Json>& results) {
  std::vector<std::vector<const Json*>> jobs;
  for (const Json& result : results) jobs.push_back(jobs_with(result, trace));
  std::size_t most = 0;
  for (const auto& of : jobs) most = std::max(most, of.size());
  for (std::size_t copy = 0; copy < most; ++copy) {
    const std::string name = copy == 0 ? trace : fmt::format("{} ({})", trace, copy + 1);
    rows_.push_back({.trace = name, .name = name});
    for (const auto& [words, key] : job_values()) {
      ComparedValue row{.trace = name, .name = words, .key = key};
      for (const auto& of : jobs) {
        const bool has = copy < of.size() && of[copy]->value("time_us", Json()).is_number();
        const Json value = has ? of[copy]->value(key, Json()) : Json();
        row.numbers.push_back(value.is_number() ? value.get<double>() : no_number);
      }
      const bool none = std::all_of(row.numbers.begin(), row.numbers.end(), [](double number) {
        return std::isnan(number) || number == 0;
      });
      if (!none) rows_.push_back(std::move(row));
    }
  }
  return std::count_if(jobs.begin(), jobs.end(), [](const auto& of) { return !of.empty(); }) > 1;
}

void ReplayComparison::write(std::ostream& out) const {
  const auto text = [](double number) {
    return std::isnan(number) ? std::string("-") : fmt::format("{:.6g}", number);
  };
  std::vector<Cells> lines;
  Cells heading{""};
  for (std::size_t i = 0; i < names_.size(); ++i) {
    heading.push_back(names_[i]);
    if (i > 0) heading.emplace_back("change");
  }
  lines.push_back(heading);
  for (const ComparedValue& row : rows_) {
    Cells& line = lines.emplace_back(Cells{row.name});
    for (std::size_t i = 0; i < std::max(row.texts.size(), row.numbers.size()); ++i) {
      line.push_back(row.numbers.empty() ? row.texts[i] : text(row.numbers[i]));
      if (i > 0)
        line.push_back(row.numbers.empty() ? "" : change_text(row.numbers[0], row.numbers[i]));
    }
    while (line.back().empty() && line.size() > 1) line.pop_back();
  }
  Columns columns{std::vector<bool>(heading.size())};
  columns.left[0] = true;
  for (const Cells& line : lines) columns.fit(line);
  for (const Cells& line : lines) out << columns.text(line) << '\n';
}

void ReplayComparison::write_csv(std::ostream& out) const {
  out << csv_heading(comparison_csv_file()) << '\n';
  for (const ComparedValue& row : rows_)
    for (std::size_t i = 0; i < std::max(row.texts.size(), row.numbers.size()); ++i) {
      const bool number = !row.numbers.empty();
      if (number && std::isnan(row.numbers[i])) continue;
      out << fmt::format("{},{},{},{}\n", csv_field(names_[i]), csv_field(row.trace), row.key,
                         number ? fmt::format("{}", row.numbers[i]) : csv_field(row.texts[i]));
    }
}

ResultFile comparison_csv_file() {
  return {"weft compare --csv FILE",
          "a row for each value of each result",
          {{"file", "the result"},
           {"trace", "of the job; empty for what holds for the whole replay"},
           {"name", "of the value: an option that differs, or a key of the jobs in the results"},
           {"value", "text or number"}}};
}

}  // namespace weft
