// SPDX-License-Identifier: Apache-2.0
// What reports on simulations call them: titles and values of fields.
#pragma once
#include <string>
#include <vector>

#include "lab/simulate/sweep.hpp"

namespace weft {

/// "dor", "switch iq:lanes=2".
std::string phrase(const SimulationField& field, const SimulationSpec& simulation);
/// "mesh:dims=8x8, xy, switch iq, traffic uniform, packet 1, load 0.1", without `varied` fields.
std::string title(const SimulationSpec& simulation,
                  const std::vector<SimulationField>& varied = {});
/// ", seeds 10" after a title.
std::string seeds_text(const SweepRow& row);

}  // namespace weft
