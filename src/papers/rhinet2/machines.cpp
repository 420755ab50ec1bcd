// SPDX-License-Identifier: Apache-2.0
// Figures 9 and 10 and section IV.G: bandwidth by topology, buffers, speed and protocol; and the
// simulation study that the paper compares itself with.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "papers/rhinet2/experiments.hpp"

namespace weft::papers::rhinet2 {
namespace {

Rhinet2Run usual(const BandwidthCase& point) { return point.with(usual_engine(point.topology)); }

double bandwidth(const Rhinet2Study& study, const std::string& topology, const std::string& pattern,
                 std::int64_t size = full_packet) {
  return study.at(usual({topology, pattern, size})).mean;
}

Sheet topology_bandwidths(const Rhinet2Study& study) {
  Sheet sheet{"fig9", "MB/s of a host, 32 hosts, 1792 B", {"topology"}};
  for (const std::string& pattern : topology_patterns) sheet.columns.push_back(pattern);
  for (const std::string& topology : nine_topologies) {
    sheet.rows.push_back({topology});
    for (const std::string& pattern : topology_patterns)
      sheet.rows.back().emplace_back(bandwidth(study, topology, pattern));
  }
  return sheet;
}

Sheet all_topology_bandwidths(const Rhinet2Study& study) {
  Sheet sheet{"fig9-all", "MB/s", {"topology", "traffic", "bytes", "mean"}, {}, false};
  for (const BandwidthCase& one : bandwidth_cases(study, nine_topologies, topology_patterns))
    sheet.rows.push_back({one.topology, one.pattern, one.size, study.at(usual(one)).mean});
  return sheet;
}

/// The Clos network against all others, and the fat tree against the direct networks of 8 switches.
void judge_topologies(const Rhinet2Study& study, Answers& answers) {
  Cases highest, tree;
  std::vector<std::string> first;
  for (const BandwidthCase& clos : bandwidth_cases(study, {"Clos 32"}, topology_patterns)) {
    const auto on = [&](const std::string& topology) {
      return bandwidth(study, topology, clos.pattern, clos.size);
    };
    const std::string where = fmt::format("{} {} B", clos.pattern, clos.size);
    Largest most;
    for (const std::string& other : nine_topologies) {
      most.add(on(other), other);
      if (other != clos.topology)
        highest.add(on(clos.topology) > on(other), fmt::format("{} under {}", other, where));
    }
    if (clos.size == full_packet)
      first.push_back(fmt::format("{} {} B: {}", clos.pattern, clos.size, most.where));
    for (const char* other : {"mesh 4x2", "torus 4x2"})
      tree.add(on("fat tree 14 32") < on(other), fmt::format("{} under {}", other, where));
  }
  answers.claim("Clos", highest, fmt::format("{}", fmt::join(first, ", ")));
  answers.claim("fat-tree", tree, "see the table");
}

}  // namespace

Rhinet2Runs fig9_runs(const Rhinet2Study& study) {
  Rhinet2Runs out{pair_pushes(3)};
  for (const BandwidthCase& one : bandwidth_cases(study, nine_topologies, topology_patterns))
    out.push_back(usual(one));
  return out;
}

Section fig9(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "fig9");
  Largest most;
  for (const BandwidthCase& one : bandwidth_cases(study, {"torus 32"}, topology_patterns))
    most.add(study.at(usual(one)).mean / bandwidth(study, "A 32", one.pattern, one.size) - 1,
             fmt::format("{} {} B", one.pattern, one.size));
  answers.number("gain", 100 * most.value,
                 joined(most.where, "two hosts of a switch meet on the torus's links"));
  const double three = study.at(pair_pushes(3)).mean;
  const double torus = bandwidth(study, "torus 32", "complement");
  answers.claim(
      "three-hops", std::abs(torus / three - 1) < small,
      fmt::format("{:.1f} and {:.1f} MB/s; under complement the two hosts of a switch meet "
                  "on the torus's links",
                  torus, three));
  judge_topologies(study, answers);
  return {.id = "fig9",
          .about = {},
          .sheets = {topology_bandwidths(study), all_topology_bandwidths(study)},
          .answers = std::move(answers).done(),
          .figures = {draw_fig9(context)}};
}

// Figure 10.

Rhinet2Run on_variant(MachineVariant setting, const std::string& engine,
                      const BandwidthCase& point) {
  Rhinet2Run run = point.with(engine);
  run.topology = setting == MachineVariant::fast_links ? "A 32 8Gb/s" : "A 32";
  run.setting = setting;
  return run;
}

