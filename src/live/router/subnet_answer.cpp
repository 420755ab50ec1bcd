// SPDX-License-Identifier: Apache-2.0
// Ports by LID, lanes by ports and level, levels by pairs of LIDs.
#include "live/router/subnet_answer.hpp"

#include <algorithm>

#include "base/words.hpp"
#include "fabric/format/lid_entries.hpp"
#include "plan/export/opensm_levels.hpp"

namespace weft::live {
namespace {

class AnswerWriter {
 public:
  AnswerWriter(const Fabric& fabric, const Tables& tables, PairLevels levels)
      : fabric_(fabric), tables_(tables), levels_(std::move(levels)), entries_(fabric, tables) {}

  SubnetAnswer write(unsigned lanes) && {
    out_.spare = spare_levels(tables_, lanes);
    for (SwitchId s : fabric_.switches()) write_switch(s);
    if (!std::holds_alternative<OneLane>(tables_.lanes)) write_levels();
    return std::move(out_);
  }

 private:
  unsigned lane(SwitchId s, unsigned in, unsigned out, unsigned level) const {
    if (level >= out_.spare.first) return out_.spare.lane;
    const auto* service = std::get_if<ServiceLanes>(&tables_.lanes);
    if (service == nullptr || !service->map) return level;
    return (*service->map)(s, fabric_[s], static_cast<PortNumber>(in), static_cast<PortNumber>(out),
                           level);
  }

  void write_switch(SwitchId s) {
    const auto lids = entries_.destinations();
    SwitchTables& at = out_.tables.switches.emplace_back();
    at.guid = fabric_[s].guid;
    at.ports = fabric_[s].ports;
    at.port_by_lid.assign(lids.empty() ? 0 : lids.back().lid + std::size_t{1}, 0xFF);
    for (const LidDestination& to : lids)
      if (const PortNumber port = entries_.port(s, to); port != no_port)
        at.port_by_lid[to.lid] = static_cast<std::uint8_t>(port);
    if (std::holds_alternative<OneLane>(tables_.lanes)) return;
    at.lanes.reserve((at.ports + std::size_t{1}) * (at.ports + std::size_t{1}));
    for (unsigned in = 0; in <= at.ports; ++in)
      for (unsigned out = 0; out <= at.ports; ++out) {
        LaneTable& table = at.lanes.emplace_back();
        for (unsigned level = 0; level < most_service_levels; ++level)
          set_lane(table, level, lane(s, in, out, level));
      }
  }

  void write_levels() {
    SubnetTables& out = out_.tables;
    out.levels = levels_.rows;
    const std::size_t lids = out.switches.empty() ? 0 : out.switches.front().port_by_lid.size();
    out.row.assign(lids, SubnetTables::unknown);
    out.source.assign(lids, SubnetTables::unknown);
    for (HostId h : fabric_.hosts())
      for (unsigned lid = 0; lid < 1U << fabric_[h].lmc; ++lid) {
        out.row[fabric_[h].lid + lid] = static_cast<std::uint32_t>(levels_.row_to[h]);
        out.source[fabric_[h].lid + lid] = static_cast<std::uint32_t>(levels_.source(fabric_, h));
      }
    for (std::size_t i = 0; i < tables_.further.size(); ++i) {
      const FurtherColumn& further = tables_.further[i];
      out.row[fabric_[further.host].lid + further.lid] =
          static_cast<std::uint32_t>(levels_.row_to_further[i]);
    }
    // A host's own link is on no cycle: nothing waits for it. Levels are spread over the lanes.
    for (unsigned level = 0; level < most_service_levels; ++level)
      set_lane(out.adapters, level,
               level < out_.spare.first ? level % static_cast<unsigned>(tables_.lane_count)
                                        : out_.spare.lane);
  }

  const Fabric& fabric_;
  const Tables& tables_;
  PairLevels levels_;
  LidEntries entries_;
  SubnetAnswer out_;
};

}  // namespace

SpareLevels spare_levels(const Tables& tables, unsigned lanes) {
  const auto used = static_cast<unsigned>(tables.lane_count);
  unsigned levels = used;
  if (const auto* service = std::get_if<ServiceLanes>(&tables.lanes))
    if (service->map) levels = static_cast<unsigned>(service->map->levels);
  return {levels, static_cast<Lane>(used < lanes ? used : 0)};
}

std::variant<SubnetAnswer, Refused> subnet_answer(const Fabric& fabric, const Tables& tables,
                                                  unsigned lanes) {
  auto levels = pair_levels(fabric, tables);
  if (const auto* refused = std::get_if<Refused>(&levels)) return *refused;
  if (tables.lane_count > static_cast<int>(lanes))
    return Refused{fmt::format("it uses {} lanes (VLs), and {}", tables.lane_count,
                               lanes == 1 ? "there is one, as OpenSM runs without QoS (-Q)"
                                          : fmt::format("the links have {}", lanes))};
  return AnswerWriter(fabric, tables, std::get<PairLevels>(std::move(levels))).write(lanes);
}

GroupLane group_lane_of(const Tables& tables, const SpareLevels& spare, std::uint8_t level) {
  if (std::holds_alternative<OneLane>(tables.lanes)) return {};
  if (level >= spare.first) return {spare.lane, {}};
  if (std::holds_alternative<ServiceLanes>(tables.lanes)) return {0, level};
  return {level, {}};
}

}  // namespace weft::live
