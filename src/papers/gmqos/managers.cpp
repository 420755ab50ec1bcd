// SPDX-License-Identifier: Apache-2.0
// Section 5.6 of the study of rate control: best-effort flows beside premium ones that come and go,
// with the managers at work.
#include <algorithm>
#include <array>
#include <cmath>

#include "papers/gmqos/experiments.hpp"
#include "papers/gmqos/figures.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::gmqos {
namespace {

/// From a begin to an end, in milliseconds. A flow that ends takes a while to send the messages it
/// has begun.
struct Period {
  int begin, end;
  double middle() const { return (begin + end) / 2.0; }
  std::string text() const { return fmt::format("{} to {} ms", begin, end); }
};

class Timeline {
 public:
  Timeline(const GmqosStudy& study, std::vector<FlowPlan> flows)
      : mtu_(static_cast<double>(study.rated().nic.mtu.count)) {
    plan_.flows = std::move(flows);
    plan_.limits = study.limits();
    found_ = run_flows(study.rated(), plan_);
    per_bin_ = static_cast<double>((plan_.bin / study.tick())) / 1000;
  }

  double megabytes(std::size_t flow, Period in) const {
    return sent_between(found_, flow, Milliseconds(in.begin + 20), Milliseconds(in.end));
  }
  double in_packets(double megabytes) const {
    return megabytes * 1e6 / mtu_ * (static_cast<double>(plan_.bin.count()) * 1e-12) / per_bin_;
  }
  double per_thousand_ticks(std::size_t flow, Period in) const {
    return in_packets(megabytes(flow, in));
  }

  Sheet sheet(const std::string& name) const {
    Sheet out{name, "packets in 1000 ticks", {"ms"}};
    for (const FlowPlan& flow : plan_.flows) out.columns.push_back(flow.name);
    for (std::size_t bin = 0; bin < found_.bins(); ++bin) {
      out.rows.push_back({static_cast<std::int64_t>(bin) * (plan_.bin / Milliseconds(1))});
      for (const FlowFound& flow : found_.flows)
        out.rows.back().emplace_back(static_cast<double>(flow.packets[bin]) / per_bin_);
    }
    return out;
  }

 private:
  FlowsPlan plan_;
  FlowsFound found_;
  double mtu_;
  double per_bin_;  ///< thousands of ticks
};

FlowPlan during(FlowPlan flow, int start, int stop) {
  flow.start = Milliseconds(start);
  flow.stop = Milliseconds(stop);
  return flow;
}

bool close(double ours, double wanted, double by) { return std::abs(ours / wanted - 1) <= by; }

constexpr std::array<Period, 5> fifths{{{0, 100}, {100, 200}, {200, 300}, {300, 400}, {400, 500}}};

}  // namespace

Section figure_511(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const Timeline line(study, {during(best_effort_flow("best effort", 0, 1), 0, 500),
                              during(promised_flow("premium 1", 0, 2, 40), 100, 400),
                              during(promised_flow("premium 2", 0, 3, 20), 200, 300)});
  const double peak = in_megabytes(study.peak().bandwidth);
  const double before = line.megabytes(0, fifths[0]), after = line.megabytes(0, fifths[4]);
  const double one = line.megabytes(0, fifths[1]), again = line.megabytes(0, fifths[3]);
  Answers answers(context.stated, "fig5.11");
  answers.claim("peak", close(before, peak, 0.02),
                fmt::format("{} MB/s alone", human_readable(before)));
  answers.number("packets", line.per_thousand_ticks(0, fifths[1]),
                 "packets of 4 KiB; beside 40 MB/s");
  answers.number("beside 40", one, "what 40 leave of the host's capacity");
  answers.number("beside 60", line.megabytes(0, fifths[2]), "what 60 leave");
  Cases back, premium;
  back.add(close(again, one, 0.02), "the end of premium 2");
  back.add(close(after, peak, 0.02), "the end of premium 1");
  answers.claim("back", back,
                fmt::format("{} and then {} MB/s", human_readable(again), human_readable(after)));
  const double second = line.megabytes(2, fifths[2]);
  for (const std::size_t i : {1U, 2U, 3U})
    premium.add(line.megabytes(1, fifths[i]) > kept_share * 40,
                fmt::format("premium 1, {}", fifths[i].text()));
  premium.add(second > kept_share * 20, "premium 2");
  answers.claim("premium", premium,
                fmt::format("{} and {} MB/s", human_readable(line.megabytes(1, fifths[2])),
                            human_readable(second)));
  const auto printed = [&](const char* id) { return value_of(context.stated, id); };
  const Sheet sheet = line.sheet("fig5.11");
  return {.id = "fig5.11",
          .about = {},
          .sheets = {sheet},
          .answers = std::move(answers).done(),
          .figures = {drawing_of_packets(
              "5.11", "two premium flows and one best-effort flow", sheet,
              {{fifths[1].middle(), printed("fig5.11/packets")},
               {fifths[2].middle(), line.in_packets(printed("fig5.11/beside 60"))}})}};
}

