// SPDX-License-Identifier: Apache-2.0
// weft study: routing engines compared on the topologies of a cluster.
#include <algorithm>
#include <memory>
#include <ostream>

#include "base/files.hpp"
#include "base/param.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/page.hpp"
#include "cli/verbs.hpp"
#include "fabric/without.hpp"
#include "lab/cluster/find_file.hpp"
#include "lab/page/fabric_section.hpp"
#include "lab/page/result_sections.hpp"
#include "lab/progress.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"

namespace weft::cli {
namespace {

/// Engines that commas join, as in "updown,dl:lanes=2,root=best,nue", are several: what has no = is
/// a name. A file may have commas in its name.
std::vector<std::string> separate(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    if (is_file(word)) {
      out.push_back(word);
      continue;
    }
    std::string_view rest = word;
    bool first = true;
    while (!rest.empty()) {
      const std::string part(take_until(rest, ','));
      const bool is_value =
          part.find('=') != std::string::npos && part.find(':') == std::string::npos;
      if (first || !is_value)
        out.push_back(part);
      else
        out.back() += "," + part;
      first = false;
    }
  }
  return out;
}

/// Each once.
std::vector<std::string> default_tables_of(const std::vector<std::string>& fabrics) {
  std::vector<std::string> out;
  for (const std::string& fabric : fabrics)
    if (const std::string engine = default_tables(fabric);
        std::find(out.begin(), out.end(), engine) == out.end())
      out.push_back(engine);
  return out;
}

HtmlPage page_of(const Study& study) {
  const nlohmann::ordered_json document = document_of(study);
  HtmlPage page =
      result_page(study.cluster.name + ": routing engines compared", chart_of(study), document);
  page.seed = study.throughput.seed;
  page.sections.back().erase("chart");  // the bars show it
  add_fabrics(page, document);
  return page;
}

HtmlPage page_of(const FailureStudy& study) {
  HtmlPage page{.title = study.cluster.name + ": what failures cost", .seed = study.plan.seed};
  const nlohmann::ordered_json document = document_of(study);
  page.add(result_sections(document));
  add_fabrics(page, document);
  return page;
}

/// Where the failures are written.
struct FailureFiles {
  std::string json, csv, html;
  std::uint64_t top;
};

int study_failures(const Cluster& cluster, const FailurePlan& plan, const FailureFiles& files,
                   std::ostream& human_output) {
  const FailureStudy study = [&] {
    ProgressLine line(stderr);
    return run_failures(cluster, plan, std::ref(line));
  }();
  write_table(human_output, study, files.top);
  if (!files.json.empty())
    write_file(files.json, [&](std::ostream& out) { write_json(out, document_of(study)); });
  if (!files.csv.empty()) write_file(files.csv, [&](std::ostream& out) { write_csv(out, study); });
  if (!files.html.empty()) write_page(files.html, page_of(study));
  return exit_fine;
}

}  // namespace

Action add_study(Arguments& arguments) {
  struct StudyArguments {
    std::string cluster, json, csv, plot, html;
    std::vector<std::string> topologies, engines, throughput;
    std::string switches;
    std::string without;
    std::uint64_t seed = 1, failures = 0, sample = 0, top = 10;
    bool anew = false;
  };
  auto options = std::make_shared<StudyArguments>();
  arguments.optional(
      "cluster", options->cluster,
      "cluster file, a name of weft list clusters, or a fabric;\nwithout one: rhinet2");
  arguments.words("--topologies FABRICS", options->topologies,
                  "instead of the cluster's: topologies or fabric files,\none word each");
  arguments.words("--engines ENGINES", options->engines,
                  "instead of the cluster's: routing engines, files of tables or folders\nwith "
                  "some, one word each, or with commas between them");
  add_without(arguments, options->without);
  arguments.option("--seed NUMBER", options->seed, "of the random matchings");
  arguments.words("--throughput PATTERNS", options->throughput,
                  "simulate: the highest load that is carried steadily, and what is\naccepted when "
                  "hosts offer all that their links take; traffic patterns\nsuch as uniform and "
                  "tornado, one word each");
  arguments.option(
      "--switch SWITCH", options->switches,
      "as weft sim takes it: what packets wait for where tables leave\nchoices, and what is "
      "simulated (the cluster's; of fabrics: iq)");
  arguments.option("--failures NUMBER", options->failures,
                   "instead of comparing engines, let links and switches fail, 1 or 2 at\na time: "
                   "pairs lost, bisection, deadlock, entries changed; without\n--engines of a "
                   "fabric's own tables, of dmodk on trees, of updown");
  arguments.option("--sample NUMBER", options->sample,
                   "with --failures: so many random ones; 0: all single ones, 1000 double");
  arguments.flag("--anew", options->anew,
                 "with --failures: the engine routes everything anew each time, not\nonly the "
                 "broken routes");
  arguments.option("--top NUMBER", options->top, "with --failures: how many to print");
  arguments.option("--json FILE", options->json, "write the rows to this file as JSON");
  arguments.option("--csv FILE", options->csv, "write the rows to this file as CSV");
  arguments.option("--plot FILE", options->plot,
                   "draw effective bisection and load of the engines, SVG");
  add_html(arguments, options->html);
  return [options] {
    if (names_fabric(options->cluster)) {
      options->topologies.insert(options->topologies.begin(), options->cluster);
      options->cluster.clear();
    } else if (options->cluster.empty() && options->topologies.empty()) {
      options->cluster = "rhinet2";
    }
    Cluster cluster = options->cluster.empty() ? cluster_of_fabrics(options->topologies)
                                               : find_cluster(options->cluster);
    if (!options->topologies.empty()) cluster.topologies = options->topologies;
    cluster.without = options->without;
    if (!options->switches.empty()) cluster.model = options->switches;
    if (!options->engines.empty())
      cluster.engines = separate(options->engines);
    else if (options->failures > 0 && options->cluster.empty())
      cluster.engines = default_tables_of(cluster.topologies);
    std::vector<std::string> inputs = cluster.topologies;
    inputs.push_back(options->cluster);
    inputs.insert(inputs.end(), cluster.engines.begin(), cluster.engines.end());
    require_svg(options->plot);
    require_html(options->html);
    std::ostream& human_output =
        prepare_outputs({options->json, options->csv, options->plot, options->html}, inputs);
    if (options->failures > 0) {
      if (!options->throughput.empty()) throw Error("--throughput compares engines, not failures");
      if (!options->plot.empty()) throw Error("--plot is for engines compared, not for failures");
      return study_failures(
          cluster, {options->failures, options->sample, options->anew, options->seed},
          {options->json, options->csv, options->html, options->top}, human_output);
    }
    if (options->sample > 0 || options->anew) throw Error("--sample and --anew need --failures");
    const ThroughputPlan throughput{.traffic = options->throughput, .seed = options->seed};
    const Study study = [&] {
      ProgressLine line(stderr);
      return run_study(cluster, throughput, std::ref(line));
    }();
    write_table(human_output, study);
    if (!options->json.empty())
      write_file(options->json, [&](std::ostream& out) { write_json(out, document_of(study)); });
    if (!options->csv.empty())
      write_file(options->csv, [&](std::ostream& out) { write_csv(out, study); });
    if (!options->plot.empty())
      write_file(options->plot, [&](std::ostream& out) { write_svg(out, chart_of(study)); });
    if (!options->html.empty()) write_page(options->html, page_of(study));
    return exit_fine;
  };
}

}  // namespace weft::cli
