// SPDX-License-Identifier: Apache-2.0
// Pings between two hosts, one way (figure 6) and both ways at once (figure 7).
#include <algorithm>
#include <cmath>

#include "papers/qsnet/experiments.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::qsnet {
namespace {

using Sizes = std::vector<std::size_t>;

Sizes large_sizes(const QsnetStudy& study) {
  if (study.quick()) return {64, 1024, 16384, QsnetStudy::longest};
  Sizes out;
  for (std::size_t bytes = 16; bytes <= QsnetStudy::longest; bytes *= 2) out.push_back(bytes);
  return out;
}

Sizes small_sizes(const QsnetStudy& study) {
  if (study.quick()) return {0, 1, 64, 256, 287, 288, 320, 1024, 4096};
  return {0, 1, 4, 8, 16, 32, 64, 128, 192, 256, 287, 288, 320, 384, 512, 1024, 2048, 4096};
}

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

/// From 64 B to 4 KiB, where figure 6b ends: the slowest of a group against the fastest of the
/// next.
struct Groups {
  double elan_to_main = 1e300, main_to_libraries = 1e300;  ///< least ratio of bandwidths
  double same_target = 1e300;  ///< of the first two groups, with the same target
};
Groups groups(const QsnetStudy& study) {
  Groups out;
  for (const std::size_t bytes : large_sizes(study)) {
    if (bytes < 64 || bytes > 4096) continue;
    const auto of = [&](const char* name) { return study.bandwidth(curve(name), bytes); };
    const double elan = std::min(of("Elan-Elan"), of("Elan-main"));
    const double main_most = std::max(of("main-Elan"), of("main-main"));
    const double main_least = std::min(of("main-Elan"), of("main-main"));
    const double libraries = std::max(of("Tports"), of("MPI"));
    out.same_target = std::min(
        {out.same_target, of("Elan-Elan") / of("main-Elan"), of("Elan-main") / of("main-main")});
    out.elan_to_main = std::min(out.elan_to_main, elan / main_most);
    out.main_to_libraries = std::min(out.main_to_libraries, main_least / libraries);
  }
  return out;
}

}  // namespace

std::vector<ProgramSpec> runs_6a(const QsnetStudy& study) {
  return runs_of(study, large_sizes(study), false);
}
std::vector<ProgramSpec> runs_6b(const QsnetStudy& study) {
  return runs_of(study, small_sizes(study), false);
}
std::vector<ProgramSpec> runs_7(const QsnetStudy& study) {
  auto out = runs_of(study, large_sizes(study), true);
  for (const ProgramSpec& run : runs_of(study, {QsnetStudy::longest}, false)) out.push_back(run);
  return out;
}
std::vector<ProgramSpec> runs_7b(const QsnetStudy& study) {
  auto out = runs_of(study, small_sizes(study), true);
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
  const Groups found = groups(study);
  answers.claim("groups", found.elan_to_main > 1 && found.main_to_libraries > 1,
                fmt::format("64 B to 4 KiB: Elan3lib is {:.2f} times as fast as Tports and MPI or "
                            "more; out of Elan memory it is {:.2f} times as fast as out of main "
                            "memory or more to the same target, but Elan-main only {:.2f} times as "
                            "fast as main-Elan: each crosses PCI once",
                            found.main_to_libraries, found.same_target, found.elan_to_main));
  double least = 1e300, most = 0;
  for (const Curve& each : curves()) {
    least = std::min(least, asymptote(each.name));
    most = std::max(most, asymptote(each.name));
  }
  answers.claim(
      "narrow", most / least < 1.1,
      fmt::format("{:.1f} to {:.1f} MB/s at {} KiB", least, most, QsnetStudy::longest >> 10U));
  return {.id = "fig6a",
          .about = {},
          .sheets = {sheet_of(study, large_sizes(study), false,
                              {"fig6a", "MB/s, one message after another", {}},
                              &QsnetStudy::bandwidth)},
          .answers = std::move(answers).done()};
}

