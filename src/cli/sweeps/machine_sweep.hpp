// SPDX-License-Identifier: Apache-2.0
// Sweeps of weft run and weft replay on the command line: set up, warnings, exit code.
#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "cli/outcome.hpp"
#include "cli/page.hpp"
#include "cli/sweeps/sweep_job.hpp"
#include "cli/warnings.hpp"
#include "lab/cluster/physics.hpp"
#include "lab/cluster/waiting.hpp"
#include "lab/page/result_sections.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "lab/sweep/refusals.hpp"

namespace weft::cli {

/// The points of a sweep or of a shard, with progress and warnings about their machines.
template <class Request>
auto set_up_sweep(const SweepOf<Request>& request, const std::optional<Shard>& shard) {
  auto sweep = [&] {
    ProgressLine line(stderr);
    Networks networks([&](const std::string& what) { line(std::nullopt, what); });
    return resolve(shard ? part_of(request, *shard) : request, networks);
  }();
  std::set<std::string> warnings;
  std::set<std::pair<SharedNetwork, WaitKind>> checked;
  const auto add = [&](const std::vector<std::string>& texts) {
    warnings.insert(texts.begin(), texts.end());
  };
  for (const auto& point : sweep.points) {
    if (!point.experiment) continue;
    const Machine& machine = point.experiment->machine;
    add(warnings_about(machine));
    if (checked.emplace(machine.network, waiting_in(machine.switches)).second)
      add(warnings_about(*machine.network, machine.switches));
  }
  warn({warnings.begin(), warnings.end()});
  return sweep;
}

/// The files that every such sweep may write; those without a name are not written.
struct SweepFiles {
  const std::string &json, &csv, &plot, &html;
};

/// `what` the rows are, as the title of the page.
template <class Result>
void write_sweep(const SweepFiles& files, const std::vector<Result>& results,
                 const std::string& what, const std::string& seed) {
  const auto write = [&](const std::string& file, auto writer) {
    if (!file.empty()) write_file(file, [&](std::ostream& out) { writer(out); });
  };
  write(files.json, [&](std::ostream& out) { write_json(out, document_of(results)); });
  write(files.csv, [&](std::ostream& out) { write_csv(out, results); });
  write(files.plot, [&](std::ostream& out) { write_svg(out, chart_of(results)); });
  if (files.html.empty()) return;
  HtmlPage page = result_page(what, chart_of(results), document_of(results));
  page.specs = {{"seed", seed}};
  write_page(files.html, page);
}

/// Of the runs that were not refused: a deadlock, or that one did not finish.
template <class Result>
int exit_code_of_all(const std::vector<Result>& results) {
  int out = exit_fine;
  for (const Result& result : results) {
    if (result.refused()) continue;
    const int code = exit_code(result.ended);
    if (code == exit_deadlock) return code;
    out = std::max(out, code);
  }
  return out;
}

}  // namespace weft::cli
