// SPDX-License-Identifier: Apache-2.0
// weft sim: one simulation.
#include <memory>
#include <ostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/arguments/simulation_arguments.hpp"
#include "cli/arguments/threads.hpp"
#include "cli/page.hpp"
#include "cli/simulation.hpp"
#include "cli/verbs.hpp"
#include "cli/warnings.hpp"
#include "lab/page/chart_section.hpp"
#include "lab/page/fabric_section.hpp"
#include "lab/page/result_sections.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "lab/simulate/seeds.hpp"
#include "lab/simulate/sweep.hpp"

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

struct SimArguments {
  SimulationArguments simulation;
  bool check = false, profile = false;
  std::uint64_t threads = 0;
  std::string seeds = "1";
  std::string json, csv, links, packets, flits, plot, fabric_plot, html;

  SimulationOptions details() const {
    return {.check = check,
            .links = !links.empty() || !plot.empty() || !fabric_plot.empty() || !html.empty(),
            .profile = profile,
            .latencies = !plot.empty() || !html.empty(),
            .threads = threads};
  }
};

SimulationExperiment resolved(const SimulationRequest& request) {
  ProgressLine line(stderr);
  const auto progress = [&](const std::string& what) { line(std::nullopt, what); };
  return resolve(request, std::make_shared<Networks>(progress));
}

/// Empty where several threads can move the network.
std::string_view one_thread_because(const SimArguments& arguments,
                                    const SimulationExperiment& experiment) {
  if (arguments.check) return "--check accounts for every flit";
  if (!arguments.packets.empty() || !arguments.flits.empty())
    return "--packets and --flits hear of every flit";
  if (!experiment.faults.glitches.empty()) return "--faults damages single packets";
  return "";
}

/// One simulation, or one with each seed, on all cores.
SweepRow run_with_seeds(const SimulationExperiment& experiment, std::uint64_t seeds,
                        const SimArguments& arguments) {
  ProgressLine line(stderr);
  SimulationOptions options = arguments.details();
  if (seeds == 1) {
    options.progress = std::ref(line);
    return {simulate_to_files(experiment, options, arguments.packets, arguments.flits)};
  }
  SweepExperiment sweep;
  for (SimulationRequest& request : with_seeds(experiment.request, seeds)) {
    sweep.points.push_back(experiment);
    sweep.points.back().request = std::move(request);
  }
  const auto one = [&](const SimulationExperiment& point) { return simulate(point, options); };
  options.threads = std::max<std::uint64_t>(options.threads, 1);  // seeds have a core each
  return over_seeds(run_sweep(sweep, one, {.progress = std::ref(line)}), seeds).front();
}

struct FinishedSimulation {
  SimulationExperiment experiment;
  SweepRow row;
  int exit_code() const {
    return row.result.outcome == SimulationOutcome::deadlocked ? exit_deadlock : exit_fine;
  }
};

FinishedSimulation simulate_and_write(const SimulationSpec& spec, std::uint64_t seeds,
                                      const SimArguments& arguments, std::ostream& human_output) {
  FinishedSimulation out{resolved(request_of(spec)), {}};
  warn(warnings_about(out.experiment));
  if (const auto why = one_thread_because(arguments, out.experiment);
      arguments.threads > 1 && !why.empty())
    warn({fmt::format("--threads {}: one thread simulates, as {}", arguments.threads, why)});
  out.row = run_with_seeds(out.experiment, seeds, arguments);
  write_simulation(human_output, out.row);
  return out;
}

void write_fabric_plot(const std::string& path, const SimulationExperiment& experiment,
                       const SimulationResult& result, std::ostream& human_output) {
  const SharedNetwork network = experiment.network();
  const LoadMap loads = use_of_links(network->fabric(), result);
  write_hot_links(human_output, network->fabric(), loads);
  const FabricPicture picture{network->fabric(), &loads,
                              fmt::format("{}, traffic {}, {}", result.spec.tables,
                                          result.spec.traffic, to_text(result.outcome))};
  write_file(path, [&](std::ostream& out) { write_svg(out, picture); });
}

