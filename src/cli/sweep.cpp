// SPDX-License-Identifier: Apache-2.0
// weft sweep: many simulations.
#include "lab/simulate/sweep.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>
#include <set>

#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/arguments/simulation_arguments.hpp"
#include "cli/arguments/threads.hpp"
#include "cli/page.hpp"
#include "cli/sweeps/merge.hpp"
#include "cli/sweeps/sweep_job.hpp"
#include "cli/verbs.hpp"
#include "cli/warnings.hpp"
#include "lab/page/chart_section.hpp"
#include "lab/page/result_sections.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "lab/simulate/seeds.hpp"

namespace weft::cli {
namespace {

struct SweepArguments {
  SimulationArguments simulation;
  SweepSpec spec;  ///< but for its simulation
  bool check = false;
  std::string out, plot, html;
  std::uint64_t jobs = 0, threads = 1;
  Distribution distribution;
};

void warn_about(const SweepExperiment& sweep) {
  std::set<std::string> warnings;
  const SimulationExperiment* before = nullptr;
  for (const SimulationExperiment& point : sweep.points) {
    const bool known = before && same_but_for_load(point.request.spec, before->request.spec);
    before = &point;
    if (known) continue;
    for (const std::string& text : warnings_about(point)) warnings.insert(text);
  }
  warn({warnings.begin(), warnings.end()});
}

HtmlPage page_of(const std::vector<SweepRow>& rows, const SimulationSpec& spec) {
  HtmlPage page = result_page("simulations", chart_of(rows), document_of(rows));
  page.specs = {{"fabric", spec.fabric},   {"tables", spec.tables}, {"switch", spec.switches},
                {"traffic", spec.traffic}, {"load", spec.load},     {"seed", spec.seed}};
  if (has_curves(rows))
    page.sections.insert(page.sections.begin() + 1,
                         charts_section("spread", distributions_chart(rows)));
  return page;
}

/// See sweep_job.hpp.
class SimulationSweep {
 public:
  using Result = SimulationResult;

  /// Throws Error, before anything is run. Journals that are merged are inputs.
  explicit SimulationSweep(const SweepArguments& options,
                           const std::vector<std::string>& merged = {})
      : out(options.out),
        distribution(options.distribution),
        jobs(options.jobs),
        options_(options),
        human_output_(prepare(merged)),
        request_(request_of(spec())) {}

  SweepIdentity identity() const { return identity_of(request_); }

  SweepExperiment set_up(const std::optional<Shard>& shard) const {
    SweepExperiment points = [&] {
      ProgressLine line(stderr);
      return resolve(shard ? part_of(request_, *shard) : request_,
                     [&](const std::string& what) { line(std::nullopt, what); });
    }();
    if (options_.threads > 1)
      for (const SimulationExperiment& point : points.points)
        require_threads(point.network()->fabric(), options_.threads);
    warn_about(points);
    return points;
  }

  std::vector<SweepRow> run(const SweepExperiment& points, const SweepOptions& how) const {
    const auto one = [&](const SimulationExperiment& point) {
      return simulate(point, {.check = options_.check, .threads = options_.threads});
    };
    const bool part = !distribution.all_here() && how.merged == nullptr;
    std::vector<SweepRow> rows = run_sweep(points, one, how);
    return part ? rows : over_seeds(std::move(rows), request_.seeds);
  }

  void write(const std::vector<SweepRow>& rows) const {
    if (!out.empty())
      write_file(out, [&](std::ostream& file) {
        out.ends_with(".json") ? write_json(file, document_of(rows)) : write_csv(file, rows);
      });
    if (!options_.plot.empty())
      write_file(options_.plot, [&](std::ostream& file) { write_svg(file, chart_of(rows)); });
    if (!options_.html.empty()) write_page(options_.html, page_of(rows, options_.simulation.spec));
  }

  int print(const std::vector<SweepRow>& rows) const {
    write_table(human_output_, rows);
    const bool stuck = std::any_of(rows.begin(), rows.end(), [](const SweepRow& row) {
      return row.result.outcome == SimulationOutcome::deadlocked;
    });
    return stuck ? exit_deadlock : exit_fine;
  }

  const std::string out;
  const Distribution distribution;
  const std::uint64_t jobs;

 private:
  std::ostream& prepare(const std::vector<std::string>& merged) const {
    require_svg(options_.plot);
    require_html(options_.html);
    reject_outputs_of_shard(distribution, {{"--plot", options_.plot}, {"--html", options_.html}});
    std::vector<std::string> inputs = options_.simulation.inputs();
    inputs.insert(inputs.end(), merged.begin(), merged.end());
    return prepare_outputs(
        {out, merged.empty() ? journal_of(distribution, out) : "", options_.plot, options_.html},
        inputs);
  }
  SweepSpec spec() const {
    SweepSpec out = options_.spec;
    out.simulation = options_.simulation.spec;
    out.cluster = options_.simulation.cluster;
    return out;
  }

  const SweepArguments& options_;
  std::ostream& human_output_;
  const SweepRequest request_;
};

}  // namespace

int merge_simulations(const MergeArguments& arguments, const ShardJournals& journals) {
  SweepArguments options;
  options.out = arguments.out;
  options.plot = arguments.plot;
  options.html = arguments.html;
  options.spec = sweep_spec_of(journals.identity());
  options.simulation = {options.spec.simulation, options.spec.cluster};
  return merge(SimulationSweep(options, arguments.journals), journals);
}

Action add_sweep(Arguments& arguments) {
  auto options = std::make_shared<SweepArguments>();
  add_fields(arguments, options->simulation);
  arguments.flag("--saturation", options->spec.saturation,
                 "look for the highest steady load of every combination, with short\nsimulations "
                 "first; auto cycles: as many as its neighbours need");
  arguments.option("--resolution LOAD", options->spec.resolution, "of that load");
  arguments.option("--seeds NUMBER", options->spec.seeds,
                   "simulate every point with so many seeds, from --seed on; a row has\nthe means "
                   "and their 95 % confidence intervals");
  arguments.option("-o,--output FILE", options->out,
                   "write all rows to this file, as JSON if it ends in .json,\notherwise as CSV; "
                   "killed, the same command goes on\nwhere it was");
  arguments.option("--plot FILE", options->plot,
                   "draw latency and accepted load over the load, SVG");
  add_html(arguments, options->html);
  arguments.option("--jobs NUMBER", options->jobs, "simulations at a time; 0: one a core");
  add_threads(arguments, options->threads);
  add_distribution(arguments, options->distribution);
  arguments.flag("--check", options->check, "audit flits, credits and order while it runs");
  return [options] { return run_distributed(SimulationSweep(*options)); };
}

}  // namespace weft::cli
