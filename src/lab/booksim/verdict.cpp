// SPDX-License-Identifier: Apache-2.0
// The network of a configuration: whether weft can simulate it, and whether it can deadlock.
#include "base/words.hpp"
#include "fabric/format/parsing/text.hpp"
#include "lab/booksim/translation.hpp"
#include "lab/cluster/waiting.hpp"
#include "lab/simulate/experiment.hpp"
#include "plan/check/check.hpp"
#include "plan/check/checks.hpp"

namespace weft::booksim {
namespace {

/// Ends a complaint about lanes.
std::string remark_on_lanes(const Configuration& configuration) {
  const std::string there = with_too_few_lanes(configuration);
  return there.empty() ? "" : "; " + there;
}

SharedNetwork network_of(const SimulationRequest& request, const Configuration& configuration,
                         const SetUpProgress& progress) {
  Networks networks(progress);
  const SimulationSpec& spec = request.spec;
  try {
    return networks({spec.fabric, spec.tables, {}, spec.without});
  } catch (const RefusedError& error) {
    fail(configuration.source(), configuration.line("num_vcs"), "num_vcs = {}: {}{}",
         configuration.text("num_vcs"), error.what(), remark_on_lanes(configuration));
  }
}

void require_lanes(const ResolvedNetwork& network, const SimulationRequest& request,
                   const Configuration& configuration) {
  const int needed = network.tables().lane_count;
  if (needed <= request.switches.lane_limit()) return;
  fail(configuration.source(), configuration.line("num_vcs"), "num_vcs = {}: {} of weft needs {}{}",
       configuration.text("num_vcs"), request.spec.tables, counted(needed, "lane", "lanes"),
       remark_on_lanes(configuration));
}

}  // namespace

std::string verdict_on(const TranslatedConfiguration& translation,
                       const Configuration& configuration, const SetUpProgress& progress) {
  const SimulationRequest request = request_of(translation.spec);
  const SharedNetwork network = network_of(request, configuration, progress);
  require_lanes(*network, request, configuration);
  resolve_all({request}, progress);  // it refuses what weft sim refuses
  if (network->fabric().switch_count() > most_judged_switches)
    return "so many switches are not checked for deadlocks here; weft check does";
  const WaitKind waiting = waiting_in(request.switches);
  const Survey not_needed;
  return check_deadlock({network->fabric(), network->tables(), not_needed,
                         network->deadlock_verdict(waiting), 0, waiting})
      .summary;
}

}  // namespace weft::booksim
