// SPDX-License-Identifier: Apache-2.0
// Sections 5.4 and 5.5 of the study of rate control: flows that share a host in the inverse ratio
// of their IDTs, below and under MPI.
#include <algorithm>
#include <cmath>

#include "papers/gmqos/experiments.hpp"
#include "papers/gmqos/figures.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::gmqos {
namespace {

/// Flows with IDTs in whole ticks, as the NIC of the paper has them.
struct Shared {
  std::string name;           ///< of the IDTs
  std::vector<double> ticks;  ///< asked for
  std::vector<FlowPlan> flows;
  std::size_t sharing = 2;        ///< so many of the first share something
  std::vector<double> got{};      ///< MB/s
  std::vector<double> printed{};  ///< MB/s in the paper; empty: none

  double off() const {
    const auto shared = static_cast<std::ptrdiff_t>(sharing);
    return off_ratio({got.begin(), got.begin() + shared}, {ticks.begin(), ticks.begin() + shared});
  }
};

Duration whole_ticks(const GmqosStudy& study, double ticks) {
  return study.tick() * static_cast<std::int64_t>(std::llround(ticks));
}

/// Flows out of host 0, each to another host.
Shared out_of_one(const GmqosStudy& study, const std::string& name,
                  const std::vector<double>& packet_times) {
  Shared out{name, {}, {}};
  for (const double times : packet_times) {
    out.ticks.push_back(times * study.packet_ticks());
    out.flows.push_back(paced_flow(fmt::format("flow {}", out.ticks.size()), 0, out.ticks.size(),
                                   whole_ticks(study, out.ticks.back())));
  }
  out.sharing = out.ticks.size();
  return out;
}

/// Two flows out of host 0 with IDTs in ticks.
Shared two_out_of_one(const GmqosStudy& study, double first, double second) {
  return {fmt::format("{:.0f} {:.0f}", first, second),
          {first, second},
          {paced_flow("flow 1", 0, 1, whole_ticks(study, first)),
           paced_flow("flow 2", 0, 2, whole_ticks(study, second))}};
}

std::string joined(const std::vector<double>& numbers) {
  std::string out;
  for (const double each : numbers) out += (out.empty() ? "" : " / ") + human_readable(each);
  return out;
}

Sheet shares(const std::string& name, const std::vector<Shared>& all) {
  Sheet sheet{name,
              "messages of 64 KiB: MB/s of every flow, and the deviation of their ratios from the "
              "inverse ratios of IDTs",
              {"IDTs", "ticks", "MB/s", "sum", "off %"}};
  for (const Shared& each : all) {
    double sum = 0;
    std::string ticks;
    for (const double got : each.got) sum += got;
    for (const double tick : each.ticks)
      ticks += fmt::format("{}{:.0f}", ticks.empty() ? "" : " / ", tick);
    sheet.rows.push_back({each.name, ticks, joined(each.got), sum, 100 * each.off()});
  }
  return sheet;
}

void answer_ratio(Answers& answers, const std::string& id, const std::vector<Shared>& all,
                  const std::string& reason = {}) {
  const Shared* worst = &all.front();
  Cases kept;
  for (const Shared& each : all) {
    if (each.off() > worst->off()) worst = &each;
    kept.add(each.off() <= 0.03, each.name);
  }
  std::string because = fmt::format("off by {:.2f} % at most", 100 * worst->off());
  if (!kept.hold())
    because += fmt::format(": {} MB/s at {}{}", joined(worst->got), worst->name, reason);
  answers.claim(id, kept, because);
}

PaperFigure drawing(const std::string& number, const std::string& title,
                    const std::vector<std::string>& flows, const std::vector<Shared>& all) {
  std::vector<FlowBars> bars;
  for (const Shared& each : all) bars.push_back({each.name, each.got, each.printed});
  return drawing_of_shares(number, title, flows, bars);
}

void run_all(const GmqosStudy& study, const Machine& machine, std::vector<Shared>& all) {
  for (Shared& each : all) each.got = study.achieved(machine, each.flows);
}

constexpr const char* more_even =
    "the paper's flows share less evenly than their IDTs; ours lose time alike when the NIC turns "
    "from one to the other";

}  // namespace

