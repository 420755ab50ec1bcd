// SPDX-License-Identifier: Apache-2.0
// Follows all packets, by every choice, and compares the numbers of what they hold and wait for.
#include "verify/verify.hpp"

#include <unordered_set>

#include "verify/choices.hpp"
#include "verify/read.hpp"
#include "verify/rules.hpp"

namespace weft::verifier {
namespace {

using NodePair = std::pair<Node, std::size_t>;
struct PairHash {
  std::size_t operator()(const NodePair& pair) const {
    return pair.first * 0x9E3779B97F4A7C15U ^ pair.second * 0xC2B2AE3D27D4EB4FU;
  }
};

class Verification : PacketRules {
 public:
  explicit Verification(const VerifierInput& in)
      : PacketRules(in), unsafe_(in.number.size(), false) {}

  std::optional<std::string> run() {
    for (const TableGroup& group : in_.groups)
      if (group.root != none) plant(group);
    group_ = nullptr;
    if (in_.by_choice) {
      choices();
    } else {
      for (const TableColumn& column : in_.columns)
        if (!column.hosts.empty()) unicast(column);
    }
    for (const TableGroup& group : in_.groups)
      if (group.root == none) multicast(group);
    for (const CircuitTree& tree : trees_) ordered_waits(tree);
    find_unsafe();
    for (const CircuitTree& tree : trees_) contended_waits(tree);
    return wrong_;
  }

 private:
  struct PacketHead {
    Node holds;  ///< a channel, or the link of what it comes from
    Index route, level;
  };
  struct TreeNode {
    Node node;
    std::size_t parent, end;  ///< places in the tree; those up to `end` are behind the node
  };
  struct CircuitTree {
    const TableGroup& group;
    std::vector<TreeNode> nodes;  ///< the root, and each before those behind it, in order of ports
  };

  void contradict(const std::string& what) {
    if (wrong_) return;
    wrong_ = group_ != nullptr ? "group " + std::string(group_->name)
                               : "from " + std::string(in_.hosts[from_]) + " to " +
                                     std::string(in_.hosts[column_->hosts.front()]);
    *wrong_ += ": " + what;
  }
  void compare(Node first, Node second) {
    const Index a = in_.number[first], b = in_.number[second];
    if (wrong_ || (a < b && b != none)) return;
    contradict(a == none || b == none
                   ? words(a == none ? first : second) + " has no number"
                   : words(first) + " has number " + std::to_string(a) + " and waits for " +
                         words(second) + " with number " + std::to_string(b));
  }
  /// A packet holds the first, if that is a channel, and takes the second next. Hosts accept what
  /// arrives, so it waits for a host only if circuits come there.
  void step(Node first, Node second) {
    if (!is_channel(first) || (!is_channel(second) && circuits_.count(second) == 0)) return;
    compare(first, second);
    if (!trees_.empty()) steps_.insert({first, second});
  }

