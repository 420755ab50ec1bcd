// SPDX-License-Identifier: Apache-2.0
// Figures 5 to 8: bandwidth by routing, distance and selection of routes.
#include <algorithm>
#include <cmath>

#include "papers/rhinet2/experiments.hpp"

namespace weft::papers::rhinet2 {
namespace {

const std::vector<std::string> four_topologies{"A 32", "B surrogate 32", "mesh 32", "torus 32"};
constexpr int farthest = 7;  ///< switches between two hosts of the mesh

std::vector<std::int64_t> sizes(const Rhinet2Study& study) {
  if (study.quick()) return {full_packet};
  return {64, 256, 512, 1024, full_packet};
}

std::vector<std::string> engines(const std::string& topology) {
  std::vector<std::string> out{"prefix", "updown1", "updown", "dfs", "sbp", "dl"};
  if (topology.starts_with("mesh") || topology.starts_with("torus")) out.emplace_back("dor");
  return out;
}

Sheet bandwidths(const Rhinet2Study& study) {
  Sheet sheet{"fig5",
              "MB/s of a host with 1792 B; in brackets the least and the most of one host",
              {"topology", "traffic"}};
  for (const std::string& engine : engines("mesh")) sheet.columns.push_back(engine);
  for (const std::string& topology : four_topologies)
    for (const std::string& pattern : patterns) {
      sheet.rows.push_back({topology, pattern});
      for (const std::string& engine : engines(topology)) {
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
  for (const std::string& topology : four_topologies)
    for (const std::string& pattern : patterns)
      for (const std::string& engine : engines(topology))
        for (const std::int64_t size : sizes(study)) {
          const HostMeasurement& one = study.at(pushes(topology, engine, pattern, size));
          sheet.rows.push_back({topology, pattern, engine, size, one.mean, one.least, one.most});
        }
  return sheet;
}

template <class Visit>
void each_case(const Rhinet2Study& study, Visit visit) {
  for (const std::string& topology : four_topologies)
    for (const std::string& pattern : patterns)
      for (const std::int64_t size : sizes(study))
        visit([&](const std::string& engine) { return pushes(topology, engine, pattern, size); },
              fmt::format("{}, {}, {} B", topology, pattern, size));
}

/// Answers whether dimension order beats all minimal routings at full packets.
void judge_dimension_order(const Rhinet2Context& context, Answers& answers,
                           const std::string& topology) {
  bool best = true;
  std::string because;
  for (const std::string& pattern : patterns) {
    Largest other;
    for (const char* engine : {"updown1", "updown", "dfs", "sbp", "dl"})
      other.add(context.study.at(pushes(topology, engine, pattern, full_packet)).mean, engine);
    const double own = context.study.at(pushes(topology, "dor", pattern, full_packet)).mean;
    best = best && own >= other.value;
    because += fmt::format("{}{}: {:.1f} MB/s, the best of the others {:.1f} ({})",
                           because.empty() ? "" : "; ", pattern, own, other.value, other.where);
  }
  answers.claim("dor-" + topology.substr(0, topology.find(' ')), best, because);
}

void judge_spread(const Rhinet2Study& study, Answers& answers) {
  int less = 0, all = 0;
  each_case(study, [&](auto run, const std::string&) {
    const HostMeasurement &dl = study.at(run("dl")), &updown = study.at(run("updown"));
    ++all;
    less += dl.most - dl.least <= updown.most - updown.least ? 1 : 0;
  });
  const HostMeasurement& dl = study.at(pushes("A 32", "dl", "bit-reversal", full_packet));
  const HostMeasurement& updown = study.at(pushes("A 32", "updown", "bit-reversal", full_packet));
  const double own = dl.most - dl.least, other = updown.most - updown.least;
  answers.claim("stable", own < other,
                fmt::format("A, bit reversal, 1792 B: {:.0f} and {:.0f} MB/s between hosts; "
                            "in {} of {} cases no more with DL",
                            own, other, less, all));
}

}  // namespace

Rhinet2Run pushes(std::string topology, std::string engine, std::string pattern,
                  std::int64_t size) {
  return {Quantity::bandwidth, std::move(topology), std::move(engine), std::move(pattern), size};
}

double gain(const Rhinet2Study& study, const Rhinet2Run& run, const Rhinet2Run& over) {
  return study.at(run).mean / study.at(over).mean - 1;
}

std::string joined(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : fmt::format("{}; {}", first, second);
}

Rhinet2Runs fig5_runs(const Rhinet2Study& study) {
  Rhinet2Runs out;
  for (const std::string& topology : four_topologies)
    for (const std::string& engine : engines(topology))
      for (const std::string& pattern : patterns)
        for (const std::int64_t size : sizes(study))
          out.push_back(pushes(topology, engine, pattern, size));
  return out;
}

Section fig5(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "fig5");
  Largest most, apart, lanes;
  each_case(study, [&](auto run, const std::string& where) {
    most.add(gain(study, run("dl"), run("updown")), where);
    most.add(gain(study, run("dl"), run("updown1")), where + ", one lane");
    apart.add(std::abs(gain(study, run("dl"), run("sbp"))), where);
    lanes.add(std::abs(gain(study, run("updown"), run("updown1"))), where);
  });
  answers.number("gain", 100 * most.value,
                 joined(most.where, "hosts that wait for acknowledgments fill links little"));
  answers.claim(
      "alike", apart.value < small,
      fmt::format("they differ by {:.1f} % at most ({})", 100 * apart.value, apart.where));
  judge_dimension_order(context, answers, "mesh 32");
  judge_dimension_order(context, answers, "torus 32");
  judge_spread(study, answers);
  double dfs = 1e300;
  std::string each;
  for (const std::string& pattern : patterns) {
    const double one = gain(study, pushes("A 32", "dfs", pattern, full_packet),
                            pushes("A 32", "updown1", pattern, full_packet));
    dfs = std::min(dfs, one);
    each += fmt::format("{}{}: {}", each.empty() ? "" : ", ", pattern, percent(one));
  }
  answers.claim("dfs", dfs > 0, each);
  answers.claim(
      "lanes", lanes.value < small,
      fmt::format("they differ by {:.1f} % at most ({})", 100 * lanes.value, lanes.where));
  return {.id = "fig5",
          .about = {},
          .sheets = {bandwidths(study), all_bandwidths(study)},
          .answers = std::move(answers).done()};
}

// Figure 6: distance.

namespace {

Rhinet2Run pair_pushes(int hops) {
  return pushes("mesh", "dl", fmt::format("pair {}", hops), full_packet);
}
Rhinet2Run pair_barrier(int hops) {
  return {Quantity::barrier, "mesh", "dl", fmt::format("pair {}", hops)};
}

struct LineFit {
  double slope = 0, fit = 0;  ///< fit: share of the variance that it explains
};
LineFit line_through(const std::vector<double>& y) {
  const auto n = static_cast<double>(y.size());
  double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const auto x = static_cast<double>(i);
    sx += x, sy += y[i], sxx += x * x, sxy += x * y[i], syy += y[i] * y[i];
  }
  const double xy = n * sxy - sx * sy, xx = n * sxx - sx * sx, yy = n * syy - sy * sy;
  return {xy / xx, xy * xy / (xx * yy)};
}

}  // namespace

Rhinet2Runs fig6_runs(const Rhinet2Study&) {
  Rhinet2Runs out;
  for (int hops = 1; hops <= farthest; ++hops) {
    out.push_back(pair_pushes(hops));
    out.push_back(pair_barrier(hops));
  }
  return out;
}

Section fig6(const Rhinet2Context& context) {
  Answers answers(context.stated, "fig6");
  Sheet sheet{"fig6", "two hosts on the mesh", {"hops", "MB/s", "barrier us"}};
  std::vector<double> bandwidth, barrier;
  for (int hops = 1; hops <= farthest; ++hops) {
    bandwidth.push_back(context.study.at(pair_pushes(hops)).mean);
    barrier.push_back(context.study.at(pair_barrier(hops)).mean);
    sheet.rows.push_back({std::int64_t{hops}, bandwidth.back(), barrier.back()});
  }
  const LineFit of_bandwidth = line_through(bandwidth), of_barrier = line_through(barrier);
  answers.number("bandwidth", of_bandwidth.slope,
                 fmt::format("a line through 1 to {} hops, from {:.1f} to {:.1f} MB/s", farthest,
                             bandwidth.front(), bandwidth.back()));
  answers.number("barrier", of_barrier.slope);
  answers.claim("linear", of_bandwidth.fit > 0.98 && of_barrier.fit > 0.98,
                fmt::format("a line explains {:.1f} % of the bandwidths' variance and {:.1f} % of "
                            "the barriers'",
                            100 * of_bandwidth.fit, 100 * of_barrier.fit));
  return {.id = "fig6", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

// Figure 7: selection of routes.

namespace {

const std::vector<std::string> selecting{"updown", "sbp", "dl"};

}  // namespace

Rhinet2Runs fig7_runs(const Rhinet2Study&) {
  Rhinet2Runs out;
  for (const std::string& topology : four_topologies)
    for (const std::string& pattern : patterns)
      for (const std::string& engine : selecting)
        for (const char* choice : {"", " low"})
          out.push_back(pushes(topology, engine + choice, pattern, full_packet));
  return out;
}

Section fig7(const Rhinet2Context& context) {
  const Rhinet2Study& study = context.study;
  Answers answers(context.stated, "fig7");
  Sheet sheet{"fig7",
              "MB/s of a host with 1792 B, well distributed and low port first",
              {"topology", "traffic", "engine", "distributed", "low port", "gain"}};
  Largest most;
  std::vector<std::string> against;
  double sbp_mesh = 0;
  for (const std::string& topology : four_topologies)
    for (const std::string& pattern : patterns)
      for (const std::string& engine : selecting) {
        const Rhinet2Run own = pushes(topology, engine, pattern, full_packet);
        const Rhinet2Run low = pushes(topology, engine + " low", pattern, full_packet);
        const double one = gain(study, own, low);
        const std::string where = fmt::format("{} {} {}", topology, engine, pattern);
        most.add(one, where);
        const bool exception = engine == "sbp" && topology.starts_with("mesh");
        if (exception) sbp_mesh = std::max(sbp_mesh, one);
        if (!exception && one < 0) against.push_back(fmt::format("{} {}", where, percent(one)));
        sheet.rows.push_back(
            {topology, pattern, engine, study.at(own).mean, study.at(low).mean, percent(one)});
      }
  answers.number("gain", 100 * most.value, most.where);
  answers.claim("distributed", against.empty(),
                against.empty() ? std::string("in all cases")
                                : fmt::format("less in {} of 22 cases: {}", against.size(),
                                              fmt::join(against, ", ")));
  answers.claim("sbp-mesh", sbp_mesh < 0,
                fmt::format("well distributed over low port first: {} at most", percent(sbp_mesh)));
  return {.id = "fig7", .about = {}, .sheets = {sheet}, .answers = std::move(answers).done()};
}

// Figure 8: under MPI.

namespace {

Rhinet2Run mpi(const Rhinet2Study& study, const char* engine) {
  Rhinet2Run run = pushes("A 32", engine, "MPI bit-reversal", full_packet);
  run.window = study.mpi_window();
  return run;
}

}  // namespace

Rhinet2Runs fig8_runs(const Rhinet2Study& study) {
  return {mpi(study, "dl"), mpi(study, "updown")};
}

Section fig8(const Rhinet2Context& context) {
  Answers answers(context.stated, "fig8");
  const Rhinet2Run dl = mpi(context.study, "dl"), updown = mpi(context.study, "updown");
  answers.number("gain", 100 * gain(context.study, dl, updown),
                 fmt::format("{:.1f} and {:.1f} MB/s; nothing of PMv2 is published to calibrate on",
                             context.study.at(dl).mean, context.study.at(updown).mean));
  return {.id = "fig8", .about = {}, .answers = std::move(answers).done()};
}

}  // namespace weft::papers::rhinet2