Section figure_55(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  std::vector<Shared> all{
      out_of_one(study, "2T 2T", {2, 2}), out_of_one(study, "10T/3 10T/7", {10.0 / 3, 10.0 / 7}),
      out_of_one(study, "5T 5T/4", {5, 1.25}), out_of_one(study, "10T 10T/9", {10, 10.0 / 9})};
  std::vector<Shared> beyond{out_of_one(study, "1.1T 1.1T", {1.1, 1.1}),
                             out_of_one(study, "1.1T 2.2T", {1.1, 2.2}),
                             out_of_one(study, "1.25T 2.5T", {1.25, 2.5}),
                             out_of_one(study, "1.5T 1.5T 3T", {1.5, 1.5, 3})};
  run_all(study, study.rated(), all);
  run_all(study, study.rated(), beyond);
  const auto printed = [&](const char* id) { return value_of(context.stated, id); };
  all[0].printed = {printed("fig5.5/2T"), printed("fig5.5/2T")};
  all[1].printed = {printed("fig5.5/10T/3"), printed("fig5.5/10T/7")};
  Answers answers(context.stated, "fig5.5");
  answers.number("2T", (all[0].got[0] + all[0].got[1]) / 2);
  answers.number("10T/3", all[1].got[0]);
  answers.number("10T/7", all[1].got[1], more_even);
  answer_ratio(answers, "ratio", all);
  answer_ratio(answers, "beyond", beyond);
  return {
      .id = "fig5.5",
      .about = {},
      .sheets = {shares("fig5.5", all), shares("fig5.5-beyond", beyond)},
      .answers = std::move(answers).done(),
      .figures = {drawing("5.5", "two flows sourced at the same node", {"flow 1", "flow 2"}, all)}};
}

Section figure_56(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  std::vector<Shared> all{out_of_one(study, "2T 4T 4T", {2, 4, 4}),
                          out_of_one(study, "3T 3T 3T", {3, 3, 3}),
                          out_of_one(study, "10T/6 10T/3 10T", {10.0 / 6, 10.0 / 3, 10})};
  run_all(study, study.rated(), all);
  const double fourth = value_of(context.stated, "fig5.6/4T");
  all[0].printed = {value_of(context.stated, "fig5.6/2T"), fourth, fourth};
  Answers answers(context.stated, "fig5.6");
  answers.number("2T", all[0].got[0], more_even);
  answers.number("4T", all[0].got[1]);
  answers.number("4T again", all[0].got[2]);
  answer_ratio(answers, "ratio", all);
  return {.id = "fig5.6",
          .about = {},
          .sheets = {shares("fig5.6", all)},
          .answers = std::move(answers).done(),
          .figures = {drawing("5.6", "three flows sourced at the same node",
                              {"flow 1", "flow 2", "flow 3"}, all)}};
}

Section figure_57(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  std::vector<Shared> all;
  for (const auto& [name, first, second] :
       {std::tuple{"10T 10T/9", 10.0, 10.0 / 9}, std::tuple{"10T/3 10T/7", 10.0 / 3, 10.0 / 7},
        std::tuple{"2T 2T", 2.0, 2.0}}) {
    Shared one{name, {first * study.packet_ticks(), second * study.packet_ticks()}, {}};
    for (std::size_t i = 0; i < 2; ++i)
      one.flows.push_back(
          paced_flow(fmt::format("flow {}", i + 1), i, 2, whole_ticks(study, one.ticks[i])));
    all.push_back(one);
  }
  run_all(study, study.rated(), all);
  all[0].printed = {value_of(context.stated, "fig5.7/10T"),
                    value_of(context.stated, "fig5.7/10T/9")};
  Answers answers(context.stated, "fig5.7");
  answers.number("10T", all[0].got[0]);
  answers.number("10T/9", all[0].got[1]);
  answer_ratio(answers, "ratio", all);
  return {.id = "fig5.7",
          .about = {},
          .sheets = {shares("fig5.7", all)},
          .answers = std::move(answers).done(),
          .figures = {
              drawing("5.7", "two flows destined for the same node", {"flow 1", "flow 2"}, all)}};
}

