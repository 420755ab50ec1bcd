// SPDX-License-Identifier: Apache-2.0
// weft run: a host program on a simulated cluster, or a sweep of many runs.
#include <memory>
#include <optional>
#include <ostream>

#include "base/files.hpp"
#include "cli/arguments/field_arguments.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/arguments/threads.hpp"
#include "cli/page.hpp"
#include "cli/sweeps/machine_sweep.hpp"
#include "cli/sweeps/merge.hpp"
#include "cli/verbs.hpp"
#include "lab/cluster/waiting.hpp"
#include "lab/page/chart_section.hpp"
#include "lab/page/fabric_section.hpp"
#include "lab/page/result_sections.hpp"
#include "lab/page/timeline_section.hpp"
#include "lab/program/open_mpi_rules.hpp"
#include "lab/program/sweep.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"

namespace weft::cli {
namespace {

struct RunOptions {
  ProgramSpec spec;
  std::string json, csv, ranks, trace, plot, open_mpi, html, from;
  std::uint64_t jobs = 0, threads = 1;
  Distribution distribution;
};

/// The files of all clusters and other parts that the spec names.
std::vector<std::string> inputs_of(const ProgramSpec& spec) {
  std::vector<std::string> inputs = texts_of(spec, program_fields());
  for (const std::string& cluster : expand(spec.cluster)) add_inputs_of_cluster(cluster, inputs);
  return inputs;
}

/// On which hosts the ranks of an experiment are: so many on each.
std::vector<TimelineRank> ranks_of(const ProgramExperiment& experiment) {
  const Fabric& fabric = experiment.machine.fabric();
  std::vector<HostId> hosts = experiment.options.hosts;
  if (hosts.empty())
    for (const HostId host : fabric.hosts()) hosts.push_back(host);
  std::vector<TimelineRank> out;
  for (const HostId host : hosts)
    for (int i = 0; i < experiment.options.ranks_per_host; ++i)
      out.push_back({fmt::format("rank {}", out.size()), fabric[host].name});
  return out;
}

HtmlPage page_of(const ProgramExperiment& experiment, const ProgramResult& result) {
  const Machine& machine = experiment.machine;
  const ProgramSpec& spec = result.spec;
  HtmlPage page{.title = spec.program};
  page.specs = {{"topology", spec.topology}, {"engine", spec.engine},   {"switch", spec.switches},
                {"NIC", spec.nic},           {"library", spec.library}, {"seed", spec.seed}};
  page.sections.push_back(charts_section("iterations", chart_of(result)));
  page.sections.push_back(
      timeline_section({.records = result.records,
                        .ranks = ranks_of(experiment),
                        .path = {.steps = result.path_steps, .length = result.time},
                        .from = experiment.options.window.from,
                        .left_out = result.records_left_out}));
  page.add(result_sections(document_of({result})));
  const Checked checked = run_checks(machine.fabric(), machine.tables());
  page.sections.push_back(
      fabric_section({.fabric = machine.fabric(), .routings = {{machine.tables(), &checked}}}));
  return page;
}

int run_once(const RunOptions& options) {
  if (!options.open_mpi.empty())
    throw Error("--open-mpi: rules come from a sweep: brackets make one");
  std::ostream& human_output = prepare_outputs(
      {options.json, options.csv, options.ranks, options.trace, options.plot, options.html},
      inputs_of(options.spec));
  ProgramExperiment experiment = [&] {
    ProgressLine line(stderr);
    Networks networks([&](const std::string& what) { line(std::nullopt, what); });
    return resolve(request_of(options.spec), networks);
  }();
  experiment.options.threads = options.threads;
  experiment.options.record = !options.trace.empty() || !options.html.empty();
  experiment.options.path = !options.html.empty();
  experiment.options.window = window_of({options.from, options.html, options.trace});
  warn(warnings_about(experiment.machine));
  warn(warnings_about(*experiment.machine.network, experiment.machine.switches));
  warn_of_hosts(experiment.machine, options.threads,
                !experiment.options.path && !experiment.options.record);
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
  write(options.json,
        [](std::ostream& out, const auto& it) { write_json(out, document_of({it})); });
  write(options.csv, [](std::ostream& out, const auto& it) { write_csv(out, {it}); });
  write(options.plot, [](std::ostream& out, const auto& it) { write_svg(out, chart_of(it)); });
  write(options.ranks, [](std::ostream& out, const auto& it) { write_ranks_csv(out, it); });
  write(options.trace, [](std::ostream& out, const auto& it) { out << run::to_trace(it.records); });
  if (!options.html.empty()) write_page(options.html, page_of(experiment, result));
  return exit_code(result.ended);
}

/// Throws Error, before anything is run, where no rules can be made; warns of what they leave out.
void prepare_rules(const ProgramSweep& sweep) {
  std::vector<ProgramResult> planned;
  for (const auto& point : sweep.points)
    planned.push_back({.spec = point.spec,
                       .refusal = "not yet run",
                       .ranks = point.experiment ? point.experiment->ranks() : 0});
  const auto compared = compare_algorithms(planned);
  if (!compared)
    throw Error(
        "--open-mpi: rules come from a sweep of algorithms, sizes, hosts and ranks alone, as in "
        "'allreduce:algorithm=[ring,rabenseifner],bytes=[8B..1MiB:x4]'");
  if (const auto names = without_open_mpi_counterpart(*compared); !names.empty())
    warn({fmt::format("Open MPI lacks what its rules therefore leave out: {}",
                      fmt::join(names, "; "))});
}

/// See sweeps/sweep_job.hpp.
class RunSweep {
 public:
  using Result = ProgramResult;

