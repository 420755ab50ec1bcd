// SPDX-License-Identifier: Apache-2.0
// The numbers of an Elan, for those who look into one without a network around it.
#pragma once
#include "base/params.hpp"
#include "sim/elan/model.hpp"

namespace weft::sim {

/// Throws Error for numbers that no Elan has.
elan::Model elan_model(const Params& params);
/// Those of a spec. Throws Error when it is of another NIC.
elan::Model elan_model_from(std::string_view spec);

}  // namespace weft::sim
