// SPDX-License-Identifier: Apache-2.0
// Lanes by turn and by service level in weft's tables.
#include "fabric/format/parsing/weft_tables_lanes.hpp"

namespace weft::weft_tables {
namespace {

/// Lanes by turn take a byte per pair of ports: a switch of 65,000 ports would take 4 GB.
constexpr std::size_t most_lane_entries = std::size_t{1} << 30;

void need_memory(const FabricWords& words, std::size_t per_turn) {
  const Fabric& fabric = words.fabric();
  std::size_t entries = 0;
  for (SwitchId s : fabric.switches()) {
    const std::size_t ports = fabric[s].ports + std::size_t{1};
    entries += ports * ports * per_turn;
  }
  if (entries > most_lane_entries)
    words.wrong("lanes by turn would take {} entries on this fabric; at most {} are possible",
                entries, most_lane_entries);
}

LaneOp read_op(FabricWords& words, int lane_count) {
  if (words.take_mark('=')) return LaneOp::keep();
  if (words.take_mark('+')) return LaneOp::plus_one();
  if (words.take_mark('-')) return LaneOp::minus_one();
  if (words.take_mark('x')) return {};
  return LaneOp::set(words.lane(lane_count));
}

/// Refuses a second line for the same ports.
void note_line(FabricWords& words, LaneRule& rule, SwitchId s, std::uint64_t in,
               std::uint64_t out) {
  if (!rule.read.insert(std::uint64_t{s.index()} << 32U | in << 16U | out).second)
    words.wrong("there is a second line for these ports of switch \"{}\"; one is possible",
                shown(words.fabric()[s].name));
}

}  // namespace

TurnLanes read_turns(FabricWords& words, int lane_count) {
  constexpr std::string_view form = "turns from hosts 0 otherwise =";
  words.need("from", form);
  words.need("hosts", form);
  const LaneOp from_host = read_op(words, lane_count);
  words.need("otherwise", form);
  const LaneOp otherwise = read_op(words, lane_count);
  words.need_end();
  need_memory(words, 1);
  return {words.fabric(), from_host, otherwise};
}

void read_turn(FabricWords& words, int lane_count, LaneRule& rule) {
  if (!rule.turns) words.wrong("a \"turn\" line needs a line \"turns\" before it");
  const SwitchId s = words.known_switch();
  const PortNumber in = words.port_of(s);
  note_line(words, rule, s, in, 0);
  words.need_colon();
  const LaneOp first = read_op(words, lane_count);
  const bool uniform = words.at_end();
  const unsigned ports = words.fabric()[s].ports;
  for (unsigned out = 0; out <= ports; ++out) {
    if (out != 0 && !uniform && words.at_end())
      words.wrong("{} marks are needed, by out-port from 0, or one for all", ports + 1);
    rule.turns->at(s, in, static_cast<PortNumber>(out)) =
        out == 0 || uniform ? first : read_op(words, lane_count);
  }
  words.need_end();
}

ServiceLanes read_levels(FabricWords& words, int lane_count) {
  ServiceLanes service;
  if (words.at_end()) return service;
  const unsigned levels = words.number(256, "a number of levels");
  if (levels == 0) words.wrong("0 levels; from 1 to 256 are possible");
  words.need_colon();
  std::vector<Lane> by_level;
  by_level.reserve(levels);
  for (unsigned level = 0; level < levels; ++level) by_level.push_back(words.lane(lane_count));
  words.need_end();
  need_memory(words, by_level.size());
  service.map = uniform_map(words.fabric(), by_level);
  return service;
}

void read_map(FabricWords& words, int lane_count, LaneRule& rule) {
  if (!rule.service || !rule.service->map)
    words.wrong("a \"map\" line needs a line \"levels N: …\" before it");
  ServiceLanes::Map& map = *rule.service->map;
  const SwitchId s = words.known_switch();
  const std::size_t in = words.port_of(s);
  const std::size_t out = words.port_of(s);
  note_line(words, rule, s, in, out);
  words.need_colon();
  const std::size_t width = words.fabric()[s].ports + std::size_t{1};
  const auto levels = static_cast<std::size_t>(map.levels);
  for (std::size_t level = 0; level < levels; ++level)
    map.lane[s.index()][(in * width + out) * levels + level] = words.lane(lane_count);
  words.need_end();
}

}  // namespace weft::weft_tables
