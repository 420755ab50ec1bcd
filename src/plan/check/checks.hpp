// SPDX-License-Identifier: Apache-2.0
// The checks, one function per file of this folder; catalog.cpp lists them.
#pragma once
#include "plan/check/check.hpp"

namespace weft {

Finding check_reach(const Subject&);
Finding check_hops(const Subject&);
Finding check_load(const Subject&);
Finding check_matchings(const Subject&);
Finding check_bisection(const Subject&);
Finding check_multicast(const Subject&);
Finding check_deadlock(const Subject&);

}  // namespace weft
