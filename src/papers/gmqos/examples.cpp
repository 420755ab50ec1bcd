// SPDX-License-Identifier: Apache-2.0
// The worked examples of the study of rate control: its algorithm step by step, round robin at a
// NIC, and flows that meet at hosts and at switches.
#include <algorithm>
#include <array>

#include "base/pacer.hpp"
#include "papers/gmqos/experiments.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::gmqos {

Section table_31(const GmqosContext& context) {
  Pacer pacer;
  const Pacer::FlowNumber a = pacer.add(Pacer::Interval::ticks(2));
  const Pacer::FlowNumber b = pacer.add(Pacer::Interval::ticks(3));
  pacer.wake(a, 0);
  pacer.wake(b, 0);
  std::array<std::string, 3> rows;
  Sheet sheet{"table3.1",
              "flows A and B with IDTs of 2 and 3",
              {"t", "NDT of A", "NDT of B", "dispatched"}};
  for (Pacer::Tick now = 0; now < 12; ++now) {
    const auto next = [&](Pacer::FlowNumber flow) {
      return static_cast<std::int64_t>(pacer.next_dispatch(flow).parts / Pacer::Interval::tick);
    };
    const std::int64_t of_a = next(a), of_b = next(b);
    const auto flow = pacer.due(now);
    const char* const sent = !flow ? "-" : *flow == a ? "A" : "B";
    if (flow) pacer.dispatch(*flow, now);
    const char* const gap = now == 0 ? "" : " ";
    rows[0] += fmt::format("{}{}", gap, of_a);
    rows[1] += fmt::format("{}{}", gap, of_b);
    rows[2] += fmt::format("{}{}", gap, sent);
    sheet.rows.push_back({std::int64_t{now}, of_a, of_b, std::string(sent)});
  }
  Answers answers(context.stated, "table3.1");
  answers.exact("ndt A", rows[0]);
  answers.exact("ndt B", rows[1]);
  answers.exact("dispatched", rows[2]);
  answers.number("ratio", static_cast<double>(std::count(rows[2].begin(), rows[2].end(), 'A')) /
                              static_cast<double>(std::count(rows[2].begin(), rows[2].end(), 'B')));
  return {.id = "table3.1", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

Section figure_23(const GmqosContext& context) {
  Answers answers(context.stated, "fig2.3");
  Sheet sheet{"fig2.3",
              "MB/s of A, with messages of three packets, and of B, with messages of one",
              {"round robin", "A", "B", "A:B"}};
  const Bytes mtu = context.study.rated().nic.mtu;
  for (const bool by_message : {true, false}) {
    FlowPlan a = free_flow("A", 0, 1), b = free_flow("B", 0, 2);
    a.message = {3 * mtu.count};
    b.message = mtu;
    const Machine machine =
        context.study.machine(by_message ? Schedule::by_message : Schedule::by_packet);
    const std::vector<double> got = context.study.achieved(machine, {a, b});
    const double ratio = got[0] / got[1];
    const char* const what = by_message ? "by message" : "by packet";
    sheet.rows.push_back({std::string(what), got[0], got[1], ratio});
    answers.number(what, ratio);
  }
  return {.id = "fig2.3", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

namespace {

/// MB/s that flows 1, 2 and 3 of figure 1.3 are paced at; 0: as fast as they can, none: absent.
using PacedRates = std::array<std::optional<double>, 3>;
constexpr double needed = 40;  ///< MB/s of flow 2

/// The flows of figure 1.3 on two cascaded switches.
struct ContentionTrials {
  const GmqosStudy& study;
  Machine stock = study.cascade(Schedule::by_packet, {2, 2});
  Machine rated = study.cascade(Schedule::by_rate, {2, 2});
  Sheet sheet{"fig1.3",
              "MB/s, with rate control flow 2 is paced at 40; flow 1 from H1 to H2, flow 2 from H1 "
              "to H3, flow 3 from H2 to H4; H1 and H2 on the first switch",
              {"rates", "flow 1", "flow 2", "flow 3"}};

  /// What the flows have; 0 where one is absent.
  std::array<double, 3> run(const std::string& name, const Machine& machine,
                            const PacedRates& rates) {
    constexpr std::array<std::array<std::size_t, 2>, 3> ends{{{0, 1}, {0, 2}, {1, 3}}};
    std::vector<FlowPlan> flows;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!rates[i]) continue;
      const std::string flow = fmt::format("flow {}", i + 1);
      flows.push_back(
          *rates[i] > 0 ? paced_flow(flow, ends[i][0], ends[i][1], interval_for(machine, *rates[i]))
                        : free_flow(flow, ends[i][0], ends[i][1]));
    }
    const std::vector<double> got = study.achieved(machine, flows);
    std::array<double, 3> out{};
    for (std::size_t i = 0, next = 0; i < 3; ++i)
      if (rates[i]) out[i] = got[next++];
    sheet.rows.push_back({name, out[0], out[1], out[2]});
    return out;
  }
};

void answer_contention(Answers& answers, ContentionTrials& trials) {
  Cases hindered;
  const auto beside = [&](const std::string& flows, const PacedRates& rates) {
    const double got = trials.run("stock GM, " + flows, trials.stock, rates)[1];
    hindered.add(got < 0.95 * needed, fmt::format("{}: {} MB/s", flows, human_readable(got)));
    return got;
  };
  const double first = beside("flows 1 and 2", {0, 0, std::nullopt});
  const double third = beside("flows 2 and 3", {std::nullopt, 0, 0});
  const double both = beside("all three", {0, 0, 0});
  answers.claim(
      "contention", hindered,
      fmt::format("flow 2 wants {} MB/s and has {} with stock GM beside flow 1, {} beside "
                  "flow 3, and {} beside both, as have these: packets of flow 1 wait in "
                  "the NIC behind those of flow 2, which wait for the port",
                  human_readable(needed), human_readable(first), human_readable(third),
                  human_readable(both)));
}

/// Rates that the criteria of section 3.3.1 admit: the capacities of a host and of the link.
void answer_both(Answers& answers, ContentionTrials& trials) {
  trials.run("flow 2 alone is paced", trials.rated, {0, needed, 0});
  const double first_only = trials.run("flow 1 at 20", trials.rated, {20, needed, 0})[1];
  Cases handled;
  std::string second;
  for (const auto& [first, third] : {std::pair{20, 10}, std::pair{30, 10}, std::pair{38, 19}}) {
    const std::string name = fmt::format("flow 1 at {} with flow 3 at {}", first, third);
    const auto got = trials.run(name, trials.rated, {first, needed, third});
    handled.add(
        got[0] > kept_share * first && got[1] > kept_share * needed && got[2] > kept_share * third,
        name);
    second += fmt::format(", {} with {} and {}", human_readable(got[1]), first, third);
  }
  answers.claim(
      "both", handled,
      fmt::format(
          "flow 2 has {} MB/s with flow 1 at 20 and flow 3 free{}: a packet on the slow link holds "
          "the host's link as long",
          human_readable(first_only), second));
}

}  // namespace

Section figure_13(const GmqosContext& context) {
  ContentionTrials trials{context.study};
  Answers answers(context.stated, "fig1.3");
  answer_contention(answers, trials);
  answer_both(answers, trials);
  return {
      .id = "fig1.3", .about = {}, .sheets = {trials.sheet}, .answers = std::move(answers).done()};
}

namespace {

/// Flows A to D of figure 2.4: B, C and D leave the first switch by one link, A and B go to the
/// same host. Links are slower than NICs.
struct CrossingTrials {
  const GmqosStudy& study;
  std::string topology =
      fmt::format("chain:hosts=4x4,speed={}", to_text(study.params().bandwidth("slow_links")));
  Machine stock = study.machine(Schedule::by_packet, topology);
  Machine rated = study.machine(Schedule::by_rate, topology);
  /// MB/s of data on a link.
  double link = in_megabytes(study.params().bandwidth("slow_links")) *
                static_cast<double>(rated.nic.mtu.count) /
                static_cast<double>(rated.nic.mtu.count + rated.nic.header.count);
  Sheet sheet{"fig2.4",
              fmt::format("parts of a link ({} MB/s of data); B, C and D from the first switch to "
                          "the second, A and B to the same host",
                          human_readable(link)),
              {"rates", "A", "B", "C", "D"}};

  /// Parts of a link; A and B, and C and D, have intervals between packets, or 0: none.
  std::vector<double> run(const std::string& name, const Machine& machine, Duration first,
                          Duration second) {
    const auto flow = [](const char* flow_name, std::size_t from, std::size_t to, Duration pace) {
      return pace.count() > 0 ? paced_flow(flow_name, from, to, pace)
                              : free_flow(flow_name, from, to);
    };
    std::vector<double> got =
        study.achieved(machine, {flow("A", 7, 4, first), flow("B", 0, 4, first),
                                 flow("C", 1, 5, second), flow("D", 2, 6, second)});
    for (double& each : got) each /= link;
    sheet.rows.push_back({name, got[0], got[1], got[2], got[3]});
    return got;
  }
  /// C and D at half the rate of A and B, which have half a link each, or a little less.
  std::vector<double> halved(double load) {
    const Duration whole = interval_for(rated, load * link / 2);
    return run(fmt::format("C, D half of B; links at {:.0f} %", 100 * load), rated, whole,
               2 * whole);
  }
  /// C and D have a part of a link, A and B are not held back.
  std::vector<double> alone(int divisor) {
    return run(fmt::format("C, D at 1/{}, A and B free", divisor), rated, {},
               interval_for(rated, link / divisor));
  }
};

}  // namespace

Section figure_24(const GmqosContext& context) {
  CrossingTrials trials{context.study};
  const auto starved = trials.run("stock GM", trials.stock, {}, {});
  const auto full = trials.halved(1), most = trials.halved(0.9);
  const auto quarter = trials.alone(4), eighth = trials.alone(8);
  Cases restored;
  restored.add(full[1] > kept_share * 0.5 && full[0] > kept_share * 0.5, "links at 100 %");
  restored.add(most[1] > kept_share * 0.45 && most[0] > kept_share * 0.45, "links at 90 %");
  restored.add(quarter[1] > kept_share * 0.5, "C and D held back alone");
  Answers answers(context.stated, "fig2.4");
  answers.claim(
      "starves", starved[1] < 0.34 && starved[0] > 1.9 * starved[1],
      fmt::format("B has {:.2f} of a link, A {:.2f}; counting ports B would have 1/3, but "
                  "its packets keep the first link while they wait for A's",
                  starved[1], starved[0]));
  answers.claim("restored", restored,
                fmt::format("B has {:.2f} and A {:.2f} when links are used to 90 %. At 100 % the "
                            "time in which B's packets wait is missing: B {:.2f}, A {:.2f}; with C "
                            "and D at 1/4 and A not held back, B has {:.2f}, with C and D at 1/8 "
                            "{:.2f}",
                            most[1], most[0], full[1], full[0], quarter[1], eighth[1]));
  return {
      .id = "fig2.4", .about = {}, .sheets = {trials.sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::gmqos
