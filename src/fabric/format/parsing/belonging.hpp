// SPDX-License-Identifier: Apache-2.0
// Whether a dump is of this fabric. Single strangers are normal, as dumps are not made at the same
// time; a majority of them is another fabric.
#pragma once
#include <string>
#include <string_view>

#include "base/words.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/tables.hpp"

namespace weft {

class Belonging {
 public:
  void count(bool belongs) { ++(belongs ? ours_ : strangers_); }
  /// Throws Error when most does not belong to the fabric: "these are tables of another fabric: of
  /// 3 switches it has 1".
  void require_most(const Source& source, std::string_view what, std::string_view counted) const {
    if (strangers_ > ours_)
      fail(source, 1, "these are {} of another fabric: of {} {} it has {}", what,
           ours_ + strangers_, counted, ours_);
  }
  /// Empty, or "tables of 2 switches that this fabric does not have are skipped".
  std::string note(std::string_view what) const {
    if (strangers_ == 0) return {};
    return fmt::format("{} of {} that this fabric does not have are skipped", what,
                       counted(strangers_, "switch", "switches"));
  }

 private:
  std::size_t ours_ = 0, strangers_ = 0;
};

/// Throws Error when most hosts are not where their switches send packets for them.
inline void require_same_fabric(const Source& source, const Fabric& fabric, const Tables& tables) {
  const auto* next = std::get_if<DestinationTables>(&tables.paths);
  std::size_t there = 0, elsewhere = 0;
  for (HostId h : fabric.hosts()) {
    const ColumnId column = tables.to_host[h];
    if (next == nullptr || !column.valid()) continue;
    const PortNumber port = (*next)[column][fabric[h].on.index()];
    if (port != no_port) ++(port == here || port == fabric[h].port ? there : elsewhere);
  }
  if (elsewhere > there)
    fail(source, 1,
         "these are tables of another fabric: of {} hosts, {} are at the ports that the tables of "
         "their switches name",
         there + elsewhere, there);
}

}  // namespace weft
