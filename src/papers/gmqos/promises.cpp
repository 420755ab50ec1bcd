// SPDX-License-Identifier: Apache-2.0
// One experiment more than the study of rate control has: random flows on networks of many
// switches, with rate control and managers, and without.
#include <algorithm>

#include "base/rng.hpp"
#include "lab/parallel.hpp"
#include "papers/gmqos/experiments.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::gmqos {
namespace {

struct Trial {
  std::string network;  ///< as the paper's section calls it
  std::uint64_t seed = 1;
  std::int64_t draw = 1;  ///< of the flows: the first, second, …
  int percent = 0;        ///< of links between switches that is granted; 0: the usual
};

/// The bandwidth of a flow that was promised some.
struct Kept {
  std::size_t flow = 0;
  double promised = 0, rated = 0, stock = 0;  ///< MB/s
};

struct TrialResult {
  std::vector<FlowPlan> flows;
  std::size_t refused = 0;
  Duration answered{};  ///< when the last flow had its answer
  Duration settled{};   ///< when the measurement begins
  std::vector<Kept> kept{};
};

Milliseconds end_of(const GmqosStudy& study) { return Milliseconds(study.quick() ? 160 : 400); }

/// Three flows in four ask for 1 to 30 MB/s, the others are best effort.
std::vector<FlowPlan> random_flows(const GmqosStudy& study, std::size_t hosts, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<FlowPlan> out;
  const std::int64_t most = study.quick() ? 40 : 10'000;
  const std::int64_t count = std::min(study.params().whole("flows"), most);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::size_t from = rng.below(hosts), to = (from + 1 + rng.below(hosts - 1)) % hosts;
    const double megabytes = 1 + 29 * rng.unit();
    const std::string name = fmt::format("flow {}", i + 1);
    out.push_back(rng.below(4) == 0 ? best_effort_flow(name, from, to)
                                    : promised_flow(name, from, to, megabytes));
    out.back().start = std::chrono::microseconds(rng.below(40'000));
    out.back().stop = end_of(study);
  }
  return out;
}

/// The same flows with stock GM: those that were granted something send, as fast as they can.
void run_stock(const GmqosStudy& study, const std::string& topology, TrialResult& found) {
  FlowsPlan plan;
  std::vector<Kept*> places;
  auto next = found.kept.begin();
  for (std::size_t i = 0; i < found.flows.size(); ++i) {
    const bool kept = next != found.kept.end() && next->flow == i;
    if (!kept && found.flows[i].service == FlowService::promised) continue;
    plan.flows.push_back(found.flows[i]);
    plan.flows.back().service = FlowService::free;
    places.push_back(kept ? &*next++ : nullptr);
  }
  const FlowsFound ran = run_flows(study.machine(Schedule::by_packet, topology), plan);
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] != nullptr) places[i]->stock = sent_between(ran, i, found.settled, end_of(study));
}

TrialResult run_trial(const GmqosStudy& study, const comm::qos::Limits& limits,
                      const Trial& trial) {
  const std::string topology = study.params().text(trial.network);
  const Machine machine = study.machine(Schedule::by_rate, topology);
  TrialResult out{random_flows(study, machine.fabric().host_count(), trial.seed)};
  FlowsPlan plan;
  plan.flows = out.flows;
  plan.limits = limits;
  plan.link_percent = trial.percent;
  const FlowsFound ran = run_flows(machine, plan);
  for (const FlowFound& flow : ran.flows) out.answered = std::max(out.answered, flow.began);
  // In a network that is stuck answers take very long.
  out.settled = std::min<Duration>(plan.bin * (out.answered / plan.bin + 1), Milliseconds(100));
  for (std::size_t i = 0; i < plan.flows.size(); ++i) {
    if (plan.flows[i].service == FlowService::best_effort) continue;
    const double got = sent_between(ran, i, out.settled, end_of(study));
    if (ran.flows[i].granted)
      out.kept.push_back({i, in_megabytes(plan.flows[i].bandwidth), got});
    else
      ++out.refused;
  }
  if (trial.percent == 0) run_stock(study, topology, out);
  return out;
}

struct Ratios {
  double worst = 1e300, mean = 0;
  std::size_t broken = 0;  ///< under the share that counts as kept
};
Ratios ratios(const TrialResult& found, double Kept::*got) {
  Ratios out;
  for (const Kept& each : found.kept) {
    const double ratio = each.*got / each.promised;
    out.worst = std::min(out.worst, ratio);
    out.mean += ratio / static_cast<double>(found.kept.size());
    out.broken += ratio < kept_share ? 1 : 0;
  }
  return out;
}

