// SPDX-License-Identifier: Apache-2.0
// Multicast groups in weft's tables.
#include "fabric/format/parsing/weft_tables_groups.hpp"

namespace weft::weft_tables {

Group read_group(FabricWords& words, int lane_count, unsigned level_count) {
  Group group;
  group.name = words.word("a group's name");
  if (level_count > 0 && words.take_word("level")) {
    group.level = static_cast<std::uint8_t>(words.number(level_count - 1, "a service level"));
  } else {
    words.need("lane", "group name lane 0: h0 h1");
    group.lane = words.lane(lane_count);
  }
  if (!words.at(':') && !words.at('r')) {
    words.need("source", "group name lane 0 source h0: h0 h1");
    group.source = words.known_host();
  }
  if (words.at('r')) {
    words.need("root", "group name lane 0 root s0: h0 h1");
    if (group.level) words.wrong("a group with a root has a lane, not a level");
    group.root = words.known_switch();
  }
  words.need_colon();
  std::unordered_set<std::size_t> listed;
  while (!words.at_end()) {
    const HostId member = words.known_host();
    if (!listed.insert(member.index()).second)
      words.wrong("host \"{}\" is listed twice", shown(words.fabric()[member].name));
    group.members.push_back(member);
  }
  return group;
}

void read_up(FabricWords& words, std::vector<Group>& groups) {
  if (groups.empty() || !groups.back().root)
    words.wrong("an \"up\" line belongs below a group with a root");
  const auto port = static_cast<PortNumber>(words.number(most_ports, "a port"));
  words.need_colon();
  while (!words.at_end()) {
    const SwitchId s = words.known_switch();
    const Switch& data = words.fabric()[s];
    if (port == 0 || port > data.ports)
      words.wrong("switch \"{}\" has {} ports, there is no port {}", shown(data.name), data.ports,
                  port);
    groups.back().up.push_back({s, port});
  }
}

void read_out(FabricWords& words, std::vector<Group>& groups,
              std::unordered_set<std::size_t>& switches) {
  if (groups.empty()) words.wrong("an \"out\" line belongs below a group");
  PortSet set;
  set.on = words.known_switch();
  if (!switches.insert(set.on.index()).second)
    words.wrong("switch \"{}\" has a second line \"out\" in this group; one is possible",
                shown(words.fabric()[set.on].name));
  words.need_colon();
  std::unordered_set<PortNumber> listed;
  while (!words.at_end()) {
    const PortNumber port = words.port_of(set.on);
    if (port == 0) words.wrong("port 0 is the switch itself; ports count from 1");
    if (!listed.insert(port).second) words.wrong("port {} is listed twice", port);
    set.ports.push_back(port);
  }
  groups.back().out.push_back(std::move(set));
}

}  // namespace weft::weft_tables
