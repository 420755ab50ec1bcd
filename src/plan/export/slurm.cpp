// SPDX-License-Identifier: Apache-2.0
// Slurm's view of a fabric.
#include "plan/export/slurm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <ostream>
#include <set>
#include <tuple>

#include "base/words.hpp"
#include "fabric/fat_tree.hpp"
#include "fabric/short_names.hpp"

namespace weft {
namespace {

constexpr std::size_t longest_slurm_name = 64;

bool slurm_takes(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '_' || c == '.';
}

std::string slurm_word(std::string_view text) {
  std::string out(text.substr(0, longest_slurm_name));
  std::replace_if(
      out.begin(), out.end(), [](char c) { return !slurm_takes(c); }, '_');
  return out;
}

/// "node17" of ibnetdiscover's "node17 HCA-1".
std::string node_name(const Host& host) {
  return slurm_word(std::string_view(host.name).substr(0, host.name.find(' ')));
}

/// A switch of the fabric, or all of those that Slurm is to take for one.
using SwitchSets = std::vector<std::vector<SwitchId>>;

/// Switches of the same set are joined by links that `take` accepts.
template <class Take>
SwitchSets joined_switches(const Fabric& fabric, Take take) {
  IdVector<SwitchId, SwitchId> parent(fabric.switch_count());
  for (SwitchId s : fabric.switches()) parent[s] = s;
  const auto root = [&](SwitchId s) {
    while (parent[s] != s) s = parent[s] = parent[parent[s]];
    return s;
  };
  for (LinkId l : fabric.links())
    if (take(l)) parent[root(fabric[l].b.on)] = root(fabric[l].a.on);
  std::map<SwitchId, std::vector<SwitchId>> sets;
  for (SwitchId s : fabric.switches()) sets[root(s)].push_back(s);
  SwitchSets out;
  for (auto& [first, members] : sets) out.push_back(std::move(members));
  std::sort(out.begin(), out.end());
  return out;
}

/// The groups of a dragonfly: cliques of more than two switches, linked to others that share no
/// neighbour with them. Empty when the fabric is none.
SwitchSets dragonfly_groups(const Fabric& fabric) {
  IdVector<SwitchId, std::set<SwitchId>> near(fabric.switch_count());
  for (ChannelId c : fabric.channels()) near[fabric.from(c)].insert(fabric.to(c));
  SwitchSets groups = joined_switches(fabric, [&](LinkId l) {
    const auto& a = near[fabric[l].a.on];
    const auto& b = near[fabric[l].b.on];
    return std::any_of(a.begin(), a.end(), [&](SwitchId s) { return b.count(s) > 0; });
  });
  if (groups.size() < 2) return {};
  for (const auto& group : groups)
    for (SwitchId s : group) {
      const auto inside = std::count_if(group.begin(), group.end(),
                                        [&](SwitchId other) { return near[s].count(other) > 0; });
      if (group.size() < 3 || static_cast<std::size_t>(inside) + 1 != group.size()) return {};
    }
  return groups;
}

class SlurmBuilder {
 public:
  explicit SlurmBuilder(const Fabric& fabric)
      : fabric_(fabric), top_(fabric.switch_count(), none) {}

  void add_leaves() {
    std::map<std::string, std::size_t> known;  // nodes, by their number of ports
    for (SwitchId s : fabric_.switches()) {
      std::vector<std::string> nodes;
      for (HostId h : fabric_.hosts_on(s)) {
        if (fabric_[h].role != HostRole::computer) continue;
        const std::string node = node_name(fabric_[h]);
        if (++known[node] == 1)
          nodes.push_back(node);
        else
          ++again_;
      }
      if (!nodes.empty()) top_[s] = add({unique_name(fabric_[s].name), std::move(nodes), {}});
    }
    constexpr std::size_t most_ports_of_a_node = 16;
    for (const auto& [node, ports] : known)
      if (ports > most_ports_of_a_node)
        note(fmt::format(
            "{} hosts are called \"{}\", so Slurm takes them for one node; a map of node "
            "names (ibnetdiscover --node-name-map) tells them apart",
            ports, node));
  }

  /// Puts one switch above those that stand for the members of each set, where there are several.
  void join(const SwitchSets& sets, std::string_view word) {
    std::size_t number = 0;
    for (const auto& members : sets) {
      std::set<std::size_t> below;
      for (SwitchId s : members)
        if (top_[s] != none) below.insert(top_[s]);
      if (below.empty()) continue;
      std::size_t above = *below.begin();
      if (below.size() > 1) {
        SlurmSwitch added{
            unique_name(sets.size() == 1 ? std::string(word) : fmt::format("{}{}", word, number)),
            {},
            {}};
        for (const std::size_t child : below) added.children.push_back(out_.switches[child].name);
        above = add(std::move(added));
      }
      ++number;
      for (SwitchId s : members) top_[s] = above;
    }
  }

  /// One switch above all that is left.
  void finish(std::string_view word) {
    join(joined_switches(fabric_, [](LinkId) { return true; }), word);
    std::set<std::size_t> parts;
    for (const std::size_t part : top_)
      if (part != none) parts.insert(part);
    if (parts.size() > 1)
      note(fmt::format("the fabric has {} parts without links between them: no job spans them",
                       parts.size()));
    if (again_ > 0)
      note(fmt::format("{} of nodes named before: each node is on its first switch only",
                       counted(again_, "further port", "further ports")));
  }
  void note(std::string text) { out_.notes.push_back(std::move(text)); }
  SlurmTopology take() { return std::move(out_); }

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  std::size_t add(SlurmSwitch added) {
    out_.switches.push_back(std::move(added));
    return out_.switches.size() - 1;
  }
  std::string unique_name(const std::string& text) {
    const std::string word = slurm_word(text);
    std::string out = word;
    for (int again = 2; !names_.insert(out).second; ++again) {
      const std::string ending = fmt::format("_{}", again);
      out = word.substr(0, longest_slurm_name - ending.size()) + ending;
    }
    return out;
  }

