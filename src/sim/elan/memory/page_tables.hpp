// SPDX-License-Identifier: Apache-2.0
// PageTables: the page tables of the Elan's MMU, in frames of its SDRAM. A table of contexts names
// the root table of each, a root the leaf tables, a leaf the pages: three entries of 8 bytes lead
// to a page. Only the entries that are set are kept.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "sim/elan/memory/address.hpp"
#include "sim/elan/memory/frames.hpp"

namespace weft::sim::elan {

struct PageWalk {
  std::optional<Physical> begins{};  ///< the page; nothing when it is not mapped
  std::uint32_t reads = 0;
  std::array<std::uint64_t, 3> read_at{};  ///< the SDRAM addresses of the entries
};

class PageTables {
 public:
  /// A table has the size of a page: 8 KiB or more, a power of two.
  explicit PageTables(std::uint64_t page) : entries_(page / 8) {}

  /// Adds a context with a root table; throws Error without room for it.
  void begin(Context, Frames& sdram);
  /// Makes the leaf tables of these pages; throws Error without room for them.
  void prepare(Context, PageNumber first, std::uint64_t count, Frames& sdram);
  void set(Context, PageNumber, Physical begins);
  void clear(Context, PageNumber);
  /// Removes a context, whose pages were cleared, with its tables.
  void end(Context, Frames& sdram);

  PageWalk walk(Context, PageNumber) const;

 private:
  void add_table(Context, std::uint64_t named_at, Frames& sdram);
  std::uint64_t context_entry(Context context) const;
  std::uint64_t leaf_entry(Context, PageNumber) const;

  std::uint64_t entries_;                ///< of a table
  std::vector<std::uint64_t> contexts_;  ///< where the parts of the table of contexts begin
  std::unordered_map<std::uint64_t, Physical> set_;       ///< by the SDRAM address of the entry
  std::map<Context, std::vector<std::uint64_t>> naming_;  ///< entries that name its tables
};

}  // namespace weft::sim::elan
