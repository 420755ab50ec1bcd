// SPDX-License-Identifier: Apache-2.0
// The functions behind the rows of catalog.cpp, one file each. What they share is in
// destinations.hpp.
#pragma once
#include "sim/traffic/traffic.hpp"

namespace weft::sim {

std::unique_ptr<Pattern> uniform(const Fabric&, const Params&);
std::unique_ptr<Pattern> bit_reversal(const Fabric&, const Params&);
std::unique_ptr<Pattern> transpose(const Fabric&, const Params&);
std::unique_ptr<Pattern> rhinet_transpose(const Fabric&, const Params&);
std::unique_ptr<Pattern> complement(const Fabric&, const Params&);
std::unique_ptr<Pattern> shuffle(const Fabric&, const Params&);
std::unique_ptr<Pattern> tornado(const Fabric&, const Params&);
std::unique_ptr<Pattern> neighbour(const Fabric&, const Params&);
std::unique_ptr<Pattern> hot_spot(const Fabric&, const Params&);
std::unique_ptr<Pattern> permutation(const Fabric&, const Params&);
std::unique_ptr<Pattern> all_to_all(const Fabric&, const Params&);
std::unique_ptr<Pattern> adversarial(const Fabric&, const Params&);

}  // namespace weft::sim