Section figure_58(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  std::vector<Shared> all;
  for (const auto& [name, first, second] :
       {std::tuple{"250 250 500", 250.0, 250.0}, std::tuple{"200 400 500", 200.0, 400.0}}) {
    Shared one{name, {first, second, 500}, {}};
    one.flows = {paced_flow("out 1", 0, 1, whole_ticks(study, first)),
                 paced_flow("out 2", 0, 2, whole_ticks(study, second)),
                 paced_flow("in", 3, 0, whole_ticks(study, 500))};
    all.push_back(one);
  }
  run_all(study, study.rated(), all);
  const double half = value_of(context.stated, "fig5.8/out") / 2;  // "shared equally"
  all[0].printed = {half, half, value_of(context.stated, "fig5.8/in")};
  const std::vector<double>& got = all[0].got;
  Answers answers(context.stated, "fig5.8");
  answers.number("in", got[2]);
  answers.number("out", got[0] + got[1], "both outgoing flows");
  answers.claim("equal", std::abs(got[0] / got[1] - 1) < 0.03,
                fmt::format("{} and {} MB/s", human_readable(got[0]), human_readable(got[1])));
  answer_ratio(answers, "ratio", all);
  return {.id = "fig5.8",
          .about = {},
          .sheets = {shares("fig5.8", all)},
          .answers = std::move(answers).done(),
          .figures = {drawing("5.8", "two flows sourced at a node, the third destined for it",
                              {"out 1", "out 2", "in"}, all)}};
}

Section figure_59(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const Machine mpi = study.mpi();
  Sheet sheet{"fig5.9", "one flow, messages of 64 KiB: MB/s", {"IDT", "MPI", "GM"}};
  struct BelowKnee {
    std::int64_t ticks;
    double mpi, gm;
  };
  std::vector<BelowKnee> below;  // IDTs under 140
  double least = 1e300, most = 0, knee = 0, gm_at_flat = 1e300;
  std::vector<std::int64_t> intervals{0, 60, 96, 110, 125, 139, 164, 200, 400};
  if (!study.quick()) intervals.insert(intervals.end(), {150, 180, 280, 560});
  std::sort(intervals.begin(), intervals.end());
  for (const std::int64_t ticks : intervals) {
    const std::vector<FlowPlan> flows{paced_flow("flow", 0, 1, study.tick() * ticks)};
    const double under_mpi = study.achieved(mpi, flows).front();
    const double gm = study.achieved(study.rated(), flows).front();
    sheet.rows.push_back({ticks, under_mpi, gm});
    if (ticks < 140) {
      below.push_back({ticks, under_mpi, gm});
      least = std::min(least, under_mpi);
      most = std::max(most, under_mpi);
      gm_at_flat = std::min(gm_at_flat, gm);
    }
    if (under_mpi > 0.99 * most) knee = static_cast<double>(ticks);
  }
  Cases flat, capable;
  for (const BelowKnee& each : below) {
    flat.add(each.mpi > 0.99 * most, fmt::format("an IDT of {}", each.ticks));
    capable.add(each.gm > 1.1 * most, fmt::format("an IDT of {}", each.ticks));
  }
  Answers answers(context.stated, "fig5.9");
  answers.number("bandwidth", most, "copies of the library, beside which the NIC works");
  answers.claim("flat", flat,
                fmt::format("{} to {} MB/s for every IDT under 140, and still at {:.0f}",
                            human_readable(least), human_readable(most), knee));
  answers.claim("GM", capable,
                fmt::format("{} MB/s or more without MPI", human_readable(gm_at_flat)));
  return {.id = "fig5.9",
          .about = {},
          .sheets = {sheet},
          .answers = std::move(answers).done(),
          .figures = {drawing_59(context.stated, sheet)}};
}

Section figure_510(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  std::vector<Shared> all;
  for (const auto& [first, second] :
       {std::pair{340.0, 340.0}, std::pair{280.0, 560.0}, std::pair{220.0, 660.0},
        std::pair{200.0, 1000.0}, std::pair{200.0, 400.0}, std::pair{160.0, 320.0},
        std::pair{140.0, 280.0}, std::pair{140.0, 140.0}})
    all.push_back(two_out_of_one(study, first, second));
  run_all(study, study.mpi(), all);
  Answers answers(context.stated, "fig5.10");
  answer_ratio(answers, "ratio", all,
               "; what is more than the copies of one processor carry is shared by message");
  return {.id = "fig5.10",
          .about = {},
          .sheets = {shares("fig5.10", all)},
          .answers = std::move(answers).done(),
          .figures = {drawing("5.10", "two flows sourced at the same node, MPI level",
                              {"flow 1", "flow 2"}, all)}};
}

}  // namespace weft::papers::gmqos
