// SPDX-License-Identifier: Apache-2.0
// A fabric as a section of a page: where its switches lie, what its links carry, its routes hop by
// hop, its multicast groups and the proof that its routes cannot deadlock, or the cycle.
#pragma once
#include <string>
#include <vector>

#include "lab/draw/fabric_picture.hpp"
#include "lab/page/html_page.hpp"
#include "plan/check/check.hpp"

namespace weft {

/// What links carry over time, in a simulation.
struct LoadsOverTime {
  std::string name{}, unit{};
  std::vector<double> times{};  ///< us: where each sample begins; one: a mean of the whole run
  std::vector<IdVector<ChannelId, double>> loads{};
};

struct PageRouting {
  const Tables& tables;
  const Checked* checked = nullptr;  ///< none: without a proof
  std::string name{};                ///< instead of the engine's
};

enum class MarkColour { good, warning, bad };

/// Part of the fabric to be shown: what is missing, what failed.
struct FabricMark {
  std::string name{};
  MarkColour colour = MarkColour::bad;
  std::vector<SwitchId> switches{};
  std::vector<LinkId> links{};
  std::vector<HostId> hosts{};
};

struct PageFabric {
  const Fabric& fabric;
  std::vector<PageRouting> routings{};
  std::vector<LoadsOverTime> loads{};
  std::vector<FabricMark> marks{};
  bool compared = false;  ///< the first two routings are shown side by side
};

/// Tables of more entries are left out of pages.
inline constexpr std::size_t most_page_entries = 4'000'000;

PageSection fabric_section(const PageFabric& shown);

/// Of a routing: its load, paths, lanes, groups and proof.
nlohmann::ordered_json page_routing(const Fabric& fabric, const PageRouting& routing);
/// The verdict on deadlock in words; the order of channels where it is short.
nlohmann::ordered_json page_proof(const Fabric& fabric, const Tables& tables,
                                  const Checked& checked);

/// The numbers of ids.
template <class Ids>
nlohmann::ordered_json page_indices(const Ids& ids) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const auto id : ids) out.push_back(id.index());
  return out;
}

}  // namespace weft
