// SPDX-License-Identifier: Apache-2.0
// What both verifications share: nodes, their names, and the lane of a packet behind a port.
#pragma once
#include <string>

#include "verify/input.hpp"

namespace weft::verifier {

/// A lane of a channel: link * lanes + lane; lane 0 of any other link.
using Node = std::size_t;
inline constexpr Node no_node = ~Node{0};

class PacketRules {
 protected:
  explicit PacketRules(const VerifierInput& in) : in_(in), first_host_(in.switches.size()) {
    for (std::size_t host = in.hosts.size(); host-- > 0;)
      first_host_[in.links[host].to] = static_cast<Index>(host);
  }

  Index link_of(Node node) const { return static_cast<Index>(node / in_.lanes); }
  Index link_at(Index s, Index port) const {
    return port < in_.link_at[s].size() ? in_.link_at[s][port] : none;
  }
  Node node(Index link, Index lane) const { return std::size_t{link} * in_.lanes + lane; }
  bool is_channel(Node node) const {
    return link_of(node) >= in_.hosts.size() + in_.switches.size();
  }
  std::string words(Index s, Index port) const {
    return std::string(in_.switches[s]) + " port " + std::to_string(port);
  }
  std::string words(Node node) const {
    const DirectedLink& link = in_.links[link_of(node)];
    return words(link.from, link.port) + " lane " + std::to_string(node % in_.lanes);
  }
  std::string numbered(Node node) const {
    return words(node) + (in_.number[node] == none
                              ? " without a number"
                              : " with number " + std::to_string(in_.number[node]));
  }
  /// Hosts of a switch start alike, unless their lanes follow from their ports, or levels.
  bool starts_alike(Index host, const TableColumn& column) const {
    const Index s = in_.links[host].to;
    return first_host_[s] != host && in_.unusual[s].empty() && !column.by_host;
  }
  Index level_of(Index host, const TableColumn& column) const {
    return column.levels.empty() ? 0 : column.levels[column.by_host ? host : in_.links[host].to];
  }
  /// By the rules of unicast packets.
  Index lane_after(Node holds, Index level, Index out) const {
    const auto [from, from_port, at, in_port] = in_.links[link_of(holds)];
    const auto row = in_.unusual[at].find(in_port << 16 | (in_.by_level ? out : 0));
    const bool usual = row == in_.unusual[at].end();
    const IndexList& marks = usual ? in_.usual : row->second;
    const std::size_t place =
        usual ? is_channel(holds) : std::min<std::size_t>(out, marks.size() - 1);
    const Index mark = marks[in_.by_level ? level : place];
    const auto lane = static_cast<Index>(holds % in_.lanes);
    if (mark < keep) return mark;
    return mark == keep ? lane : mark == plus ? lane + 1 : mark == minus ? lane - 1 : none;
  }

  const VerifierInput& in_;
  IndexList first_host_;  ///< by switch
};

}  // namespace weft::verifier
