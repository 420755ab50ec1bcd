// SPDX-License-Identifier: Apache-2.0
// What the three texts hold, as far as it matters for deadlocks.
#pragma once
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "verify/verify.hpp"

namespace weft::verifier {

using Index = std::uint32_t;
using IndexList = std::vector<Index>;
using NameMap = std::unordered_map<std::string_view, Index>;
inline constexpr Index none = ~Index{0}, most_ports = 65'000;

using IndexPair = std::pair<std::size_t, std::size_t>;
struct PairHash {
  std::size_t operator()(const IndexPair& pair) const {
    return pair.first * 0x9E3779B97F4A7C15U ^ pair.second * 0xC2B2AE3D27D4EB4FU;
  }
};
template <class Value>
using PairMap = std::unordered_map<IndexPair, Value, PairHash>;

/// From a port of a switch to a port of another switch (a channel), or to a host.
struct DirectedLink {
  Index from, port, to, in_port;
};
struct TableColumn {
  IndexList hosts;   ///< that it leads to
  IndexList next;    ///< by switch: a port, 0 (here) or none; a source route or none
  IndexList levels;  ///< by source switch
};
struct TableGroup {
  std::string_view name;
  Index lane = 0, source = none, root = none;
  IndexList members;
  std::map<Index, IndexList> out;  ///< ports by switch, in ascending order
  std::map<Index, Index> up;       ///< port by switch
};
enum class LanesFollow { nothing, level, turn, map };
enum TurnMark : Index { keep = 64, plus, minus, never };

struct VerifierInput {
  std::vector<std::string_view> switches, hosts;
  NameMap switch_called, host_called;
  IndexList ports;                  ///< how many a switch has; they count from 1
  std::vector<DirectedLink> links;  ///< first those to the hosts, in their order
  PairMap<Index> link_at;           ///< by switch and port

  Index lanes = 1;
  bool by_source = false;
  LanesFollow rule = LanesFollow::nothing;
  IndexList usual;             ///< turns: marks from hosts, otherwise; map: the lane of each level
  PairMap<IndexList> unusual;  ///< by switch and ports: marks by out-port, or one; lanes by level
  std::vector<IndexList> choices;     ///< groups of links: any of these ports
  std::vector<IndexPair> routes{{}};  ///< tag (above most_ports a choice) and the route after it
  std::vector<TableColumn> columns;
  std::vector<TableGroup> groups;

  Index certificate_lanes = 1;
  IndexList number;  ///< by link * lanes + lane
};
inline std::size_t port_pair(Index in, Index out) { return std::size_t{in} << 16 | out; }
VerifierInput read(const InputText& fabric, const InputText& tables, const InputText& certificate);

}  // namespace weft::verifier
