// SPDX-License-Identifier: Apache-2.0
// Brackets in a value make a sweep: "iq:lanes=[1,2,4]", "[0.05..0.4:0.05]".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lab/simulate/request.hpp"

namespace weft {

inline constexpr std::size_t most_points = 100'000;  ///< of a sweep

/// Expands a text with brackets; several brackets multiply, the last one varying fastest. Within a
/// bracket commas separate the values, or bars where it has any: then a value may have commas, or
/// be empty. "1..9:2" is 1, 3, 5, 7, 9, and "1..9" goes by ones; "0.1..0.5" lacks its step. Texts
/// that do not begin with a number, such as ../torus.toml, stay as they are. Throws Error.
std::vector<std::string> expand(std::string_view text);

/// All specs of one with brackets in its fields, without repetitions; of 0.2 and 0.20 the
/// first is kept. They multiply in the order of simulation_fields(), the last one varying fastest;
/// the load, though, is varied before any other, so that curves stay together. Throws Error naming
/// the field.
std::vector<SimulationSpec> expand(const SimulationSpec& spec);

}  // namespace weft
