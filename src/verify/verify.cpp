// SPDX-License-Identifier: Apache-2.0
// Follows all packets, by every choice, and compares the numbers of what they hold and wait for.
#include "verify/verify.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "verify/input.hpp"

namespace weft::verifier {
namespace {

/// A lane of a link: link * lanes + lane; lane 0 of the link to a host.
using Node = std::size_t;
constexpr Node no_node = ~Node{0};

class Verification {
 public:
  explicit Verification(const VerifierInput& in)
      : in_(in),
        circuits_from_(in.number.size(), untaken),
        unsafe_(in.number.size(), false),
        last_seen_(in.number.size(), nullptr) {}

  std::optional<std::string> run() {
    for (const TableGroup& group : in_.groups)
      if (group.root != none) plant(group);
    group_ = nullptr;
    find_starts();
    for (const TableColumn& column : in_.columns)
      if (!column.hosts.empty() && !wrong_) unicast(column);
    for (const TableGroup& group : in_.groups)
      if (group.root == none && !wrong_) multicast(group);
    for (const CircuitTree& tree : trees_) ordered_waits(tree);
    if (!wrong_) find_unsafe();
    for (const CircuitTree& tree : trees_)
      if (!wrong_) contended_waits(tree);
    return wrong_;
  }

 private:
  /// Values of circuits_from_ that are no link.
  static constexpr Index untaken = none, several = none - 1, root = none - 2;
  struct PacketHead {
    Node holds;  ///< no_node: the packet has just left its host
    Index at, in_port, lane;
    std::size_t route;
  };
  struct TreeNode {
    Node node;
    std::size_t parent, end;  ///< places in the tree; those up to `end` are behind the node
  };
  struct CircuitTree {
    const TableGroup& group;
    std::vector<TreeNode> nodes{};  ///< each before those behind it, in the order of ports
    bool is_leaf(std::size_t i) const { return nodes[i].end == i + 1; }
  };

  bool to_host(Index link) const { return link < in_.hosts.size(); }
  Node node(Index link, Index lane) const {
    return std::size_t{link} * in_.lanes + (to_host(link) ? 0 : lane);
  }
  Index link_of(Node node) const { return static_cast<Index>(node / in_.lanes); }
  Index link_at(Index s, Index port) const {
    const auto found = in_.link_at.find({s, port});
    return found == in_.link_at.end() ? none : found->second;
  }
  std::string words(Index s, Index port) const {
    return std::string(in_.switches[s]) + " port " + std::to_string(port);
  }
  std::string words(Node node) const {
    const DirectedLink& link = in_.links[link_of(node)];
    return words(link.from, link.port) + " lane " + std::to_string(node % in_.lanes);
  }
  void contradict(const std::string& what) {
    if (wrong_) return;
    wrong_ = group_ != nullptr ? "group " + std::string(group_->name)
                               : "from " + std::string(in_.hosts[from_]) + " to " +
                                     std::string(in_.hosts[column_->hosts.front()]);
    *wrong_ += ": " + what;
  }
  void compare(Node first, Node second) {
    const Index a = in_.number[first], b = in_.number[second];
    if (a == none || b == none)
      contradict(words(a == none ? first : second) + " has no number");
    else if (a >= b)
      contradict(words(first) + " has number " + std::to_string(a) + " and waits for " +
                 words(second) + " with number " + std::to_string(b));
  }
  /// A packet that is no circuit holds the first and takes the second next. Hosts accept what
  /// arrives, so it waits for the link to a host only if circuits take that.
  void step(Node first, Node second) {
    const bool free = to_host(link_of(second)) && circuits_from_[second] == untaken;
    if (first == no_node || free) return;
    compare(first, second);
    if (!trees_.empty()) steps_.insert({first, second});
  }

