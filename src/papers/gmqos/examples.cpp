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

/// What they have; 0 where one is absent.
std::array<double, 3> contend(const GmqosStudy& study, const Machine& machine,
                              const PacedRates& rates) {
  constexpr std::array<std::array<std::size_t, 2>, 3> ends{{{0, 1}, {0, 2}, {1, 3}}};
  std::vector<FlowPlan> flows;
  for (std::size_t i = 0; i < 3; ++i) {
    if (!rates[i]) continue;
    const std::string name = fmt::format("flow {}", i + 1);
    flows.push_back(*rates[i] > 0
                        ? paced_flow(name, ends[i][0], ends[i][1], interval_for(machine, *rates[i]))
                        : free_flow(name, ends[i][0], ends[i][1]));
  }
  const std::vector<double> got = study.achieved(machine, flows);
  std::array<double, 3> out{};
  for (std::size_t i = 0, next = 0; i < 3; ++i)
    if (rates[i]) out[i] = got[next++];
  return out;
}

}  // namespace

Section figure_13(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const Machine stock = study.cascade(Schedule::by_packet, {2, 2});
  const Machine rated = study.cascade(Schedule::by_rate, {2, 2});
  constexpr double wanted = 40;
  Sheet sheet{
      "fig1.3",
      "MB/s; flow 1 from H1 to H2, flow 2 from H1 to H3, flow 3 from H2 to H4; H1 and H2 on "
      "the first switch",
      {"rates", "flow 1", "flow 2", "flow 3"}};
  const auto run = [&](const char* name, const Machine& machine, const PacedRates& rates) {
    const auto got = contend(study, machine, rates);
    sheet.rows.push_back({std::string(name), got[0], got[1], got[2]});
    return got;
  };
  Cases contention, both;
  const auto hinders = [&](const char* with, const PacedRates& rates) {
    const double got = run(fmt::format("stock GM, {}", with).c_str(), stock, rates)[1];
    contention.add(got < 0.95 * wanted, fmt::format("{}: {} MB/s", with, human_readable(got)));
    return got;
  };
  hinders("flows 1 and 2", {0, 0, std::nullopt});
  hinders("flows 2 and 3", {std::nullopt, 0, 0});
  const double without = hinders("all three", {0, 0, 0});
  run("flow 2 alone is paced", rated, {0, wanted, 0});
  const double only_first = run("flow 1 is held to 20", rated, {20, wanted, 0})[1];
  const auto handles = [&](const char* name, const PacedRates& rates) {
    const auto got = run(name, rated, rates);
    bool kept = true;
    for (std::size_t i = 0; i < 3; ++i) kept = kept && got[i] > kept_share * *rates[i];
    both.add(kept, name);
    return got[1];
  };
  const double most =
      handles("flow 1 is held to 38, flow 3 to 19", {38, wanted, 19});  // all that 3.3.1 admits
  const double more = handles("flow 1 is held to 30, flow 3 to 10", {30, wanted, 10});
  const double some = handles("flow 1 is held to 20, flow 3 to 10", {20, wanted, 10});
  Answers answers(context.stated, "fig1.3");
  answers.claim(
      "contention", contention,
      fmt::format("flow 2 wants {} MB/s and has {} with stock GM beside both, as have the "
                  "other two: packets of flow 1 wait in the NIC behind those of flow 2, "
                  "which wait for the port",
                  human_readable(wanted), human_readable(without)));
  answers.claim(
      "both", both,
      fmt::format("flow 2 has {} MB/s with flow 1 held to 20, {} with flow 3 held to 10, too. With "
                  "flow 1 at 30 it has {}, at 38 with flow 3 at 19 {}: a packet on the slow link "
                  "holds the host's link as long",
                  human_readable(only_first), human_readable(some), human_readable(more),
                  human_readable(most)));
  return {.id = "fig1.3", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

Section figure_24(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const Bandwidth link = study.params().bandwidth("slow_links");
  const std::string topology = fmt::format("chain:hosts=4x4,speed={}", to_text(link));
  const Machine stock = study.machine(Schedule::by_packet, topology);
  const Machine rated = study.machine(Schedule::by_rate, topology);
  const double all = in_megabytes(link) * static_cast<double>(rated.nic.mtu.count) /
                     static_cast<double>(rated.nic.mtu.count + rated.nic.header.count);
  Sheet sheet{"fig2.4",
              fmt::format("parts of a link ({} MB/s of data); B, C and D from the first switch to "
                          "the second, A and B to the same host",
                          human_readable(all)),
              {"rates", "A", "B", "C", "D"}};
  const auto add = [&](const std::string& name, std::vector<double> got) {
    for (double& each : got) each /= all;
    sheet.rows.push_back({name, got[0], got[1], got[2], got[3]});
    return got;
  };
  const auto starved =
      add("stock GM", study.achieved(stock, {free_flow("A", 7, 4), free_flow("B", 0, 4),
                                             free_flow("C", 1, 5), free_flow("D", 2, 6)}));
  /// C and D at half the rate of A and B, which have half a link each, or a little less.
  const auto halved = [&](double load) {
    const Duration whole = interval_for(rated, load * all / 2);
    return add(fmt::format("C, D half of B; links at {:.0f} %", 100 * load),
               study.achieved(
                   rated, {paced_flow("A", 7, 4, whole), paced_flow("B", 0, 4, whole),
                           paced_flow("C", 1, 5, 2 * whole), paced_flow("D", 2, 6, 2 * whole)}));
  };
  Cases restored;
  const auto full = halved(1), most = halved(0.9);
  restored.add(full[1] > kept_share * 0.5 && full[0] > kept_share * 0.5, "links at 100 %");
  restored.add(most[1] > kept_share * 0.45 && most[0] > kept_share * 0.45, "links at 90 %");
  /// Only C and D are regulated.
  const auto alone = [&](int divisor) {
    const Duration interval = interval_for(rated, all / divisor);
    return add(
        fmt::format("C, D at 1/{}, A and B free", divisor),
        study.achieved(rated, {free_flow("A", 7, 4), free_flow("B", 0, 4),
                               paced_flow("C", 1, 5, interval), paced_flow("D", 2, 6, interval)}));
  };
  const auto quarter = alone(4), eighth = alone(8);
  restored.add(quarter[1] > kept_share * 0.5, "A and B not held back");
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
  return {.id = "fig2.4", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::gmqos
