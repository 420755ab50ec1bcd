// SPDX-License-Identifier: Apache-2.0
// Running scenarios: a request becomes a plan of flows on a machine.
#include "lab/flows/experiment.hpp"

#include "lab/flows/limits.hpp"

namespace weft {

ScenarioExperiment resolve(const ScenarioRequest& request, Networks& networks) {
  ScenarioExperiment out{request.spec,
                         request.scenario,
                         request.controlled,
                         resolve(request.machine, networks),
                         {},
                         {}};
  const Fabric& fabric = out.machine.fabric();
  out.plan = plan_of(out.scenario, fabric);
  for (FlowPlan& flow : out.plan.flows) {
    out.hosts.push_back({fabric[flow.from].name, fabric[flow.to].name});
    if (!out.controlled) flow.service = FlowService::free;
  }
  if (out.plan.link_percent == 0) out.plan.link_percent = usual_link_percent(out.machine);
  return out;
}

ScenarioResult run_scenario(const ScenarioExperiment& experiment,
                            const ScenarioProgress& progress) {
  ScenarioResult out{.spec = experiment.spec,
                     .scenario = experiment.scenario,
                     .controlled = experiment.controlled,
                     .limited = asks_managers(experiment.plan),
                     .plan = experiment.plan,
                     .hosts = experiment.hosts};
  if (out.limited) {
    if (progress) progress(0, "measuring what hosts can carry");
    out.plan.limits = measure_limits(experiment.machine, out.scenario.capacity);
  }
  out.found = run_flows(experiment.machine, out.plan, [&](double share) {
    if (progress) progress(share, out.spec.scenario);
  });
  return out;
}

ScenarioResult run_scenario(const ScenarioSpec& spec, const ScenarioProgress& progress) {
  Networks networks;
  return run_scenario(resolve(request_of(spec), networks), progress);
}

}  // namespace weft
