// SPDX-License-Identifier: Apache-2.0
// What fabrics, tables and certificates hold, as far as it matters for deadlocks.
#pragma once
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "verify/verify.hpp"

namespace weft::verifier {

using Index = std::uint32_t;
using IndexList = std::vector<Index>;
using NameMap = std::unordered_map<std::string_view, Index>;
inline constexpr Index none = ~Index{0};

/// A channel. Or what packets come from that hold no channel, and go to at last: a host, at its
/// switch and port, or a switch itself, at port 0.
struct DirectedLink {
  Index from, port, to, in_port;
};
struct TableColumn {
  IndexList hosts;   ///< that it leads to
  IndexList next;    ///< by switch: a port, 0 (here) or none; a source route or none
  IndexList levels;  ///< by source, a switch or a host; all 0 if empty
  bool by_host = false;
};
/// One of the things that a packet may do next.
struct TableChoice {
  Index port, lane, phase;  ///< none: the lane follows from the rules
};
struct TablePhase {
  bool to_intermediates = false;
  Index next = none, detour = none;                ///< phases
  std::unordered_map<Index, Index> own_columns{};  ///< by host
};
struct TableGroup {
  std::string_view name;
  Index lane, level, source, root;  ///< a lane, or a level
  IndexList members;
  std::map<Index, Index> up;       ///< port by switch
  std::map<Index, IndexList> out;  ///< ports by switch, in ascending order
};
/// What a turn does to the lane; a mark below these is a lane.
enum TurnMark : Index { keep = 64, plus, minus, never };

/// What the three texts hold.
struct VerifierInput {
  std::vector<std::string_view> switches, hosts;
  std::vector<DirectedLink> links;  ///< those of the hosts, of the switches themselves, channels
  std::vector<IndexList> link_at;   ///< by switch and port
  Index lanes = 1, certificate_lanes = 1;
  bool by_source = false, by_level = false;  ///< columns hold source routes; lanes follow levels
  bool by_choice = false;                    ///< or they hold 1 + the number of a set
  std::vector<std::vector<TableChoice>> sets;
  std::vector<TablePhase> phases;
  IndexList starts, intermediates;  ///< phases in which packets start; columns
  bool start_by_level = false;
  ProofKind proof = ProofKind::every_choice;
  IndexList usual{0, 0};  ///< marks of packets from hosts, and of others; or lanes by level
  std::vector<std::unordered_map<Index, IndexList>> unusual;  ///< the same by switch and ports
  std::vector<IndexList> choices{{0}};                        ///< the ports that a tag allows
  std::vector<std::pair<Index, Index>> routes{{}};            ///< first tag, and the route after it
  std::vector<TableColumn> columns;
  std::vector<TableGroup> groups;
  IndexList number;  ///< by link * lanes + lane
  NameMap switch_called{}, host_called{};
};

}  // namespace weft::verifier
