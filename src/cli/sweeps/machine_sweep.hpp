// SPDX-License-Identifier: Apache-2.0
// Sweeps of weft run and weft replay on the command line: set up, warnings, exit code.
#pragma once
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "cli/outcome.hpp"
#include "cli/sweeps/sweep_job.hpp"
#include "cli/warnings.hpp"
#include "lab/cluster/physics.hpp"
#include "lab/cluster/waiting.hpp"
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
