// SPDX-License-Identifier: Apache-2.0
// Running a sweep of host programs.
#include "lab/program/sweep.hpp"

namespace weft {

bool is_sweep(const ProgramSpec& spec) { return has_brackets(spec, program_fields()); }

std::vector<ProgramSpec> expand(const ProgramSpec& spec) {
  return expand_fields(spec, program_fields(), &ProgramSpec::program);
}

ProgramSweepRequest sweep_request_of(const ProgramSpec& spec) {
  ProgramSweepRequest out{.spec = spec};
  for (const ProgramSpec& point : expand(spec)) out.points.push_back(request_of(point));
  return out;
}

SweepIdentity identity_of(const ProgramSweepRequest& request) {
  return identity_of_fields("run", request, program_fields());
}

ProgramSpec program_spec_of(const SweepIdentity& identity) {
  ProgramSpec out;
  fill_fields(identity, out, program_fields());
  return out;
}

ProgramSweep resolve(const ProgramSweepRequest& request, Networks& networks) {
  return resolve_points<ProgramExperiment>(
      request, networks,
      [](const ProgramRequest& one, const Machine& machine) { return resolve(one, machine); });
}

std::vector<ProgramResult> run_sweep(const ProgramSweep& sweep,
                                     const ProgramSweepOptions& options) {
  const auto run = [](const ProgramExperiment& point) { return run_program(point); };
  std::vector<ProgramResult> out = run_all_points(sweep, program_fields(), run, options);
  for (std::size_t i = 0; i < out.size(); ++i)
    if (const auto& experiment = sweep.points[i].experiment) out[i].ranks = experiment->ranks();
  return out;
}

}  // namespace weft
