// SPDX-License-Identifier: Apache-2.0
// Section 5.3 of the study of rate control: T, B_max, and what goes out of a host while packets
// come in.
#include <algorithm>
#include <cmath>

#include "lab/parallel.hpp"
#include "papers/gmqos/experiments.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::gmqos {
namespace {

double by_interval(const GmqosStudy& study, std::int64_t ticks) {
  const double seconds = static_cast<double>((study.tick() * ticks).count()) * 1e-12;
  return static_cast<double>(study.rated().nic.mtu.count) / seconds / 1e6;
}

}  // namespace

Section figure_53(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const std::int64_t t = study.peak().per_packet / study.tick();
  std::vector<std::int64_t> ticks{0};
  for (const std::int64_t each : {t / 4, t / 2, 3 * t / 4, t - 6, t - 1, t, t + 1, t + 4, t + 14,
                                  t + 44, 2 * t, 3 * t, 4 * t, 500L, 10 * t})
    ticks.push_back(each);
  std::sort(ticks.begin(), ticks.end());
  std::vector<double> found(ticks.size());
  in_parallel(ticks.size(), study.lab().threads, [&](std::size_t i) {
    found[i] =
        study.achieved(study.rated(), {paced_flow("flow", 0, 1, study.tick() * ticks[i])}).front();
  });
  Sheet sheet{
      "fig5.3", "one flow, messages of 64 KiB: MB/s", {"IDT", "achieved", "packet per IDT"}};
  double flat = 0, off = 0;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double nominal = ticks[i] == 0 ? 0 : by_interval(study, ticks[i]);
    sheet.rows.push_back({ticks[i], found[i], nominal});
    if (ticks[i] <= t)
      flat = std::max(flat, std::abs(found[i] / found[0] - 1));
    else
      off = std::max(off, std::abs(found[i] / nominal - 1));
  }
  Answers answers(context.stated, "fig5.3");
  answers.number("T", static_cast<double>(t),
                 fmt::format("measured as the longest IDT that does not hold a flow back; B_max is "
                             "{} MB/s",
                             human_readable(in_megabytes(study.peak().bandwidth))));
  answers.claim("flat", flat < 0.005, fmt::format("within {:.2f} % up to T", 100 * flat));
  answers.claim("inverse", off < 0.01,
                fmt::format("beyond T a packet per IDT, within {:.2f} %", 100 * off));
  return {.id = "fig5.3", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

Section figure_54(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const Peak peak = study.peak();
  std::vector<std::int64_t> ticks{2000, 1000, 700, 500, 400, 300, 250, 200,
                                  175,  150,  135, 120, 110, 105, 100};
  if (study.quick()) ticks = {1000, 500, 250, 150, 105};
  std::vector<comm::qos::CurvePoint> found(ticks.size());
  in_parallel(ticks.size(), study.lab().threads, [&](std::size_t i) {
    found[i] = measure_trade(study.rated(), study.tick() * ticks[i], peak);
  });
  Sheet sheet{"fig5.4",
              "MB/s out of a host that do not disturb what comes in",
              {"IDT in", "in", "out", "sum"}};
  sheet.rows.push_back(
      {std::string("none"), 0.0, in_megabytes(peak.bandwidth), in_megabytes(peak.bandwidth)});
  double least = in_megabytes(peak.bandwidth), out_of_500 = 0, in_of_500 = 0;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double in = in_megabytes(found[i].incoming), out = in_megabytes(found[i].outgoing);
    sheet.rows.push_back({fmt::format("{}", ticks[i]), in, out, in + out});
    least = std::min(least, in + out);
    if (ticks[i] != 500) continue;
    in_of_500 = in;
    out_of_500 = out;
  }
  const double last = in_megabytes(found.back().incoming) + in_megabytes(found.back().outgoing);
  Answers answers(context.stated, "fig5.4");
  answers.number("out", out_of_500, fmt::format("while {} come in", human_readable(in_of_500)));
  answers.claim("sum", last / least > 1.05,
                fmt::format("it is {} MB/s without anything coming in, {} at least, and {} when "
                            "packets arrive every {} ticks: turning the host DMA engine round "
                            "costs most when both directions are alike",
                            human_readable(in_megabytes(peak.bandwidth)), human_readable(least),
                            human_readable(last), ticks.back()));
  answers.claim("receiving", last > in_megabytes(peak.bandwidth),
                fmt::format("{} against {} MB/s of sending alone", human_readable(last),
                            human_readable(in_megabytes(peak.bandwidth))));
  return {.id = "fig5.4", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::gmqos
