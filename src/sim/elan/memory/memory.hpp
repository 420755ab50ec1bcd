// SPDX-License-Identifier: Apache-2.0
// Memory of one host as its Elan sees it: main memory, the Elan's SDRAM, and the MMU that maps both
// into the virtual address spaces of its processes (Petrini et al. 2002, "Global virtual memory").
// All bytes are real, and no time passes: what costs time is counted.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <variant>

#include "base/units.hpp"
#include "sim/elan/memory/address.hpp"
#include "sim/elan/memory/cache.hpp"
#include "sim/elan/memory/frames.hpp"
#include "sim/elan/memory/space.hpp"
#include "sim/elan/memory/tables.hpp"
#include "sim/elan/memory/tlb.hpp"

namespace weft::sim::elan {

class Memory {
 public:
  struct Options {
    Bytes sdram{64 << 20};
    Bytes main{1 << 30};
    Bytes page{8 << 10};
    std::uint32_t tlb_entries = 16;
    Cache::Options cache{};
    // Figure 3: addresses of the main processor from host_base to host_end are those of the Elan
    // from elan_base on. (The paper prints 0x1FFFFFFFFFFFF and 0x1FFFFFFF for host_end.)
    HostAddress host_base = 0x1FF0C808000;
    HostAddress host_end = 0x1FFFFFFFFFF;  ///< the last one
    Address elan_base = 0xC808000;
    /// The allocator's heap is at the beginning; behind it is memory that programs map themselves.
    Bytes heap{std::int64_t{2} << 30};
  };
  /// Throws Error for sizes that no Elan has.
  explicit Memory(const Options&);

  /// A process comes. Contexts are never used again: what is under way to a process that has gone
  /// reaches nobody. Throws Error when it is here already, or there is no context or room left.
  Context attach(Process);
  /// Its blocks and segments are gone.
  void detach(Context);
  /// Of a process that is here.
  std::optional<Context> context_of(Process) const;
  std::optional<Process> process_of(Context) const;

  struct Block {
    Address elan = 0;
    HostAddress host = 0;
    Store store = Store::main;
    std::span<std::byte> bytes{};  ///< valid until it is released
  };
  /// From the heap that both MMUs map; zeros where the page is new. Small blocks share pages.
  /// Throws Error when there is no room.
  Block allocate(Context, Store, std::size_t bytes, std::size_t alignment = 64);
  /// Main memory that the program has itself, where its own heap has grown to, or at an address.
  /// Throws Error when the Elan cannot reach all of it there.
  Block map(Context, std::span<std::byte> memory);
  Block map(Context, std::span<std::byte> memory, HostAddress at);
  /// The block that begins here, allocated or mapped, is gone, and so is every segment that has a
  /// byte of it. Returns its length. Throws Error when none begins here (any more).
  std::uint64_t release(Context, Address);

  /// Nothing outside the range that both can access.
  std::optional<Address> to_elan(HostAddress) const;
  std::optional<HostAddress> to_host(Address) const;

  using Segment = Exports::Segment;  ///< never valid again once closed or withdrawn; 0 is none
  /// Lets the partners reach these bytes, which must all be in blocks; throws Error otherwise.
  Segment open(Context, Address, std::size_t bytes, Rights, std::span<const Process> partners);
  /// Throws Error for one that is not open (any more).
  void close(Segment);

  struct Translation {
    Physical physical{};
    std::uint32_t reads = 0;  ///< table entries that were read: none when the TLB knew
    bool mapped_now = false;  ///< the page was mapped on demand
    std::array<std::uint64_t, 3> read_at{};  ///< SDRAM addresses of the entries
  };
  /// What the MMU makes of an access that stays within a page. The context's own process reaches
  /// all that is mapped, others the segments exported to them.
  std::variant<Translation, Fault> translate(Context, Address, Access, Process by,
                                             std::size_t bytes = 1);
  /// Within a page, at once: a release or detach later they may be somebody else's.
  std::span<std::byte> bytes(Physical, std::size_t);

  /// Whether a whole access is allowed, of any size; what would be refused first otherwise. The TLB
  /// and the counters do not notice.
  std::optional<Trap> check(Context, Address, std::size_t bytes, Access, Process by);
  /// Moves bytes if all of the access is allowed; otherwise nothing is changed.
  std::optional<Trap> copy_in(Context, Address to, std::span<const std::byte> from, Process by);
  std::optional<Trap> copy_out(std::span<std::byte> to, Context, Address from, Process by);

  /// Bytes where the program sees them, and in which store; nothing unless all are in one block or
  /// in blocks of one page.
  struct View {
    Store store = Store::main;
    std::span<std::byte> bytes{};
  };
  std::optional<View> view(Context, Address, std::size_t bytes);
  /// From here to the end of the block or page; nothing when no byte is there.
  std::optional<View> rest(Context, Address);

  struct Counters {
    std::uint64_t tlb_hits = 0, tlb_misses = 0;
    std::uint64_t table_reads = 0;
    std::uint64_t pages_mapped = 0;  ///< on demand
    std::uint64_t faults = 0;        ///< translations that were refused
  };
  const Counters& counters() const { return counters_; }
  Cache& cache() { return cache_; }
  const Cache& cache() const { return cache_; }
  std::uint64_t page_bytes() const { return page_; }
  Bytes sdram_left() const;

 private:
  Space& space(Context, const char* what);
  Frames& frames(Store store) { return store == Store::sdram ? sdram_ : main_; }
  void place(Context, Space&, std::uint64_t at, Piece);
  Block block(const Space::Found&, std::uint64_t at) const;
  void unmap(Context, Space&, const Space::Found&);
  Range heap() const { return {options_.elan_base, options_.elan_base + heap_}; }
  Range reachable() const {
    return {options_.elan_base, options_.elan_base + (options_.host_end - options_.host_base) + 1};
  }
  std::optional<Exports::Refusal> refusal(Space&, Range, Access, Process by);
  Translation walk(Context, Space&, Address);

  Options options_;
  std::uint64_t page_, heap_;
  Frames main_, sdram_;
  Tables tables_;
  Tlb tlb_;
  Cache cache_;
  std::map<Context, Space> spaces_;
  Context last_context_ = 0;
  std::uint64_t last_segment_ = 0;
  Counters counters_;
};

}  // namespace weft::sim::elan