HtmlPage page_of(const SimulationExperiment& experiment, const SweepRow& row) {
  const SharedNetwork network = experiment.network();
  const Fabric& fabric = network->fabric();
  HtmlPage page{.title = fmt::format("{}, {}, traffic {}", row.result.spec.fabric,
                                     row.result.spec.tables, row.result.spec.traffic)};
  page.specs.push_back({"outcome", to_text(row.result.outcome)});
  page.specs.push_back({"switch", row.result.spec.switches});
  page.specs.push_back({"seed", row.result.spec.seed});
  if (!row.result.explanation.empty()) page.specs.push_back({"why", row.result.explanation});
  page.sections.push_back(charts_section("simulation", chart_of(row)));
  const Checked checked = run_checks(fabric, network->tables());
  page.sections.push_back(fabric_section(
      {.fabric = fabric,
       .routings = {{network->tables(), &checked}},
       .loads = {
           {"use of links", "flits per cycle", {0}, {use_of_links(fabric, row.result).of}}}}));
  page.add(result_sections(document_of({row})));
  return page;
}

int run_sim(const SimArguments& options) {
  for (const std::string& plot : {options.plot, options.fabric_plot}) require_svg(plot);
  require_html(options.html);
  std::ostream& human_output =
      prepare_outputs({options.json, options.csv, options.links, options.packets, options.flits,
                       options.plot, options.fabric_plot, options.html},
                      options.simulation.inputs());
  const std::uint64_t seeds = seeds_from(options.seeds);
  if (seeds > 1 && options.profile)
    throw Error("seeds={}: --profile is of one simulation", options.seeds);
  if (seeds > 1 && !(options.packets.empty() && options.flits.empty()))
    throw Error("seeds={}: --packets and --flits are of one simulation", options.seeds);
  const SimulationSpec spec = options.simulation.filled();
  reject_brackets(spec);
  const FinishedSimulation finished = simulate_and_write(spec, seeds, options, human_output);
  const SimulationExperiment& experiment = finished.experiment;
  const SweepRow& row = finished.row;
  const auto write = [&](const std::string& path, auto writer) {
    if (!path.empty()) write_file(path, [&](std::ostream& out) { writer(out); });
  };
  write(options.json, [&](std::ostream& out) { write_json(out, document_of({row})); });
  write(options.csv, [&](std::ostream& out) { write_csv(out, {row}); });
  write(options.links, [&](std::ostream& out) { write_links_csv(out, row.result); });
  write(options.plot, [&](std::ostream& out) { write_svg(out, chart_of(row)); });
  if (!options.html.empty()) write_page(options.html, page_of(experiment, row));
  if (!options.fabric_plot.empty())
    write_fabric_plot(options.fabric_plot, experiment, row.result, human_output);
  return finished.exit_code();
}

}  // namespace

int simulate_and_print(const SimulationSpec& spec, std::uint64_t seeds,
                       std::ostream& human_output) {
  return simulate_and_write(spec, seeds, {}, human_output).exit_code();
}

Action add_sim(Arguments& arguments) {
  auto options = std::make_shared<SimArguments>();
  add_fields(arguments, options->simulation);
  arguments.option("--seeds NUMBER", options->seeds,
                   "simulate with so many seeds, from --seed on, for means over seeds\nand their "
                   "95 % confidence intervals");
  arguments.flag("--check", options->check, "keep books of flits, credits and order while it runs");
  arguments.flag("--profile", options->profile, "say where processor time goes");
  arguments.option("--json FILE", options->json, "write the result to this file as JSON");
  add_threads(arguments, options->threads);
  arguments.option("--csv FILE", options->csv, "write the result to this file as CSV");
  arguments.option("--links FILE", options->links,
                   "write the use of every link and lane to this file as CSV");
  arguments.option("--packets FILE", options->packets,
                   "write every measured packet, its times and route to this file as CSV");
  arguments.option("--flits FILE", options->flits,
                   "write when their flits take which links to this file as CSV");
  arguments.option("--plot FILE", options->plot, "draw latencies and use of links, SVG");
  arguments.option("--plot-fabric FILE", options->fabric_plot,
                   "draw the fabric with its links coloured by their use, SVG");
  add_html(arguments, options->html);
  return [options] { return run_sim(*options); };
}

}  // namespace weft::cli
