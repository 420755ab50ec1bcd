// SPDX-License-Identifier: Apache-2.0
// The NIC models, one file of this folder each, with the parameters that it reads; catalog.cpp
// lists them.
#pragma once
#include <vector>

#include "sim/nics/nic.hpp"

namespace weft::sim {

NicModel hca(const Params&);
std::vector<Param> hca_params();
NicModel loggp(const Params&);
std::vector<Param> loggp_params();
NicModel via(const Params&);
std::vector<Param> via_params();
NicModel martini(const Params&);
std::vector<Param> martini_params();
NicModel gm(const Params&);
std::vector<Param> gm_params();
NicModel elan_nic(const Params&);
std::vector<Param> elan_params();
NicModel ideal(const Params&);

}  // namespace weft::sim
