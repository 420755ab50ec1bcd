// SPDX-License-Identifier: Apache-2.0
// Mmu: the memory management unit of an Elan. It translates the virtual addresses of all contexts
// by the TLB, or by page tables in SDRAM when the TLB misses; a page that no table has yet is
// mapped on demand. It knows no rights: Memory checks them first.
#pragma once
#include <array>
#include <cstdint>

#include "sim/elan/memory/address.hpp"
#include "sim/elan/memory/frames.hpp"
#include "sim/elan/memory/page_tables.hpp"
#include "sim/elan/memory/tlb.hpp"

namespace weft::sim::elan {

struct Translation {
  Physical physical{};
  std::uint32_t reads = 0;                 ///< table entries that were read: none on a TLB hit
  bool mapped_now = false;                 ///< the page was mapped on demand
  std::array<std::uint64_t, 3> read_at{};  ///< SDRAM addresses of the entries
};

struct MmuCounters {
  std::uint64_t tlb_hits = 0, tlb_misses = 0;
  std::uint64_t table_reads = 0;
  std::uint64_t pages_mapped = 0;  ///< on demand
  std::uint64_t faults = 0;        ///< translations that were refused
};

class Mmu {
 public:
  /// The page tables lie in frames of the SDRAM, which must outlive the MMU.
  Mmu(std::uint64_t page, std::uint32_t tlb_entries, Frames& sdram)
      : page_(page), sdram_(sdram), tables_(page), tlb_(tlb_entries) {}

  /// Makes the root table of a context. Throws Error when SDRAM has no room.
  void attach(Context context) { tables_.begin(context, sdram_); }
  /// Removes the tables of a context, whose pages have been unmapped.
  void detach(Context context) { tables_.end(context, sdram_); }
  /// Makes the leaf tables of these pages. Throws Error when SDRAM has no room.
  void prepare(Context context, PageNumber first, std::uint64_t count) {
    tables_.prepare(context, first, count, sdram_);
  }
  /// Removes a page from tables and TLB.
  void unmap(Context context, PageNumber page) {
    tables_.clear(context, page);
    tlb_.forget(context, page);
  }

  /// Translates an address the context may access. `locate` says where the address's page begins in
  /// physical memory; it is called only for a page that no table has yet.
  template <class Locate>
  Translation translate(Context context, Address address, Locate locate) {
    const auto page = static_cast<PageNumber>(address / page_);
    const std::uint64_t within = address % page_;
    if (const auto begins = tlb_.find(context, page)) {
      ++counters_.tlb_hits;
      return {.physical = {begins->kind, begins->at + within}};
    }
    PageWalk walk = tables_.walk(context, page);
    ++counters_.tlb_misses;
    counters_.table_reads += walk.reads;
    Translation translation{.reads = walk.reads, .read_at = walk.read_at};
    if (!walk.begins) {
      walk.begins = locate();
      tables_.set(context, page, *walk.begins);
      translation.mapped_now = true;
      ++counters_.pages_mapped;
    }
    tlb_.add(context, page, *walk.begins);
    translation.physical = {walk.begins->kind, walk.begins->at + within};
    return translation;
  }
  void count_fault() { ++counters_.faults; }
  const MmuCounters& counters() const { return counters_; }

 private:
  std::uint64_t page_;
  Frames& sdram_;
  PageTables tables_;
  Tlb tlb_;
  MmuCounters counters_;
};

}  // namespace weft::sim::elan
