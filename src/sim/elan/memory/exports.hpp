// SPDX-License-Identifier: Apache-2.0
// Exports: the segments of a process's memory that others may reach: which bytes, by whom, with
// which rights.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sim/elan/memory/address.hpp"

namespace weft::sim::elan {

/// Addresses from `first` up to `end`, which is not one of them and may be 2^32.
struct AddressRange {
  std::uint64_t first = 0, end = 0;
  bool has(std::uint64_t address) const { return first <= address && address < end; }
  bool meets(AddressRange other) const { return first < other.end && other.first < end; }
};

class Exports {
 public:
  void open(SegmentId, AddressRange, AccessRights, std::span<const Process> partners);
  /// Whether it was open.
  bool close(SegmentId);
  /// Closes all that share a byte with the range.
  void withdraw(AddressRange);

  struct Refusal {
    std::uint64_t at;  ///< the first byte that is refused
    Fault why;
  };
  /// Nothing when the process may do this to every byte of the range, by one segment or several.
  std::optional<Refusal> refusal(AddressRange, Access, Process by) const;

 private:
  struct Export {
    SegmentId segment;
    AddressRange range;
    AccessRights rights;
    std::vector<std::pair<Process, Process>> partners;  ///< from, to
    bool open = true;
    bool is_for(Process by, std::uint64_t address) const;
  };
  Fault reason(std::uint64_t at, Process by) const;
  std::vector<Export> exports_;  ///< a closed one stays until its place is needed
};

}  // namespace weft::sim::elan
