// SPDX-License-Identifier: Apache-2.0
// The fields of a run of a scenario, and how each is read.
#include "lab/flows/request.hpp"

#include "lab/cluster/machine_fields.hpp"
#include "sim/nics/nic.hpp"

namespace weft {
namespace {

using S = ScenarioSpec;
using R = ScenarioRequest;

/// The reader of scenario files names the file itself.
void read_scenario_name(std::string_view, const std::string& text, R& out) {
  out.scenario = find_scenario(text);
}

void read_policy(std::string_view name, const std::string& text, R& out) {
  if (!text.empty()) out.scenario.policy = parsed(name, text, policy_from);
}

void read_rate_control(std::string_view name, const std::string& text, R& out) {
  if (text != "yes" && text != "no") reject(name, text, "it is yes or no");
  out.controlled = text == "yes";
}

/// The NIC with schedule=rate, unless its spec has another, or with schedule=packet.
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

}  // namespace

const std::vector<ScenarioField>& scenario_fields() {
  static const std::vector<ScenarioField> fields = with_machine_fields<S, R>(
      {
          {"scenario", &S::scenario, "scenario file, or one of weft list scenarios",
           read_scenario_name},
          {"cluster", &S::cluster,
           "cluster file, or one of weft list clusters; otherwise the\nscenario's"},
      },
      {
          {"policy", &S::policy,
           "how best-effort flows share what promises leave: equal or\nmax-min", read_policy},
          {"rate-control", &S::rate_control,
           "no: nobody is asked, nothing is promised, and NICs send\ntheir packets in turn",
           read_rate_control},
      });
  return fields;
}

ScenarioRequest request_of(const ScenarioSpec& spec) {
  ScenarioRequest out;
  out.spec = spec;
  read_fields(spec, scenario_fields(), out);
  out.spec.policy = to_text(out.scenario.policy);
  if (spec.cluster.empty()) out.spec.cluster = out.scenario.cluster;
  if (out.spec.cluster.empty() && (spec.topology.empty() || spec.engine.empty()))
    throw Error("{}: it names no cluster to run on: give one with --cluster", spec.scenario);
  FilledMachine machine =
      fill({out.spec.cluster, spec.topology, spec.engine, spec.switches, spec.nic, "none"});
  machine.spec.nic = with_schedule(machine.spec.nic, out.controlled);
  out.machine = request_of(machine);
  assign_machine(out.spec, machine.spec);
  return out;
}

std::string command_of(const ScenarioSpec& spec) {
  return fmt::format("weft qos {}{}", shell_word(spec.scenario),
                     options_of(spec, scenario_fields(), {&S::scenario}));
}

}  // namespace weft
