// SPDX-License-Identifier: Apache-2.0
// Figures 5, 7 and 8: bandwidth by routing, by selection of routes, and under MPI.
#include <algorithm>
#include <cmath>
#include <map>

#include "papers/rhinet2/experiments.hpp"

namespace weft::papers::rhinet2 {

std::vector<std::int64_t> sizes(const Rhinet2Study& study) {
  if (study.quick()) return {full_packet};
  return {64, 256, 512, 1024, full_packet};
}

std::vector<std::string> bandwidth_routings(const std::string& topology) {
  std::vector<std::string> out{"prefix", "updown1", "updown", "dfs", "sbp", "dl"};
  if (topology.starts_with("mesh") || topology.starts_with("torus")) out.emplace_back("dor");
  return out;
}

Rhinet2Run pushes(std::string topology, std::string engine, std::string pattern,
                  std::int64_t size) {
  return {Quantity::bandwidth, std::move(topology), std::move(engine), std::move(pattern), size};
}

std::vector<BandwidthCase> bandwidth_cases(const Rhinet2Study& study,
                                           const std::vector<std::string>& topologies,
                                           const std::vector<std::string>& traffics) {
  std::vector<BandwidthCase> out;
  for (const std::string& topology : topologies)
    for (const std::string& pattern : traffics)
      for (const std::int64_t size : sizes(study)) out.push_back({topology, pattern, size});
  return out;
}

double gain(const Rhinet2Study& study, const Rhinet2Run& run, const Rhinet2Run& over) {
  return study.at(run).mean / study.at(over).mean - 1;
}

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : fmt::format("{}; {}", first, second);
}

// Figure 5: routing.

