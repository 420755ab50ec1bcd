// SPDX-License-Identifier: Apache-2.0
// InfiniBand's names of link speeds, "4xQDR", and what they mean in bits per second.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/units.hpp"

namespace weft {

/// The data rate of "4xQDR" and the like: lanes times signalling rate, less the line coding (8b/10b
/// up to QDR, 64b/66b from FDR10 on, and the forward error correction from HDR on), so 4xQDR is
/// 32 Gb/s, 4xEDR 100 Gb/s. nullopt when `text` is no such name.
std::optional<Bandwidth> infiniband_rate(std::string_view text);

/// A name with this data rate, preferably of a 4x link (8 Gb/s is both 4xSDR and 1xQDR); nullopt
/// when there is none.
std::optional<std::string> infiniband_name(Bandwidth speed);

}  // namespace weft
