// SPDX-License-Identifier: Apache-2.0
// Pings between two hosts, one way (figure 6) and both ways at once (figure 7).
#include <algorithm>
#include <array>
#include <cmath>

#include "papers/qsnet/experiments.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::qsnet {
namespace {

using Sizes = std::vector<std::size_t>;

std::vector<ProgramSpec> runs_of(const QsnetStudy& study, const Sizes& sizes, bool both) {
  std::vector<ProgramSpec> out;
  for (const std::size_t bytes : sizes)
    for (const Curve& each : curves()) out.push_back(study.ping(each, bytes, both));
  return out;
}

/// A quantity of every curve, by size.
Sheet sheet_of(const QsnetStudy& study, const Sizes& sizes, bool both, Sheet sheet,
               double (QsnetStudy::*what)(const Curve&, std::size_t, bool) const) {
  sheet.columns = {"bytes"};
  for (const Curve& each : curves()) sheet.columns.emplace_back(each.name);
  for (const std::size_t bytes : sizes) {
    sheet.rows.push_back({static_cast<std::int64_t>(bytes)});
    for (const Curve& each : curves())
      sheet.rows.back().emplace_back((study.*what)(each, bytes, both));
  }
  return sheet;
}

/// The curves of figure 6a that the paper groups, the fastest first.
constexpr std::array<std::array<const char*, 2>, 3> curve_groups{
    {{"Elan-Elan", "Elan-main"}, {"main-Elan", "main-main"}, {"Tports", "MPI"}}};
/// Where the latencies end that figure 6b shows: sizes above it are large.
constexpr std::size_t longest_medium = 4096;

/// Whether every curve of a group is faster than all of the next, at small and medium sizes.
Cases in_groups(const QsnetStudy& study) {
  Cases out;
  for (const std::size_t bytes : study.bandwidth_sizes()) {
    if (bytes > longest_medium) continue;
    for (std::size_t group = 0; group + 1 < curve_groups.size(); ++group)
      for (const char* faster : curve_groups[group])
        for (const char* slower : curve_groups[group + 1])
          out.add(study.bandwidth(curve(faster), bytes) > study.bandwidth(curve(slower), bytes),
                  fmt::format("{} over {} at {} B", faster, slower, bytes));
  }
  return out;
}

/// The least bandwidth of a curve over another's at these sizes.
double least_ratio(const QsnetStudy& study, const char* faster, const char* slower) {
  double out = 1e300;
  for (const std::size_t bytes : study.bandwidth_sizes())
    if (bytes <= longest_medium)
      out = std::min(out,
                     study.bandwidth(curve(faster), bytes) / study.bandwidth(curve(slower), bytes));
  return out;
}

void answer_groups(Answers& answers, const QsnetStudy& study) {
  const auto least = [&](const char* faster, const char* slower) {
    return least_ratio(study, faster, slower);
  };
  answers.claim(
      "groups", in_groups(study),
      fmt::format(
          "up to 4 KiB Elan3lib is {:.2f} times as fast as Tports and MPI or more; out of Elan "
          "memory it is {:.2f} times as fast as out of main memory or more to the same target, but "
          "Elan-main only {:.2f} times as fast as main-Elan: each crosses PCI once",
          std::min(least("main-main", "Tports"), least("main-Elan", "Tports")),
          std::min(least("Elan-Elan", "main-Elan"), least("Elan-main", "main-main")),
          least("Elan-main", "main-Elan")));
}

/// Whether a curve has more bandwidth in the end than each of the others, or less.
Cases against_others(const QsnetStudy& study, std::string_view name, bool both, bool more) {
  const double own = study.bandwidth(curve(name), QsnetStudy::longest, both);
  Cases out;
  for (const Curve& each : curves()) {
    const double other = study.bandwidth(each, QsnetStudy::longest, both);
    if (each.name != name) out.add(more ? own > other : own < other, each.name);
  }
  return out;
}

/// Whether Elan3lib takes as long for a few bytes as for 64.
Cases flat_to_a_block(const QsnetStudy& study) {
  Cases out;
  for (const Curve& each : curves())
    for (const std::size_t bytes : study.latency_sizes())
      if (std::string_view(each.library) == "elan3" && bytes > 0 && bytes < 64)
        out.add(study.latency(each, 64) / study.latency(each, bytes) < 1.1,
                fmt::format("{} at {} B", each.name, bytes));
  return out;
}

/// Whether Tports takes longer than Elan3lib by most of what the thread processor works.
void answer_thread(Answers& answers, const QsnetStudy& study) {
  const Curve &main = curve("main-main"), &tports = curve("Tports");
  const ProgramResult& empty = study.at(study.ping(tports, 0));
  const double thread = use_of(empty, "thread") * static_cast<double>(empty.time.count()) / 1e6 /
                        (QsnetStudy::warmup + QsnetStudy::iterations);
  Cases cases;
  double least = 1e300;
  for (const std::size_t bytes : study.latency_sizes()) {
    const double longer = study.latency(tports, bytes) - study.latency(main, bytes);
    least = std::min(least, longer);
    cases.add(longer > 0.8 * thread, fmt::format("{} B", bytes));
  }
  answers.claim("thread", cases,
                fmt::format("Tports takes {:.2f} us or more longer; the thread processor works "
                            "{:.2f} us for a message",
                            least, thread));
}

}  // namespace

