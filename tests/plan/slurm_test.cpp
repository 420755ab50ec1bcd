// SPDX-License-Identifier: Apache-2.0
// Slurm's topology files, read back by a parser of their own.
#include "plan/export/slurm.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "fabric/builder.hpp"
#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"

namespace weft::test {
namespace {

using Names = std::vector<std::string>;

/// Expands "n[08-10,12],login" as Slurm does.
Names expanded(const std::string& list) {
  Names out;
  std::size_t depth = 0, begin = 0;
  const auto expand_one = [&](const std::string& word) {
    const std::size_t open = word.find('[');
    if (open == std::string::npos) return out.push_back(word);
    std::istringstream ranges(word.substr(open + 1, word.size() - open - 2));
    for (std::string range; std::getline(ranges, range, ',');) {
      const std::string low = range.substr(0, range.find('-'));
      const std::string high = range.substr(range.find('-') + 1);
      for (auto n = std::stoul(low); n <= std::stoul(high); ++n)
        out.push_back(word.substr(0, open) + fmt::format("{:0>{}}", n, low.size()));
    }
  };
  for (std::size_t i = 0; i <= list.size(); ++i) {
    if (i < list.size() && list[i] == '[') ++depth;
    if (i < list.size() && list[i] == ']') --depth;
    if (i < list.size() && (list[i] != ',' || depth > 0)) continue;
    expand_one(list.substr(begin, i - begin));
    begin = i + 1;
  }
  return out;
}

struct ReadSwitch {
  Names nodes, children;
};

/// The switches of a topology.conf; fails on lines that Slurm would not take.
std::map<std::string, ReadSwitch> read_conf(const std::string& text) {
  std::map<std::string, ReadSwitch> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    std::istringstream words(line);
    std::string name, what, more;
    words >> name >> what;
    EXPECT_FALSE(words >> more) << line;
    EXPECT_TRUE(name.starts_with("SwitchName=")) << line;
    ReadSwitch& one = out[name.substr(11)];
    EXPECT_TRUE(one.nodes.empty() && one.children.empty()) << "twice: " << name;
    EXPECT_LE(name.size() - 11, 64U);
    if (what.starts_with("Nodes="))
      one.nodes = expanded(what.substr(6));
    else
      one.children = expanded(what.substr(9));
  }
  return out;
}

std::string conf_of(const Fabric& fabric) {
  std::ostringstream out;
  write_topology_conf(out, slurm_topology(fabric));
  return out.str();
}

/// Every node is on one leaf, every switch but one has one parent.
void expect_tree(const std::map<std::string, ReadSwitch>& read, std::size_t nodes) {
  std::set<std::string> seen_nodes, children;
  for (const auto& [name, one] : read) {
    for (const std::string& node : one.nodes) EXPECT_TRUE(seen_nodes.insert(node).second) << node;
    for (const std::string& child : one.children) {
      EXPECT_TRUE(read.contains(child)) << child;
      EXPECT_TRUE(children.insert(child).second) << child << " has two parents";
    }
  }
  EXPECT_EQ(seen_nodes.size(), nodes);
  EXPECT_EQ(children.size() + 1, read.size()) << "one root";
}

TEST(Slurm, HostLists) {
  EXPECT_EQ(host_list({"n0", "n1", "n2", "n3", "n12"}), "n[0-3,12]");
  EXPECT_EQ(host_list({"n007", "n008", "n009", "n010", "n012"}), "n[007-010,012]");
  EXPECT_EQ(host_list({"n9", "n10", "n08"}), "n[08,9-10]");
  EXPECT_EQ(host_list({"login", "gpu1", "n5"}), "gpu1,login,n5");
  EXPECT_EQ(host_list({"n", "n1"}), "n,n1");
  EXPECT_EQ(host_list({"17", "18"}), "[17-18]");
}

TEST(Slurm, HostListsAreReadBack) {
  const Names names{"a1",  "a01", "a001", "a2",  "a02",      "a9",
                    "a10", "a99", "a100", "b-3", "b-4.rack", "c99999999999999999999"};
  Names again = expanded(host_list(names));
  EXPECT_EQ(std::set<std::string>(again.begin(), again.end()),
            std::set<std::string>(names.begin(), names.end()));
  EXPECT_EQ(again.size(), names.size());
}

TEST(Slurm, TreesHaveLeavesPodsAndOneCore) {
  const auto read = read_conf(conf_of(make_fabric("clos3:radix=4")));
  expect_tree(read, 16);
  EXPECT_EQ(read.size(), 8U + 4 + 1) << "leaves, pods and the core";
  EXPECT_EQ(read.at("core").children, (Names{"pod0", "pod1", "pod2", "pod3"}));
  EXPECT_EQ(read.at("pod0").children.size(), 2U);
  const auto two = read_conf(conf_of(make_fabric("clos2:leaves=4,spines=2,hosts=3")));
  expect_tree(two, 12);
  EXPECT_EQ(two.size(), 5U) << "two levels have no pods";
}

TEST(Slurm, DragonfliesHaveGroups) {
  const auto read = read_conf(conf_of(make_fabric("dragonfly:a=4,p=2,h=2")));
  expect_tree(read, 72);
  EXPECT_EQ(read.at("root").children.size(), 9U);
  EXPECT_EQ(read.at("group0").children.size(), 4U);
}

TEST(Slurm, OthersAreFlat) {
  const SlurmTopology torus = slurm_topology(make_fabric("torus:dims=4x4,hosts=2"));
  EXPECT_EQ(torus.switches.size(), 17U);
  EXPECT_EQ(torus.notes,
            Names{"neither a tree nor a dragonfly: only nodes of one switch are near each other"});
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Fabric fabric = seed % 2 == 0 ? damaged_tree(seed) : random_fabric(seed);
    const auto read = read_conf(conf_of(fabric));
    if (read.size() > 1) expect_tree(read, fabric.host_count());
  }
}

