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
#include "cli/journal_file.hpp"
#include "cli/page.hpp"
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
  std::uint64_t jobs = 0;
};

/// Every point is resolved, and its files are read, before the journal is opened.
std::vector<SweepRow> run(const SweepRequest& request, const SweepArguments& options,
                          std::optional<SimulationJournal>& journal) {
  const SweepExperiment sweep = [&] {
    ProgressLine line(stderr);
    return resolve(request, [&](const std::string& what) { line(std::nullopt, what); });
  }();
  std::set<std::string> warnings;
  const SimulationExperiment* before = nullptr;
  for (const SimulationExperiment& point : sweep.points) {
    const bool known = before && same_but_for_load(point.request.spec, before->request.spec);
    before = &point;
    if (known) continue;
    for (const std::string& text : warnings_about(point)) warnings.insert(text);
  }
  warn({warnings.begin(), warnings.end()});
  ProgressLine line(stderr);
  const std::string path = journal_path(options.out);
  std::optional<LastWords> last_words;
  if (!path.empty()) {
    last_words.emplace(path);
    journal.emplace(path, identity_of(request));
  }
  const auto one = [&](const SimulationExperiment& point) {
    return simulate(point, {.check = options.check});
  };
  return run_sweep(sweep, one, {options.jobs, journal ? &*journal : nullptr, std::ref(line)});
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

int sweep(const SweepArguments& options) {
  require_svg(options.plot);
  require_html(options.html);
  std::ostream& human_output =
      prepare_outputs({options.out, journal_path(options.out), options.plot, options.html},
                      options.simulation.inputs());
  SweepSpec spec = options.spec;
  spec.simulation = options.simulation.spec;
  spec.cluster = options.simulation.cluster;
  const SweepRequest request = request_of(spec);
  std::optional<SimulationJournal> journal;
  const auto rows = over_seeds(run(request, options, journal), request.seeds);
  if (!options.out.empty())
    write_file(options.out, [&](std::ostream& out) {
      options.out.ends_with(".json") ? write_json(out, document_of(rows)) : write_csv(out, rows);
    });
  if (!options.plot.empty())
    write_file(options.plot, [&](std::ostream& out) { write_svg(out, chart_of(rows)); });
  if (!options.html.empty()) write_page(options.html, page_of(rows, spec.simulation));
  if (journal) journal->remove();
  write_table(human_output, rows);
  const bool stuck = std::any_of(rows.begin(), rows.end(), [](const SweepRow& row) {
    return row.result.outcome == SimulationOutcome::deadlocked;
  });
  return stuck ? exit_deadlock : exit_fine;
}

}  // namespace

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
  arguments.flag("--check", options->check, "audit flits, credits and order while it runs");
  return [options] { return sweep(*options); };
}

}  // namespace weft::cli
