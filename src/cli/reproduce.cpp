// SPDX-License-Identifier: Apache-2.0
// weft reproduce: published papers, their numbers and claims beside ours.
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/folder_draft.hpp"
#include "cli/page.hpp"
#include "cli/verbs.hpp"
#include "lab/cores.hpp"
#include "lab/progress.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "lab/simulate/seeds.hpp"
#include "papers/catalog.hpp"
#include "papers/perturbation.hpp"
#include "papers/runner/html_page.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view every_paper = "all";

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
  if (fs::exists(folder, problem) && !fs::is_directory(folder, problem))
    throw Error("{}: this is a file; -o takes a folder", folder);
  if (!fs::is_directory(folder, problem))
    throw Error("{}: no folder of this name can be made", folder);
  prepare_outputs({(fs::path(folder) / "page.txt").string()}, {});
  if (!fs::is_empty(folder, problem))
    std::cerr << fmt::format(
        "weft: note: {} is not empty; what this run does not write stays there\n", folder);
}

/// Writes files into a folder by name.
class FolderWriter {
 public:
  explicit FolderWriter(std::string folder) : folder_(std::move(folder)) {}
  template <class Write>
  void operator()(const std::string& name, Write write) const {
    write_file((fs::path(folder_) / name).string(), write);
  }

 private:
  std::string folder_;
};

/// page.txt, page.md, page.json and answers.csv, a CSV file for every sheet of data, and an SVG
/// file for every figure and for the scatter of paper and ours.
void write_folder(const std::string& folder, const papers::Page& page) {
  const FolderWriter write(folder);
  write("page.txt", [&](std::ostream& out) { write_page(out, page); });
  write("page.md", [&](std::ostream& out) { write_markdown(out, page); });
  write("page.json", [&](std::ostream& out) { write_json(out, document_of(page)); });
  write("answers.csv", [&](std::ostream& out) { write_csv(out, page); });
  for (const papers::Section& section : page.sections) {
    for (const papers::Sheet& sheet : section.sheets)
      write(sheet.name + ".csv", [&](std::ostream& out) { write_csv(out, page, sheet); });
    for (const papers::PaperFigure& figure : section.figures)
      write(figure.name + ".svg", [&](std::ostream& out) {
        std::visit([&](const auto& chart) { write_svg(out, chart); }, figure.chart);
      });
  }
  if (const Chart chart = papers::scatter(page); !chart.series.empty())
    write("scatter.svg", [&](std::ostream& out) { write_svg(out, chart); });
}

/// perturbed.txt, perturbed.json, perturbed.csv and factors.csv; the machines are there already.
void write_folder(const std::string& folder, const papers::Perturbation& found) {
  const FolderWriter write(folder);
  write("perturbed.txt", [&](std::ostream& out) { write_perturbation(out, found); });
  write("perturbed.json", [&](std::ostream& out) { write_json(out, document_of(found)); });
  write("perturbed.csv", [&](std::ostream& out) { write_csv(out, found); });
  write("factors.csv", [&](std::ostream& out) { write_factors_csv(out, found); });
}

struct ReproduceArguments {
  std::string paper, cluster, json, csv, folder, html;
  bool quick = false;
  std::string seeds = "1", perturb;
};

papers::Page run_pages(const std::string& paper, std::uint64_t seeds, papers::Lab lab) {
  ProgressLine line(stderr);
  lab.progress = std::ref(line);
  return seeds > 1 ? papers::reproduce_with_seeds(paper, lab, seeds)
                   : papers::reproduce(paper, lab);
}

