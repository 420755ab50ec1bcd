// SPDX-License-Identifier: Apache-2.0
// weft study: routing engines compared on the topologies of a cluster.
#include <memory>
#include <ostream>

#include "base/files.hpp"
#include "base/param.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "lab/progress.hpp"
#include "lab/report/report.hpp"

namespace weft::cli {
namespace {

/// Engines that commas join, as in "updown,dl:lanes=2,root=best,nue", are several: what has no = is
/// a name.
std::vector<std::string> separate(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
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

}  // namespace

Action add_study(Arguments& arguments) {
  struct StudyArguments {
    std::string cluster, json, csv, plot;
    std::vector<std::string> topologies, engines;
    std::uint64_t seed = 1;
  };
  auto options = std::make_shared<StudyArguments>();
  arguments.optional(
      "cluster", options->cluster,
      "cluster file, a name of weft list clusters, or a fabric;\nwithout one: rhinet2");
  arguments.words("--topologies FABRICS", options->topologies,
                  "instead of the cluster's: topologies or fabric files,\none word each");
  arguments.words(
      "--engines ENGINES", options->engines,
      "instead of the cluster's: routing engines, one word each,\nor with commas between them");
  arguments.option("--seed NUMBER", options->seed, "of the random matchings");
  arguments.option("--json FILE", options->json, "write the rows to this file as JSON");
  arguments.option("--csv FILE", options->csv, "write the rows to this file as CSV");
  arguments.option("--plot FILE", options->plot,
                   "draw effective bisection and load of the engines, SVG");
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
    std::vector<std::string> inputs = cluster.topologies;
    inputs.push_back(options->cluster);
    require_svg(options->plot);
    std::ostream& human_output =
        prepare_outputs({options->json, options->csv, options->plot}, inputs);
    if (!options->engines.empty()) cluster.engines = separate(options->engines);
    const Study study = [&] {
      ProgressLine line(stderr);
      return run_study(cluster, options->seed, std::ref(line));
    }();
    write_table(human_output, study);
    if (!options->json.empty())
      write_file(options->json, [&](std::ostream& out) { write_json(out, study); });
    if (!options->csv.empty())
      write_file(options->csv, [&](std::ostream& out) { write_csv(out, study); });
    if (!options->plot.empty())
      write_file(options->plot, [&](std::ostream& out) { write_plot(out, study); });
    return exit_fine;
  };
}

}  // namespace weft::cli
