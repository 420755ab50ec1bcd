// SPDX-License-Identifier: Apache-2.0
// weft reproduce: published papers, their numbers and claims beside ours.
#include <filesystem>
#include <iostream>
#include <memory>
#include <thread>

#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "lab/progress.hpp"
#include "lab/report/report.hpp"
#include "papers/catalog.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

void list_papers(std::ostream& out) {
  for (const papers::Paper& paper : papers::papers()) {
    out << fmt::format("{}: {}\n", paper.name, paper.summary);
    for (const papers::Experiment& experiment : paper.experiments)
      out << wrapped(fmt::format("  {:<28}", fmt::format("{}/{}", paper.name, experiment.name)),
                     std::string(experiment.about))
          << '\n';
  }
}

/// Throws Error when the folder neither exists nor can be made.
void prepare_folder(const std::string& folder) {
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (!fs::is_directory(folder, problem))
    throw Error("{}: no folder of this name can be made", folder);
  prepare_outputs({(fs::path(folder) / "page.txt").string()}, {});
}

/// page.txt, page.json and answers.csv, and a CSV file for every sheet of data.
void write_folder(const std::string& folder, const papers::Page& page) {
  const auto write = [&](const std::string& name, const auto& writer) {
    write_file((fs::path(folder) / name).string(), writer);
  };
  write("page.txt", [&](std::ostream& out) { write_page(out, page); });
  write("page.json", [&](std::ostream& out) { write_json(out, page); });
  write("answers.csv", [&](std::ostream& out) { write_csv(out, page); });
  for (const papers::Section& section : page.sections)
    for (const papers::Sheet& sheet : section.sheets)
      write(fmt::format("{}.csv", sheet.name),
            [&](std::ostream& out) { write_csv(out, page, sheet); });
}

struct ReproduceArguments {
  std::string paper, cluster, json, csv, folder;
  bool quick = false;
};

int reproduce(const ReproduceArguments& options) {
  if (options.paper.empty()) {
    list_papers(std::cout);
    return exit_fine;
  }
  std::vector<std::string> inputs;
  add_inputs_of_cluster(options.cluster, inputs);
  std::ostream& human_output = prepare_outputs({options.json, options.csv}, inputs);
  papers::find_request(options.paper);
  if (!options.folder.empty()) prepare_folder(options.folder);
  const papers::Page page = [&] {
    ProgressLine line(stderr);
    return papers::reproduce(options.paper, {.experiments = {},
                                             .cluster = options.cluster,
                                             .quick = options.quick,
                                             .threads = std::thread::hardware_concurrency(),
                                             .progress = std::ref(line)});
  }();
  write_page(human_output, page);
  if (!options.json.empty())
    write_file(options.json, [&](std::ostream& out) { write_json(out, page); });
  if (!options.csv.empty())
    write_file(options.csv, [&](std::ostream& out) { write_csv(out, page); });
  if (!options.folder.empty()) write_folder(options.folder, page);
  return exit_fine;
}

}  // namespace

Action add_reproduce(Arguments& arguments) {
  auto options = std::make_shared<ReproduceArguments>();
  arguments.optional(
      "paper", options->paper,
      "such as ibamesh, or one experiment: ibamesh/mft;\nwithout it they are listed");
  arguments.flag("--quick", options->quick,
                 "a small version of what takes minutes; its verdicts\nare not the paper's");
  arguments.option("--cluster FILE", options->cluster,
                   "another machine than the paper's; see weft list clusters");
  arguments.option("--json FILE", options->json, "write everything to this file as JSON");
  arguments.option("--csv FILE", options->csv, "write the answers to this file as CSV");
  arguments.option("-o,--output DIR", options->folder,
                   "write page, answers and all data to files in this folder");
  return [options] { return reproduce(*options); };
}

}  // namespace weft::cli