Section figure_512(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const Timeline line(study, {during(best_effort_flow("best effort 1", 0, 1), 0, 500),
                              during(best_effort_flow("best effort 2", 0, 2), 100, 400),
                              during(promised_flow("premium", 0, 3, 20), 200, 300)});
  const auto each = [&](Period in) {
    return std::array{line.megabytes(0, in), line.megabytes(1, in)};
  };
  const auto two = each(fifths[1]), beside = each(fifths[2]), again = each(fifths[3]);
  const double peak = in_megabytes(study.peak().bandwidth), premium = line.megabytes(2, fifths[2]);
  const double alone = line.megabytes(0, fifths[0]), after = line.megabytes(0, fifths[4]);
  Cases at_peak, half, equal, back;
  at_peak.add(close(alone, peak, 0.02), fifths[0].text());
  at_peak.add(close(after, peak, 0.02), fifths[4].text());
  for (const std::size_t i : {1U, 2U, 3U})
    equal.add(close(each(fifths[i])[0], each(fifths[i])[1], 0.02), fifths[i].text());
  for (const std::size_t i : {0U, 1U}) {
    half.add(close(two[i], peak / 2, 0.10), fmt::format("best effort {}", i + 1));
    back.add(close(again[i], two[i], 0.02), fmt::format("best effort {}", i + 1));
  }
  Answers answers(context.stated, "fig5.12");
  answers.claim("peak", at_peak,
                fmt::format("{} MB/s before the others come, {} when they have gone",
                            human_readable(alone), human_readable(after)));
  answers.number("two", (two[0] + two[1]) / 2, "half of the host's capacity");
  answers.claim("half", half,
                fmt::format("{} and {} of {} MB/s: the managers hand out less than the peak",
                            human_readable(two[0]), human_readable(two[1]), human_readable(peak)));
  answers.number("surplus", beside[0] + beside[1], "what 20 leave of it");
  answers.claim(
      "equal", equal,
      fmt::format("{} and {} MB/s beside the premium flow, which has {}", human_readable(beside[0]),
                  human_readable(beside[1]), human_readable(premium)));
  answers.claim("back", back,
                fmt::format("{} and {} MB/s", human_readable(again[0]), human_readable(again[1])));
  answers.claim("premium", premium > kept_share * 20,
                fmt::format("{} MB/s", human_readable(premium)));
  const auto packets = [&](const char* id) {
    return line.in_packets(value_of(context.stated, id));
  };
  const Sheet sheet = line.sheet("fig5.12");
  return {
      .id = "fig5.12",
      .about = {},
      .sheets = {sheet},
      .answers = std::move(answers).done(),
      .figures = {drawing_of_packets("5.12", "one premium flow and two best-effort flows", sheet,
                                     {{fifths[1].middle(), packets("fig5.12/two")},
                                      {fifths[2].middle(), packets("fig5.12/surplus") / 2}})}};
}

}  // namespace weft::papers::gmqos
