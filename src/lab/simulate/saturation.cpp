// SPDX-License-Identifier: Apache-2.0
// Bisection with simulations that become longer as the loads to tell apart come closer.
#include "lab/simulate/saturation.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>

#include "base/chance.hpp"
#include "base/error.hpp"

namespace weft {
namespace {

constexpr std::uint64_t longest_work = std::uint64_t{1} << 24;  ///< see work()
constexpr sim::Cycle shortest = 2048, shortest_warmup = 1024;

/// A load to judge, and how many steps away the loads are from which it must be distinguished.
struct Probe {
  std::int64_t k = 0, distance = 1;
};

class SaturationSearch {
 public:
  SaturationSearch(const LoadSteps& steps, SimulationExperiment point)
      : steps_(steps), point_(std::move(point)), wanted_(point_.request) {
    require_load();
    while (count_ > 1 && chance_from(steps_.load(count_)).parts() > wanted_.most_load().parts())
      --count_;
    over_ = count_ + 1;
    if (point_.networks) point_.kept = point_.network();
  }

  SaturationPoint run(const Simulate& simulate, const Foresee& foresee) {
    while (const std::optional<Probe> probe = next()) {
      const SimulationExperiment needed = at(*probe);
      if (foresee) foresee(needed, after(*probe));
      judge(*probe, simulate(needed));
    }
    SaturationPoint out{steps_.load(steady_), {}, !wanted_.cycles && short_of_resolution()};
    for (auto& [k, judged] : judged_) out.tried.push_back(std::move(judged.result));
    return out;
  }

 private:
  struct JudgedLoad {
    SimulationResult result;
    bool at_full_length = false;
    bool steady() const { return result.outcome == SimulationOutcome::steady; }
  };

  void require_load() const {
    if (wanted_.uses_load()) return;
    const std::string what =
        wanted_.batch > 0 ? "source=" + wanted_.spec.source : "traffic=" + wanted_.spec.traffic;
    if (wanted_.has_matrix() && wanted_.batch == 0)
      throw Error("{}: its rates are the load; a saturation point is found with unit=weights",
                  what);
    throw Error("{}: it comes to an end; only endless traffic has a saturation point", what);
  }

  /// Halves the bracket; then judges its ends again that only short simulations have judged.
  std::optional<Probe> next() const {
    const std::int64_t width = over_ - steady_;
    if (width > 1) return Probe{steady_ + width / 2, width / 2};
    for (const std::int64_t end : {steady_, over_}) {
      const auto found = judged_.find(end);
      if (found != judged_.end() && !found->second.at_full_length) return Probe{end, 1};
    }
    return std::nullopt;
  }

  SimulationExperiment at(const Probe& probe) const {
    const sim::Cycle cycles = cycles_for(probe);
    const sim::Cycle warmup = wanted_.warmup.value_or(std::max(cycles / 4, shortest_warmup));
    SimulationExperiment out = point_;
    out.request = at_length(at_load(wanted_, steps_.load(probe.k)), warmup, cycles);
    return out;
  }

  /// What comes next after each outcome that a simulation may have: a load that was judged before
  /// is taken to be judged alike.
  std::vector<SimulationExperiment> after(const Probe& probe) const {
    std::vector<SimulationExperiment> out;
    const auto before = judged_.find(probe.k);
    for (const auto outcome : {SimulationOutcome::saturated, SimulationOutcome::steady}) {
      const bool steady = outcome == SimulationOutcome::steady;
      if (before != judged_.end() && before->second.steady() != steady) continue;
      SaturationSearch then = *this;
      SimulationResult assumed;
      assumed.outcome = outcome;
      then.judge(probe, std::move(assumed));
      if (const std::optional<Probe> next = then.next()) out.push_back(then.at(*next));
    }
    return out;
  }

