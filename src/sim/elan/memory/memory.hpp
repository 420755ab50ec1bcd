// SPDX-License-Identifier: Apache-2.0
// Memory of one host as its Elan sees it: main memory, the Elan's SDRAM, and the MMU that maps both
// into the virtual address spaces of its processes (Petrini et al. 2002, "Global virtual memory").
// All bytes are real, and no time passes: what costs time is counted.
#pragma once
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
#include "sim/elan/memory/mmu.hpp"
#include "sim/elan/memory/space.hpp"

namespace weft::sim::elan {

struct MemoryOptions {
  Bytes sdram{64 << 20};
  Bytes main{1 << 30};
  Bytes page{8 << 10};
  std::uint32_t tlb_entries = 16;
  CacheGeometry cache{};
  // Figure 3: addresses of the main processor from host_base to host_end are those of the Elan
  // from elan_base on. (The paper prints 0x1FFFFFFFFFFFF and 0x1FFFFFFF for host_end.)
  HostAddress host_base = 0x1FF0C808000;
  HostAddress host_end = 0x1FFFFFFFFFF;  ///< the last one
  Address elan_base = 0xC808000;
  /// The allocator's heap is at the beginning; behind it is memory that programs map.
  Bytes heap{std::int64_t{2} << 30};
};

struct MemoryBlock {
  Address elan = 0;
  HostAddress host = 0;
  MemoryKind kind = MemoryKind::main;
  std::span<std::byte> bytes{};  ///< valid until it is released
};

class Memory {
 public:
  /// Throws Error for sizes that no Elan has.
  explicit Memory(const MemoryOptions&);
  Memory(const Memory&) = delete;  // its MMU refers to its SDRAM
  Memory& operator=(const Memory&) = delete;

  /// Attaches a process and returns its context. Contexts are never reused: packets for a process
  /// that has left reach nobody. Throws Error when it is attached already, or there is no context
  /// or room left.
  Context attach(Process);
  /// Removes a process with its blocks and segments.
  void detach(Context);
  /// The context of a process, if it is attached.
  std::optional<Context> context_of(Process) const;
  std::optional<Process> process_of(Context) const;

  /// Allocates a block in the heap that both MMUs map; zeros where the page is new. Small blocks
  /// share pages. Throws Error when there is no room.
  MemoryBlock allocate(Context, MemoryKind, std::size_t bytes, std::size_t alignment = 64);
  /// Maps main memory of the program, behind the heap or at a given address. Throws Error when the
  /// Elan cannot reach all of it there.
  MemoryBlock map(Context, std::span<std::byte> memory, std::optional<HostAddress> at = {});
  /// Releases the block, allocated or mapped, that begins at an address, and closes every segment
  /// that shares a byte with it. Returns its length. Throws Error when no block begins there.
  std::uint64_t release(Context, Address);

  /// The other address of the same byte; nothing outside the range that both can access.
  std::optional<Address> to_elan(HostAddress) const;
  std::optional<HostAddress> to_host(Address) const;

  /// Lets the partners reach these bytes, which must all be in blocks; throws Error otherwise.
  SegmentId open(Context, Address, std::size_t bytes, AccessRights,
                 std::span<const Process> partners);
  /// Throws Error for a segment that is not open.
  void close(SegmentId);

  /// Translates an access that stays within a page. The context's own process reaches all that is
  /// mapped, others the segments exported to them.
  std::variant<Translation, Fault> translate(Context, Address, Access, Process by,
                                             std::size_t bytes = 1);
  /// Bytes within a page, to be used at once: after a release or detach they may belong to another
  /// process.
  std::span<std::byte> bytes(Physical, std::size_t);

  /// Checks an access of any size; returns what is refused first, or nothing. The TLB and the
  /// counters do not change.
  std::optional<Trap> check(Context, Address, std::size_t bytes, Access, Process by);
  /// Moves bytes if all of the access is allowed; otherwise nothing is changed.
  std::optional<Trap> copy_in(Context, Address to, std::span<const std::byte> from, Process by);
  std::optional<Trap> copy_out(std::span<std::byte> to, Context, Address from, Process by);

  /// Bytes where the program sees them, and in which memory; nothing unless all are in one block or
  /// in blocks of one page.
  struct View {
    MemoryKind kind = MemoryKind::main;
    std::span<std::byte> bytes{};
  };
  std::optional<View> view(Context, Address, std::size_t bytes);
  /// From here to the end of the block or page; nothing when no byte is there.
  std::optional<View> rest(Context, Address);

  const MmuCounters& counters() const { return mmu_.counters(); }
  Cache& cache() { return cache_; }
  std::uint64_t page_bytes() const { return page_; }
  Bytes sdram_left() const;

 private:
  Space& space(Context, const char* what);
  Frames& frames(MemoryKind kind) { return kind == MemoryKind::sdram ? sdram_ : main_; }
  void place(Context, Space&, std::uint64_t at, Piece);
  MemoryBlock block(const FoundPiece&, std::uint64_t at) const;
  void unmap(Context, Space&, const FoundPiece&);
  AddressRange heap() const { return {options_.elan_base, options_.elan_base + heap_}; }
  AddressRange reachable() const {
    return {options_.elan_base, options_.elan_base + (options_.host_end - options_.host_base) + 1};
  }
  std::optional<Exports::Refusal> refusal(Space&, AddressRange, Access, Process by);

  MemoryOptions options_;
  std::uint64_t page_, heap_;
  Frames main_, sdram_;
  Mmu mmu_;
  Cache cache_;
  std::map<Context, Space> spaces_;
  Context last_context_ = 0;
  std::uint64_t last_segment_ = 0;
};

}  // namespace weft::sim::elan
