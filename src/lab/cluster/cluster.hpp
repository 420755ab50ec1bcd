// SPDX-License-Identifier: Apache-2.0
// A cluster file: what a machine is made of and which topologies and engines to compare on it.
#pragma once
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fabric/format/format.hpp"
#include "fabric/rematch.hpp"
#include "fabric/without.hpp"
#include "lab/cluster/find_file.hpp"

namespace weft {

/// Speed and delays of links where a topology's spec gives none; empty: the topology's defaults.
struct LinkDefaults {
  std::string speed{}, delay{}, host_delay{}, global_delay{};
  friend auto operator<=>(const LinkDefaults&, const LinkDefaults&) = default;
};

struct Cluster {
  std::string name;
  std::string about;
  std::vector<std::string> topologies;  ///< specs, or paths of fabric files
  std::vector<std::string> engines;
  LinkDefaults links;
  std::string without{};            ///< what is taken out of every fabric (fabric/without.hpp)
  int lanes = most_lanes;           ///< of a switch
  std::string model{"infiniband"};  ///< how a switch works, as a spec of sim/switch_model.hpp
  std::string nic;                  ///< how a host and its NIC work, as a spec of sim/nics/nic.hpp
  std::string library;              ///< of the programs, as a spec of comm/library.hpp; empty: none
  /// Values that a paper reproduced on this cluster leaves open; the paper defines the keys.
  std::map<std::string, std::string> paper{};
};

/// Reads a cluster file. Throws Error with file, line, key and what would be right.
Cluster read_cluster(const Source& source);

/// The cluster as the text of a file that is read as the same; `without` is not part of files.
std::string to_toml(const Cluster& cluster);

/// The cluster file of this path, or the one embedded in the program under this name. Paths in a
/// file are relative to its folder.
Cluster find_cluster(const std::string& path_or_name);

/// Whether this is a topology, or a file that holds a fabric.
bool names_fabric(const std::string& path_or_spec);
/// Whether this is a routing engine, and no file.
bool names_engine(const std::string& text);
/// Whether this is a folder of an InfiniBand subnet with forwarding tables.
bool has_own_tables(const std::string& fabric);
/// A cluster of which nothing is known but its fabrics, with the tables of those that are folders
/// with tables, and engines that suit most fabrics.
Cluster cluster_of_fabrics(const std::vector<std::string>& fabrics);
/// What a fabric is routed by if nobody says otherwise: its own tables, dmodk on trees, updown.
std::string default_tables(const std::string& fabric);

/// A spec of a topology with the link parameters that it takes and does not give; a path as it is.
std::string with_links(const std::string& path_or_spec, const LinkDefaults& links);
/// A spec of an engine that uses no more than so many lanes, where it has that choice and does not
/// give a number; a path as it is.
std::string with_most_lanes(const std::string& path_or_engine, int lanes);
/// Throws Error for a text that is neither an engine nor a file of tables.
void require_engine(const std::string& path_or_engine);
/// A switch model whose tables may use no more than so many lanes, where it does not say itself.
std::string with_lane_limit(const std::string& switches, int lanes);
/// Whether this is the path of a file in a format of InfiniBand's tools.
bool is_infiniband_file(const std::string& path);

/// The fabric of a path ("-" is standard input) or a spec; the name of a topology is never a path.
Fabric find_fabric(const std::string& path_or_spec, const LinkDefaults& links = {});

/// Whether a text names tables: a file, "-", or a folder with the dumps of a subnet. The name of a
/// routing engine never does.
bool holds_tables(const std::string& text);
/// The tables there, and what differs where LIDs, or the folder's own topology, are not quite the
/// fabric's.
/// Throws Error when they do not fit the fabric.
NotedTables noted_tables_in(const std::string& path, const Fabric& fabric);
/// Those of a file that has been read.
NotedTables noted_tables_of(const Source& source, const Fabric& fabric);
/// Only the tables.
Tables tables_in(const std::string& path, const Fabric& fabric);

/// The tables of a path ("-" is standard input) or of an engine, which fit the fabric; the name of
/// a routing engine is never a path. Throws RefusedError when the engine refuses the fabric, and
/// Error when the tables of a file do not reach every host that links reach.
Tables find_tables(const Fabric& fabric, const std::string& path_or_engine);
/// The same for what remains of a fabric: tables of a file are those of the whole fabric, without
/// the switches that are gone.
Tables find_tables(const Fabric& whole, const Remainder& rest, const std::string& path_or_engine);
/// The same, though tables of a file need not reach every host.
Tables any_tables(const Fabric& whole, const Remainder& rest, const std::string& path_or_engine);

}  // namespace weft
