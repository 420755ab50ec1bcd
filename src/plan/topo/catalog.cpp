// SPDX-License-Identifier: Apache-2.0
// The table of topologies: name, function, summary, parameters with their defaults.
#include <vector>

#include "plan/topo/rows.hpp"
#include "plan/topo/topology.hpp"

namespace weft {
namespace {

constexpr Param one_host{"hosts", "1", "hosts per switch"};
constexpr Param four_hosts{"hosts", "4", "hosts per switch that has any"};
constexpr Param seed{"seed", "1", "the same seed gives the same fabric"};

/// The parameters every generated fabric takes, after its own.
std::vector<Param> with_wire(std::vector<Param> own, std::string_view speed = "8Gb/s") {
  own.push_back({"speed", speed, "speed of every link"});
  own.push_back({"delay", "0ns", "delay of every link"});
  return own;
}

/// Links of the RHiNET-2 cluster ran at 6 Gb/s.
std::vector<Param> with_rhinet2_wire(std::vector<Param> own) {
  return with_wire(std::move(own), "6Gb/s");
}

std::vector<Row<Topology>> make_rows() {
  return {
      {"mesh", topo::mesh, "grid of any number of dimensions",
       with_wire({{"dims", "4x4", "switches per dimension"}, one_host})},
      {"torus", topo::torus, "grid with wraparound links",
       with_wire({{"dims", "4x4", "switches per dimension"}, one_host})},
      {"ring", topo::ring, "torus of one dimension",
       with_wire({{"switches", "8", "switches in the ring"}, one_host})},
      {"hypercube", topo::hypercube, "two switches in each of n dimensions",
       with_wire({{"dims", "4", "number of dimensions"}, one_host})},
      {"complete", topo::complete, "every two switches joined",
       with_wire({{"switches", "8", "number of switches"}, one_host})},
      {"hyperx", topo::hyperx, "complete graphs in every dimension (Ahn et al. 2009)",
       with_wire({{"dims", "4x4", "switches per dimension"},
                  {"width", "1", "parallel links: one number, or one per dimension (1x2)"},
                  one_host})},
      {"dragonfly", topo::dragonfly, "groups joined as a palmtree (Kim et al. 2008)",
       with_wire({{"a", "4", "switches per group"},
                  {"p", "2", "hosts per switch"},
                  {"h", "2", "global links per switch"},
                  {"groups", "full", "number of groups; full: a*h+1"}})},
      {"xgft", topo::xgft, "extended generalized fat tree (Öhring et al. 1995)",
       with_wire({{"children", "4x4", "children per switch, by level from the leaves up"},
                  {"parents", "1x4", "parents per child, by level; the first is 1"},
                  {"links", "1", "parallel links: one number, or one per level (1x2)"}})},
      {"tree", topo::tree, "k-ary n-tree (Petrini, Vanneschi 1997)",
       with_wire({{"k", "2", "children and parents per switch"}, {"n", "3", "levels"}})},
      {"clos2", topo::clos2, "leaves and spines, all joined",
       with_wire({{"leaves", "4", "number of leaves"},
                  {"spines", "2", "number of spines"},
                  {"hosts", "4", "hosts per leaf"},
                  {"links", "1", "parallel links between a leaf and a spine"}})},
      {"clos3", topo::clos3, "three-level fat tree of equal switches: radix^3/4 hosts",
       with_wire({{"radix", "4", "ports per switch, an even number"}})},
      {"crossbar", topo::crossbar, "one switch", with_wire({{"hosts", "16", "number of hosts"}})},
      {"chain", topo::chain, "switches in a row",
       with_wire({{"hosts", "8x8", "hosts by switch"},
                  {"links", "1", "parallel links between neighbours"}})},
      {"random_regular", topo::random_regular, "random connected graph of equal degrees",
       with_wire({{"switches", "16", "number of switches"},
                  {"degree", "4", "links per switch"},
                  one_host,
                  seed})},
      {"random_irregular", topo::random_irregular, "random tree and random links",
       with_wire({{"switches", "16", "number of switches"},
                  {"links", "24", "number of links"},
                  one_host,
                  seed,
                  {"parallel", "1", "most links between the same two switches"},
                  {"bare", "0", "number of switches without hosts"}})},
      {"myrinet_clos", topo::myrinet_clos, "Myrinet-Clos(8) of the RHiNET-2 paper",
       with_rhinet2_wire({four_hosts, {"hosted", "all", "switches with hosts: all, or leaves"}})},
      {"fat_tree_241", topo::fat_tree_241, "fat tree (2,4,1) of the RHiNET-2 paper, 6 switches",
       with_rhinet2_wire({four_hosts})},
      {"fat_tree_242", topo::fat_tree_242, "fat tree (2,4,2) of the RHiNET-2 paper, 14 switches",
       with_rhinet2_wire({{"hosts", "2", "hosts per leaf"}})},
      {"rhinet2_a", topo::rhinet2_a, "topology A of the RHiNET-2 paper, reconstructed",
       with_rhinet2_wire({four_hosts})},
      {"rhinet2_b_surrogate", topo::rhinet2_b_surrogate,
       "surrogate: topology B of the RHiNET-2 paper is not identified, this has its hops",
       with_rhinet2_wire({four_hosts})},
      {"iba_mesh", topo::iba_mesh, "InfiniBand mesh with the LIDs of Zhou, Liu and Chung",
       with_wire(
           {{"m", "4", "switches from west to east"}, {"n", "4", "switches from south to north"}})},
      {"file", topo::file, "fabric read from a file", {{"path", "", "the file"}}},
  };
}

}  // namespace

std::span<const Row<Topology>> topologies() {
  static const std::vector<Row<Topology>> rows = make_rows();
  return rows;
}

Fabric make_fabric(std::string_view spec) {
  const Spec parsed = Spec::parse(spec);
  const Row<Topology>& row = find_row(topologies(), "topology", parsed.name);
  return row.make(Params(parsed, row.params));
}

}  // namespace weft
