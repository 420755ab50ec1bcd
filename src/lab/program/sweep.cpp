// SPDX-License-Identifier: Apache-2.0
// Running a sweep of host programs.
#include "lab/program/sweep.hpp"

#include <algorithm>
#include <set>

#include "lab/sweep/brackets.hpp"
#include "lab/sweep/identity.hpp"

namespace weft {
namespace {

ProgramResult run_or_refuse(const ProgramExperiment& point) {
  try {
    return run_program(point);
  } catch (const Error& error) {
    ProgramResult out;
    out.spec = point.spec;
    out.ranks = point.ranks();
    out.refusal = error.what();
    return out;
  }
}

}  // namespace

bool is_sweep(const ProgramSpec& spec) {
  return std::any_of(
      program_fields().begin(), program_fields().end(),
      [&](const ProgramField& field) { return (spec.*field.text).find('[') != std::string::npos; });
}

std::vector<ProgramSpec> expand(const ProgramSpec& spec) {
  return expand_fields(spec, program_fields(), &ProgramSpec::program);
}

ProgramSweepRequest sweep_request_of(const ProgramSpec& spec) {
  ProgramSweepRequest out{spec, {}};
  for (const ProgramSpec& point : expand(spec)) out.points.push_back(request_of(point));
  return out;
}

SweepIdentity identity_of(const ProgramSweepRequest& request) {
  SweepIdentity out = begin_identity();
  add_fields(out, request.spec, program_fields());
  const std::set<std::string> values = values_of_points(request.points, program_fields());
  if (!request.spec.cluster.empty()) out["values"] = fmt::format("{}", fmt::join(values, " "));
  add_contents(out, values);
  return out;
}

ProgramSweep resolve(const ProgramSweepRequest& request, Networks& networks) {
  ProgramSweep out{request.spec, {}};
  std::set<ProgramSpec> seen;
  for (const ProgramRequest& one : request.points) {
    ProgramExperiment point = resolve(one, networks);
    if (seen.insert(point.spec).second) out.points.push_back(std::move(point));
  }
  return out;
}

std::vector<ProgramResult> run_sweep(const ProgramSweep& sweep,
                                     const ProgramSweepOptions& options) {
  const auto name = [&](const ProgramSpec& point) {
    return point_name(sweep.spec, point, program_fields());
  };
  PointRunner<ProgramExperiment, ProgramResult> run(run_or_refuse, name, options,
                                                    sweep.points.size());
  std::vector<ProgramResult> out(sweep.points.size());
  run_points(out.size(), options,
             [&](std::size_t i) { out[i] = run(sweep.points[i].spec, sweep.points[i]); });
  if (std::all_of(out.begin(), out.end(), [](const ProgramResult& one) { return one.refused(); })) {
    if (options.journal != nullptr) options.journal->remove();
    throw Error("{}", out.front().refusal);
  }
  return out;
}

}  // namespace weft
