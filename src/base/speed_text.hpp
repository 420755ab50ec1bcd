// SPDX-License-Identifier: Apache-2.0
// Speeds for people, who want few digits; to_text() is exact, for files.
#pragma once
#include <string>

#include "base/units.hpp"

namespace weft {

/// "100Gb/s"; "54.5Gb/s" for 54545454.544kb/s (InfiniBand's 4xFDR).
std::string speed_text(Bandwidth speed);

}  // namespace weft
