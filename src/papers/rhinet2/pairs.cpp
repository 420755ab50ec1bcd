// SPDX-License-Identifier: Apache-2.0
// Figure 6: two hosts on the mesh, their bandwidth and barrier by distance.
#include "papers/rhinet2/experiments.hpp"

namespace weft::papers::rhinet2 {
namespace {

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

Rhinet2Run pair_pushes(int hops) {
  return pushes("mesh", "dl", fmt::format("pair {}", hops), full_packet);
}
Rhinet2Run pair_barrier(int hops) {
  return {Quantity::barrier, "mesh", "dl", fmt::format("pair {}", hops)};
}

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
  Cases linear;
  linear.add(of_bandwidth.fit > 0.98, "bandwidth");
  linear.add(of_barrier.fit > 0.98, "barriers");
  answers.claim("linear", linear,
                fmt::format("a line explains {:.1f} % of the bandwidths' variance and {:.1f} % of "
                            "the barriers'",
                            100 * of_bandwidth.fit, 100 * of_barrier.fit));
  return {.id = "fig6",
          .about = {},
          .sheets = {sheet},
          .answers = std::move(answers).done(),
          .figures = {draw_fig6(context)}};
}

}  // namespace weft::papers::rhinet2