Section figure_6b(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  Answers answers(context.stated, "fig6b");
  const Curve &main = curve("main-main"), &tports = curve("Tports"), &mpi = curve("MPI");
  answers.number("0 B", study.latency(main, 0));
  const double one = study.latency(main, 1), block = study.latency(main, 64);
  answers.number(
      "64 B", block,
      fmt::format("PCI, link and PCI, one after the other, cost {:.2f} us; out of Elan memory "
                  "into Elan memory {:.2f} us",
                  block - study.latency(main, 0), study.latency(curve("Elan-Elan"), 64)));
  answers.number("Tports", study.latency(tports, 0));
  answers.number("MPI", study.latency(mpi, 0));
  answers.claim("flat", block / one < 1.1,
                fmt::format("{:.2f} us for 1 B, {:.2f} us for 64 B: a transaction carries a block",
                            one, block));
  const double before = study.latency(tports, 287), after = study.latency(tports, 288),
               next = study.latency(tports, 320),
               elan = study.latency(main, 288) - study.latency(main, 287);
  answers.claim(
      "288 B",
      after - before > 1 && after - before > 5 * std::abs(next - after) && std::abs(elan) < 0.1,
      fmt::format("Tports: {:.2f} us for 287 B, {:.2f} us for 288 B, {:.2f} us for 320 B; "
                  "Elan3lib has no such step",
                  before, after, next));
  double least = 1e300;
  for (const std::size_t bytes : small_sizes(study))
    least = std::min(least, study.latency(tports, bytes) - study.latency(main, bytes));
  const double thread = use_of(study.at(study.ping(tports, 0)), "thread") *
                        static_cast<double>(study.at(study.ping(tports, 0)).time.count()) / 1e6 /
                        (QsnetStudy::warmup + QsnetStudy::iterations);
  answers.claim("thread", least > 0.8 * thread,
                fmt::format("Tports takes {:.2f} us or more longer; the thread processor works "
                            "{:.2f} us for a message",
                            least, thread));
  return {.id = "fig6b",
          .about = {},
          .sheets = {sheet_of(study, small_sizes(study), false,
                              {"fig6b", "us, half of there and back", {}}, &QsnetStudy::latency)},
          .answers = std::move(answers).done()};
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
  double best = 0;
  for (const Curve& each : curves()) best = std::max(best, both(each.name));
  answers.claim("best", best == both("main-Elan"),
                fmt::format("{:.1f} MB/s, the others {:.1f} at most", both("main-Elan"),
                            std::max(both("Elan-Elan"), both("main-main"))));
  answers.claim("Elan-Elan", both("Elan-Elan") < both("main-Elan"),
                fmt::format("{:.1f} MB/s: SDRAM is read over the bus that also takes what comes in",
                            both("Elan-Elan")));
  const double one_way = study.bandwidth(curve("Elan-Elan"), QsnetStudy::longest);
  answers.claim("not both", best < 0.9 * one_way,
                fmt::format("{:.1f} of {:.1f} MB/s at best", best, one_way));
  return {.id = "fig7",
          .about = {},
          .sheets = {sheet_of(study, large_sizes(study), true,
                              {"fig7", "MB/s, half of both ways together", {}},
                              &QsnetStudy::bandwidth)},
          .answers = std::move(answers).done()};
}

Section figure_7b(const QsnetContext& context) {
  const QsnetStudy& study = context.study;
  Answers answers(context.stated, "fig7b");
  double least = 1e300, most = 0;
  bool ordered = true;
  for (const std::size_t bytes : small_sizes(study)) {
    for (const char* name : {"main-main", "Tports", "MPI"}) {
      const double ratio =
          study.latency(curve(name), bytes, true) / study.latency(curve(name), bytes);
      least = std::min(least, ratio);
      most = std::max(most, ratio);
    }
    ordered =
        ordered &&
        study.latency(curve("main-main"), bytes, true) <
            study.latency(curve("Tports"), bytes, true) &&
        study.latency(curve("Tports"), bytes, true) < study.latency(curve("MPI"), bytes, true);
  }
  answers.claim("rises", least > 1,
                fmt::format("{:.2f} to {:.2f} times, with Elan3lib (main-main), Tports and MPI",
                            least, most));
  answers.claim("order", ordered, "Elan3lib, then Tports, then MPI, at all sizes");
  return {.id = "fig7b",
          .about = {},
          .sheets = {sheet_of(study, small_sizes(study), true,
                              {"fig7b", "us, both ways at once", {}}, &QsnetStudy::latency)},
          .answers = std::move(answers).done()};
}

}  // namespace weft::papers::qsnet
