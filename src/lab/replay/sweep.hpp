// SPDX-License-Identifier: Apache-2.0
// A sweep of replays: brackets in the fields of a replay, many of them on all cores.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lab/replay/experiment.hpp"
#include "lab/sweep/refusals.hpp"

namespace weft {

/// Whether a field of the spec, or a choice of an algorithm, has brackets.
bool is_sweep(const ReplaySpec& spec);
/// All specs of one with brackets. They multiply in the order of replay_fields(), then of the
/// algorithms, the last one varying fastest. Throws Error naming the field.
std::vector<ReplaySpec> expand(const ReplaySpec& spec);

using ReplaySweepRequest = SweepOf<ReplayRequest>;
/// Throws Error that names the field when one of a point is wrong.
ReplaySweepRequest sweep_request_of(const ReplaySpec& spec);
/// What its results depend on: fields, files, revision, and what is to be found out.
SweepIdentity identity_of(const ReplaySweepRequest& request, const ReplayOptions& wanted);
/// The spec of the sweep that has this identity, and what is to be found out. Throws Error.
ReplaySpec replay_spec_of(const SweepIdentity& identity);
ReplayOptions compared_with(const SweepIdentity& identity);

using ReplaySweep = SweepOf<SweepPoint<ReplayExperiment>>;
/// Without points that others repeat; they share traces and networks. Throws Error when there is no
/// such trace or network, and the first refusal when every point is refused.
ReplaySweep resolve(const ReplaySweepRequest& request, Networks& networks);

using ReplayJournal = Journal<ReplayResult>;
using ReplaySweepOptions = PointOptions<ReplayResult>;

/// A result for each point, in their order; they do not depend on jobs and journal. A replay that
/// cannot be run at its point is refused there. Throws the first Error when all are.
std::vector<ReplayResult> run_sweep(const ReplaySweep& sweep, const ReplayOptions& wanted,
                                    const ReplaySweepOptions& options = {});

/// A result as the text of a journal, and back: what reports of sweeps need of it. Throws Error.
std::string entry_text(const ReplayResult& result);
void read_entry(std::string_view text, ReplayResult& out);

}  // namespace weft