  /// Hosts that all packets can be followed from: those of a switch start alike, unless their lanes
  /// follow from their ports.
  void find_starts() {
    const bool port_matters = in_.rule == LanesFollow::turn || in_.rule == LanesFollow::map;
    std::vector<bool> started(in_.switches.size(), false);
    for (Index host = 0; host < in_.hosts.size(); ++host) {
      if (port_matters || !started[in_.links[host].from]) starts_.push_back(host);
      started[in_.links[host].from] = true;
    }
  }
  /// Follows all packets to the hosts of a column.
  void unicast(const TableColumn& column) {
    round_ = column_ = &column;
    seen_.clear();
    for (const Index host : starts_) {
      from_ = host;
      const auto [s, port, to, in_port] = in_.links[host];
      if (in_.by_source && column.next[s] == none) continue;
      level_ = column.levels.empty() ? 0 : column.levels[s];
      follow({no_node, s, port, 0, in_.by_source ? column.next[s] : 0});
    }
  }
  /// Follows all packets of a group without a root.
  void multicast(const TableGroup& group) {
    round_ = group_ = &group;
    level_ = 0;
    for (const Index sender : group.source == none ? group.members : IndexList{group.source})
      follow({no_node, in_.links[sender].from, 0, group.lane, 0});
  }
  void follow(const PacketHead& start) {
    for (todo_.push_back(start); !todo_.empty();) {
      const PacketHead packet = todo_.back();
      todo_.pop_back();
      const auto [tag, rest] = in_.routes[packet.route];
      if (group_ != nullptr)
        for (const Index port : ports_of(*group_, packet.at, packet.in_port)) take(packet, port, 0);
      else if (!in_.by_source)
        take(packet, column_->next[packet.at], 0);
      else if (tag <= most_ports)  // 0 at the end of the route
        take(packet, static_cast<Index>(tag), rest);
      else
        for (const Index port : in_.choices[tag - most_ports - 1]) take(packet, port, rest);
    }
  }
  /// Port 0 leads to the hosts of the column. Where nothing is behind a port, the packet is lost.
  void take(const PacketHead& packet, Index port, std::size_t rest) {
    if (port == 0)
      for (const Index host : column_->hosts)
        if (in_.links[host].from == packet.at) step(packet.holds, node(host, 0));
    const Index link = link_at(packet.at, port);
    if (link == none) return;
    const Index lane = to_host(link) ? 0 : lane_after(packet, port);
    if (lane >= in_.lanes) return contradict(words(packet.at, port) + ": the lane does not exist");
    const Node next = node(link, lane);
    step(packet.holds, next);
    if (to_host(link)) return;
    // Packets with the same node, level and rest of the route continue alike.
    const std::size_t more = rest << 8 | (in_.rule == LanesFollow::map ? level_ : 0);
    const bool fresh = more == 0 ? std::exchange(last_seen_[next], round_) != round_
                                 : seen_.insert({next, more}).second;
    if (fresh) todo_.push_back({next, in_.links[link].to, in_.links[link].in_port, lane, rest});
  }
  Index lane_after(const PacketHead& packet, Index out) const {
    if (group_ != nullptr) return group_->lane;
    if (in_.rule == LanesFollow::nothing) return 0;
    if (in_.rule == LanesFollow::level) return level_;
    const bool by_map = in_.rule == LanesFollow::map;
    const auto row = in_.unusual.find({packet.at, port_pair(packet.in_port, by_map ? out : 0)});
    const bool usual = row == in_.unusual.end();
    if (by_map) return usual ? in_.usual[level_] : row->second[level_];
    const Index mark = usual ? in_.usual[packet.holds == no_node ? 0 : 1]
                             : row->second[row->second.size() == 1 ? 0 : out];
    if (mark < keep) return mark;
    return mark == keep    ? packet.lane
           : mark == plus  ? packet.lane + 1
           : mark == minus ? packet.lane - 1
                           : none;
  }

