// SPDX-License-Identifier: Apache-2.0
// weft qos: flows that come and go, what each was promised and what it got.
#include <memory>
#include <optional>
#include <ostream>

#include "base/files.hpp"
#include "cli/arguments/field_arguments.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/page.hpp"
#include "cli/verbs.hpp"
#include "cli/warnings.hpp"
#include "lab/cluster/physics.hpp"
#include "lab/page/result_sections.hpp"
#include "lab/progress.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"

namespace weft::cli {
namespace {

struct QosOptions {
  ScenarioSpec spec;
  std::string json, csv, plot, html;
};

/// Runs a scenario with a progress line that changes at every percent.
ScenarioResult run_with_progress(const ScenarioSpec& spec) {
  Networks networks;
  const ScenarioExperiment experiment = resolve(request_of(spec), networks);
  warn(warnings_about(experiment.machine));
  std::optional<ProgressLine> line;
  std::string work;
  int shown = 0;
  return run_scenario(experiment, [&](double share, const std::string& what) {
    const int percent = static_cast<int>(100 * share);
    if (line && work == what && shown == percent) return;
    if (work != what) line.emplace(stderr);  // the time to go is that of this work
    work = what;
    shown = percent;
    (*line)(share, what);
  });
}

HtmlPage page_of(const ScenarioResult& result) {
  const ScenarioSpec& spec = result.spec;
  HtmlPage page =
      result_page("bandwidth of flows: " + spec.scenario, chart_of(result), document_of(result));
  page.specs = {{"topology", spec.topology},
                {"engine", spec.engine},
                {"switch", spec.switches},
                {"NIC", spec.nic},
                {"policy", spec.policy}};
  return page;
}

int run_qos(const QosOptions& options) {
  std::vector<std::string> inputs = texts_of(options.spec, scenario_fields());
  if (options.spec.cluster.empty() && options.spec.scenario != "-")
    add_inputs_of_cluster(find_scenario(options.spec.scenario).cluster, inputs);
  add_inputs_of_cluster(options.spec.cluster, inputs);
  require_svg(options.plot);
  require_html(options.html);
  std::ostream& human_output =
      prepare_outputs({options.json, options.csv, options.plot, options.html}, inputs);
  const ScenarioResult result = run_with_progress(options.spec);
  if (!result.found.deadlock.empty()) {
    human_output << result.found.deadlock << '\n';
    return exit_deadlock;
  }
  write_flows(human_output, result);
  const auto write = [&](const std::string& path, auto writer) {
    if (!path.empty()) write_file(path, [&](std::ostream& out) { writer(out, result); });
  };
  write(options.json, [](std::ostream& out, const auto& it) { write_json(out, document_of(it)); });
  write(options.csv, [](std::ostream& out, const auto& it) { write_csv(out, it); });
  write(options.plot, [](std::ostream& out, const auto& it) { write_svg(out, chart_of(it)); });
  if (!options.html.empty()) write_page(options.html, page_of(result));
  const auto worst = worst_promise(result);
  return result.controlled && worst && !worst->kept ? exit_found : exit_fine;
}

}  // namespace

Action add_qos(Arguments& arguments) {
  auto options = std::make_shared<QosOptions>();
  add_fields(arguments, options->spec, scenario_fields(), {&ScenarioSpec::scenario});
  arguments.option("--json FILE", options->json,
                   "write the bandwidth over time to this file as JSON");
  arguments.option("--csv FILE", options->csv, "the same as CSV, a row for each time and flow");
  arguments.option("--plot FILE", options->plot, "the same as a picture, SVG");
  add_html(arguments, options->html);
  return [options] { return run_qos(*options); };
}

}  // namespace weft::cli
