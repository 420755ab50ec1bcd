// SPDX-License-Identifier: Apache-2.0
// The size of a fabric in words.
#pragma once
#include <string>

#include "fabric/fabric.hpp"

namespace weft {

/// "16 switches, 64 hosts, 31 links".
std::string size_text(const Fabric& fabric);

}  // namespace weft
