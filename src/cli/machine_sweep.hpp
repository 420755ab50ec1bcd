// SPDX-License-Identifier: Apache-2.0
// Sweeps of weft run and weft replay on the command line: set up, warnings, journal, exit code.
#pragma once
#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/journal_file.hpp"
#include "cli/outcome.hpp"
#include "cli/warnings.hpp"
#include "lab/cluster/physics.hpp"
#include "lab/cluster/waiting.hpp"
#include "lab/sweep/refusals.hpp"

namespace weft::cli {

/// The points of a sweep, with progress and warnings about their machines.
template <class Request>
auto set_up_sweep(const Request& request) {
  auto sweep = [&] {
    ProgressLine line(stderr);
    Networks networks([&](const std::string& what) { line(std::nullopt, what); });
    return resolve(request, networks);
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

/// `run` is given the options of the points; the journal stays open until results are written.
template <class Result, class Run>
std::vector<Result> run_with_journal(const std::string& path, const SweepIdentity& identity,
                                     std::uint64_t jobs, std::optional<Journal<Result>>& journal,
                                     const Run& run) {
  ProgressLine line(stderr);
  std::optional<LastWords> last_words;
  if (!path.empty()) {
    last_words.emplace(path);
    journal.emplace(path, identity);
  }
  return run(PointOptions<Result>{jobs, journal ? &*journal : nullptr, std::ref(line)});
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