namespace {

Sheet bandwidths(const Rhinet2Study& study) {
  Sheet sheet{"fig5",
              "MB/s of a host with 1792 B; in brackets the least and the most of one host",
              {"topology", "traffic"}};
  for (const std::string& engine : bandwidth_routings("mesh")) sheet.columns.push_back(engine);
  for (const std::string& topology : four_topologies)
    for (const std::string& pattern : patterns) {
      sheet.rows.push_back({topology, pattern});
      for (const std::string& engine : bandwidth_routings(topology)) {
        const HostMeasurement& one = study.at(pushes(topology, engine, pattern, full_packet));
        sheet.rows.back().emplace_back(
            fmt::format("{:.1f} ({:.0f}-{:.0f})", one.mean, one.least, one.most));
      }
      sheet.rows.back().resize(sheet.columns.size(), std::string("-"));
    }
  return sheet;
}

Sheet all_bandwidths(const Rhinet2Study& study) {
  Sheet sheet{"fig5-all",
              "MB/s",
              {"topology", "traffic", "engine", "bytes", "mean", "least", "most"},
              {},
              false};
  for (const Rhinet2Run& run : fig5_runs(study)) {
    const HostMeasurement& one = study.at(run);
    sheet.rows.push_back(
        {run.topology, run.pattern, run.engine, run.size, one.mean, one.least, one.most});
  }
  return sheet;
}

/// Whether dimension order beats each of the other minimal routings.
void judge_dimension_order(const Rhinet2Context& context, Answers& answers,
                           const std::string& topology) {
  const Rhinet2Study& study = context.study;
  Cases best;
  std::string because;
  for (const BandwidthCase& one : bandwidth_cases(study, {topology}, patterns)) {
    const double own = study.at(one.with("dor")).mean;
    Largest other;
    for (const char* engine : {"updown1", "updown", "dfs", "sbp", "dl"}) {
      const double theirs = study.at(one.with(engine)).mean;
      best.add(own > theirs, fmt::format("{} on {}", engine, one.where()));
      other.add(theirs, engine);
    }
    if (one.size == full_packet)
      because += fmt::format("{}{} {} B: {:.1f} MB/s, the best of the others {:.1f} ({})",
                             because.empty() ? "" : "; ", one.pattern, one.size, own, other.value,
                             other.where);
  }
  answers.claim("dor-" + topology.substr(0, topology.find(' ')), best, because);
}

/// Claims on two routings, in all cases.
void judge_pairs(const Rhinet2Study& study, Answers& answers) {
  Cases alike, lanes, stable, better;
  Largest apart, lane, behind;
  for (const BandwidthCase& one : bandwidth_cases(study, four_topologies, patterns)) {
    const double of_sbp = std::abs(gain(study, one.with("dl"), one.with("sbp")));
    const double of_lane = std::abs(gain(study, one.with("updown"), one.with("updown1")));
    alike.add(of_sbp < small, one.where());
    lanes.add(of_lane < small, one.where());
    apart.add(of_sbp, one.where());
    lane.add(of_lane, one.where());
    const HostMeasurement &dl = study.at(one.with("dl")), &updown = study.at(one.with("updown"));
    stable.add(dl.most - dl.least < updown.most - updown.least, one.where());
    for (const char* own : {"dl", "sbp"})
      for (const char* over : {"updown1", "updown"}) {
        const std::string where = fmt::format("{} over {} on {}", own, over, one.where());
        const double by = gain(study, one.with(own), one.with(over));
        better.add(by > 0, where);
        behind.add(-by, where);
      }
  }
  const auto at_most = [](const Largest& one) {
    return fmt::format("they differ by {:.1f} % at most ({})", 100 * one.value, one.where);
  };
  answers.claim("alike", alike, at_most(apart));
  answers.claim("lanes", lanes, at_most(lane));
  const HostMeasurement& dl = study.at(pushes("A 32", "dl", "bit-reversal", full_packet));
  const HostMeasurement& updown = study.at(pushes("A 32", "updown", "bit-reversal", full_packet));
  answers.claim("stable", stable,
                fmt::format("A, bit reversal, 1792 B: {:.0f} and {:.0f} MB/s between hosts",
                            dl.most - dl.least, updown.most - updown.least));
  answers.claim("outperform", better,
                fmt::format("{:.1f} % less at most ({}); on the mesh and the torus all have "
                            "shortest routes",
                            100 * behind.value, behind.where));
}

void judge_dfs(const Rhinet2Study& study, Answers& answers) {
  Cases better;
  std::string each;
  for (const BandwidthCase& one : bandwidth_cases(study, {"A 32"}, patterns)) {
    const double by = gain(study, one.with("dfs"), one.with("updown1"));
    better.add(by > 0, fmt::format("{} ({})", one.where(), percent(by)));
    if (one.size == full_packet)
      each += fmt::format("{}{}: {}", each.empty() ? "1792 B, " : ", ", one.pattern, percent(by));
  }
  answers.claim("dfs", better, each);
}

/// The most that a routing gains over up*/down* with one lane or two.
Largest most_gain(const Rhinet2Study& study, const char* engine) {
  Largest out;
  for (const BandwidthCase& one : bandwidth_cases(study, four_topologies, patterns)) {
    out.add(gain(study, one.with(engine), one.with("updown")), one.where());
    out.add(gain(study, one.with(engine), one.with("updown1")), one.where() + " with one lane");
  }
  return out;
}

}  // namespace

Rhinet2Runs fig5_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const std::string& topology : four_topologies)
    for (const std::string& pattern : patterns)
      for (const std::string& engine : bandwidth_routings(topology))
        for (const std::int64_t size : sizes(study))
          out.push_back(pushes(topology, engine, pattern, size));
  return out;
}

Section fig5(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "fig5");
  const Largest dl = most_gain(study, "dl"), sbp = most_gain(study, "sbp");
  answers.number("gain", 100 * dl.value,
                 fmt::format("{}; SBP: {} ({}); hosts that wait for acknowledgments fill links "
                             "little",
                             dl.where, percent(sbp.value), sbp.where));
  judge_dimension_order(context, answers, "mesh 32");
  judge_dimension_order(context, answers, "torus 32");
  judge_pairs(study, answers);
  judge_dfs(study, answers);
  return {.id = "fig5",
          .about = {},
          .sheets = {bandwidths(study), all_bandwidths(study)},
          .answers = std::move(answers).done(),
          .figures = {draw_fig5(context)}};
}

// Figure 7: selection of routes.

namespace {

/// How much the selection changes bandwidth on each topology, on average.
class SelectionInfluence {
 public:
  void add(const std::string& topology, double one) {
    auto& [sum, count] = sums_[topology];
    sum += std::abs(one), ++count;
  }
  double of(const std::string& topology) const {
    const auto& [sum, count] = sums_.at(topology);
    return sum / count;
  }

