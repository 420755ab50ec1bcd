// SPDX-License-Identifier: Apache-2.0
// Section 5.2 of the study of rate control: bandwidth and round-trip latency by message size, stock
// GM against GM with rate control.
#include <algorithm>
#include <cmath>

#include "lab/parallel.hpp"
#include "lab/program/experiment.hpp"
#include "papers/gmqos/experiments.hpp"
#include "papers/gmqos/figures.hpp"
#include "papers/runner/expected.hpp"

namespace weft::papers::gmqos {
namespace {

/// Powers of two, and some sizes whose last packet is not full.
std::vector<std::int64_t> sizes(bool quick) {
  if (quick) return {4, 64, 1024, 4096, 5000, 12000, 16384, 40000, 65536};
  std::vector<std::int64_t> out{5000, 12000, 20000, 40000, 60000};
  for (std::int64_t size = 4; size <= 65536; size *= 2) out.push_back(size);
  std::sort(out.begin(), out.end());
  return out;
}

/// How messages are cut, and how often the host DMA engine is set up: once for every page.
struct Cut {
  std::int64_t packets = 0, pages = 0;
};
Cut cut_of(std::int64_t size, std::int64_t mtu, bool equal) {
  Cut out;
  out.packets = (size + mtu - 1) / mtu;
  const std::int64_t chunk = equal ? (size + out.packets - 1) / out.packets : mtu;
  for (std::int64_t at = 0; at < size; at += chunk)
    out.pages += (std::min(at + chunk, size) - 1) / mtu - at / mtu + 1;
  return out;
}

struct Compared {
  std::int64_t size = 0;
  double stock = 0, rated = 0;
  double change() const { return rated / stock - 1; }
  bool whole_packets(std::int64_t mtu) const { return size < mtu || size % mtu == 0; }
};

double mean_change(const std::vector<Compared>& all) {
  double sum = 0;
  for (const Compared& each : all) sum += each.change();
  return sum / static_cast<double>(all.size());
}

template <class Measure>
std::vector<Compared> compare(const GmqosStudy& study, Measure measure) {
  std::vector<Compared> out;
  for (const std::int64_t size : sizes(study.quick())) out.push_back({size});
  in_parallel(2 * out.size(), study.lab().threads, [&](std::size_t i) {
    Compared& one = out[i / 2];
    (i % 2 == 0 ? one.stock : one.rated) =
        measure(i % 2 == 0 ? study.stock() : study.rated(), one.size);
  });
  return out;
}

Sheet costs(const GmqosStudy& study, const std::string& name, const std::string& about,
            const std::vector<Compared>& all) {
  const std::int64_t mtu = study.rated().nic.mtu.count;
  Sheet sheet{name,
              about + "; packets, and pages that their DMA transfers touch",
              {"bytes", "stock", "rated", "%", "packets", "equal pages", "full pages"}};
  for (const Compared& each : all) {
    const Cut equal = cut_of(each.size, mtu, true), full = cut_of(each.size, mtu, false);
    sheet.rows.push_back({each.size, each.stock, each.rated, 100 * each.change(), equal.packets,
                          equal.pages, full.pages});
  }
  return sheet;
}

double bandwidth_of(const GmqosStudy& study, const Machine& machine, std::int64_t size) {
  FlowPlan flow = free_flow("flow", 0, 1);
  flow.message = {size};
  flow.window = 8;
  return study.achieved(machine, {flow}).front();
}

double round_trip(const Machine& machine, std::int64_t size) {
  const ProgramResult result =
      run_program(machine, fmt::format("pingpong:from=0,to=1,iterations=20,bytes={}B", size));
  return static_cast<double>(result.iteration.mean.count()) / 1e6;
}

struct Extreme {
  const Compared* least = nullptr;
  void take(const Compared& each) {
    if (least == nullptr || each.change() < least->change()) least = &each;
  }
};

}  // namespace

Section figure_51(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const std::int64_t mtu = study.rated().nic.mtu.count;
  const std::vector<Compared> all = compare(study, [&](const Machine& machine, std::int64_t size) {
    return bandwidth_of(study, machine, size);
  });
  Extreme worst, worst_whole;
  std::string wins;
  Cases little, explained;
  for (const Compared& each : all) {
    const std::string size = fmt::format("{} B", each.size);
    worst.take(each);
    little.add(each.change() > -0.045, size);
    if (each.whole_packets(mtu)) worst_whole.take(each);
    const bool wins_here = each.change() >= 0.001;
    const bool touches_fewer =
        cut_of(each.size, mtu, true).pages > cut_of(each.size, mtu, false).pages;
    explained.add(!wins_here || touches_fewer, size);  // a size that does not win needs no reason
    if (wins_here)
      wins += fmt::format("{}{} {}", wins.empty() ? "" : ", ", size, percent(each.change()));
  }
  Answers answers(context.stated, "fig5.1");
  const auto count = static_cast<double>(all.size());
  answers.claim("average", mean_change(all) > -0.01,
                fmt::format("{:+.2f} % over {} sizes, of which {:.2f} by {} B alone; the smallest "
                            "lose 8 cycles in 288, assumed for the choice of a flow",
                            100 * mean_change(all), all.size(),
                            -100 * worst.least->change() / count, worst.least->size));
  answers.claim(
      "worst", little,
      fmt::format("{} at {} B, where a small packet follows a full one: it waits for the link in "
                  "the second of two buffers, and nothing is fetched meanwhile. Of single packets "
                  "and full ones the worst is {} at {} B: LANai and host DMA engine may be in "
                  "another lockstep, which nothing disturbs here",
                  percent(worst.least->change()), worst.least->size,
                  percent(worst_whole.least->change()), worst_whole.least->size));
  answers.claim("better", !wins.empty(), wins);
  answers.claim(
      "segmentation", explained,
      "of several packets, chunks of equal size cross borders of pages, full ones do not: "
      "the host DMA engine is set up more often. A single packet is not cut: where one "
      "gains, LANai and host DMA engine are in another lockstep");
  const Sheet sheet = costs(study, "fig5.1", "MB/s", all);
  return {.id = "fig5.1",
          .about = {},
          .sheets = {sheet},
          .answers = std::move(answers).done(),
          .figures = {drawing_51(sheet)}};
}

Section figure_52(const GmqosContext& context) {
  const GmqosStudy& study = context.study;
  const std::int64_t mtu = study.rated().nic.mtu.count;
  const std::vector<Compared> all = compare(
      study, [&](const Machine& machine, std::int64_t size) { return round_trip(machine, size); });
  std::vector<Compared> whole;
  const Compared* longest = &all.front();
  for (const Compared& each : all) {
    if (each.whole_packets(mtu)) whole.push_back(each);
    if (each.change() > longest->change()) longest = &each;
  }
  Answers answers(context.stated, "fig5.2");
  answers.claim(
      "average", mean_change(all) < 0.01,
      fmt::format("{} over {} sizes; {} over those without a part of a packet at the end. "
                  "The most is {} at {} B: of two equal packets one is sent while the "
                  "other is fetched",
                  percent(mean_change(all)), all.size(), percent(mean_change(whole)),
                  percent(longest->change()), longest->size));
  const Sheet sheet = costs(study, "fig5.2", "us there and back", all);
  return {.id = "fig5.2",
          .about = {},
          .sheets = {sheet},
          .answers = std::move(answers).done(),
          .figures = {drawing_52(sheet)}};
}

}  // namespace weft::papers::gmqos
