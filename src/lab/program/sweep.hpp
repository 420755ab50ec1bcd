// SPDX-License-Identifier: Apache-2.0
// A sweep of host programs: brackets in the fields of a run, many runs on all cores.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lab/program/experiment.hpp"
#include "lab/sweep/refusals.hpp"

namespace weft {

/// Whether a field of the spec has brackets.
bool is_sweep(const ProgramSpec& spec);
/// All specs of one with brackets in its fields. They multiply in the order of program_fields(),
/// the last one varying fastest; the program, though, varies before any other. Throws Error naming
/// the field.
std::vector<ProgramSpec> expand(const ProgramSpec& spec);

using ProgramSweepRequest = SweepOf<ProgramRequest>;
/// Throws Error that names the field when one of a point is wrong.
ProgramSweepRequest sweep_request_of(const ProgramSpec& spec);
/// What its results depend on: fields, files, revision.
SweepIdentity identity_of(const ProgramSweepRequest& request);
/// The spec of the sweep that has this identity. Throws Error.
ProgramSpec program_spec_of(const SweepIdentity& identity);

using ProgramSweep = SweepOf<SweepPoint<ProgramExperiment>>;
/// Without points that others repeat. Throws Error when there is no such network, and the first
/// refusal when every point is refused.
ProgramSweep resolve(const ProgramSweepRequest& request, Networks& networks);

using ProgramJournal = Journal<ProgramResult>;
using ProgramSweepOptions = PointOptions<ProgramResult>;

/// A result for each point, in their order; they do not depend on jobs and journal. A program that
/// cannot be run at its point (the routing engine refuses the fabric, the NICs are not made for the
/// algorithm) is refused there. Throws the first Error when all are.
std::vector<ProgramResult> run_sweep(const ProgramSweep& sweep,
                                     const ProgramSweepOptions& options = {});

/// A result as the text of a journal, and back without a bit lost but for the records of
/// operations. Throws Error.
std::string entry_text(const ProgramResult& result);
void read_entry(std::string_view text, ProgramResult& out);

}  // namespace weft
