// SPDX-License-Identifier: Apache-2.0
// What OpenSM's plugin and weft say to each other over a socket, both on one machine: requests of
// the plugin (route this subnet; a tree for this group) and weft's answers. A frame is a kind, a
// size and so many bytes.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::live {

/// The lanes (VLs) of the 16 service levels, two to a byte, as InfiniBand holds them.
using LaneTable = std::array<std::uint8_t, 8>;
inline void set_lane(LaneTable& table, unsigned level, unsigned lane) {
  std::uint8_t& both = table[level / 2];
  both = static_cast<std::uint8_t>(level % 2 == 0 ? (both & 0x0FU) | (lane << 4U)
                                                  : (both & 0xF0U) | lane);
}

struct RouteRequest {
  std::uint32_t lanes = 1;                       ///< data lanes that all links have
  std::vector<std::uint8_t> multicast_levels{};  ///< service levels of the groups there are
  std::string subnet{};                          ///< as ibnetdiscover prints it
};

struct SwitchTables {
  std::uint64_t guid = 0;
  std::uint32_t ports = 0;
  std::vector<std::uint8_t> port_by_lid{};  ///< 255: none
  /// By in-port, then out-port, from 0; empty where the subnet's own settings serve.
  std::vector<LaneTable> lanes{};
};

/// The answer to a RouteRequest.
struct SubnetTables {
  std::vector<SwitchTables> switches{};
  LaneTable adapters{};  ///< of the ports of hosts
  /// The service level from one LID to another is levels[row[to]][source[from]]; no rows: any.
  static constexpr std::uint32_t unknown = 0xFFFF'FFFF;
  std::vector<std::vector<std::uint8_t>> levels{};
  std::vector<std::uint32_t> row{}, source{};  ///< by LID; unknown: any level
};

struct TreeRequest {
  std::uint16_t lid = 0;  ///< of the group
  std::vector<std::uint8_t> levels{};
  std::vector<std::uint64_t> members{};  ///< GUIDs of ports; of switches for their port 0
};

/// The answer to a TreeRequest: the ports to which a switch copies packets.
struct GroupPorts {
  std::uint64_t guid = 0;
  std::bitset<256> ports{};
};
using TreeTables = std::vector<GroupPorts>;

enum class FrameKind : std::uint32_t {
  route = 1,  ///< RouteRequest
  tree,       ///< TreeRequest
  note,       ///< text for the log; others follow
  warning,    ///< the same, for what somebody should look at
  tables,     ///< SubnetTables
  branches,   ///< TreeTables
  refused,    ///< text: why there is no answer
};

struct Frame {
  FrameKind kind{};
  std::string bytes{};
};

Frame frame_of(const RouteRequest& request);
Frame frame_of(const TreeRequest& request);
Frame frame_of(const SubnetTables& tables);
Frame frame_of(const TreeTables& tree);

/// These throw std::runtime_error when the bytes are not such a value.
RouteRequest route_request(const std::string& bytes);
TreeRequest tree_request(const std::string& bytes);
SubnetTables subnet_tables(const std::string& bytes);
TreeTables tree_tables(const std::string& bytes);

/// Writes a whole frame to a file descriptor, a pipe or a socket; false when nobody reads it.
bool send(int file, const Frame& frame);
/// Reads a whole frame; false at the end, and when it breaks off or is of another version.
bool receive(int file, Frame& frame);

}  // namespace weft::live
