// SPDX-License-Identifier: Apache-2.0
// The table of topologies: name, function, summary, parameters.
#include <vector>

#include "plan/topo/arrangement.hpp"
#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"
#include "plan/topo/topology.hpp"

namespace weft {
namespace {

constexpr Whole ports{1, most_ports};  ///< of a switch: what takes one port each
constexpr Whole many_switches{2, 1'000'000};
constexpr Whole lids{1, topo::most_lids};

constexpr Param one_host{"hosts", ports, "1", "hosts per switch"};
constexpr Param four_hosts{"hosts", ports, "4", "hosts per switch that has any"};
constexpr Param seed{"seed", Whole{}, "1", "the same seed gives the same fabric"};

/// The delay of some cables; "delay": as that of the others.
constexpr DelayText own_delay{0, 1'000'000, std::chrono::seconds(1), "delay", false};

/// The parameters every generated fabric takes, after its own.
std::vector<Param> with_wire(std::vector<Param> own, std::string_view speed = "8Gb/s") {
  own.push_back({"speed", BandwidthText{}, speed, "speed of every link"});
  own.push_back({"delay", DurationText{}, "0ns", "delay of every link"});
  own.push_back({"host_delay", own_delay, "delay", "delay of the cables of hosts"});
  return own;
}

/// Links of the RHiNET-2 cluster ran at 6 Gb/s.
std::vector<Param> with_rhinet2_wire(std::vector<Param> own) {
  return with_wire(std::move(own), "6Gb/s");
}

/// The parameters of dragonflies of both kinds, after their own.
std::vector<Param> with_groups(std::vector<Param> own) {
  for (const Param& param : topo::Arrangement::params()) own.push_back(param);
  own.push_back({"global_delay", own_delay, "delay", "delay of cables between groups"});
  return with_wire(std::move(own));
}

using TopologyRows = std::vector<Row<Topology>>;

TopologyRows grids_and_complete_graphs() {
  return {
      {"mesh", topo::mesh, "grid of any number of dimensions",
       with_wire({{"dims", Dims{2}, "4x4", "switches per dimension"}, one_host})},
      {"torus", topo::torus, "grid with wraparound links",
       with_wire({{"dims", Dims{2}, "4x4", "switches per dimension"}, one_host})},
      {"ring", topo::ring, "torus of one dimension",
       with_wire({{"switches", many_switches, "8", "switches in the ring"}, one_host})},
      {"hypercube", topo::hypercube, "two switches in each of n dimensions",
       with_wire({{"dims", Whole{1, 30}, "4", "number of dimensions"}, one_host})},
      {"complete", topo::complete, "every two switches joined",
       with_wire({{"switches", Whole{2, most_ports}, "8", "number of switches"}, one_host})},
      {"hyperx", topo::hyperx, "complete graphs in every dimension (Ahn et al. 2009)",
       with_wire({{"dims", Dims{2}, "4x4", "switches per dimension"},
                  {"width", Dims{1}, "1", "parallel links: one number, or one per dimension (1x2)"},
                  one_host})},
      {"dragonfly", topo::dragonfly, "groups joined by global links (Kim et al. 2008)",
       with_groups(
           {{"a", ports, "4", "switches per group"},
            {"p", ports, "2", "hosts per switch"},
            {"h", ports, "2", "global links per switch"},
            {"groups", WholeUpTo{2, "a*h+1", "full"}, "full", "number of groups; full: a*h+1"}})},
      {"dragonfly_plus", topo::dragonfly_plus,
       "groups of leaves and spines, the spines joined (Shpiner et al. 2017)",
       with_groups({{"leaves", ports, "4", "leaves per group"},
                    {"spines", ports, "4", "spines per group"},
                    {"hosts", ports, "2", "hosts per leaf"},
                    {"groups", ports, "3", "number of groups"},
                    {"h", Whole{1, most_ports, "", "groups-1"}, "groups-1",
                     "global links per spine; groups-1: one to the spine of its number in every "
                     "other group"}})},
  };
}

TopologyRows trees() {
  return {
      {"xgft", topo::xgft, "extended generalized fat tree (Öhring et al. 1995)",
       with_wire({{"children", Dims{1}, "4x4", "children per switch, by level from the leaves up"},
                  {"parents", Dims{1}, "1x4", "parents per child, by level; the first is 1"},
                  {"links", Dims{1}, "1", "parallel links: one number, or one per level (1x2)"}})},
      {"tree", topo::tree, "k-ary n-tree (Petrini, Vanneschi 1997)",
       with_wire({{"k", Whole{2, most_ports}, "2", "children and parents per switch"},
                  {"n", Whole{1, 30}, "3", "levels"}})},
      {"clos2", topo::clos2, "leaves and spines, all joined",
       with_wire({{"leaves", ports, "4", "number of leaves"},
                  {"spines", ports, "2", "number of spines"},
                  {"hosts", ports, "4", "hosts per leaf"},
                  {"links", ports, "1", "parallel links between a leaf and a spine"}})},
      {"clos3", topo::clos3, "three-level fat tree of equal switches: radix^3/4 hosts",
       with_wire({{"radix", Whole{2, most_ports}, "4", "ports per switch, an even number"}})},
      {"crossbar", topo::crossbar, "one switch",
       with_wire({{"hosts", ports, "16", "number of hosts"}})},
      {"chain", topo::chain, "switches in a row",
       with_wire({{"hosts", Dims{1}, "8x8", "hosts by switch"},
                  {"links", ports, "1", "parallel links between neighbours"}})},
  };
}

TopologyRows random_graphs() {
  return {
      {"random_regular", topo::random_regular, "random connected graph of equal degrees",
       with_wire({{"switches", many_switches, "16", "number of switches"},
                  {"degree", ports, "4", "links per switch"},
                  one_host,
                  seed})},
      {"random_irregular", topo::random_irregular, "random tree and random links",
       with_wire({{"switches", many_switches, "16", "number of switches"},
                  {"links", Whole{1, 4'000'000}, "24", "number of links"},
                  one_host,
                  seed,
                  {"parallel", ports, "1", "most links between the same two switches"},
                  {"bare", Whole{0, 1'000'000}, "0", "number of switches without hosts"}})},
  };
}

/// Of papers; and what a file describes.
TopologyRows published_and_from_files() {
  return {
      {"myrinet_clos", topo::myrinet_clos, "Myrinet-Clos(8) of the RHiNET-2 paper",
       with_rhinet2_wire(
           {four_hosts, {"hosted", OneOf{"all", "leaves"}, "all", "switches with hosts"}})},
      {"fat_tree_241", topo::fat_tree_241, "fat tree (2,4,1) of the RHiNET-2 paper, 6 switches",
       with_rhinet2_wire({four_hosts})},
      {"fat_tree_242", topo::fat_tree_242, "fat tree (2,4,2) of the RHiNET-2 paper, 14 switches",
       with_rhinet2_wire({{"hosts", ports, "2", "hosts per leaf"}})},
      {"rhinet2_a", topo::rhinet2_a, "topology A of the RHiNET-2 paper, reconstructed",
       with_rhinet2_wire({four_hosts})},
      {"rhinet2_b_surrogate", topo::rhinet2_b_surrogate,
       "surrogate: topology B of the RHiNET-2 paper is not identified, this has its hops",
       with_rhinet2_wire({four_hosts})},
      {"iba_mesh", topo::iba_mesh, "InfiniBand mesh with the LIDs of Zhou, Liu and Chung",
       with_wire({{"m", lids, "4", "switches from west to east"},
                  {"n", lids, "4", "switches from south to north"}})},
      {"file",
       topo::file,
       "fabric read from a file",
       {{"path", FreeText{}, "", "the file"},
        {"hosts", Whole{0, 65'000}, "0", "that every switch gets where the file has none"}}},
  };
}

TopologyRows all_topologies() {
  TopologyRows rows;
  for (TopologyRows (*some)() :
       {grids_and_complete_graphs, trees, random_graphs, published_and_from_files})
    for (Row<Topology>& row : some()) rows.push_back(std::move(row));
  return rows;
}

}  // namespace

std::span<const Row<Topology>> topologies() {
  static const TopologyRows rows = all_topologies();
  return rows;
}

Fabric make_fabric(const Spec& spec) {
  const Row<Topology>& row = find_row(topologies(), "topology", spec.name);
  return row.make(Params(spec, row.params));
}

Fabric make_fabric(std::string_view text) { return make_fabric(Spec::parse(text)); }

}  // namespace weft
