// SPDX-License-Identifier: Apache-2.0
// The worked examples of the study of rate control: its algorithm step by step, round robin at a
// NIC, and flows that meet at hosts and at switches.
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

Section figure_13(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const Machine stock = study.cascade(Schedule::by_packet, {2, 2});
  const Machine rated = study.cascade(Schedule::by_rate, {2, 2});
  constexpr double wanted = 40;
  struct PacingCase {
    const char* name;
    double first, third;  ///< MB/s that flows 1 and 3 are paced at; 0: not paced
  };
  constexpr std::array cases{PacingCase{"flow 2 alone is paced", 0, 0},
                             PacingCase{"flow 1 is held to 20", 20, 0},
                             PacingCase{"flow 1 is held to 30, flow 3 to 10", 30, 10},
                             PacingCase{"flow 1 is held to 20, flow 3 to 10", 20, 10}};
  Sheet sheet{
      "fig1.3",
      "MB/s; flow 1 from H1 to H2, flow 2 from H1 to H3, flow 3 from H2 to H4; H1 and H2 on "
      "the first switch",
      {"rates", "flow 1", "flow 2", "flow 3"}};
  const auto add = [&](const char* name, const std::vector<double>& got) {
    sheet.rows.push_back({std::string(name), got[0], got[1], got[2]});
    return got[1];
  };
  const double without =
      add("stock GM", study.achieved(stock, {free_flow("flow 1", 0, 1), free_flow("flow 2", 0, 2),
                                             free_flow("flow 3", 1, 3)}));
  std::vector<double> second;
  for (const PacingCase& each : cases) {
    const auto held = [&](const char* name, std::size_t from, std::size_t to, double megabytes) {
      return megabytes > 0 ? paced_flow(name, from, to, interval_for(rated, megabytes))
                           : free_flow(name, from, to);
    };
    second.push_back(add(each.name, study.achieved(rated, {held("flow 1", 0, 1, each.first),
                                                           held("flow 2", 0, 2, wanted),
                                                           held("flow 3", 1, 3, each.third)})));
  }
  Answers answers(context.stated, "fig1.3");
  answers.claim("contention", without < 0.95 * wanted,
                fmt::format("flow 2 wants {} MB/s and has {} with stock GM, as have the other two: "
                            "packets of flow 1 wait in the NIC behind those of flow 2, which wait "
                            "for the port",
                            human_readable(wanted), human_readable(without)));
  answers.claim(
      "both", second[1] < 0.95 * wanted && second[3] > 0.97 * wanted,
      fmt::format("{} MB/s with flow 1 held to 20, {} with flow 3 held to 10, too. With "
                  "flow 1 at 30 it has {}: a packet on the slow link holds the host's "
                  "link as long",
                  human_readable(second[1]), human_readable(second[3]), human_readable(second[2])));
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
  const auto full = halved(1), most = halved(0.9);
  const auto alone =
      add("C, D at 1/8, A and B free",
          study.achieved(rated, {free_flow("A", 7, 4), free_flow("B", 0, 4),
                                 paced_flow("C", 1, 5, interval_for(rated, all / 8)),
                                 paced_flow("D", 2, 6, interval_for(rated, all / 8))}));
  Answers answers(context.stated, "fig2.4");
  answers.claim(
      "starves", starved[1] < 0.34 && starved[0] > 1.9 * starved[1],
      fmt::format("B has {:.2f} of a link, A {:.2f}; counting ports B would have 1/3, but "
                  "its packets keep the first link while they wait for A's",
                  starved[1], starved[0]));
  answers.claim("restored", most[1] > 0.97 * 0.45 && most[0] > 0.97 * 0.45,
                fmt::format("B has {:.2f} and A {:.2f} when links are used to 90 %. At 100 % the "
                            "time in which B's packets wait is missing: B {:.2f}, A {:.2f}; with C "
                            "and D at 1/8 and A not held back, B has {:.2f}",
                            most[1], most[0], full[1], full[0], alone[1]));
  return {.id = "fig2.4", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::gmqos
