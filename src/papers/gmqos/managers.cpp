// SPDX-License-Identifier: Apache-2.0
// Section 5.6 of the study of rate control: best-effort flows beside premium ones that come and go,
// with the managers at work.
#include <algorithm>
#include <array>
#include <cmath>

#include "papers/gmqos/experiments.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::gmqos {
namespace {

/// From a begin to an end, in milliseconds. A flow that ends takes a while to send the messages it
/// has begun.
struct Period {
  int begin, end;
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
  double per_thousand_ticks(std::size_t flow, Period in) const {
    return megabytes(flow, in) * 1e6 / mtu_ * (static_cast<double>(plan_.bin.count()) * 1e-12) /
           per_bin_;
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

}  // namespace

Section figure_511(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const Timeline line(study, {during(best_effort_flow("best effort", 0, 1), 0, 500),
                              during(promised_flow("premium 1", 0, 2, 40), 100, 400),
                              during(promised_flow("premium 2", 0, 3, 20), 200, 300)});
  const double peak = in_megabytes(study.peak().bandwidth);
  const double before = line.megabytes(0, {0, 100}), after = line.megabytes(0, {400, 500});
  const double one = line.megabytes(0, {100, 200}), again = line.megabytes(0, {300, 400});
  Answers answers(context.stated, "fig5.11");
  answers.claim("peak", close(before, peak, 0.02),
                fmt::format("{} MB/s alone", human_readable(before)));
  answers.number("packets", line.per_thousand_ticks(0, {100, 200}),
                 "packets of 4 KiB; beside 40 MB/s");
  answers.number("beside 40", one, "what 40 leave of the host's 78 MB/s");
  answers.number("beside 60", line.megabytes(0, {200, 300}), "what 60 leave");
  answers.claim("back", close(again, one, 0.02) && close(after, peak, 0.02),
                fmt::format("{} and then {} MB/s", human_readable(again), human_readable(after)));
  const double first = line.megabytes(1, {200, 300}), second = line.megabytes(2, {200, 300});
  answers.claim("premium", first > 0.97 * 40 && second > 0.97 * 20,
                fmt::format("{} and {} MB/s", human_readable(first), human_readable(second)));
  return {.id = "fig5.11",
          .about = {},
          .sheets = {line.sheet("fig5.11")},
          .answers = std::move(answers).done()};
}

Section figure_512(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const Timeline line(study, {during(best_effort_flow("best effort 1", 0, 1), 0, 500),
                              during(best_effort_flow("best effort 2", 0, 2), 100, 400),
                              during(promised_flow("premium", 0, 3, 20), 200, 300)});
  const auto each = [&](Period in) {
    return std::array{line.megabytes(0, in), line.megabytes(1, in)};
  };
  const auto two = each({100, 200}), beside = each({200, 300}), again = each({300, 400});
  const double peak = in_megabytes(study.peak().bandwidth), premium = line.megabytes(2, {200, 300});
  const double alone = line.megabytes(0, {0, 100}), after = line.megabytes(0, {400, 500});
  Answers answers(context.stated, "fig5.12");
  answers.claim("peak", close(alone, peak, 0.02) && close(after, peak, 0.02),
                fmt::format("{} MB/s before the others come, {} when they have gone",
                            human_readable(alone), human_readable(after)));
  answers.number("two", (two[0] + two[1]) / 2, "half of the host's 78 MB/s");
  answers.number("surplus", beside[0] + beside[1], "what 20 leave of 78");
  answers.claim(
      "equal", close(beside[0], beside[1], 0.02) && close(two[0], two[1], 0.02),
      fmt::format("{} and {} MB/s beside the premium flow, which has {}", human_readable(beside[0]),
                  human_readable(beside[1]), human_readable(premium)));
  answers.claim("back", close(again[0], two[0], 0.02) && close(again[1], two[1], 0.02),
                fmt::format("{} and {} MB/s", human_readable(again[0]), human_readable(again[1])));
  return {.id = "fig5.12",
          .about = {},
          .sheets = {line.sheet("fig5.12")},
          .answers = std::move(answers).done()};
}

}  // namespace weft::papers::gmqos
