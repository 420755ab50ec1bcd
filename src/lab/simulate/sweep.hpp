// SPDX-License-Identifier: Apache-2.0
// A sweep: many simulations on all cores, of all combinations of values or towards saturation.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/simulate/experiment.hpp"
#include "lab/simulate/result_row.hpp"
#include "lab/simulate/saturation.hpp"
#include "lab/sweep/point_runner.hpp"
#include "lab/sweep/shard.hpp"

namespace weft {

/// A sweep as the user writes it.
struct SweepSpec {
  SimulationSpec simulation;  ///< brackets in its values make the sweep: lab/sweep/brackets.hpp
  std::string cluster{};      ///< whose parts stand for those that are not given
  bool saturation = false;    ///< find the highest steady load of every combination
  std::string resolution = "0.005";  ///< of that load
  std::string seeds = "1";           ///< simulations of every point, the seeds from its own on
};

/// All specs of one with brackets in its fields, without repetitions; of 0.2 and 0.20 the first is
/// kept. They multiply in the order of simulation_fields(), the last one varying fastest; the load,
/// though, varies before any other, so that curves stay together. Throws Error naming the field.
std::vector<SimulationSpec> expand(const SimulationSpec& spec);

/// The same parsed into types: one request for every combination, in the order of expand(),
/// and seed.
struct SweepRequest {
  SweepSpec spec{};
  std::uint64_t seeds = 1;  ///< of the points, so many in a row differ in their seeds alone
  std::vector<SimulationRequest> points{};
};
/// Throws Error that names the field when something is wrong.
SweepRequest request_of(const SweepSpec& spec);

/// What its results depend on: fields, files, revision.
SweepIdentity identity_of(const SweepRequest& request);
/// The spec of the sweep that has this identity. Throws Error.
SweepSpec sweep_spec_of(const SweepIdentity& identity);

/// Those points that are of the shard; of a search for saturation, whole searches.
SweepRequest part_of(const SweepRequest& request, const Shard& shard);

/// The same resolved: the points share networks and are ready to run.
struct SweepExperiment {
  SweepSpec spec{};
  std::vector<SimulationExperiment> points{};
};
/// Throws Error when something in one of the points is wrong; quick, as nothing is simulated.
SweepExperiment resolve(const SweepRequest& request, const SetUpProgress& progress = {});

/// What several seeds of one point have in common.
struct SeedStatistics {
  std::uint64_t seeds = 0;
  std::uint64_t same_outcome = 0;  ///< how many of them have the outcome of the row
  double accepted_half_width = 0;  ///< of the 95 % confidence interval
};

struct SweepRow {
  SimulationResult result;
  /// When it is searched for: the highest steady load of this combination; "0" when there is none.
  std::string saturation{};
  bool short_of_resolution = false;       ///< see SaturationPoint
  std::optional<SeedStatistics> seeds{};  ///< where the row stands for several: seeds.hpp
};

using SimulationJournal = Journal<SimulationResult>;
using SweepOptions = PointOptions<SimulationResult>;

/// The rows in the order of the points; when saturation is searched for, all loads tried, in their
/// order. They do not depend on jobs and journal. Throws Error when `simulate` does; then a journal
/// that has nothing from before is removed.
std::vector<SweepRow> run_sweep(const SweepExperiment& sweep, const Simulate& simulate,
                                const SweepOptions& options = {});

}  // namespace weft