  void judge(const Probe& probe, SimulationResult&& found) {
    JudgedLoad judged{std::move(found), cycles_for(probe) >= cycles_for({probe.k, 1})};
    const SimulationResult& result = judged.result;
    if (result.outcome == SimulationOutcome::complete)
      throw Error("traffic={}: it comes to an end; only endless traffic has a saturation point",
                  wanted_.spec.traffic);
    judged.at_full_length |= result.outcome == SimulationOutcome::deadlocked;
    if (result.cycles > 0)
      work_per_cycle_ = std::max<std::uint64_t>(work(result) / result.cycles, 1);
    judged_.insert_or_assign(probe.k, std::move(judged));
    narrow();
  }

  /// Of a simulation: switch traversals by flits, or by packets that hold their links, which are
  /// handled as a whole.
  std::uint64_t work(const SimulationResult& result) const {
    const bool whole = wanted_.switches.multiplex == sim::Multiplex::packet;
    return result.flit_hops / (whole ? wanted_.lengths.longest() : 1);
  }

  /// The bracket is the highest steady load and the next higher one, which is not. No load between
  /// two that were judged alike is ever judged, so they are in order.
  void narrow() {
    steady_ = 0;
    over_ = count_ + 1;
    for (const auto& [k, judged] : judged_) {
      if (judged.steady()) {
        steady_ = k;
      } else {
        over_ = k;
        break;
      }
    }
  }

  /// The cycles after which an overload of `distance` steps shows. A source sends N packets, and
  /// falls behind by N * distance / k, as against sqrt(N) by chance: with N = 2 (k / distance)^2 or
  /// more that puts a run in doubt, which prolongs it fivefold where necessary (backlog.hpp).
  Wide needed_cycles(const Probe& probe) const {
    const auto of = [](std::int64_t count) { return static_cast<std::uint64_t>(count); };
    Wide cycles = Wide{2} * of(probe.k) * wanted_.lengths.longest();
    for (int i = 0; i < steps_.step.places; ++i) cycles *= 10;
    return cycles / of(probe.distance * probe.distance * steps_.step.units);
  }
  /// The same, within the limits on the work of one simulation.
  sim::Cycle cycles_for(const Probe& probe) const {
    if (wanted_.cycles && probe.distance == 1) return *wanted_.cycles;
    const auto length =
        static_cast<sim::Cycle>(std::clamp<Wide>(needed_cycles(probe), shortest, most_cycles()));
    return std::min(std::bit_ceil(length), wanted_.cycles.value_or(sim::never));
  }
  sim::Cycle most_cycles() const {
    return std::bit_floor(std::max(longest_work / work_per_cycle_, shortest));
  }
  bool short_of_resolution() const {
    return std::any_of(judged_.begin(), judged_.end(), [&](const auto& entry) {
      const std::int64_t k = entry.first;
      return (k == steady_ || k == over_) && needed_cycles({k, 1}) > most_cycles();
    });
  }

  const LoadSteps& steps_;
  SimulationExperiment point_;
  const SimulationRequest wanted_;
  std::map<std::int64_t, JudgedLoad> judged_;
  std::int64_t count_ = steps_.count;  ///< loads that may be tried
  std::int64_t steady_ = 0, over_ = count_ + 1;
  std::uint64_t work_per_cycle_ = 1;
};

}  // namespace

LoadSteps::LoadSteps(const std::string& resolution) {
  const auto parsed = Decimal::parse(resolution);
  if (parsed) step = *parsed;
  const std::int64_t one = Decimal{1, 0}.with_places(step.places).units;
  if (step.units <= 0 || 2 * step.units > one)
    throw Error("resolution={}: a number such as 0.005 is needed, 0.5 at most", resolution);
  count = one / step.units;
}

std::size_t LoadSteps::tries() const {
  constexpr std::size_t at_full_length = 2;  // both neighbours of the saturation point
  return at_full_length +
         static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(count)));
}

SaturationPoint find_saturation(const LoadSteps& steps, SimulationExperiment point,
                                const Simulate& simulate, const Foresee& foresee) {
  return SaturationSearch(steps, std::move(point)).run(simulate, foresee);
}

}  // namespace weft
