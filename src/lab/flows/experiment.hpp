// SPDX-License-Identifier: Apache-2.0
// A run of a scenario: its flows on a machine, with managers that promise bandwidth or without, and
// what each flow got of what it was promised.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lab/flows/request.hpp"

namespace weft {

/// The names of a flow's hosts.
struct FlowHosts {
  std::string from, to;
};

/// A scenario that is ready to run.
struct ScenarioExperiment {
  ScenarioSpec spec{};  ///< what the result says was run
  Scenario scenario{};
  bool controlled = true;  ///< whether managers set rates
  Machine machine{};
  FlowsPlan plan{};                ///< limits are measured when it is run
  std::vector<FlowHosts> hosts{};  ///< of every flow
};
/// Throws Error when there is no such network, or no such host in it.
ScenarioExperiment resolve(const ScenarioRequest& request, Networks& networks);

struct ScenarioResult {
  ScenarioSpec spec{};  ///< with every part filled in
  Scenario scenario{};
  bool controlled = true;          ///< whether managers set rates
  bool limited = false;            ///< the plan has limits, as some flow asks the managers
  FlowsPlan plan{};                ///< as it was run
  std::vector<FlowHosts> hosts{};  ///< of every flow
  FlowsFound found{};

  const FlowPlan& asked(std::size_t flow) const { return scenario.flows[flow].plan; }
};

/// Called with the share of the work that is done, 0 to 1, and what is being done.
using ScenarioProgress = std::function<void(double share, const std::string& what)>;

/// Runs the flows. Throws Error for a machine without rate control when the plan needs it.
ScenarioResult run_scenario(const ScenarioExperiment& experiment,
                            const ScenarioProgress& progress = {});
/// The same for a spec as the user writes it. Throws Error for wrong input, too.
ScenarioResult run_scenario(const ScenarioSpec& spec, const ScenarioProgress& progress = {});

/// A flow's rate in MB/s, over the bins that lie wholly in an interval and in which it sends.
struct FlowRate {
  Duration from{}, to{};
  double measured = 0;
  /// What it asked for and was promised, or what the managers or the scenario allow it to send;
  /// nothing for a free flow.
  std::optional<double> promised{};

  double ratio() const { return measured / *promised; }
};
/// The rate of a flow between two times; nothing when no such bin lies between them.
std::optional<FlowRate> rate_between(const ScenarioResult& result, std::size_t flow, Duration from,
                                     Duration to);
/// The same for all of the time that it sends.
std::optional<FlowRate> rate_of(const ScenarioResult& result, std::size_t flow);
/// What a flow was promised, or allowed to send, in a bin; nothing where it does not send.
std::optional<double> promised_in(const ScenarioResult& result, std::size_t flow, std::size_t bin);

/// The times at which flows start or stop, with the beginning and the end.
std::vector<Duration> changes_of(const ScenarioResult& result);

/// A promise, judged over all of its flow's time or between two changes.
struct PromiseKept {
  std::size_t flow = 0;
  FlowRate rate{};
  bool kept = true;  ///< within 3 %
};
/// The promise that was missed by most between two times, if any; one of fewer than a hundred
/// packets is not judged.
std::optional<PromiseKept> worst_between(const ScenarioResult& result, Duration from, Duration to);
/// The same over all of every flow's time and between successive changes; broken promises come
/// first. A packet more or less does not break a promise.
std::optional<PromiseKept> worst_promise(const ScenarioResult& result);

}  // namespace weft
