// SPDX-License-Identifier: Apache-2.0
// Hot spots (figure 8), and the part whose load explains every asymmetry.
#include <algorithm>

#include "papers/qsnet/experiments.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::qsnet {
namespace {

/// An asymmetry, and the part that is said to cause it.
struct Bottleneck {
  const char* id;
  const char* curve;
  bool both;
  const char* part;
};
constexpr Bottleneck all_bottlenecks[] = {
    {"read", "main-Elan", false, "pci"},     {"write", "Elan-main", false, "pci"},
    {"main-main", "main-main", true, "pci"}, {"main-Elan", "main-Elan", true, "bus"},
    {"Elan-Elan", "Elan-Elan", true, "bus"},
};
constexpr const char* part_names[] = {"pci", "bus", "microcode", "thread"};

/// A run so long that the beginning does not count.
ProgramSpec long_spot(const QsnetStudy& study) {
  return {.program = "hot_spot:by=read,bytes=64KiB,iterations=24,warmup=1",
          .cluster = study.lab().cluster,
          .hosts = "4"};
}

/// Messages of no bytes to one host.
ProgramSpec flood(const QsnetStudy& study) {
  return {.program = "flood:iterations=100",
          .cluster = study.lab().cluster,
          .library = study.tports(),
          .hosts = "16"};
}

/// Reading from, or writing to, one host: the sum, and how hosts share it.
void answer_spot(Answers& answers, const QsnetStudy& study, const std::string& by) {
  const std::vector<std::size_t> counts = study.source_counts();
  const auto figure = [&](std::size_t sources, std::string_view name) {
    return study.figure(study.hot_spot(by, sources), name);
  };
  double least = 1e300, best = 0;
  for (const std::size_t sources : counts) {
    least = std::min(least, figure(sources, "aggregate"));
    best = std::max(best, figure(sources, "aggregate"));
  }
  Cases flat, shares;
  for (const std::size_t sources : counts) {
    const std::string where = sources == 1 ? "1 host" : fmt::format("{} hosts", sources);
    flat.add(best / figure(sources, "aggregate") < 1.05, where);
    const double share = figure(sources, "per_source");
    shares.add(figure(sources, "slowest") / share > 0.9 && figure(sources, "fastest") / share < 1.1,
               where);
  }
  const std::size_t most = counts.back();
  answers.number(by, figure(most, "aggregate"), "what the PCI bus of the hot spot takes");
  answers.claim(by + " flat", flat,
                fmt::format("{:.1f} to {:.1f} MB/s from 1 to {} hosts", least, best, most));
  const double share = figure(most, "per_source");
  answers.claim(
      by + " shares", shares,
      fmt::format("of {} hosts the slowest has {:.2f}, the fastest {:.2f} of a {}th; "
                  "ports take turns, and those to other switches have more hosts behind "
                  "them",
                  most, figure(most, "slowest") / share, figure(most, "fastest") / share, most));
}

}  // namespace

std::vector<ProgramSpec> runs_8(const QsnetStudy& study) {
  std::vector<ProgramSpec> out;
  for (const std::size_t sources : study.source_counts())
    for (const char* by : {"read", "write"}) out.push_back(study.hot_spot(by, sources));
  return out;
}

Section figure_8(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  Answers answers(context.stated, "fig8");
  Sheet sheet{"fig8",
              "hosts that read from, or write to, the memory of one: MB/s together, of the slowest "
              "and of the fastest, and how busy its PCI bus is",
              {"hosts", "read", "read slowest", "read fastest", "read pci", "write",
               "write slowest", "write fastest", "write pci"}};
  for (const std::size_t sources : study.source_counts()) {
    sheet.rows.push_back({static_cast<std::int64_t>(sources)});
    for (const char* by : {"read", "write"}) {
      const ProgramSpec run = study.hot_spot(by, sources);
      for (const char* name : {"aggregate", "slowest", "fastest"})
        sheet.rows.back().emplace_back(study.figure(run, name));
      sheet.rows.back().emplace_back(use_of(study.at(run), "pci"));
    }
  }
  for (const char* by : {"read", "write"}) answer_spot(answers, study, by);
  return {.id = "fig8",
          .about = {},
          .sheets = {sheet},
          .answers = std::move(answers).done(),
          .figures = {drawn_8(context)}};
}

std::vector<ProgramSpec> bottleneck_runs(const QsnetStudy& study) {
  std::vector<ProgramSpec> out;
  for (const Bottleneck& each : all_bottlenecks)
    out.push_back(study.stream(curve(each.curve), each.both));
  out.push_back(study.stream(curve("Elan-Elan"), false));
  for (const ProgramSpec& run : {long_spot(study), flood(study), study.ping(curve("Tports"), 0),
                                 study.ping(curve("MPI"), 0), study.ping(curve("main-main"), 0)})
    out.push_back(run);
  return out;
}

Section bottlenecks(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  Answers answers(context.stated, "bottlenecks");
  Sheet sheet{"bottlenecks",
              "how much of the time parts of the busiest host were busy",
              {"traffic", "MB/s", "pci", "bus", "microcode", "thread"}};
  const auto add = [&](const std::string& name, const ProgramSpec& run, double bandwidth) {
    sheet.rows.push_back({name, bandwidth});
    for (const char* part : part_names) sheet.rows.back().emplace_back(use_of(study.at(run), part));
  };
  for (const Bottleneck& each : all_bottlenecks) {
    const ProgramSpec run = study.stream(curve(each.curve), each.both);
    add(fmt::format("{}{}", each.curve, each.both ? ", both ways" : ""), run,
        study.figure(run, "bandwidth"));
    const double use = use_of(study.at(run), each.part);
    answers.claim(each.id, use > 0.95, fmt::format("busy {:.1f} % of the time", 100 * use));
  }
  const ProgramSpec fastest = study.stream(curve("Elan-Elan"), false);
  add("Elan-Elan", fastest, study.figure(fastest, "bandwidth"));
  double most = 0;
  for (const char* part : part_names) most = std::max(most, use_of(study.at(fastest), part));
  answers.claim(
      "link", most < 0.95,
      fmt::format("no part of the hosts is busy more than {:.1f} % of the time", 100 * most));
  const ProgramSpec spot = long_spot(study);
  add("hot spot, read", spot, study.figure(spot, "aggregate"));
  const double spot_use = use_of(study.at(spot), "pci");
  answers.claim("hot spot", spot_use > 0.95,
                fmt::format("busy {:.1f} % of the time", 100 * spot_use));
  for (const char* name : {"Tports", "MPI", "main-main"})
    add(fmt::format("{}, 0 B", name), study.ping(curve(name), 0), 0);
  add("Tports, 0 B, 15 to one", flood(study), 0);
  const double matching = use_of(study.at(flood(study)), "thread");
  answers.claim(
      "matching", matching > 0.95,
      fmt::format("when all send to one it is busy {:.1f} % of the time", 100 * matching));
  return {
      .id = "bottlenecks", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::qsnet
