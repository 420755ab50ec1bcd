// SPDX-License-Identifier: Apache-2.0
// The keys of fabric files, and the lines of weft's tables and certificates.
#pragma once
#include <array>

#include "base/file_key.hpp"

namespace weft {

inline constexpr std::array fabric_root_keys{
    FileKey{"weft", "\"fabric 1\"", "kind and version of the file; first line"},
    FileKey{"name", "text", "of the fabric; otherwise that of the file"},
    FileKey{"speed", "bandwidth", "of every link and host that does not say otherwise"},
    FileKey{"delay", "time, or \"14cycles\"", "of every link and host that does not say otherwise"},
    FileKey{"latency", "time", "of every switch that does not say otherwise"},
    FileKey{"switches", "list of rows",
            "[\"name\", ports, {…}], or only \"name\": as many ports as "
            "are used"},
    FileKey{"hosts", "list of rows",
            "[\"name\", \"switch\", port, {…}]; port 0 or none: a free one"},
    FileKey{"links", "list of rows",
            "[\"switch\", port, \"switch\", port, {…}]; ports count from 1, 0 or none: a free one"},
};
inline constexpr std::array fabric_switch_keys{
    FileKey{"guid", "\"0x0002c90200000001\"", "of the switch, as in InfiniBand"},
    FileKey{"lid", "0 to 65535", "local identifier; otherwise none"},
    FileKey{"at", "list of whole numbers",
            "coordinates: at = [x, y], as many as there are "
            "dimensions; xy, dor and drawings need them"},
    FileKey{"latency", "time", "of a head from port to port"},
};
inline constexpr std::array fabric_host_keys{
    FileKey{"guid", "\"0x0002c90200000001\"", "of the NIC"},
    FileKey{"port_guid", "\"0x0002c90200000001\"", "of its port"},
    FileKey{"lid", "0 to 65535", "local identifier; otherwise none"},
    FileKey{"nic_port", "1 to 65000", "port of the NIC; otherwise 1"},
    FileKey{"lmc", "0 to 7", "it has 2^lmc LIDs from lid on; otherwise one"},
    FileKey{"role", "computer | aggregation | router",
            "what it is; only computers have traffic of programs"},
    FileKey{"speed", "bandwidth", "of its link"},
    FileKey{"delay", "time, or \"14cycles\"", "of its link"},
};
inline constexpr std::array fabric_link_keys{
    FileKey{"speed", "bandwidth", "of this link"},
    FileKey{"delay", "time, or \"14cycles\"", "of this link"},
};
inline constexpr std::array fabric_key_tables{
    KeyTable{"Fabric file (TOML)", "weft's own form, which holds everything: weft make -o",
             fabric_root_keys},
    KeyTable{"{…} of a switch", "in a fabric file", fabric_switch_keys},
    KeyTable{"{…} of a host", "in a fabric file", fabric_host_keys},
    KeyTable{"{…} of a link", "in a fabric file", fabric_link_keys},
};

inline constexpr std::array graphml_name_keys{
    FileKey{"name", "text", "of the graph, a switch or a host; otherwise the id of the node"},
};
inline constexpr std::array graphml_node_keys{
    FileKey{"kind", "switch | host", "otherwise switch; a host has one edge, to its switch"},
    FileKey{"ports", "0 to 65000", "of a switch; otherwise as many as are used"},
    FileKey{"guid", "0x0002c90200000001", "of a switch or NIC"},
    FileKey{"port_guid", "0x0002c90200000001", "of a host's port"},
    FileKey{"lid", "0 to 65535", "local identifier"},
    FileKey{"nic_port", "1 to 65000", "port of the NIC"},
    FileKey{"at", "whole numbers", "coordinates of a switch, separated by spaces: 0 1"},
};
inline constexpr std::array graphml_edge_keys{
    FileKey{"speed", "bandwidth", "of the link"},
    FileKey{"delay", "time, or 14cycles", "of the link"},
    FileKey{"source_port", "0 to 65000",
            "of the switch that is the edge's source; 0 or none: a "
            "free one"},
    FileKey{"target_port", "0 to 65000", "of the switch that is its target"},
};
inline constexpr std::array graphml_key_tables{
    KeyTable{"GraphML: data of the graph and its nodes",
             "attr.name of a <key>, otherwise its id; other data are ignored", graphml_name_keys},
    KeyTable{"GraphML: data of nodes", "", graphml_node_keys},
    KeyTable{"GraphML: data of edges", "", graphml_edge_keys},
};

inline constexpr std::array tables_lines{
    FileKey{
        "to", "to h0 h1 | s0: . 1 1 -",
        "a column: out-ports to these hosts and switches, in the order of the list of switches; . "
        "here, - no route. Source routes are separated by commas: ., 2 1, -, 1 g0. After a second "
        "|: "
        "hosts and their further LIDs (LMC), as h0 1"},
    FileKey{"level", "level 0 0 1 0",
            "below a column: service level by source switch, or level hosts 0 1 by source host; "
            "none: all 0"},
    FileKey{
        "turn", "turn s0 1: 0 = = + x",
        "lanes by turn, of an in-port: by out-port from 0; a lane, = keep, + up, - down, x never; "
        "one mark stands for all"},
    FileKey{"map", "map s0 1 2: 0 0 0 0", "lane of each level for an in-port and out-port"},
    FileKey{"out", "out s0: 1 2 5", "below a group: out-ports of a switch"},
    FileKey{"group", "group all lane 0 source h0: h0 h1",
            "a multicast group: its lane, or service level (level 0), its sender "
            "(source) or root switch (root), its members"},
    FileKey{"engine", "engine updown:root=s0", "what made the tables"},
    FileKey{"lanes", "lanes 2", "how many the tables use"},
    FileKey{"columns", "columns hosts switches", "or only hosts: are there routes to switches?"},
    FileKey{"paths", "paths destination",
            "or source, or choices: tables by destination, source routes, or tables that leave "
            "choices"},
    FileKey{"switches", "switches s0 s1 \"rack 2, top\"", "their order in columns"},
    FileKey{"turns", "turns from hosts 0 otherwise =",
            "lanes by turn: of hosts' packets, and where "
            "no turn line says otherwise"},
    FileKey{"levels", "levels 4: 0 1 0 1",
            "lanes by service level; without numbers the level is the "
            "lane; unknown: there are levels, which are not known"},
    FileKey{"links", "links g0: 5 6 7 8",
            "of source routes: a group of links, any of which is taken"},
    FileKey{"up", "up 3: s0 s1", "below a group with a root: the up port of these switches"},
    FileKey{"choice", "choice c0: 1.0 2.0>1 | 3.1>1",
            "of choice tables: what a packet may do next: ports, with .lane (none: by turn or "
            "level) and >phase; those behind a | are less preferred"},
    FileKey{"in", "in 2 to h0 h1: . c0 c1 -",
            "of choice tables: a column to hosts, of one phase; = stands for that of the line "
            "before"},
    FileKey{"via", "via: . . c3 c4", "of choice tables: a column to an intermediate destination"},
    FileKey{"phase", "phase 1 detour: to intermediates next 2",
            "of choice tables: phases in order; or to hosts, also with a phase of detours: phase "
            "0 undecided: to hosts detour 1"},
    FileKey{"start", "start random 0 1",
            "of choice tables: the phases in which packets start: random, queue or level; start 0 "
            "of a single one"},
    FileKey{"regions", "regions 0 0 1 1",
            "of intermediate destinations: by switch; none: every switch is one"},
    FileKey{
        "intermediates", "intermediates elsewhere",
        "which may be drawn: any, elsewhere (not in the first or last region), between (on "
        "shortest paths), aligned (in coordinates that agree), up_to_last (none behind the last "
        "switch)"},
    FileKey{"decide", "decide port 1 2 threshold 30 draws 1",
            "on detours: queue (port, lane or path), its weight and that of the detour (0: hops), "
            "threshold in flits, and how many intermediate destinations are drawn"},
};
inline constexpr std::array certificate_lines{
    FileKey{"weft certificate 1", "", "first line"},
    FileKey{"lanes", "lanes 2", "how many numbers a line has"},
    FileKey{"\"switch\" port:", "\"s0\" 1: 4 7",
            "the numbers of a channel, one a lane, which strictly increase along every route; - "
            "where no dependency touches it"},
};
inline constexpr std::array tables_key_tables{
    KeyTable{"Tables (text)",
             "A line begins with one of these words; the first line is weft tables "
             "1. weft route -o writes it.",
             tables_lines},
    KeyTable{"Certificate (text)", "weft route --certificate writes it, weft verify reads it.",
             certificate_lines},
};

}  // namespace weft