  void choices() {
    ChoiceVerification all(in_, [this](Node first, Node second) {
      if (!is_channel(second) && circuits_.count(second) == 0) return true;
      if (!trees_.empty()) steps_.insert({first, second});
      const Index a = in_.number[first], b = in_.number[second];
      return a < b && b != none;
    });
    if (const auto wrong = all.run(); wrong && !wrong_) wrong_ = wrong;
  }
  /// Follows all packets to the hosts of a column.
  void unicast(const TableColumn& column) {
    column_ = &column;
    seen_.clear();
    held_.clear();
    for (from_ = 0; from_ < in_.hosts.size(); ++from_) {
      const Index s = in_.links[from_].to, route = in_.by_source ? column.next[s] : 0;
      if (route == none || starts_alike(from_, column)) continue;
      const PacketHead start{node(from_, 0), route, level_of(from_, column)};
      if (in_.proof == ProofKind::every_choice)
        follow(start);
      else
        follow_any(start);
    }
  }
  /// Follows all packets of a group without a root.
  void multicast(const TableGroup& group) {
    group_ = &group;
    seen_.clear();
    for (const Index sender : group.source == none ? group.members : IndexList{group.source})
      follow({node(sender, 0), 0, group.lane == none ? group.level : 0});
  }
  void follow(const PacketHead& start) {
    for (todo_.push_back(start); !todo_.empty();) {
      const PacketHead packet = todo_.back();
      todo_.pop_back();
      for (const PacketHead& next : next_hops(packet)) {
        step(packet.holds, next.holds);
        // Packets with the same node, level and rest of the route continue alike.
        const NodePair state{next.holds, std::size_t{next.route} << 8 | next.level};
        if (is_channel(next.holds) && seen_.insert(state).second) todo_.push_back(next);
      }
    }
  }
  /// The same where packets take any choice: some next hop has a number above all that they hold,
  /// which are worms, or above that of their lane. `held_` is one more than the greatest number.
  void follow_any(const PacketHead& start) {
    const auto hold = [this](const PacketHead& packet, std::uint64_t held) {
      auto& known = held_[{packet.holds, std::size_t{packet.route} << 8 | packet.level}];
      if (known > held) return;
      known = held + 1;
      todo_.push_back(packet);
    };
    const auto after = [this](Node n) {
      return in_.number[n] == none ? 0 : std::uint64_t{in_.number[n]} + 1;
    };
    for (hold(start, 0); !todo_.empty() && !wrong_;) {
      const PacketHead packet = todo_.back();
      todo_.pop_back();
      const auto held = held_[{packet.holds, std::size_t{packet.route} << 8 | packet.level}] - 1;
      const std::vector<PacketHead> hops = next_hops(packet);
      bool waits = false, goes_on = !is_channel(packet.holds);
      for (const PacketHead& next : hops) {
        waits |= is_channel(next.holds);
        goes_on |= is_channel(next.holds) && after(next.holds) > held;
        const std::uint64_t then = std::max(
            after(next.holds), in_.proof == ProofKind::some_choice_worms ? held : std::uint64_t{0});
        if (is_channel(next.holds)) hold(next, then);
      }
      if (waits && !(goes_on && (!is_channel(packet.holds) || in_.number[packet.holds] != none)))
        contradict("none of the choices of a packet in " + numbered(packet.holds) +
                   " has a larger one than all that it holds");
    }
  }
  /// Where a packet goes next, by every choice. Where nothing is behind a port, it is lost.
  std::vector<PacketHead> next_hops(const PacketHead& packet) {
    const auto [from, from_port, at, in_port] = in_.links[link_of(packet.holds)];
    const auto [tag, rest] = in_.routes[packet.route];
    std::vector<PacketHead> hops;
    for (const Index port : group_ != nullptr ? copies(at, in_port)
                            : in_.by_source   ? in_.choices[tag]
                                              : IndexList{column_->next[at]}) {
      const Index link = link_at(at, port);
      if (port == 0)
        for (const Index host : column_->hosts)
          if (in_.links[host].to == at) hops.push_back({node(host, 0), 0, 0});
      if (port == 0 || link == none) continue;
      const Index lane = is_channel(node(link, 0)) ? lane_after(packet, port) : 0;
      if (lane >= in_.lanes)
        contradict(words(at, port) + ": the lane does not exist");
      else
        hops.push_back({node(link, lane), rest, packet.level});
    }
    return hops;
  }
  /// The ports to which a switch copies packets of the group: never back by the in-port.
  IndexList copies(Index at, Index in_port) const {
    const auto out = group_->out.find(at);
    IndexList ports = out == group_->out.end() ? IndexList{} : out->second;
    std::erase(ports, in_port);
    return ports;
  }
  Index lane_after(const PacketHead& packet, Index out) const {
    if (group_ != nullptr && group_->lane != none) return group_->lane;
    return PacketRules::lane_after(packet.holds, packet.level, out);
  }

