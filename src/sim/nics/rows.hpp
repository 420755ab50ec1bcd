// SPDX-License-Identifier: Apache-2.0
// The NIC models, one function per file of this folder; catalog.cpp lists them.
#pragma once
#include "sim/nics/nic.hpp"

namespace weft::sim {

NicModel hca(const Params&);
NicModel via(const Params&);
NicModel martini(const Params&);
NicModel gm(const Params&);
NicModel elan_nic(const Params&);

}  // namespace weft::sim
