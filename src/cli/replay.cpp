// SPDX-License-Identifier: Apache-2.0
// weft replay: traces of programs on a simulated cluster; and weft compare: replays side by side.
#include <memory>

#include "base/files.hpp"
#include "cli/arguments/field_arguments.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/outcome.hpp"
#include "cli/verbs.hpp"
#include "cli/warnings.hpp"
#include "lab/cluster/physics.hpp"
#include "lab/progress.hpp"
#include "lab/report/replay_comparison.hpp"
#include "lab/report/replay_report.hpp"

namespace weft::cli {
namespace {

struct ReplayArguments {
  ReplaySpec spec;
  std::string json, csv, ranks, links, plot, timeline;
  bool quick = false;
};

int replay(const ReplayArguments& options) {
  std::vector<std::string> inputs = texts_of(options.spec, replay_fields());
  inputs.insert(inputs.end(), options.spec.traces.begin(), options.spec.traces.end());
  add_inputs_of_cluster(options.spec.cluster, inputs);
  require_svg(options.plot);
  std::ostream& human_output = prepare_outputs(
      {options.json, options.csv, options.ranks, options.links, options.plot, options.timeline},
      inputs);
  const ReplayExperiment experiment = [&] {
    ProgressLine line(stderr);
    line(std::nullopt, "reading");
    Networks networks([&](const std::string& what) { line(std::nullopt, what); });
    return resolve(request_of(options.spec), networks);
  }();
  warn(warnings_about(experiment.machine));
  const ReplayResult result = [&] {
    ProgressLine line(stderr);
    ReplayOptions wanted{.path = !options.quick,
                         .links = !options.links.empty() || !options.plot.empty(),
                         .record = !options.timeline.empty(),
                         .ideal = !options.quick,
                         .alone = !options.quick};
    wanted.progress = [&](std::uint64_t begun, std::uint64_t all) { line(begun, all, "calls"); };
    return run_replay(experiment, wanted);
  }();
  const Fabric& fabric = experiment.machine.fabric();
  write_replay(human_output, fabric, result);
  const auto write = [](const std::string& path, auto writer) {
    if (!path.empty()) write_file(path, writer);
  };
  write(options.json, [&](std::ostream& out) { write_json(out, fabric, result); });
  write(options.csv, [&](std::ostream& out) { write_csv(out, result); });
  write(options.ranks, [&](std::ostream& out) { write_ranks_csv(out, fabric, result); });
  write(options.links, [&](std::ostream& out) { write_link_times_csv(out, fabric, result); });
  write(options.plot, [&](std::ostream& out) { write_plot(out, fabric, result); });
  write(options.timeline, [&](std::ostream& out) { write_time_line(out, result); });
  return exit_code(result.ended);
}

}  // namespace

Action add_replay(Arguments& arguments) {
  auto options = std::make_shared<ReplayArguments>();
  arguments.words("trace", options->spec.traces,
                  "files of weft list trace-formats; several: jobs that run side by side");
  add_fields(arguments, options->spec, replay_fields(), {});
  arguments.repeated("--collective NAME=ALGORITHM", options->spec.collectives,
                     "such as allreduce=ring, of weft list collectives; otherwise one\nthat suits "
                     "size and ranks, as MPICH chooses");
  arguments.flag("--quick", options->quick,
                 "times only: no critical path, no comparison with an ideal network,\nor of jobs "
                 "with each alone");
  arguments.option("--json FILE", options->json, "write the result to this file as JSON");
  arguments.option("--csv FILE", options->csv, "write a row for each job to this file as CSV");
  arguments.option("--by-rank FILE", options->ranks,
                   "write what each rank spent its time on to this file as CSV");
  arguments.option("--links FILE", options->links,
                   "write the load of links over time to this file as CSV");
  arguments.option("--plot FILE", options->plot,
                   "draw what ranks spent their time on, and loads of links, SVG");
  arguments.option("--trace FILE", options->timeline,
                   "write when each operation began and ended to this file,\nfor Chrome or "
                   "ui.perfetto.dev");
  return [options] { return replay(*options); };
}

Action add_compare(Arguments& arguments) {
  struct CompareArguments {
    std::vector<std::string> results;
    std::string csv;
  };
  auto options = std::make_shared<CompareArguments>();
  arguments.words("result", options->results,
                  "results of weft replay --json, two or more, to be compared\nwith the first");
  arguments.option("--csv FILE", options->csv, "write a row for each value to this file as CSV");
  return [options] {
    if (options->results.size() < 2)
      throw Error("two results of weft replay --json are needed, or more");
    std::ostream& human_output = prepare_outputs({options->csv}, options->results);
    const ReplayComparison comparison(options->results);
    comparison.write(human_output);
    if (!options->csv.empty())
      write_file(options->csv, [&](std::ostream& out) { comparison.write_csv(out); });
    return exit_fine;
  };
}

}  // namespace weft::cli
