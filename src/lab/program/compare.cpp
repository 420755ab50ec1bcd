// SPDX-License-Identifier: Apache-2.0
// Which algorithm is best by size and ranks.
#include "lab/program/compare.hpp"

#include <algorithm>

#include "base/words.hpp"

namespace weft {
namespace {

constexpr std::string_view size_param = "bytes";

std::vector<ProgramChoice> choices_of(const std::vector<ProgramResult>& runs) {
  std::vector<ProgramChoice> out;
  for (const ProgramResult& run : runs) out.push_back(program_from(run.spec.program));
  return out;
}

bool same_program(const std::vector<ProgramChoice>& choices) {
  return std::all_of(choices.begin(), choices.end(),
                     [&](const ProgramChoice& one) { return one.row == choices.front().row; });
}

void add_params(std::vector<VariedValue>& out, const std::vector<ProgramChoice>& choices) {
  for (const Param& param : choices.front().row->params)
    add_varied(out, values_by_run(std::string(param.name), choices, [&](const ProgramChoice& one) {
                 return one.params.written(param.name);
               }));
}

/// Its place in the list, to whose end it is added unless it is there.
template <class Value>
std::size_t place_in(std::vector<Value>& list, const Value& value) {
  const auto found = std::find(list.begin(), list.end(), value);
  if (found != list.end()) return static_cast<std::size_t>(found - list.begin());
  list.push_back(value);
  return list.size() - 1;
}

bool is_placement(const ProgramField& field) {
  return field.text == &ProgramSpec::hosts || field.text == &ProgramSpec::ranks;
}

/// Whether runs differ in nothing but program, hosts and ranks.
bool are_comparable(const std::vector<ProgramResult>& runs) {
  return std::all_of(program_fields().begin(), program_fields().end(),
                     [&](const ProgramField& field) {
                       return field.text == &ProgramSpec::program || is_placement(field) ||
                              !values_by_run("", runs, [&](const ProgramResult& run) {
                                 return run.spec.*field.text;
                               }).varies();
                     });
}

ComparedAlgorithm algorithm_of(const std::vector<VariedValue>& params, std::size_t run,
                               const std::string& program) {
  ComparedAlgorithm out{"", Spec::parse(program)};
  out.spec.values.erase(std::string(size_param));
  for (const VariedValue& param : params) {
    if (param.name == size_param) continue;
    const std::string& value = param.values[run];
    out.name += out.name.empty() ? "" : ", ";
    out.name += param.name == "algorithm" ? value : fmt::format("{} {}", param.name, value);
  }
  return out;
}

bool has_param(const ProgramChoice& choice, std::string_view name) {
  const auto& params = choice.row->params;
  return std::any_of(params.begin(), params.end(),
                     [&](const Param& param) { return param.name == name; });
}

Bytes size_of(const ProgramChoice& choice) {
  return has_param(choice, size_param) ? choice.params.bytes(size_param) : Bytes{0};
}

/// Whether the program has algorithms, and all runs measure them alike.
bool compares_algorithms(const ProgramChoice& choice, const std::vector<VariedValue>& params) {
  return has_param(choice, "algorithm") &&
         std::none_of(params.begin(), params.end(), [](const VariedValue& param) {
           return param.name == "iterations" || param.name == "warmup";
         });
}

template <class Value, class Less>
std::vector<Value> sorted_distinct(std::vector<Value> values, Less less) {
  std::stable_sort(values.begin(), values.end(), less);
  std::vector<Value> out;
  for (const Value& value : values) place_in(out, value);
  return out;
}

}  // namespace

std::vector<VariedValue> varied_values(const std::vector<ProgramResult>& runs) {
  std::vector<VariedValue> out;
  if (runs.empty()) return out;
  const std::vector<ProgramChoice> choices = choices_of(runs);
  for (const ProgramField& field : program_fields())
    if (field.text == &ProgramSpec::program && same_program(choices))
      add_params(out, choices);
    else
      add_varied(out, values_by_run(field.name, runs, [&](const ProgramResult& run) {
                   return run.spec.*field.text;
                 }));
  return out;
}

std::string common_title(const std::vector<ProgramResult>& runs) {
  const std::vector<VariedValue> varied = varied_values(runs);
  const auto differs = [&](const std::string& name) { return has_value(varied, name); };
  const ProgramSpec& first = runs.front().spec;
  const ProgramSpec usual;
  Spec program = Spec::parse(first.program);
  std::erase_if(program.values, [&](const auto& value) { return differs(value.first); });
  std::string out = differs("program") ? "" : program.text();
  for (const ProgramField& field : program_fields()) {
    const std::string& value = first.*field.text;
    if (field.text == &ProgramSpec::program || differs(field.name) || value == usual.*field.text ||
        (field.text == &ProgramSpec::library && value == "none"))
      continue;
    const bool by_value = field.text == &ProgramSpec::topology;
    out += (out.empty() ? "" : ", ") + (by_value ? value : field.name + " " + value);
  }
  return out;
}

std::string RankPlacement::text() const {
  if (ranks == "1") return counted(in_all, "rank", "ranks");
  return fmt::format("{} ranks, {} a host", in_all, ranks);
}

std::optional<Duration> AlgorithmComparison::time(std::size_t algorithm, std::size_t size,
                                                  std::size_t at) const {
  const auto found = times.find({algorithm, size, at});
  return found == times.end() ? std::nullopt : std::optional(found->second);
}

std::vector<AlgorithmTime> AlgorithmComparison::ranking(std::size_t size, std::size_t at) const {
  std::vector<AlgorithmTime> out;
  for (std::size_t i = 0; i < algorithms.size(); ++i)
    if (const auto found = time(i, size, at)) out.push_back({i, *found});
  std::stable_sort(out.begin(), out.end(),
                   [](const AlgorithmTime& a, const AlgorithmTime& b) { return a.time < b.time; });
  return out;
}

std::optional<AlgorithmComparison> compare_algorithms(const std::vector<ProgramResult>& runs) {
  if (runs.empty()) return std::nullopt;
  const std::vector<ProgramChoice> choices = choices_of(runs);
  if (!same_program(choices) || !are_comparable(runs)) return std::nullopt;
  std::vector<VariedValue> params;
  add_params(params, choices);
  if (!compares_algorithms(choices.front(), params)) return std::nullopt;
  AlgorithmComparison out{.program = std::string(choices.front().row->name)};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    out.sizes.push_back(size_of(choices[i]));
    out.placements.push_back({runs[i].spec.hosts, runs[i].spec.ranks, runs[i].ranks});
  }
  const std::vector<Bytes> size_by_run = out.sizes;
  const std::vector<RankPlacement> placement_by_run = out.placements;
  out.sizes = sorted_distinct(out.sizes, std::less<>());
  out.placements = sorted_distinct(
      out.placements, [](const auto& a, const auto& b) { return a.in_all < b.in_all; });
  // Runs that were refused before their ranks had places.
  std::erase_if(out.placements, [](const RankPlacement& at) { return at.in_all == 0; });
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::size_t algorithm =
        place_in(out.algorithms, algorithm_of(params, i, runs[i].spec.program));
    if (runs[i].finished())
      out.times[{algorithm, place_in(out.sizes, size_by_run[i]),
                 place_in(out.placements, placement_by_run[i])}] = runs[i].slowest.mean;
  }
  if (out.algorithms.size() < 2 || out.placements.empty()) return std::nullopt;
  return out;
}

}  // namespace weft
