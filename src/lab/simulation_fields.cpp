// SPDX-License-Identifier: Apache-2.0
// The names of what a simulation is made of and of how it ends.
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/params.hpp"
#include "lab/simulation.hpp"

namespace weft {
namespace {

constexpr std::array<std::pair<Outcome, std::string_view>, 4> outcomes{{
    {Outcome::steady, "steady"},
    {Outcome::saturated, "saturated"},
    {Outcome::complete, "complete"},
    {Outcome::deadlocked, "deadlocked"},
}};

}  // namespace

const std::vector<SimulationField>& simulation_fields() {
  static const std::vector<SimulationField> fields{
      {"fabric", &Simulation::fabric, "fabric file, or a topology such as torus:dims=4x4"},
      {"tables", &Simulation::tables, "routing engine such as dor, or a file of tables"},
      {"switch", &Simulation::switches, "how switches work; weft list switch-parameters"},
      {"traffic", &Simulation::traffic, "who sends to whom; weft list traffic"},
      {"packet", &Simulation::packet, "its length in flits, in bytes (64B), or a mix 1*0.8+16*0.2"},
      {"load", &Simulation::load, "flits that a host sends per cycle, up to 1"},
      {"window", &Simulation::window,
       "packets of a host without acknowledgment at most; 0: any number"},
      {"ack", &Simulation::ack, "length of an acknowledgment; 0: it takes no time"},
      {"urgent", &Simulation::urgent, "share of packets with the higher priority"},
      {"faults", &Simulation::faults,
       "such as link=s0:3@1000-2000;switch=s7@2000;corrupt=h5@700;errors=1e-9"},
      {"warmup", &Simulation::warmup, "cycles before measuring; auto: until nothing drifts"},
      {"cycles", &Simulation::cycles, "cycles measured; auto: until the latency is known to 1 %"},
      {"seed", &Simulation::seed, "of all that is random"},
  };
  return fields;
}

bool is_trace(const Simulation& simulation) {
  return Spec::parse(simulation.traffic).name == "file";
}

std::string to_text(Outcome outcome) {
  for (const auto& [value, name] : outcomes)
    if (value == outcome) return std::string(name);
  invariant(false, "an outcome without a name");
  return {};
}

Outcome outcome_from(std::string_view text) {
  for (const auto& [value, name] : outcomes)
    if (name == text) return value;
  throw Error("\"{}\" is no outcome of a simulation", text);
}

}  // namespace weft