 private:
  std::map<std::string, std::pair<double, int>> sums_;
};

/// At full packets, and by size.
std::vector<Sheet> selection_sheets(const Rhinet2Study& study) {
  const std::vector<std::string> columns{"topology",    "traffic",  "engine",
                                         "distributed", "low port", "gain"};
  Sheet full{"fig7", "MB/s of a host with 1792 B, well distributed and low port first", columns};
  Sheet all{"fig7-all", "the same by size", columns, {}, false};
  all.columns.emplace_back("bytes");
  for (const BandwidthCase& point : bandwidth_cases(study, four_topologies, patterns))
    for (const std::string& engine : selecting) {
      const Rhinet2Run own = point.with(engine), low = point.with(engine + " low");
      all.rows.push_back({point.topology, point.pattern, engine, study.at(own).mean,
                          study.at(low).mean, percent(gain(study, own, low))});
      if (point.size == full_packet) full.rows.push_back(all.rows.back());
      all.rows.back().emplace_back(point.size);
    }
  return {full, all};
}

/// Whether the topologies with more links are those on which the selection matters more.
void judge_links(const Rhinet2Study& study, Answers& answers, const SelectionInfluence& influence) {
  Cases more;
  std::string because;
  const auto links = [&](const std::string& topology) {
    return study.machine(topology, "dl").fabric().link_count();
  };
  for (const std::string& one : four_topologies) {
    because += fmt::format("{}{}: {} links, {:.1f} %", because.empty() ? "on average " : "; ", one,
                           links(one), 100 * influence.of(one));
    for (const std::string& other : four_topologies)
      if (links(one) > links(other))
        more.add(influence.of(one) > influence.of(other), fmt::format("{} and {}", one, other));
  }
  answers.claim("links", more, because);
}

}  // namespace

Rhinet2Runs fig7_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const BandwidthCase& one : bandwidth_cases(study, four_topologies, patterns))
    for (const std::string& engine : selecting)
      for (const char* choice : {"", " low"}) out.push_back(one.with(engine + choice));
  return out;
}

Section fig7(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "fig7");
  Largest most, most_on_mesh;
  Cases distributed, sbp_mesh;
  SelectionInfluence influence;
  for (const BandwidthCase& point : bandwidth_cases(study, four_topologies, patterns))
    for (const std::string& engine : selecting) {
      const double one = gain(study, point.with(engine), point.with(engine + " low"));
      const std::string where = fmt::format("{} on {}", engine, point.where());
      const std::string with_gain = fmt::format("{} ({})", where, percent(one));
      most.add(one, where);
      influence.add(point.topology, one);
      if (engine == "sbp" && point.topology.starts_with("mesh")) {
        sbp_mesh.add(one < 0, with_gain);
        most_on_mesh.add(one, where);
      } else {
        distributed.add(one > 0, with_gain);
      }
    }
  answers.number("gain", 100 * most.value, most.where);
  answers.claim("distributed", distributed,
                "routes are distributed over all pairs of hosts, of which a traffic uses few");
  answers.claim(
      "sbp-mesh", sbp_mesh,
      fmt::format("well distributed over low port first: {} at most", percent(most_on_mesh.value)));
  judge_links(study, answers, influence);
  return {.id = "fig7",
          .about = {},
          .sheets = selection_sheets(study),
          .answers = std::move(answers).done(),
          .figures = {draw_fig7(context)}};
}

// Figure 8: under MPI.

Rhinet2Run mpi_messages(const std::string& engine, std::int64_t size) {
  return pushes("A 32", engine, "MPI bit-reversal", size);
}

Rhinet2Runs fig8_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const std::int64_t size : sizes(study))
    for (const char* engine : {"dl", "updown"}) out.push_back(mpi_messages(engine, size));
  return out;
}

Section fig8(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "fig8");
  Largest most;
  for (const std::int64_t size : sizes(study))
    most.add(gain(study, mpi_messages("dl", size), mpi_messages("updown", size)),
             fmt::format("{} B", size));
  answers.number("gain", 100 * most.value,
                 joined(most.where, "nothing of PMv2 is published to calibrate on"));
  return {.id = "fig8",
          .about = {},
          .answers = std::move(answers).done(),
          .figures = {draw_fig8(context)}};
}

}  // namespace weft::papers::rhinet2
