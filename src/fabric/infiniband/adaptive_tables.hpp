// SPDX-License-Identifier: Apache-2.0
// Adaptive forwarding tables as ibdiagnet dumps them (ibdiagnet2.far): groups of ports, and for
// every LID a static port and the group that may be taken instead.
#pragma once
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/format/format.hpp"

namespace weft::infiniband {

struct AdaptiveEntry {
  Lid lid = 0;
  unsigned port = 0;  ///< the static one
  std::string state;  ///< Static, Free, HBF or Bounded
  unsigned group = 0;
  std::size_t line = 0;  ///< where it was read

  bool says_the_same(const AdaptiveEntry& other) const {
    return lid == other.lid && port == other.port && state == other.state && group == other.group;
  }
};

struct AdaptiveGroup {
  std::vector<PortNumber> ports{};
  std::size_t line = 0;  ///< where it was read
};

struct AdaptiveSwitch {
  Guid guid = 0;
  std::size_t line = 0;
  std::map<std::pair<unsigned, unsigned>, AdaptiveGroup> groups;  ///< by group, sub-group
  std::map<unsigned, std::vector<AdaptiveEntry>> entries;         ///< by number of the LFT
  std::optional<unsigned> levels{};  ///< en_sl: a bit for every service level that adapts
  bool adapts() const;
};

bool recognises_adaptive(std::string_view text);
std::vector<AdaptiveSwitch> read_adaptive(const Source& source);
/// The same, in the same form.
void write_adaptive(std::ostream& stream, const std::vector<AdaptiveSwitch>& switches);

/// What the switches do where they do not adapt: the static ports of the first tables. Throws Error
/// where these are tables of another fabric; notes say which LIDs are skipped.
NotedTables static_tables(const Source& source, const Fabric& fabric,
                          const std::vector<AdaptiveSwitch>& switches);

/// Entries whose static port is not in their group, in words; normally there are none.
std::vector<std::string> odd_entries(const Fabric& fabric,
                                     const std::vector<AdaptiveSwitch>& switches);

}  // namespace weft::infiniband
