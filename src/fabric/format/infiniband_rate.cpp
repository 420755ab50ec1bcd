// SPDX-License-Identifier: Apache-2.0
// InfiniBand link speeds (InfiniBand Architecture Specification 1.7, volume 2, chapter 5).
#include "fabric/format/infiniband_rate.hpp"

#include <array>

#include "fabric/format/parsing/text.hpp"

namespace weft {
namespace {

struct LaneRate {
  std::string_view name;
  std::int64_t bits_per_second;  ///< data rate of one lane
};

constexpr std::array lane_rates{LaneRate{"SDR", 2'000'000'000},   LaneRate{"DDR", 4'000'000'000},
                                LaneRate{"QDR", 8'000'000'000},   LaneRate{"FDR10", 10'000'000'000},
                                LaneRate{"FDR", 13'636'363'636},  // 14.0625 Gb/s * 64/66
                                LaneRate{"EDR", 25'000'000'000},  LaneRate{"HDR", 50'000'000'000},
                                LaneRate{"NDR", 100'000'000'000}, LaneRate{"XDR", 200'000'000'000}};

constexpr std::array widths{4, 1, 2, 8, 12};  // in the order in which a name is looked for

}  // namespace

std::optional<Bandwidth> infiniband_rate(std::string_view text) {
  for (const int width : widths) {
    std::string_view rest = text;
    if (!take_prefix(rest, fmt::format("{}x", width))) continue;
    for (const LaneRate& rate : lane_rates)
      if (rest == rate.name) return Bandwidth{width * rate.bits_per_second};
  }
  return std::nullopt;
}

std::optional<std::string> infiniband_name(Bandwidth speed) {
  for (const int width : widths)
    for (const LaneRate& rate : lane_rates)
      if (width * rate.bits_per_second == speed.bits_per_second)
        return fmt::format("{}x{}", width, rate.name);
  return std::nullopt;
}

}  // namespace weft