std::vector<ProgramSpec> runs_6a(const QsnetStudy& study) {
  return runs_of(study, study.bandwidth_sizes(), false);
}
std::vector<ProgramSpec> runs_6b(const QsnetStudy& study) {
  return runs_of(study, study.latency_sizes(), false);
}
std::vector<ProgramSpec> runs_7(const QsnetStudy& study) {
  auto out = runs_of(study, study.bandwidth_sizes(), true);
  for (const ProgramSpec& run : runs_of(study, {QsnetStudy::longest}, false)) out.push_back(run);
  return out;
}
std::vector<ProgramSpec> runs_7b(const QsnetStudy& study) {
  auto out = runs_of(study, study.latency_sizes(), true);
  for (const ProgramSpec& run : runs_6b(study)) out.push_back(run);
  return out;
}

Section figure_6a(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  Answers answers(context.stated, "fig6a");
  const auto asymptote = [&](const char* name) {
    return study.bandwidth(curve(name), QsnetStudy::longest);
  };
  answers.number("Elan-Elan", asymptote("Elan-Elan"), "packets and their headers fill the link");
  answers.number("read", asymptote("main-Elan"), "the source's PCI bus");
  answers.number("write", asymptote("Elan-main"),
                 "the target's PCI bus, whose writes are modelled like its reads");
  answers.number("MPI", asymptote("MPI"), "both PCI buses, of which one suffices; and one meeting");
  answers.claim("asymmetry", asymptote("main-Elan") > asymptote("Elan-main"),
                fmt::format("{:.1f} and {:.1f} MB/s: both are modelled alike",
                            asymptote("main-Elan"), asymptote("Elan-main")));
  answers.claim("peak", against_others(study, "Elan-Elan", false, true), "PCI is not crossed");
  answers.claim("least", against_others(study, "MPI", false, false),
                fmt::format("{:.1f} MB/s, Tports {:.1f}", asymptote("MPI"), asymptote("Tports")));
  answer_groups(answers, study);
  const double best = asymptote("Elan-Elan");
  Cases narrow;
  double least = best;
  for (const Curve& each : curves()) {
    least = std::min(least, asymptote(each.name));
    narrow.add(best / asymptote(each.name) < 1.1, each.name);
  }
  answers.claim(
      "narrow", narrow,
      fmt::format("{:.1f} to {:.1f} MB/s at {} KiB", least, best, QsnetStudy::longest >> 10U));
  return {.id = "fig6a",
          .about = {},
          .sheets = {sheet_of(study, study.bandwidth_sizes(), false,
                              {"fig6a", "MB/s, one message after another", {}},
                              &QsnetStudy::bandwidth)},
          .answers = std::move(answers).done(),
          .figures = {drawn_6a(context)}};
}

