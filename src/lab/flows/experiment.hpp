// SPDX-License-Identifier: Apache-2.0
// A run of a scenario: its flows on a machine, with managers that promise bandwidth or without, and
// what each flow got of what it was promised.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "lab/flows/request.hpp"

namespace weft {

/// The machine's names of a flow's hosts.
struct FlowHosts {
  std::string from, to;
};

/// A scenario that is ready to run.
struct ScenarioExperiment {
  ScenarioSpec spec{};  ///< what the result says was run
  Scenario scenario{};
  bool controlled = true;  ///< rates, by managers
  Machine machine{};
  FlowsPlan plan{};                ///< limits are measured when it is run
  std::vector<FlowHosts> hosts{};  ///< of every flow
};
/// Throws Error when there is no such network, or no such host in it.
ScenarioExperiment resolve(const ScenarioRequest& request, Networks& networks);

struct ScenarioResult {
  ScenarioSpec spec{};  ///< with every part filled in
  Scenario scenario{};
  bool controlled = true;          ///< rates, by managers
  bool limited = false;            ///< the plan has limits, as some flow asks the managers
  FlowsPlan plan{};                ///< as it was run
  std::vector<FlowHosts> hosts{};  ///< of every flow
  FlowsFound found{};

  const FlowPlan& asked(std::size_t flow) const { return scenario.flows[flow].plan; }
};

/// Called with how far a work is, 0 to 1, and which.
using ScenarioProgress = std::function<void(double share, const std::string& what)>;

/// Throws Error for a machine that cannot hold rates when it must.
ScenarioResult run_scenario(const ScenarioExperiment& experiment,
                            const ScenarioProgress& progress = {});
/// The same for the user's words. Throws Error for wrong input, too.
ScenarioResult run_scenario(const ScenarioSpec& spec, const ScenarioProgress& progress = {});

/// Of a flow, in MB/s, over the bins that lie wholly in a time and while it sends.
struct FlowRate {
  Duration from{}, to{};
  double measured = 0;
  /// What it had asked for and was promised, or what the managers or the scenario let it send;
  /// nothing for a flow that is free.
  std::optional<double> promised{};

  double ratio() const { return measured / *promised; }
};
/// Nothing when there is no such bin.
std::optional<FlowRate> rate_between(const ScenarioResult& result, std::size_t flow, Duration from,
                                     Duration to);
/// The same for all of the time that it sends.
std::optional<FlowRate> rate_of(const ScenarioResult& result, std::size_t flow);
/// What a flow was promised, or let send, in a bin; nothing where it does not send.
std::optional<double> promised_in(const ScenarioResult& result, std::size_t flow, std::size_t bin);

/// The times at which flows come or go, with the beginning and the end.
std::vector<Duration> changes_of(const ScenarioResult& result);

/// A promise, over all of its flow's time or between two changes.
struct PromiseKept {
  std::size_t flow = 0;
  FlowRate rate{};
  bool kept = true;  ///< within three in a hundred
};
/// The one that lacks most between two times, unless there are none; those of fewer than a hundred
/// packets are not looked at.
std::optional<PromiseKept> worst_between(const ScenarioResult& result, Duration from, Duration to);
/// The same for all of every flow's time, and between any two changes; broken ones first. A packet
/// more or less does not break a promise.
std::optional<PromiseKept> worst_promise(const ScenarioResult& result);

}  // namespace weft