Rhinet2Run without_waiting(const Rhinet2Study& study, Rhinet2Run run) {
  run.window = study.free_window();
  return run;
}

namespace {

/// Runs of a routing with everything that the figure varies.
struct VariedRuns {
  Rhinet2Run usual, wormhole, fast, free;
  Rhinet2Runs all() const { return {usual, wormhole, fast, free}; }
};
VariedRuns varied(const Rhinet2Study& study, const std::string& engine,
                  const BandwidthCase& point) {
  const Rhinet2Run usual = on_variant(MachineVariant::usual, engine, point);
  return {usual, on_variant(MachineVariant::wormhole, engine, point),
          on_variant(MachineVariant::fast_links, engine, point), without_waiting(study, usual)};
}

std::vector<BandwidthCase> varied_cases(const Rhinet2Study& study) {
  return bandwidth_cases(study, {"A 32"}, patterns);
}

/// Buffers and the speed of links.
void judge_links_and_buffers(const Rhinet2Study& study, Answers& answers) {
  Largest most;
  Cases buffers, faster;
  double of_full = 0, of_all = 0;
  const auto points = varied_cases(study);
  for (const BandwidthCase& point : points)
    for (const std::string& engine : machine_routings) {
      const VariedRuns runs = varied(study, engine, point);
      const std::string where = fmt::format("{} {} {} B", engine, point.pattern, point.size);
      const double by_buffers = std::abs(gain(study, runs.wormhole, runs.usual));
      const double by_speed = gain(study, runs.fast, runs.usual);
      most.add(by_buffers, where);
      buffers.add(by_buffers < small, fmt::format("{} ({:.1f} %)", where, 100 * by_buffers));
      faster.add(by_speed > 0, fmt::format("{} ({})", where, percent(by_speed)));
      of_all += by_speed / static_cast<double>(2 * points.size());
      if (point.size == full_packet) of_full += by_speed / 4;
    }
  answers.claim(
      "buffers", buffers,
      fmt::format("stop at the first flit that waits, against 4 KB: {:.1f} % at most ({})",
                  100 * most.value, most.where));
  answers.number(
      "8Gb", 100 * of_all,
      fmt::format("the mean of all sizes, routings and traffics, with 1792 B {}; small "
                  "packets hardly see the links, and the host's bus is slower than either",
                  percent(of_full)));
  answers.claim("faster", faster);
}

void judge_protocols(const Rhinet2Study& study, Answers& answers) {
  Cases constant, routing;
  const auto at = [&](int hops) {
    return study.at(without_waiting(study, pair_pushes(hops))).mean;
  };
  for (int hops = 2; hops <= farthest; ++hops)
    constant.add(std::abs(at(hops) / at(1) - 1) < 0.01, fmt::format("{} hops", hops));
  answers.claim("no-distance", constant,
                fmt::format("{:.1f} MB/s at one hop, {:.1f} at {}", at(1), at(farthest), farthest));
  Largest of_full, of_all;
  constexpr std::array words{"4 KB and 6 Gb/s", "Stop,Go=1", "8 Gb/s", "no-ack-wait"};
  for (const BandwidthCase& point : varied_cases(study)) {
    const Rhinet2Runs dl = varied(study, "dl", point).all(),
                      updown = varied(study, "updown", point).all();
    for (std::size_t i = 0; i < words.size(); ++i) {
      const double one = gain(study, dl[i], updown[i]);
      routing.add(one > 0, fmt::format("{} {} {} B ({})", words[i], point.pattern, point.size,
                                       percent(one)));
    }
    const double free = gain(study, dl.back(), updown.back());
    of_all.add(free, fmt::format("{} {} B", point.pattern, point.size));
    if (point.size == full_packet) of_full.add(free, point.pattern);
  }
  answers.number(
      "no-ack-gain", 100 * of_all.value,
      fmt::format("{}; with 1792 B {} ({})", of_all.where, percent(of_full.value), of_full.where));
  answers.claim("routing", routing);
}

}  // namespace

Rhinet2Runs fig10_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const BandwidthCase& point : varied_cases(study))
    for (const std::string& engine : machine_routings) out += varied(study, engine, point).all();
  for (int hops = 1; hops <= farthest; ++hops) {
    out.push_back(pair_pushes(hops));
    out.push_back(without_waiting(study, pair_pushes(hops)));
  }
  return out;
}