Sheet flow_sheet(const std::string& name, const TrialResult& found) {
  Sheet sheet{name,
              "every flow that was granted: MB/s, and the ratio of achieved to promised",
              {"flow", "from", "to", "promised", "rated", "rated ratio", "stock", "stock ratio"}};
  sheet.printed = false;
  for (const Kept& each : found.kept) {
    const FlowPlan& plan = found.flows[each.flow];
    sheet.rows.push_back({plan.name, static_cast<std::int64_t>(plan.from.index()),
                          static_cast<std::int64_t>(plan.to.index()), each.promised, each.rated,
                          each.rated / each.promised, each.stock, each.stock / each.promised});
  }
  return sheet;
}

std::vector<Trial> trials(const GmqosStudy& study) {
  const std::int64_t seeds = study.quick() ? 1 : study.params().whole("seeds");
  std::vector<Trial> out;
  const std::uint64_t first = study.seed();
  for (const char* network : {"fat_tree", "irregular"})
    for (std::int64_t i = 0; i < seeds; ++i)
      out.push_back({network, first + static_cast<std::uint64_t>(i), i + 1});
  // As in the paper: up to the capacity of links.
  if (!study.quick()) out.push_back({"fat_tree", first, 1, 100});
  out.push_back({"irregular", first, 1, 100});
  return out;
}

/// The worst over trials.
struct WorstShares {
  double worst = 1e300, stock = 1e300;
  Cases kept{};
};

}  // namespace

Section promises(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const comm::qos::Limits limits = study.limits();
  const std::vector<Trial> all = trials(study);
  std::vector<TrialResult> found(all.size());
  in_parallel(all.size(), study.lab().threads,
              [&](std::size_t i) { found[i] = run_trial(study, limits, all[i]); });
  Sheet sheet{
      "promises",
      "achieved to promised, of the flows that were granted, from when all had their answers "
      "on; with rate control and without",
      {"network", "links %", "draw", "granted", "refused", "by ms", "worst", "mean", "< 0.97",
       "stock worst", "stock mean", "stock < 0.97"}};
  Section out{.id = "promises", .about = {}};
  WorstShares fat_tree, irregular;
  Cases stock, whole_links;
  std::string whole;  ///< the worst where links are granted up to their capacity
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Ratios with = ratios(found[i], &Kept::rated), without = ratios(found[i], &Kept::stock);
    const auto count = [](std::size_t number) { return static_cast<std::int64_t>(number); };
    const std::string links = all[i].percent == 0 ? "usual" : fmt::format("{}", all[i].percent);
    sheet.rows.push_back({all[i].network, links, all[i].draw, count(found[i].kept.size()),
                          count(found[i].refused), found[i].answered / Milliseconds(1), with.worst,
                          with.mean, count(with.broken)});
    if (all[i].percent == 0)
      sheet.rows.back().insert(sheet.rows.back().end(),
                               {without.worst, without.mean, count(without.broken)});
    else
      sheet.rows.back().resize(sheet.columns.size(), std::string("-"));
    out.sheets.push_back(
        flow_sheet(fmt::format("promises-{}-{}-{}", all[i].network, links, all[i].draw), found[i]));
    if (all[i].percent == 100) {
      whole_links.add(with.worst >= kept_share, all[i].network);
      whole += fmt::format("{}{:.3f} on {}", whole.empty() ? "worst " : ", ", with.worst,
                           all[i].network);
      continue;
    }
    WorstShares& verdict = all[i].network == "fat_tree" ? fat_tree : irregular;
    verdict.kept.add(with.worst >= kept_share, fmt::format("draw {}", all[i].draw));
    stock.add(without.worst < kept_share, fmt::format("{}, draw {}", all[i].network, all[i].draw));
    verdict.worst = std::min(verdict.worst, with.worst);
    verdict.stock = std::min(verdict.stock, without.worst);
  }
  out.sheets.insert(out.sheets.begin(), sheet);
  Answers answers(context.stated, "promises");
  const auto shown = [](const WorstShares& verdict) {
    return fmt::format("worst achieved/promised {:.3f}, without rate control {:.3f}", verdict.worst,
                       verdict.stock);
  };
  answers.claim("fat tree", fat_tree.kept, shown(fat_tree));
  answers.claim("irregular", irregular.kept, shown(irregular));
  answers.claim("stock", stock, "without rate control promises are broken on both");
  answers.claim("whole links", whole_links,
                whole +
                    ". A packet that waits holds the links behind it, and an irregular network of "
                    "wormhole switches is full when its links are busy to two fifths");
  out.answers = std::move(answers).done();
  return out;
}

}  // namespace weft::papers::gmqos
