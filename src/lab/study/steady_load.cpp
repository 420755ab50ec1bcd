// SPDX-License-Identifier: Apache-2.0
// A bracket that grows by larger and larger factors, and is then halved.
#include "lab/study/steady_load.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace weft {
namespace {

constexpr double lowest = 0.001;      ///< that is tried
constexpr double close = 1.05;        ///< ends of the bracket
constexpr double usual = 0.97;        ///< what is steady of what is accepted at full load
constexpr double first_step = close;  ///< from one end to where the other one is looked for

/// Between the highest load that is known to be steady and the lowest that is not.
class SteadySearch {
 public:
  explicit SteadySearch(double at_full_load)
      : guess_(std::clamp(usual * at_full_load, lowest, usual)) {}

  /// The load to simulate next; none when the bracket is narrow.
  std::optional<double> next() const {
    if (!judged_any_) return guess_;
    if (steady_ == 0)
      return over_ > lowest ? std::optional(std::max(over_ / step_, lowest)) : std::nullopt;
    if (over_ <= close * steady_) return std::nullopt;
    const double middle = std::sqrt(steady_ * over_);
    return over_ < 1 ? middle : std::min(steady_ * step_, middle);
  }

  void judge(double load, bool steady) {
    if (judged_any_) step_ *= step_;
    judged_any_ = true;
    (steady ? steady_ : over_) = load;
  }

  double steady() const { return steady_; }

 private:
  double guess_, step_ = first_step;
  double steady_ = 0, over_ = 1;
  bool judged_any_ = false;
};

}  // namespace

SteadyLoad highest_steady_load(const SimulationExperiment& point, const SimulationResult& full,
                               const Simulate& simulate) {
  SteadyLoad out{0, full.accepted};
  if (full.outcome == SimulationOutcome::steady) return {1, full.accepted};
  SteadySearch search(full.accepted);
  while (const std::optional<double> load = search.next()) {
    SimulationExperiment tried = point;
    tried.request = at_load(point.request, fmt::format("{:.3g}", *load));
    const SimulationResult result = simulate(tried);
    search.judge(std::stod(tried.request.spec.load), result.outcome == SimulationOutcome::steady);
    out.most_accepted = std::max(out.most_accepted, result.accepted);
  }
  out.load = search.steady();
  return out;
}

}  // namespace weft