Section fig10(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "fig10");
  const std::vector<std::string> columns{"engine",    "traffic", "usual",
                                         "Stop,Go=1", "8 Gb/s",  "no-ack-wait"};
  Sheet sheet{"fig10", "MB/s of a host on A, 32 hosts, 1792 B", columns};
  Sheet all{"fig10-all", "the same by size", columns, {}, false};
  all.columns.emplace_back("bytes");
  for (const BandwidthCase& point : varied_cases(study))
    for (const std::string& engine : machine_routings) {
      all.rows.push_back({engine, point.pattern});
      for (const Rhinet2Run& run : varied(study, engine, point).all())
        all.rows.back().emplace_back(study.at(run).mean);
      if (point.size == full_packet) sheet.rows.push_back(all.rows.back());
      all.rows.back().emplace_back(point.size);
    }
  judge_links_and_buffers(study, answers);
  judge_protocols(study, answers);
  return {.id = "fig10",
          .about = {},
          .sheets = {sheet, all},
          .answers = std::move(answers).done(),
          .figures = {draw_fig10(context)}};
}

// Section IV.G.

namespace {

std::vector<std::uint64_t> network_seeds(const Rhinet2Study& study) {
  std::vector<std::uint64_t> out(study.quick() ? 1 : 10);
  std::iota(out.begin(), out.end(), study.seed());
  return out;
}

Rhinet2Run carried(std::uint64_t network, const char* engine) {
  return {Quantity::throughput, "irregular", engine, "uniform", 128, network};
}
/// On three lanes: up*/down* takes any idle one; one of the two layers of DL has two of them.
constexpr const char *updown = "updown", *dl = "dl", *dl_low = "dl:select=low_port";

/// What the cluster's bandwidth is compared by: full packets of figures 5 and 7.
std::vector<BandwidthCase> on_cluster() {
  std::vector<BandwidthCase> out;
  for (const std::string& topology : four_topologies)
    for (const std::string& pattern : patterns) out.push_back({topology, pattern, full_packet});
  return out;
}

/// Whether routing and selection matter more in the simulation study than on the cluster.
void judge_impact(const Rhinet2Study& study, Answers& answers, double routing, double selection) {
  Largest here_routing, here_selection;
  for (const BandwidthCase& one : on_cluster()) {
    here_routing.add(gain(study, one.with("dl"), one.with("updown")), one.where());
    for (const std::string& engine : selecting)
      here_selection.add(gain(study, one.with(engine), one.with(engine + " low")), one.where());
  }
  Cases larger;
  larger.add(routing > here_routing.value, "routing");
  larger.add(selection > here_selection.value, "selection");
  answers.claim(
      "larger", larger,
      fmt::format("on the cluster {} ({}) and {} ({})", percent(here_routing.value),
                  here_routing.where, percent(here_selection.value), here_selection.where));
}

}  // namespace

Rhinet2Runs simstudy_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const std::uint64_t network : network_seeds(study))
    for (const char* engine : {updown, dl, dl_low}) out.push_back(carried(network, engine));
  for (const BandwidthCase& one : on_cluster())
    for (const std::string& engine : selecting)
      for (const char* choice : {"", " low"}) out.push_back(one.with(engine + choice));
  return out;
}

Section simstudy(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "simstudy");
  Sheet sheet{"simstudy",
              "flits per host and 1000 cycles that random networks of 16 switches carry",
              {"network", "updown", "dl", "dl, low port", "dl over updown, %", "selection, %"}};
  Largest routing, selection;
  for (const std::uint64_t network : network_seeds(study)) {
    const Rhinet2Run own = carried(network, dl), other = carried(network, updown),
                     low = carried(network, dl_low);
    const std::string where = fmt::format("the network of seed {}", network);
    routing.add(gain(study, own, other), where);
    selection.add(gain(study, own, low), where);
    const auto flits = [&](const Rhinet2Run& run) { return 1000 * study.at(run).mean; };
    sheet.rows.push_back({static_cast<std::int64_t>(sheet.rows.size() + 1), flits(other),
                          flits(own), flits(low), 100 * gain(study, own, other),
                          100 * gain(study, own, low)});
  }
  answers.number("routing", 100 * routing.value,
                 joined(routing.where, "the paper's networks are unknown"));
  answers.number("selection", 100 * selection.value,
                 joined(selection.where + ", DL", "the paper's networks are unknown"));
  judge_impact(study, answers, routing.value, selection.value);
  return {.id = "simstudy", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::rhinet2
