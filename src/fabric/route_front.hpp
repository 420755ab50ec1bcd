// SPDX-License-Identifier: Apache-2.0
// RouteFront: where packets of a pair may be after a number of hops, in words.
#pragma once
#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

/// The switches where packets of a pair may be after a number of hops, and their ports there.
struct RouteFront {
  std::set<SwitchId> at;
  std::set<PortNumber> out;
  std::set<Lane> lanes;
};

/// "s4, s6:1 lane 0".
inline std::string front_text(const Fabric& fabric, const RouteFront& front) {
  constexpr std::size_t most_names = 4;
  std::vector<std::string_view> names;
  for (const SwitchId s : front.at) names.push_back(fabric[s].name);
  std::string out = names.size() > most_names ? fmt::format("{} switches", names.size())
                                              : fmt::format("{}", fmt::join(names, ", "));
  out += fmt::format(":{}", fmt::join(front.out, "|"));
  return front.lanes.empty() ? out : out + fmt::format(" lane {}", fmt::join(front.lanes, "|"));
}

}  // namespace weft