  /// Lists what circuits of a group take: the nodes below the root, depth first, and up channels.
  void plant(const TableGroup& group) {
    group_ = &group;
    auto& nodes = trees_.emplace_back(CircuitTree{group, {}}).nodes;
    std::vector<NodePair> todo{
        {node(link_at(group.root, 0), 0), 0}};  // with parents, next one last
    for (std::unordered_set<Node> seen; !todo.empty();) {
      const auto [next, parent] = todo.back();
      todo.pop_back();
      if (!seen.insert(next).second) return contradict("copies come twice to " + words(next));
      nodes.push_back({next, parent, nodes.size() + 1});
      circuits_[next].insert(link_of(nodes[parent].node));
      if (nodes.size() > 1 && !is_channel(next)) continue;
      const std::vector<PacketHead> hops = next_hops({next, 0, 0});
      for (auto hop = hops.rbegin(); hop != hops.rend(); ++hop)
        todo.emplace_back(hop->holds, nodes.size() - 1);
    }
    for (std::size_t i = nodes.size(); --i > 0;)
      nodes[nodes[i].parent].end = std::max(nodes[nodes[i].parent].end, nodes[i].end);
    for (const auto& [s, port] : group.up)
      if (up_from(s) != no_node) circuits_[up_from(s)].insert({none, none - 1});
  }
  /// The channel by which a switch sends circuits of the group up.
  Node up_from(Index s) const {
    const auto up = group_->up.find(s);
    const Index link = s == group_->root || up == group_->up.end() ? none : link_at(s, up->second);
    return link == none || !is_channel(node(link, 0)) ? no_node : node(link, group_->lane);
  }
  /// Waits up, down, and at the root for one port after another.
  void ordered_waits(const CircuitTree& tree) {
    group_ = &tree.group;
    const auto& nodes = tree.nodes;
    for (const auto& [s, port] : tree.group.up) {
      if (up_from(s) == no_node) continue;
      const Index above = in_.links[link_of(up_from(s))].to;
      if (above == tree.group.root && nodes.size() > 1) compare(up_from(s), nodes[1].node);
      if (up_from(above) != no_node) compare(up_from(s), up_from(above));
    }
    std::size_t next_port = 0;
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const auto [node, parent, end] = nodes[i];
      if (parent == 0) next_port = end;
      step(nodes[parent].node, node);
      if (end == i + 1 && next_port < nodes.size()) compare(node, nodes[next_port].node);
    }
  }
  /// Steps lead to greater numbers, so that the steps after a step are looked at before it.
  void find_unsafe() {
    std::vector<NodePair> steps(steps_.begin(), steps_.end());
    std::sort(steps.begin(), steps.end(), [this](const NodePair& a, const NodePair& b) {
      return in_.number[a.first] > in_.number[b.first];
    });
    for (const auto& [first, second] : steps) {
      const bool same_lane = first % in_.lanes == second % in_.lanes || !is_channel(second);
      const auto circuits = circuits_.find(second);
      const bool meets = circuits != circuits_.end() &&
                         !(same_lane && circuits->second == std::set{link_of(first)});
      if (meets || unsafe_[second]) unsafe_[first] = true;
    }
  }
  /// A wait for a node that is not guarded, or not safe, may hold all leaves but those behind the
  /// node or behind later ports of its switch: it needs a number above the greatest of these. The
  /// first port of the root, which has the least number, stands for no leaf.
  void contended_waits(const CircuitTree& tree) {
    group_ = &tree.group;
    const auto& nodes = tree.nodes;
    const auto greater = [&](Node a, Node b) { return in_.number[a] < in_.number[b] ? b : a; };
    std::vector<Node> after(nodes.size() + 1, nodes[nodes.size() > 1 ? 1 : 0].node);
    for (std::size_t i = nodes.size(); i-- > 0;)
      after[i] = nodes[i].end == i + 1 ? greater(after[i + 1], nodes[i].node) : after[i + 1];
    Node before = after.back();
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const auto [next, parent, end] = nodes[i];
      if (parent > 0 && (circuits_[next].size() > 1 || unsafe_[next]))
        compare(greater(before, after[nodes[parent].end]), next);
      if (end == i + 1) before = greater(before, next);
    }
  }

  std::map<Node, std::set<Index>> circuits_{};  ///< by node: the links by which they come to it
  std::vector<bool> unsafe_;                    ///< by node: who holds it may wait for circuits
  std::unordered_set<NodePair, PairHash> seen_{}, steps_{};
  std::unordered_map<NodePair, std::uint64_t, PairHash> held_{};  ///< by node, and what steers it
  std::vector<CircuitTree> trees_{};
  std::vector<PacketHead> todo_{};
  const TableColumn* column_ = nullptr;
  const TableGroup* group_ = nullptr;
  Index from_ = 0;
  std::optional<std::string> wrong_{};
};

std::optional<std::string> contradiction(const VerifierInput& input) {
  if (input.certificate_lanes != input.lanes)
    return "the certificate is for " + std::to_string(input.certificate_lanes) +
           " lanes, the tables have " + std::to_string(input.lanes);
  const bool has_circuits = std::any_of(input.groups.begin(), input.groups.end(),
                                        [](const TableGroup& group) { return group.root != none; });
  if (input.proof != ProofKind::every_choice &&
      (has_circuits || (!input.by_choice && !input.by_source)))
    return "the certificate is for some choices, which these tables do not leave";
  return Verification(input).run();
}

}  // namespace

Judgment judge(const InputText& fabric, const InputText& tables, const InputText& certificate) {
  const VerifierInput input = read(fabric, tables, certificate);
  std::string claim = "channel numbers strictly increase along every route";
  if (input.proof != ProofKind::every_choice)
    claim = "by some choice of every packet, for switches that wait for any (" +
            std::string(input.proof == ProofKind::some_choice ? "" : "wormhole, ") + "cut-through)";
  return {input.proof, claim, contradiction(input)};
}

std::optional<std::string> verify(const InputText& fabric, const InputText& tables,
                                  const InputText& certificate) {
  return judge(fabric, tables, certificate).wrong;
}

}  // namespace weft::verifier