  /// Throws Error, before anything is run. Journals that are merged are inputs.
  explicit RunSweep(const RunOptions& options, const std::vector<std::string>& merged = {})
      : out(options.csv.empty() ? options.json : options.csv),
        distribution(options.distribution),
        jobs(options.jobs),
        options_(options),
        human_output_(prepare(merged)),
        request_(sweep_request_of(options.spec)) {}

  SweepIdentity identity() const { return identity_of(request_); }

  ProgramSweep set_up(const std::optional<Shard>& shard) const {
    ProgramSweep sweep = set_up_sweep(request_, shard);
    for (auto& point : sweep.points) {
      if (!point.experiment) continue;
      require_threads(point.experiment->machine.fabric(), options_.threads);
      point.experiment->options.threads = options_.threads;
    }
    if (!options_.open_mpi.empty() && !shard) prepare_rules(sweep);
    return sweep;
  }

  std::vector<ProgramResult> run(const ProgramSweep& sweep, const ProgramSweepOptions& how) const {
    return run_sweep(sweep, how);
  }

  void write(const std::vector<ProgramResult>& results) const {
    write_sweep({options_.json, options_.csv, options_.plot, options_.html}, results, "runs",
                options_.spec.seed);
    if (!options_.open_mpi.empty())
      write_file(options_.open_mpi, [&](std::ostream& rules) {
        rules << open_mpi_rules(*compare_algorithms(results));
      });
  }

  int print(const std::vector<ProgramResult>& results) const {
    write_table(human_output_, results);
    return exit_code_of_all(results);
  }

  const std::string out;
  const Distribution distribution;
  const std::uint64_t jobs;

 private:
  std::ostream& prepare(const std::vector<std::string>& merged) const {
    if (!options_.from.empty()) throw Error("--from is of one run, and brackets make many");
    if (!options_.ranks.empty() || !options_.trace.empty())
      throw Error("--by-rank and --trace are of one run, and brackets make many");
    reject_outputs_of_shard(
        distribution,
        {{"--plot", options_.plot}, {"--open-mpi", options_.open_mpi}, {"--html", options_.html}});
    std::vector<std::string> inputs = inputs_of(options_.spec);
    inputs.insert(inputs.end(), merged.begin(), merged.end());
    return prepare_outputs({options_.json, options_.csv, options_.plot, options_.open_mpi,
                            options_.html, merged.empty() ? journal_of(distribution, out) : ""},
                           inputs);
  }

  const RunOptions& options_;
  std::ostream& human_output_;
  const ProgramSweepRequest request_;
};

int run_it(const RunOptions& options) {
  require_svg(options.plot);
  require_html(options.html);
  if (is_sweep(options.spec)) return run_distributed(RunSweep(options));
  require_all_here(options.distribution);
  return run_once(options);
}

}  // namespace

int merge_runs(const MergeArguments& arguments, const ShardJournals& journals) {
  RunOptions options;
  options.spec = program_spec_of(journals.identity());
  options.json = arguments.json();
  options.csv = arguments.csv();
  options.plot = arguments.plot;
  options.open_mpi = arguments.open_mpi;
  options.html = arguments.html;
  return merge(RunSweep(options, arguments.journals), journals);
}

Action add_run(Arguments& arguments) {
  auto options = std::make_shared<RunOptions>();
  add_fields(arguments, options->spec, program_fields(), {&ProgramSpec::program});
  arguments.option("--json FILE", options->json, "write the result to this file as JSON");
  arguments.option(
      "--csv FILE", options->csv,
      "write the result to this file as CSV; brackets in values make a\nsweep, with a row "
      "for each run: killed, the same command goes on\nwhere it was");
  arguments.option("--by-rank FILE", options->ranks,
                   "write the times of every rank to this file as CSV");
  arguments.option(
      "--plot FILE", options->plot,
      "draw the times of iterations by rank, SVG; in a sweep times over\nsizes, a line "
      "for each algorithm");
  arguments.option("--open-mpi FILE", options->open_mpi,
                   "in a sweep of algorithms: write the fastest ones to this file,\nas rules of "
                   "Open MPI (coll_tuned_dynamic_rules_filename)");
  arguments.option("--jobs NUMBER", options->jobs, "in a sweep: runs at a time; 0: one a core");
  add_threads(arguments, options->threads);
  add_distribution(arguments, options->distribution);
  arguments.option("--trace FILE", options->trace,
                   "write when each operation began and ended to this file,\nfor Chrome or "
                   "ui.perfetto.dev");
  add_html(arguments, options->html);
  add_from(arguments, options->from);
  return [options] { return run_it(*options); };
}

}  // namespace weft::cli
