// SPDX-License-Identifier: Apache-2.0
// weft sim: one simulation.
#include <memory>
#include <ostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/arguments/simulation_arguments.hpp"
#include "cli/verbs.hpp"
#include "cli/warnings.hpp"
#include "lab/report/report.hpp"
#include "lab/simulate/brackets.hpp"

namespace weft::cli {
namespace {

/// Throws Error for a field with several values.
void reject_brackets(const SimulationSpec& spec) {
  if (expand(spec) == std::vector{spec}) return;
  for (const SimulationField& field : simulation_fields())
    if ((spec.*field.text).find('[') != std::string::npos)
      reject(field.name, spec.*field.text, "values in brackets make a sweep: weft sweep");
}

/// Simulates, and writes packets and flits meanwhile to the files that have a name.
SimulationResult simulate_to_files(const SimulationExperiment& experiment,
                                   SimulationOptions options, const std::string& packets,
                                   const std::string& flits) {
  SimulationResult result;
  const auto with_flits = [&] {
    if (flits.empty()) {
      result = simulate(experiment, options);
      return;
    }
    write_file(flits, [&](std::ostream& out) {
      options.trace.flit = flit_writer(out);
      result = simulate(experiment, options);
    });
  };
  if (packets.empty())
    with_flits();
  else
    write_file(packets, [&](std::ostream& out) {
      options.trace.packet = packet_writer(out);
      with_flits();
    });
  return result;
}

}  // namespace

Action add_sim(Arguments& arguments) {
  struct SimArguments {
    SimulationArguments simulation;
    bool check = false, profile = false;
    std::string json, csv, links, packets, flits;
  };
  auto options = std::make_shared<SimArguments>();
  add_fields(arguments, options->simulation);
  arguments.flag("--check", options->check, "keep books of flits, credits and order while it runs");
  arguments.flag("--profile", options->profile, "say where processor time goes");
  arguments.option("--json FILE", options->json, "write the result to this file as JSON");
  arguments.option("--csv FILE", options->csv, "write the result to this file as CSV");
  arguments.option("--links FILE", options->links,
                   "write the use of every link and lane to this file as CSV");
  arguments.option("--packets FILE", options->packets,
                   "write every measured packet, its times and route to this file as CSV");
  arguments.option("--flits FILE", options->flits,
                   "write when their flits take which links to this file as CSV");
  return [options] {
    std::ostream& human_output = prepare_outputs(
        {options->json, options->csv, options->links, options->packets, options->flits},
        options->simulation.inputs());
    const SimulationSpec spec = options->simulation.filled();
    reject_brackets(spec);
    const SimulationExperiment experiment = [&] {
      ProgressLine line(stderr);
      const auto progress = [&](const std::string& what) { line(std::nullopt, what); };
      return resolve(request_of(spec), std::make_shared<Networks>(progress));
    }();
    warn(warnings_about(experiment));
    const SimulationResult result = [&] {
      ProgressLine line(stderr);
      return simulate_to_files(experiment,
                               {.check = options->check,
                                .links = !options->links.empty(),
                                .profile = options->profile,
                                .progress = std::ref(line)},
                               options->packets, options->flits);
    }();
    write_simulation(human_output, result);
    if (!options->json.empty())
      write_file(options->json, [&](std::ostream& out) { write_json(out, {{result}}); });
    if (!options->csv.empty())
      write_file(options->csv, [&](std::ostream& out) { write_csv(out, {{result}}); });
    if (!options->links.empty())
      write_file(options->links, [&](std::ostream& out) { write_links_csv(out, result); });
    return result.outcome == SimulationOutcome::deadlocked ? exit_deadlock : exit_fine;
  };
}

}  // namespace weft::cli
