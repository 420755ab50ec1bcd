// SPDX-License-Identifier: Apache-2.0
// What packets of groups with a root may wait for while they hold something. They are taken to be
// circuits, which keep all their lanes until every member has acknowledged; a switch acquires the
// lanes for a circuit's copies in ascending order of ports, one after another. Why an acyclic graph
// with these waits is enough is in docs/certificate.md.
//
// As circuits keep the links to hosts as well, those are nodes of the graph here: channels that
// come after the fabric's own, all of them on lane 0, as hosts may take packets on any lane.
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "fabric/walk.hpp"

namespace weft {

/// The link to a host, as a channel beyond the fabric's own.
inline Hop link_to(const Fabric& fabric, HostId host) {
  return {ChannelId(fabric.channel_count() + host.index()), 0};
}
/// Where a channel, or the link to a host, begins; and what is at its end.
struct LinkPlace {
  SwitchId on{};
  PortNumber port = 0;
  std::string to{};
};
LinkPlace place_of(const Fabric& fabric, ChannelId channel);
/// "s0 port 1 lane 0 (to s1)".
std::string place_text(const Fabric& fabric, ChannelId channel, Lane lane);

class RootedGroups {
 public:
  RootedGroups(const Fabric& fabric, const Tables& tables);

  /// Whether there are groups with a root.
  bool any() const { return any_; }
  /// Set when copies of a group come to a link twice: then its waits are unknown.
  const std::optional<Refused>& problem() const { return problem_; }
  /// Whether circuits may hold the link to this host.
  bool deliver_to(HostId host) const {
    return any_ && before_[node(link_to(fabric_, host))] != unused;
  }

  /// Adds a step of other packets, which hold the first and request the second next. All steps must
  /// be added before for_each_wait is called.
  void add_step(Hop first, Hop second);

  /// Calls `visit(group, first, second)` where a circuit that holds the first may wait for the
  /// second; waits that others imply are left out.
  using Visit = std::function<void(const Group&, Hop, Hop)>;
  void for_each_wait(const Visit& visit);
  /// Whether circuits of a group may hold both.
  bool has(const Group& group, Hop first, Hop second) const;

 private:
  using NodeIndex = std::uint32_t;
  /// Values of before_ that are no channel.
  static constexpr NodeIndex unused = ~NodeIndex{0}, root = unused - 1, several = unused - 2;
  static constexpr NodeIndex none = unused;

  /// The links of a group's copies, each before those behind it, in the order of ports.
  struct TreeLink {
    NodeIndex node;
    NodeIndex parent;  ///< a place in the list; none at the root
    NodeIndex end;     ///< of the links behind it
  };
  using Tree = std::vector<TreeLink>;

  NodeIndex node(Hop hop) const {
    return static_cast<NodeIndex>(hop.channel.index() * lanes_ + hop.lane);
  }
  Hop hop(NodeIndex n) const { return {ChannelId(n / lanes_), static_cast<Lane>(n % lanes_)}; }
  std::optional<Hop> link_at(const Group& group, SwitchId at, PortNumber port) const;
  std::optional<Tree> tree_of(const Group& group) const;
  void use(NodeIndex n, NodeIndex before);
  bool meets_circuits(NodeIndex first, NodeIndex second) const;
  void tidy();
  void find_unsafe();
  bool contended(const TreeLink& link) const;
  void waits_up(const Group& group, const Tree& tree, const Visit& visit) const;
  void spread(const Group& group, const Tree& tree, const Visit& visit) const;
  void contend(const Group& group, const Tree& tree, const Visit& visit) const;

  const Fabric& fabric_;
  const Tables& tables_;
  std::size_t lanes_;
  bool any_ = false;
  std::optional<Refused> problem_;
  /// By node: the one channel by which circuits come to it, or one of the values above.
  std::vector<NodeIndex> before_;
  std::vector<std::pair<NodeIndex, NodeIndex>> steps_;  ///< by the second
  std::size_t tidy_at_ = 1 << 20;
  /// By node: whether other packets that hold it may wait, in the end, for a circuit.
  std::vector<bool> unsafe_;
};

}  // namespace weft
