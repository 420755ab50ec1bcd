// SPDX-License-Identifier: Apache-2.0
// Service levels of paths, and the lanes (VLs) that switches give them, as OpenSM and ibdiagnet
// dump them.
#pragma once
#include <optional>
#include <string_view>
#include <vector>

#include "fabric/format/format.hpp"

namespace weft::infiniband {

inline constexpr int service_levels = 16;

/// Lanes by (in-port, out-port, level) of every switch: opensm-sl2vl.dump, ibdiagnet2.slvl.
struct LaneMaps {
  ServiceLanes::Map map;    ///< lane 0 where the dump has none
  std::size_t missing = 0;  ///< pairs of connected ports that it does not have
  std::string note{};       ///< on switches that the fabric does not have; empty where it has all
};
bool recognises_lane_maps(std::string_view text);
/// Throws Error, also when most of the switches are not of the fabric.
LaneMaps read_lane_maps(const Source& source, const Fabric& fabric);

/// Levels by destination LID and source host: ibdiagnet2.psl and the like.
class PathLevels {
 public:
  explicit PathLevels(std::size_t hosts) : row_of_(std::size_t{1} << 16, -1), hosts_(hosts) {}
  void set(Lid to, HostId from, std::uint8_t level);
  /// By source host; 0 where nothing is said.
  std::vector<std::uint8_t> to(Lid lid) const;
  bool has(Lid to, HostId from) const;
  std::uint8_t most() const { return most_; }
  std::size_t count() const { return count_; }

 private:
  static constexpr std::uint8_t unsaid = 0xFF;
  std::vector<std::int32_t> row_of_;
  std::vector<std::vector<std::uint8_t>> rows_;
  std::size_t hosts_, count_ = 0;
  std::uint8_t most_ = 0;
};
bool recognises_path_levels(std::string_view text);
/// Throws Error, also when most of the paths are not of the fabric.
PathLevels read_path_levels(const Source& source, const Fabric& fabric);

/// Paths of tables from host to host, also to further LIDs (LMC), and those without a level. A host
/// to itself, and what no route joins, is none.
struct LevelGaps {
  std::size_t paths = 0, missing = 0;
};
LevelGaps level_gaps(const Fabric& fabric, const Tables& tables, const PathLevels& levels);

/// The tables with these levels: destinations that share a column but not their levels get columns
/// of their own. Without maps, a level is a lane.
Tables with_levels(const Fabric& fabric, Tables tables, const PathLevels& levels,
                   const std::optional<LaneMaps>& maps);

}  // namespace weft::infiniband
