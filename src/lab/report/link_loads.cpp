// SPDX-License-Identifier: Apache-2.0
// What links carry, for pictures of a fabric and as text: routes of tables, or flits of a
// simulation.
#include <ostream>

#include "lab/report/report.hpp"
#include "plan/check/survey.hpp"

namespace weft {

LoadMap routes_over(const Fabric& fabric, const Tables& tables) {
  return {survey(fabric, tables).load, "routes", 0};
}

LoadMap use_of_links(const Fabric& fabric, const SimulationResult& result) {
  LoadMap out{IdVector<ChannelId, double>(fabric.channel_count()), "flits per cycle", 3};
  for (const LinkUse& link : result.links)
    if (link.lane < 0 && link.channel.valid()) out.of[link.channel] = link.use;
  return out;
}

void write_hot_links(std::ostream& out, const Fabric& fabric, const LoadMap& loads) {
  constexpr std::size_t most = 5;
  const std::vector<ChannelId> hot = hot_channels(loads.of, most);
  if (hot.empty())
    out << fmt::format("hot links  none: no link between switches carries any {}\n", loads.unit);
  for (std::size_t i = 0; i < hot.size(); ++i)
    out << fmt::format("{:<10} {}  {:.{}f} {}\n", i == 0 ? "hot links" : "",
                       channel_text(fabric, hot[i]), loads.of[hot[i]], loads.places, loads.unit);
  if (const std::string more = equally_hot_text(loads.of, hot); !more.empty())
    out << fmt::format("{:<10} {}\n", "", more);
}

}  // namespace weft
