// SPDX-License-Identifier: Apache-2.0
// The names of the outcomes of a simulation.
#include "lab/simulate/result.hpp"

#include <array>
#include <utility>

#include "base/error.hpp"

namespace weft {
namespace {

constexpr std::array<std::pair<SimulationOutcome, std::string_view>, 4> outcomes{{
    {SimulationOutcome::steady, "steady"},
    {SimulationOutcome::saturated, "saturated"},
    {SimulationOutcome::complete, "complete"},
    {SimulationOutcome::deadlocked, "deadlocked"},
}};

}  // namespace

std::string to_text(SimulationOutcome outcome) {
  for (const auto& [value, name] : outcomes)
    if (value == outcome) return std::string(name);
  invariant(false, "an outcome without a name");
  return {};
}

SimulationOutcome outcome_from(std::string_view text) {
  for (const auto& [value, name] : outcomes)
    if (name == text) return value;
  throw Error("\"{}\" is no outcome of a simulation", text);
}

}  // namespace weft
