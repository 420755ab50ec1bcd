// SPDX-License-Identifier: Apache-2.0
// weft run: one host program on a simulated cluster.
#include <memory>
#include <ostream>

#include "base/files.hpp"
#include "cli/arguments/field_arguments.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/outcome.hpp"
#include "cli/verbs.hpp"
#include "cli/warnings.hpp"
#include "lab/cluster/physics.hpp"
#include "lab/report/report.hpp"

namespace weft::cli {
namespace {

struct RunOptions {
  ProgramSpec spec;
  std::string json, csv, ranks, trace, plot;
};

int run_it(const RunOptions& options) {
  std::vector<std::string> inputs = texts_of(options.spec, program_fields());
  add_inputs_of_cluster(options.spec.cluster, inputs);
  require_svg(options.plot);
  std::ostream& human_output = prepare_outputs(
      {options.json, options.csv, options.ranks, options.trace, options.plot}, inputs);
  ProgramExperiment experiment = [&] {
    ProgressLine line(stderr);
    Networks networks([&](const std::string& what) { line(std::nullopt, what); });
    return resolve(request_of(options.spec), networks);
  }();
  experiment.options.record = !options.trace.empty();
  warn(warnings_about(experiment.machine));
  const ProgramResult result = [&] {
    ProgressLine line(stderr);
    line(std::nullopt, "running");
    return run_program(experiment, [&](std::size_t ended, std::optional<std::size_t> all) {
      if (all)
        line(ended, *all, "iterations");
      else
        line(std::nullopt, fmt::format("{} iterations, until their mean is steady", ended));
    });
  }();
  write_program(human_output, result);
  const auto write = [&](const std::string& path, auto writer) {
    if (!path.empty()) write_file(path, [&](std::ostream& out) { writer(out, result); });
  };
  write(options.json, [](std::ostream& out, const auto& it) { write_json(out, it); });
  write(options.csv, [](std::ostream& out, const auto& it) { write_csv(out, it); });
  write(options.plot, [](std::ostream& out, const auto& it) { write_plot(out, it); });
  write(options.ranks, [](std::ostream& out, const auto& it) { write_ranks_csv(out, it); });
  write(options.trace, [](std::ostream& out, const auto& it) { out << run::to_trace(it.records); });
  return exit_code(result.ended);
}

}  // namespace

Action add_run(Arguments& arguments) {
  auto options = std::make_shared<RunOptions>();
  add_fields(arguments, options->spec, program_fields(), {&ProgramSpec::program});
  arguments.option("--json FILE", options->json, "write the result to this file as JSON");
  arguments.option("--csv FILE", options->csv, "write the result to this file as CSV");
  arguments.option("--by-rank FILE", options->ranks,
                   "write the times of every rank to this file as CSV");
  arguments.option("--plot FILE", options->plot, "draw the times of iterations by rank, SVG");
  arguments.option("--trace FILE", options->trace,
                   "write when each operation began and ended to this file,\nfor Chrome or "
                   "ui.perfetto.dev");
  return [options] { return run_it(*options); };
}

}  // namespace weft::cli
