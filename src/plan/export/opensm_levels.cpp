// SPDX-License-Identifier: Apache-2.0
// Finds the service level of every pair.
#include "plan/export/opensm_levels.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "fabric/walk.hpp"

namespace weft {
namespace {

using Row = std::vector<std::uint8_t>;

constexpr const char* by_ports =
    "its lanes depend on the ports that a packet comes by and leaves by, and stock OpenSM gives "
    "all ports of switches the same lanes: weft's plugin of OpenSM sets them (opensm -R weft; "
    "dfsssp, lash, nue and updown need none)";

/// The levels of the pairs of one engine, or why they are none.
class PairLevelFinder {
 public:
  PairLevelFinder(const Fabric& fabric, const Tables& tables) : fabric_(fabric), tables_(tables) {}

  std::variant<PairLevels, Refused> find() && {
    out_.row_to.assign(fabric_.host_count(), 0);
    const auto* service = std::get_if<ServiceLanes>(&tables_.lanes);
    out_.by_host =
        service != nullptr ? service->by_host : std::holds_alternative<TurnLanes>(tables_.lanes);
    for (HostId to : fabric_.hosts()) {
      if (!take_row(to, tables_.to_host[to])) return changing_;
      out_.row_to[to] = row_;
    }
    for (const auto& [host, lid, column] : tables_.further) {
      if (!take_row(host, column)) return changing_;
      out_.row_to_further.push_back(row_);
    }
    if (auto refused = count_levels()) return *refused;
    return std::move(out_);
  }

 private:
  /// Finds the row to a host; false where a packet changes its lane.
  bool take_row(HostId to, ColumnId column) {
    const auto row = row_of(to, column);
    if (!row) return false;
    const auto [found, fresh] = known_.emplace(*row, out_.rows.size());
    if (fresh) out_.rows.push_back(*row);
    row_ = found->second;
    return true;
  }

  /// The levels of all sources to a host; nullopt where a packet changes its lane.
  std::optional<Row> row_of(HostId to, ColumnId column) {
    const std::size_t sources = out_.by_host ? fabric_.host_count() : fabric_.switch_count();
    if (!column.valid() || std::holds_alternative<OneLane>(tables_.lanes)) return Row(sources, 0);
    if (const auto* service = std::get_if<ServiceLanes>(&tables_.lanes)) {
      const auto levels = service->level[column];
      return Row(levels.begin(), levels.end());
    }
    Row row;
    Walker walk(fabric_, tables_);
    for (HostId from : fabric_.hosts()) {
      const std::vector<Hop>& hops = walk(from, to, column).hops;
      row.push_back(hops.empty() ? std::uint8_t{0} : hops.front().lane);
      const auto other = std::find_if(hops.begin(), hops.end(),
                                      [&](const Hop& hop) { return hop.lane != row.back(); });
      if (other == hops.end()) continue;
      changing_.why = fmt::format(
          "packets change their lane on the way (from {} to {}, from lane {} to lane {}), which "
          "follows from the lane before: switches of InfiniBand go by service level and ports "
          "alone (dfsssp, lash, nue and updown need no more)",
          fabric_[from].name, fabric_[to].name, row.back(), other->lane);
      return std::nullopt;
    }
    return row;
  }

  std::optional<Refused> count_levels() {
    unsigned most = 0;
    for (const Row& row : out_.rows)
      for (const std::uint8_t level : row) most = std::max(most, unsigned{level});
    if (most >= most_service_levels)
      return Refused{fmt::format("it uses service level {}; InfiniBand has those from 0 to {}",
                                 most, most_service_levels - 1)};
    out_.count = most + 1;
    return std::nullopt;
  }

  const Fabric& fabric_;
  const Tables& tables_;
  PairLevels out_;
  std::map<Row, std::size_t> known_;
  std::size_t row_ = 0;  ///< the last one found
  Refused changing_;
};

}  // namespace

std::variant<PairLevels, Refused> pair_levels(const Fabric& fabric, const Tables& tables) {
  if (std::holds_alternative<ChoiceTables>(tables.paths))
    return Refused{"its entries leave switches a choice; OpenSM loads tables with one port each"};
  if (!std::holds_alternative<DestinationTables>(tables.paths))
    return Refused{
        "its routes are lists of ports from the source on; InfiniBand's switches go by "
        "destination"};
  if (are_levels_unknown(tables))
    return Refused{"the service levels of its paths are not known (ibdiagnet's .psl has them)"};
  return PairLevelFinder(fabric, tables).find();
}

std::optional<Lane> uniform_lane(const Fabric& fabric, const Tables& tables, unsigned level) {
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  if (service == nullptr || !service->map) return static_cast<Lane>(level);
  std::optional<Lane> lane;
  for (SwitchId s : fabric.switches())
    for (ChannelId out : fabric.out(s))
      for (std::uint32_t in = 1; in <= fabric[s].ports; ++in) {
        const PortNumber port = fabric.out_port(out), from = static_cast<PortNumber>(in);
        const Neighbour behind = fabric.at_port(s, from);
        if (from == port || (!behind.channel.valid() && !behind.host.valid())) continue;
        const Lane here = (*service->map)(s, fabric[s], from, port, level);
        if (lane.value_or(here) != here) return std::nullopt;
        lane = here;
      }
  return lane.value_or(Lane{0});
}

std::variant<std::vector<Lane>, Refused> lanes_of_levels(const Fabric& fabric, const Tables& tables,
                                                         const PairLevels& levels) {
  for (std::size_t i = 0; i < tables.further.size(); ++i)
    if (const HostId host = tables.further[i].host; levels.row_to_further[i] != levels.row_to[host])
      return Refused{fmt::format(
          "the service levels to the LIDs of host \"{}\" differ, and OpenSM's policy goes by "
          "ports, not by LIDs",
          fabric[host].name)};
  std::vector<Lane> out;
  for (unsigned level = 0; level < levels.count; ++level) {
    const auto lane = uniform_lane(fabric, tables, level);
    if (!lane) return Refused{by_ports};
    out.push_back(*lane);
  }
  const int lanes = 1 + *std::max_element(out.begin(), out.end());
  if (lanes > usual_lanes)
    return Refused{
        fmt::format("it needs {} lanes; adapters and switches of InfiniBand have {} data lanes",
                    lanes, usual_lanes)};
  return out;
}

}  // namespace weft