  const Fabric& fabric_;
  SlurmTopology out_{};
  IdVector<SwitchId, std::size_t> top_;  ///< the switch of Slurm that stands for each switch
  std::set<std::string> names_{};
  std::size_t again_ = 0;
};

/// A name without the number at its end, and that number as it is written.
struct NumberedName {
  std::string stem, digits;
  std::uint64_t number = 0;
};

NumberedName numbered_name(const std::string& name) {
  constexpr std::size_t most_digits = 18;
  std::size_t begin = name.find_last_not_of("0123456789") + 1;
  begin = std::max(begin, name.size() - std::min(name.size(), most_digits));
  NumberedName out{name.substr(0, begin), name.substr(begin)};
  std::from_chars(out.digits.data(), out.digits.data() + out.digits.size(), out.number);
  return out;
}

/// "0-3,12" of numbers in ascending order; those of a range are as wide as its first.
std::string ranges_of(const std::vector<NumberedName>& names) {
  std::string out;
  for (std::size_t first = 0, last = 0; first < names.size(); first = last) {
    const std::size_t width = names[first].digits.front() == '0' ? names[first].digits.size() : 1;
    const auto follows = [&](std::size_t i) {
      return names[i].number == names[i - 1].number + 1 &&
             names[i].digits == fmt::format("{:0>{}}", names[i].number, width);
    };
    for (last = first + 1; last < names.size() && follows(last);) ++last;
    out += fmt::format("{}{}", out.empty() ? "" : ",", names[first].digits);
    if (last - first > 1) out += "-" + names[last - 1].digits;
  }
  return out;
}

/// The text as a scalar of YAML.
std::string yaml_text(const std::string& text) {
  const bool plain = text.find_first_of("[],:{}\"'#") == std::string::npos;
  return plain ? text : fmt::format("\"{}\"", text);
}

}  // namespace

std::string host_list(const std::vector<std::string>& names) {
  std::map<std::string, std::vector<NumberedName>> by_stem;
  for (const std::string& name : names) {
    NumberedName one = numbered_name(name);
    by_stem[one.stem].push_back(std::move(one));
  }
  std::string out;
  for (auto& [stem, numbers] : by_stem) {
    std::sort(numbers.begin(), numbers.end(), [](const NumberedName& a, const NumberedName& b) {
      return std::tuple(a.digits.empty(), a.number, a.digits.size()) <
             std::tuple(b.digits.empty(), b.number, b.digits.size());
    });
    if (numbers.back().digits.empty()) {
      out += fmt::format("{}{}", out.empty() ? "" : ",", stem);
      numbers.pop_back();
    }
    if (numbers.empty()) continue;
    out += out.empty() ? "" : ",";
    out += numbers.size() == 1 ? stem + numbers.front().digits
                               : fmt::format("{}[{}]", stem, ranges_of(numbers));
  }
  return out;
}

SlurmTopology slurm_topology(const Fabric& long_names) {
  const Fabric fabric = with_short_names(long_names);
  SlurmBuilder builder(fabric);
  builder.add_leaves();
  const auto tree = FatTree::find(fabric);
  const SwitchSets groups = dragonfly_groups(fabric);
  if (!groups.empty()) {
    builder.note(fmt::format("a dragonfly of {} groups", groups.size()));
    builder.join(groups, "group");
    builder.finish("root");
  } else if (const auto* found = std::get_if<FatTree>(&tree)) {
    builder.note("a tree: switches above the leaves are one switch for each pod, and one core");
    std::uint32_t top = 0;
    for (SwitchId s : fabric.switches())
      if (found->level(s) != no_level) top = std::max(top, found->level(s));
    for (std::uint32_t level = 1; level < top; ++level)
      builder.join(joined_switches(fabric,
                                   [&](LinkId l) {
                                     return found->level(fabric[l].a.on) <= level &&
                                            found->level(fabric[l].b.on) <= level;
                                   }),
                   level == 1 ? "pod" : fmt::format("level{}_", level));
    builder.finish("core");
  } else {
    builder.note("neither a tree nor a dragonfly: only nodes of one switch are near each other");
    builder.finish("fabric");
  }
  return builder.take();
}

void write_topology_conf(std::ostream& out, const SlurmTopology& topology) {
  out << "# TopologyPlugin=topology/tree, written by weft\n";
  for (const std::string& note : topology.notes) out << "# " << note << '\n';
  for (const SlurmSwitch& one : topology.switches)
    out << fmt::format("SwitchName={} {}={}\n", one.name, one.nodes.empty() ? "Switches" : "Nodes",
                       host_list(one.nodes.empty() ? one.children : one.nodes));
}

void write_topology_yaml(std::ostream& out, const SlurmTopology& topology) {
  out << "# topology.yaml of Slurm 25.05 and later, written by weft\n";
  for (const std::string& note : topology.notes) out << "# " << note << '\n';
  out << "- topology: fabric\n  cluster_default: true\n  tree:\n    switches:\n";
  for (const SlurmSwitch& one : topology.switches)
    out << fmt::format("      - switch: {}\n        {}: {}\n", yaml_text(one.name),
                       one.nodes.empty() ? "children" : "nodes",
                       yaml_text(host_list(one.nodes.empty() ? one.children : one.nodes)));
}

}  // namespace weft
