// SPDX-License-Identifier: Apache-2.0
// Running scenarios: what the user wrote becomes a plan of flows on a machine.
#include "lab/scenario_run.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "lab/field_text.hpp"
#include "lab/limits.hpp"
#include "lab/program_run.hpp"
#include "lab/shell.hpp"
#include "sim/nics/nic.hpp"

namespace weft {
namespace {

bool yes_or_no(std::string_view name, const std::string& text) {
  if (text != "yes" && text != "no") reject(name, text, "it is yes or no");
  return text == "yes";
}

/// The NIC with rates, unless it is said otherwise, or with packets in turn.
std::string with_schedule(const std::string& nic, bool rates) {
  Spec spec = Spec::parse(nic);
  const auto& row = find_row(sim::nics(), "nic", spec.name);
  const bool takes = std::any_of(row.params.begin(), row.params.end(),
                                 [](const Param& param) { return param.name == "schedule"; });
  if (!takes)
    throw Error("{}: this NIC does not tell flows apart; one that does is needed: --nic gm",
                spec.name);
  if (rates)
    spec.values.emplace("schedule", "rate");
  else
    spec.values["schedule"] = "packet";
  return spec.text();
}

/// The machine; every part of the run that was empty is filled in.
Machine machine_of(ScenarioRun& run, bool rates) {
  if (run.cluster.empty() && (run.topology.empty() || run.engine.empty()))
    throw Error("{}: it names no cluster to run on: give one with --cluster", run.scenario);
  ProgramRun parts{.cluster = run.cluster,
                   .topology = run.topology,
                   .engine = run.engine,
                   .switches = run.switches,
                   .nic = run.nic};
  Machine machine = machine_of(parts);
  run.topology = parts.topology;
  run.engine = parts.engine;
  run.switches = parts.switches;
  run.nic = with_schedule(parts.nic, rates);
  machine.nic = sim::nic_from(run.nic);
  return machine;
}

}  // namespace

const std::vector<ScenarioRunField>& scenario_run_fields() {
  using R = ScenarioRun;
  static const std::vector<ScenarioRunField> fields{
      {"scenario", &R::scenario, "scenario file, or one of weft list scenarios"},
      {"cluster", &R::cluster,
       "cluster file, or one of weft list clusters; otherwise the\nscenario's"},
      {"topology", &R::topology, "fabric file or topology; otherwise the cluster's first"},
      {"engine", &R::engine, "routing engine or file of tables; otherwise the cluster's\nfirst"},
      {"switch", &R::switches, "how switches work; weft list switch-parameters"},
      {"nic", &R::nic, "how hosts and their NICs work; weft list nics"},
      {"policy", &R::policy, "how best-effort flows share what promises leave: equal or\nmax-min"},
      {"rate-control", &R::rate_control,
       "no: nobody is asked, nothing is promised, and NICs send\ntheir packets in turn"},
  };
  return fields;
}

ScenarioResult run_scenario(const ScenarioRun& given, const ScenarioProgress& progress) {
  ScenarioResult out;
  out.run = given;
  out.controlled = yes_or_no("rate-control", given.rate_control);
  out.scenario = find_scenario(given.scenario);
  if (!given.policy.empty()) out.scenario.policy = parsed("policy", given.policy, policy_from);
  out.run.policy = to_text(out.scenario.policy);
  if (out.run.cluster.empty()) out.run.cluster = out.scenario.cluster;
  const Machine machine = machine_of(out.run, out.controlled);
  out.plan = plan_of(out.scenario, machine.fabric);
  for (FlowPlan& flow : out.plan.flows) {
    out.hosts.push_back({machine.fabric[flow.from].name, machine.fabric[flow.to].name});
    if (!out.controlled) flow.service = FlowService::free;
  }
  out.limited = asks_managers(out.plan);
  if (out.limited) {
    if (progress) progress(0, "measuring what hosts can carry");
    out.plan.limits = measure_limits(machine, out.scenario.capacity);
  }
  if (out.plan.link_percent == 0) out.plan.link_percent = usual_link_percent(machine);
  out.found = run_flows(machine, out.plan, [&](double share) {
    if (progress) progress(share, out.run.scenario);
  });
  return out;
}

std::string command_of(const ScenarioRun& run) {
  const ScenarioRun usual;
  std::string out = "weft qos " + shell_word(run.scenario);
  for (const ScenarioRunField& field : scenario_run_fields())
    if (field.value != &ScenarioRun::scenario && run.*field.value != usual.*field.value)
      out += fmt::format(" --{} {}", field.name, shell_word(run.*field.value));
  return out;
}

}  // namespace weft
