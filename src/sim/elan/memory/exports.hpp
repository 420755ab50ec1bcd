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
struct Range {
  std::uint64_t first = 0, end = 0;
  bool has(std::uint64_t address) const { return first <= address && address < end; }
  bool meets(Range other) const { return first < other.end && other.first < end; }
};

class Exports {
 public:
  using Segment = std::uint64_t;  ///< a number that is never given again

  void open(Segment, Range, Rights, std::span<const Process> partners);
  /// Whether it was open.
  bool close(Segment);
  /// Closes all that share a byte with the range.
  void withdraw(Range);

  struct Refusal {
    std::uint64_t at;  ///< the first byte that is refused
    Fault why;
  };
  /// Nothing when the process may do this to every byte of the range, by one segment or several.
  std::optional<Refusal> refusal(Range, Access, Process by) const;

 private:
  struct Export {
    Segment segment;
    Range range;
    Rights rights;
    std::vector<std::pair<Process, Process>> partners;  ///< from, to
    bool open = true;
    bool is_for(Process by, std::uint64_t address) const;
  };
  Fault reason(std::uint64_t at, Process by) const;
  std::vector<Export> exports_;  ///< a closed one is known until its place is needed
};

}  // namespace weft::sim::elan