TEST(Slurm, NamesThatSlurmDoesNotTake) {
  FabricBuilder builder("names");
  const SwitchId a = builder.add_switch({.name = "MF0;leaf 1:MQM8700/U1"});
  const SwitchId b = builder.add_switch({.name = "MF0 leaf 1:MQM8700/U1"});
  builder.connect(a, b, {});
  builder.add_host({.name = "node17 HCA-1", .on = a});
  builder.add_host({.name = "node17 HCA-2", .on = b});
  builder.add_host({.name = "node18 mlx5_0", .on = b});
  std::ostringstream yaml;
  const SlurmTopology topology = slurm_topology(std::move(builder).build());
  EXPECT_EQ(topology.switches[0].nodes, Names{"node17"});
  EXPECT_EQ(topology.switches[1].nodes, Names{"node18"});
  EXPECT_EQ(topology.switches[0].name, "leaf_1");
  EXPECT_EQ(topology.switches[1].name, "MF0_leaf_1_MQM8700_U1");
  EXPECT_EQ(topology.notes.back(),
            "1 further port of nodes named before: each node is on its first switch only");
}

TEST(Slurm, ShortNamesOfSwitchesAndHostsWithoutNames) {
  FabricBuilder builder("names");
  const SwitchId a = builder.add_switch({.name = "leaf03 MF0;ib-sw03:SX6036/U1"});
  for (int i = 0; i < 20; ++i)
    builder.add_host({.name = fmt::format("MT4115 ConnectX5 [H-{}]", i), .on = a});
  const SlurmTopology topology = slurm_topology(std::move(builder).build());
  EXPECT_EQ(topology.switches[0].name, "leaf03");
  EXPECT_EQ(topology.notes.front(),
            "20 hosts are called \"MT4115\", so Slurm takes them for one node; a map of node names "
            "(ibnetdiscover --node-name-map) tells them apart");
}

TEST(Slurm, Yaml) {
  std::ostringstream out;
  write_topology_yaml(out, {{{"leaf0", {"n0", "n1"}, {}}, {"top", {}, {"leaf0"}}}, {}});
  EXPECT_EQ(out.str(),
            "# topology.yaml of Slurm 25.05 and later, written by weft\n"
            "- topology: fabric\n  cluster_default: true\n  tree:\n    switches:\n"
            "      - switch: leaf0\n        nodes: \"n[0-1]\"\n"
            "      - switch: top\n        children: leaf0\n");
}

}  // namespace
}  // namespace weft::test