Section figure_6b(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  Answers answers(context.stated, "fig6b");
  const Curve &main = curve("main-main"), &tports = curve("Tports"), &mpi = curve("MPI");
  answers.number("0 B", study.latency(main, 0));
  const double block = study.latency(main, 64);
  answers.number(
      "64 B", block,
      fmt::format("PCI, link and PCI, one after the other, cost {:.2f} us; out of Elan memory "
                  "into Elan memory {:.2f} us. No blind prediction: the rules of bus and blocks "
                  "were chosen after a first model had missed it by 16.5 %",
                  block - study.latency(main, 0), study.latency(curve("Elan-Elan"), 64)));
  answers.number("Tports", study.latency(tports, 0));
  answers.number("MPI", study.latency(mpi, 0));
  answers.claim("flat", flat_to_a_block(study),
                fmt::format("main-main {:.2f} us for 1 B, {:.2f} us for 64 B: a transaction "
                            "carries a block",
                            study.latency(main, 1), block));
  const double before = study.latency(tports, 287), after = study.latency(tports, 288),
               next = study.latency(tports, 320),
               elan = study.latency(main, 288) - study.latency(main, 287);
  answers.claim(
      "288 B",
      after - before > 1 && after - before > 5 * std::abs(next - after) && std::abs(elan) < 0.1,
      fmt::format("Tports: {:.2f} us for 287 B, {:.2f} us for 288 B, {:.2f} us for 320 B; "
                  "Elan3lib has no such step",
                  before, after, next));
  answer_thread(answers, study);
  return {.id = "fig6b",
          .about = {},
          .sheets = {sheet_of(study, study.latency_sizes(), false,
                              {"fig6b", "us, half of there and back", {}}, &QsnetStudy::latency)},
          .answers = std::move(answers).done(),
          .figures = {drawn_6b(context)}};
}

Section figure_7(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  Answers answers(context.stated, "fig7");
  const auto both = [&](const char* name) {
    return study.bandwidth(curve(name), QsnetStudy::longest, true);
  };
  answers.number("main-Elan", both("main-Elan"), "the Elans' internal buses");
  answers.number("main-main", both("main-main"), "the PCI bus takes both ways");
  answers.number("Tports", both("Tports"), "the same");
  answers.number("MPI", both("MPI"), "the same");
  double best = 0, second = 0;
  for (const Curve& each : curves()) {
    best = std::max(best, both(each.name));
    if (std::string_view(each.name) != "main-Elan") second = std::max(second, both(each.name));
  }
  answers.claim("best", against_others(study, "main-Elan", true, true),
                fmt::format("{:.1f} MB/s, the others {:.1f} at most", both("main-Elan"), second));
  answers.claim("Elan-Elan", both("Elan-Elan") < both("main-Elan"),
                fmt::format("{:.1f} MB/s: SDRAM is read over the bus that also takes what comes in",
                            both("Elan-Elan")));
  const double one_way = study.bandwidth(curve("Elan-Elan"), QsnetStudy::longest);
  answers.claim("not both", best < 0.9 * one_way,
                fmt::format("{:.1f} of {:.1f} MB/s at best", best, one_way));
  return {.id = "fig7",
          .about = {},
          .sheets = {sheet_of(study, study.bandwidth_sizes(), true,
                              {"fig7", "MB/s, half of both ways together", {}},
                              &QsnetStudy::bandwidth)},
          .answers = std::move(answers).done(),
          .figures = {drawn_7a(context)}};
}

Section figure_7b(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  Answers answers(context.stated, "fig7b");
  const std::array<const char*, 3> libraries{"main-main", "Tports", "MPI"};
  double least = 1e300, most = 0;
  Cases rises, ordered;
  for (const std::size_t bytes : study.latency_sizes())
    for (std::size_t i = 0; i < libraries.size(); ++i) {
      const Curve& of = curve(libraries[i]);
      const double both = study.latency(of, bytes, true), ratio = both / study.latency(of, bytes);
      least = std::min(least, ratio);
      most = std::max(most, ratio);
      rises.add(ratio > 1, fmt::format("{} at {} B", of.name, bytes));
      if (i > 0)
        ordered.add(study.latency(curve(libraries[i - 1]), bytes, true) < both,
                    fmt::format("{} and {} at {} B", libraries[i - 1], of.name, bytes));
    }
  answers.claim("rises", rises,
                fmt::format("{:.2f} to {:.2f} times, with Elan3lib (main-main), Tports and MPI",
                            least, most));
  answers.claim("order", ordered, "Elan3lib (main-main), then Tports, then MPI");
  return {.id = "fig7b",
          .about = {},
          .sheets = {sheet_of(study, study.latency_sizes(), true,
                              {"fig7b", "us, both ways at once", {}}, &QsnetStudy::latency)},
          .answers = std::move(answers).done(),
          .figures = {drawn_7b(context)}};
}

}  // namespace weft::papers::qsnet