  /// The ports to which a switch copies packets of a group: never back by the in-port.
  IndexList ports_of(const TableGroup& group, Index at, Index in_port) const {
    const auto found = group.out.find(at);
    IndexList ports = found == group.out.end() ? IndexList{} : found->second;
    std::erase(ports, in_port);
    return ports;
  }
  /// Finds the nodes below a root, and by which links circuits come to them.
  void plant(const TableGroup& group) {
    group_ = &group;
    std::vector<TreeNode>& tree = trees_.emplace_back(CircuitTree{group}).nodes;
    std::unordered_set<Node> seen;
    std::vector<std::pair<Node, std::size_t>> todo;  // nodes and their parents, the next one last
    const auto copy = [&](Index at, Index in_port, std::size_t parent) {
      const IndexList ports = ports_of(group, at, in_port);
      for (auto port = ports.rbegin(); port != ports.rend(); ++port)
        if (const Index link = link_at(at, *port); link != none)
          todo.emplace_back(node(link, group.lane), parent);
    };
    for (copy(group.root, 0, no_node); !todo.empty();) {
      const auto [next, parent] = todo.back();
      todo.pop_back();
      if (!seen.insert(next).second) return contradict("copies come twice to " + words(next));
      circuits_come(next, parent == no_node ? root : link_of(tree[parent].node));
      tree.push_back({next, parent, tree.size() + 1});
      const DirectedLink& link = in_.links[link_of(next)];
      if (link.to != none) copy(link.to, link.in_port, tree.size() - 1);
    }
    for (std::size_t i = tree.size(); i-- > 0;)
      if (tree[i].parent != no_node)
        tree[tree[i].parent].end = std::max(tree[tree[i].parent].end, tree[i].end);
    for (const auto& [s, port] : group.up)
      if (up_from(group, s) != no_node) circuits_come(up_from(group, s), several);
  }
  void circuits_come(Node to, Index from) {
    Index& known = circuits_from_[to];
    known = known == untaken || known == from ? from : several;
  }
  /// The channel by which a switch sends circuits up, if there is one.
  Node up_from(const TableGroup& group, Index s) const {
    const auto port = group.up.find(s);
    const Index link = s == group.root || port == group.up.end() ? none : link_at(s, port->second);
    return link == none || to_host(link) ? no_node : node(link, group.lane);
  }
  /// Waits up, down, and at the root for one port after another.
  void ordered_waits(const CircuitTree& tree) {
    group_ = &tree.group;
    const auto& nodes = tree.nodes;
    for (const auto& [s, port] : tree.group.up) {
      const Node first = up_from(tree.group, s);
      if (first == no_node) continue;
      const Index above = in_.links[link_of(first)].to;
      if (above == tree.group.root && !nodes.empty()) compare(first, nodes.front().node);
      if (up_from(tree.group, above) != no_node) compare(first, up_from(tree.group, above));
    }
    std::size_t next_port = 0;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].parent == no_node) next_port = nodes[i].end;
      if (nodes[i].parent != no_node) step(nodes[nodes[i].parent].node, nodes[i].node);
      if (tree.is_leaf(i) && next_port < nodes.size())
        compare(nodes[i].node, nodes[next_port].node);
    }
  }
  /// Steps lead to greater numbers, so that the steps after a step are looked at before it.
  void find_unsafe() {
    std::vector<IndexPair> steps(steps_.begin(), steps_.end());
    std::sort(steps.begin(), steps.end(), [this](const IndexPair& a, const IndexPair& b) {
      return in_.number[a.first] > in_.number[b.first];
    });
    for (const auto& [first, second] : steps) {
      const bool same_lane = first % in_.lanes == second % in_.lanes || to_host(link_of(second));
      const bool guarded = same_lane && circuits_from_[second] == link_of(first);
      const bool meets_circuits = circuits_from_[second] != untaken && !guarded;
      if (meets_circuits || unsafe_[second]) unsafe_[first] = true;
    }
  }
  /// A wait for a node that is not guarded, or not safe, may hold all leaves but those behind the
  /// node or behind later ports of its switch: it needs a number above the greatest of these.
  void contended_waits(const CircuitTree& tree) {
    group_ = &tree.group;
    const auto& nodes = tree.nodes;
    const auto greater = [&](Node a, Node b) {
      return b == no_node || (a != no_node && in_.number[a] >= in_.number[b]) ? a : b;
    };
    std::vector<Node> after(nodes.size() + 1, no_node);
    for (std::size_t i = nodes.size(); i-- > 0;)
      after[i] = greater(after[i + 1], tree.is_leaf(i) ? nodes[i].node : no_node);
    Node before = no_node;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto [next, parent, end] = nodes[i];
      if (parent != no_node && (circuits_from_[next] == several || unsafe_[next])) {
        const Node held = greater(before, after[nodes[parent].end]);
        if (held != no_node) compare(held, next);
      }
      if (tree.is_leaf(i)) before = greater(before, next);
    }
  }

  const VerifierInput& in_;
  IndexList circuits_from_;             ///< by node: the link by which all circuits come to it
  std::vector<bool> unsafe_;            ///< by node: packets that hold it may wait for circuits
  std::vector<const void*> last_seen_;  ///< by node: the round
  std::unordered_set<IndexPair, PairHash> seen_{}, steps_{};
  std::vector<CircuitTree> trees_{};
  IndexList starts_{};
  std::vector<PacketHead> todo_{};
  const void* round_ = nullptr;  ///< the column or group whose packets are followed
  const TableColumn* column_ = nullptr;
  const TableGroup* group_ = nullptr;
  Index from_ = 0, level_ = 0;
  std::optional<std::string> wrong_{};
};

}  // namespace

std::optional<std::string> verify(const InputText& fabric, const InputText& tables,
                                  const InputText& certificate) {
  const VerifierInput input = read(fabric, tables, certificate);
  if (input.certificate_lanes != input.lanes)
    return "the certificate is for " + std::to_string(input.certificate_lanes) +
           " lanes, the tables have " + std::to_string(input.lanes);
  return Verification(input).run();
}

}  // namespace weft::verifier