/// Throws Error unless it is from 1 to 10,000.
std::size_t runs_from(const std::string& text) {
  try {
    return static_cast<std::size_t>(whole_from(text, 1, 10'000));
  } catch (const Error& error) {
    throw Error("perturb={}: {}", text, error.what());
  }
}

papers::Perturbation run_perturbation(const ReproduceArguments& options, papers::Lab lab) {
  ProgressLine line(stderr);
  lab.progress = std::ref(line);
  const FolderDraft scratch(fs::temp_directory_path() / "weft");  // gone afterwards
  const fs::path machines =
      options.folder.empty() ? scratch.path() : fs::path(options.folder) / "machines";
  return papers::perturb(
      options.paper, lab,
      {.runs = runs_from(options.perturb), .first_seed = 1, .folder = machines.string()});
}

template <class Result>
void write_results(const ReproduceArguments& options, const Result& result) {
  if (!options.json.empty())
    write_file(options.json, [&](std::ostream& out) { write_json(out, document_of(result)); });
  if (!options.csv.empty())
    write_file(options.csv, [&](std::ostream& out) { write_csv(out, result); });
  if (!options.folder.empty()) write_folder(options.folder, result);
}

/// Throws Error when options do not fit each other.
void require_fit(const ReproduceArguments& options) {
  const bool other_machine = !options.cluster.empty(), perturbed = !options.perturb.empty();
  const bool repeated = seeds_from(options.seeds) > 1;
  if (options.paper == every_paper && (other_machine || perturbed))
    throw Error("--cluster and --perturb are for one paper, not for all");
  if (options.paper == every_paper && !(options.json.empty() && options.csv.empty()))
    throw Error("--json and --csv are for one paper; of all of them, -o DIR has these files");
  if (perturbed && (repeated || other_machine))
    throw Error("--perturb scales the paper's own machines: without --seeds and --cluster");
  if (perturbed && !options.html.empty())
    throw Error("--html shows a paper's numbers, not what --perturb finds");
  if (perturbed) runs_from(options.perturb);
}

papers::Lab lab_of(const ReproduceArguments& options) {
  papers::Lab lab;
  lab.cluster = options.cluster;
  lab.quick = options.quick;
  lab.threads = static_cast<unsigned>(usable_cores());
  return lab;
}

/// One after the other, each with its folder; at the end once more what each comes to.
void reproduce_all(const ReproduceArguments& options, std::ostream& out) {
  const auto folder_of = [&](const papers::Paper& paper) {
    return (fs::path(options.folder) / paper.name).string();
  };
  if (!options.folder.empty())
    for (const papers::Paper& paper : papers::papers()) prepare_folder(folder_of(paper));
  HtmlPage html{.title = "reproduced papers"};
  std::string summaries;
  for (const papers::Paper& paper : papers::papers()) {
    const std::string name(paper.name);
    const papers::Page page = run_pages(name, seeds_from(options.seeds), lab_of(options));
    write_page(out, page);
    out << '\n' << std::flush;
    summaries += summary(page) + '\n';
    if (!options.html.empty()) html.add(papers::html_page(page).sections);
    if (!options.folder.empty()) write_folder(folder_of(paper), page);
  }
  out << summaries;
  if (!options.html.empty()) write_page(options.html, html);
}

void reproduce_one(const ReproduceArguments& options, std::ostream& out) {
  papers::find_request(options.paper);
  if (!options.folder.empty()) prepare_folder(options.folder);
  if (!options.perturb.empty()) {
    const papers::Perturbation found = run_perturbation(options, lab_of(options));
    write_perturbation(out, found);
    write_results(options, found);
    return;
  }
  const papers::Page page = run_pages(options.paper, seeds_from(options.seeds), lab_of(options));
  write_page(out, page);
  write_results(options, page);
  if (!options.html.empty()) write_page(options.html, papers::html_page(page));
}

int reproduce(const ReproduceArguments& options) {
  if (options.paper.empty()) {
    if (options.quick || options.seeds != "1" || !options.perturb.empty() ||
        !options.cluster.empty() || !options.folder.empty())
      throw Error("name a paper, too: weft reproduce ibamesh; without anything they are listed");
    list_papers(std::cout);
    return exit_fine;
  }
  require_fit(options);
  std::vector<std::string> inputs;
  add_inputs_of_cluster(options.cluster, inputs);
  require_html(options.html);
  std::ostream& human_output = prepare_outputs({options.json, options.csv, options.html}, inputs);
  if (options.paper == every_paper)
    reproduce_all(options, human_output);
  else
    reproduce_one(options, human_output);
  return exit_fine;
}

}  // namespace

Action add_reproduce(Arguments& arguments) {
  auto options = std::make_shared<ReproduceArguments>();
  arguments.optional(
      "paper", options->paper,
      "such as ibamesh, or one experiment: ibamesh/mft; or all;\nwithout it they are listed");
  arguments.flag("--quick", options->quick,
                 "a small version of what takes minutes; its verdicts\nare not the paper's");
  arguments.option(
      "--seeds NUMBER", options->seeds,
      "repeat what is drawn at random with so many seeds: means and\nintervals of all numbers");
  arguments.option("--perturb NUMBER", options->perturb,
                   "run --quick so often with all assumed and calibrated constants\nscaled at "
                   "random, and say which "
                   "claims hold whatever they are");
  arguments.option("--cluster FILE", options->cluster,
                   "another machine than the paper's; see weft list clusters");
  arguments.option("--json FILE", options->json, "write everything to this file as JSON");
  arguments.option("--csv FILE", options->csv, "write the answers to this file as CSV");
  arguments.option("-o,--output DIR", options->folder,
                   "write page, answers, all data and every figure (SVG)\nto files in this folder");
  add_html(arguments, options->html);
  return [options] { return reproduce(*options); };
}

}  // namespace weft::cli
