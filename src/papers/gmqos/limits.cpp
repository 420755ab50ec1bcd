// SPDX-License-Identifier: Apache-2.0
// Section 5.3 of the study of rate control: T, B_max, and what goes out of a host while packets
// come in.
#include <algorithm>
#include <cmath>

#include "lab/parallel.hpp"
#include "papers/gmqos/experiments.hpp"
#include "papers/gmqos/figures.hpp"
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
  std::vector<std::int64_t> ticks{0,     t / 4,  t / 2,  3 * t / 4, t - 6, t - 1, t,   t + 1,
                                  t + 4, t + 14, t + 44, 2 * t,     3 * t, 4 * t, 500, 10 * t};
  if (study.quick()) ticks = {0, t / 2, t - 1, t, t + 1, t + 14, 2 * t, 500};
  std::sort(ticks.begin(), ticks.end());
  std::vector<double> found(ticks.size());
  in_parallel(ticks.size(), study.lab().threads, [&](std::size_t i) {
    found[i] =
        study.achieved(study.rated(), {paced_flow("flow", 0, 1, study.tick() * ticks[i])}).front();
  });
  Sheet sheet{
      "fig5.3", "one flow, messages of 64 KiB: MB/s", {"IDT", "achieved", "packet per IDT"}};
  double flat = 0, off = 0;
  Cases unaffected, inverse;
  for (std::size_t i = 0; i < ticks.size(); ++i) {
    const double nominal = ticks[i] == 0 ? 0 : by_interval(study, ticks[i]);
    sheet.rows.push_back({ticks[i], found[i], nominal});
    const bool short_enough = ticks[i] <= t;
    const double away = std::abs(found[i] / (short_enough ? found[0] : nominal) - 1);
    (short_enough ? flat : off) = std::max(short_enough ? flat : off, away);
    (short_enough ? unaffected : inverse)
        .add(away < (short_enough ? 0.005 : 0.01), fmt::format("an IDT of {}", ticks[i]));
  }
  Answers answers(context.stated, "fig5.3");
  answers.number("T", static_cast<double>(t),
                 fmt::format("measured as the longest IDT that does not hold a flow back; B_max is "
                             "{} MB/s",
                             human_readable(in_megabytes(study.peak().bandwidth))));
  answers.claim("flat", unaffected, fmt::format("within {:.2f} % up to T", 100 * flat));
  answers.claim("inverse", inverse,
                fmt::format("beyond T a packet per IDT, within {:.2f} %", 100 * off));
  return {.id = "fig5.3",
          .about = {},
          .sheets = {sheet},
          .answers = std::move(answers).done(),
          .figures = {drawing_53(context.stated, sheet)}};
}

namespace {

/// What comes in and goes out of a host at an IDT of the incoming packets.
struct TradePoint {
  std::int64_t ticks;
  double in, out;  ///< MB/s
  double sum() const { return in + out; }
  /// "Packets are arriving at a much higher rate than the rate at which they are being dispatched."
  bool mostly_receives() const { return in >= 2 * out; }
};

std::vector<TradePoint> trade_off(const GmqosStudy& study) {
  std::vector<std::int64_t> ticks{2000, 1000, 700, 500, 400, 300, 250, 200,
                                  175,  150,  135, 120, 110, 105, 100};
  if (study.quick()) ticks = {768, 500, 384, 192, 144, 105};  // the managers need most of them
  const std::vector<comm::qos::CurvePoint> found = study.trade(ticks);
  std::vector<TradePoint> out;
  for (std::size_t i = 0; i < ticks.size(); ++i)
    out.push_back({ticks[i], in_megabytes(found[i].incoming), in_megabytes(found[i].outgoing)});
  return out;
}

/// MB/s into a host from three others that send as fast as they can.
double most_received(const GmqosStudy& study) {
  double sum = 0;
  for (const double each : study.achieved(
           study.rated(),
           {free_flow("flow 1", 1, 0), free_flow("flow 2", 2, 0), free_flow("flow 3", 3, 0)}))
    sum += each;
  return sum;
}

}  // namespace

Section figure_54(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const double alone = in_megabytes(study.peak().bandwidth);
  Sheet sheet{"fig5.4",
              "MB/s out of a host that do not disturb what comes in",
              {"IDT in", "in", "out", "sum"}};
  sheet.rows.push_back({std::string("none"), 0.0, alone, alone});
  Answers answers(context.stated, "fig5.4");
  const std::vector<TradePoint> all = trade_off(study);
  double least = alone;
  Cases receiving;
  for (const TradePoint& each : all) {
    sheet.rows.push_back({each.ticks, each.in, each.out, each.sum()});
    least = std::min(least, each.sum());
    receiving.add(!each.mostly_receives() || each.sum() > alone,
                  fmt::format("an IDT of {}", each.ticks));
    if (each.ticks == 500)
      answers.number("out", each.out, fmt::format("while {} come in", human_readable(each.in)));
  }
  const double last = all.back().sum(), received = most_received(study);
  answers.claim("sum", last / least > 1.05,
                fmt::format("it is {} MB/s without anything coming in, {} at least, and {} when "
                            "packets arrive every {} ticks: turning the host DMA engine round "
                            "costs most when both directions are alike",
                            human_readable(alone), human_readable(least), human_readable(last),
                            all.back().ticks));
  answers.claim(
      "receiving", receiving,
      fmt::format(
          "where twice as much comes in as goes out, or more (other IDTs are not concerned); {} "
          "against {} MB/s "
          "of sending alone when packets arrive every {} ticks. At twice as much turning the "
          "host DMA engine round still costs more than receiving saves",
          human_readable(last), human_readable(alone), all.back().ticks));
  answers.claim("processing", received > alone,
                fmt::format("a host that only receives takes {} MB/s, one that only sends has {}",
                            human_readable(received), human_readable(alone)));
  return {.id = "fig5.4",
          .about = {},
          .sheets = {sheet},
          .answers = std::move(answers).done(),
          .figures = {drawing_54(context.stated, sheet)}};
}

}  // namespace weft::papers::gmqos
