// SPDX-License-Identifier: Apache-2.0
// Elan3: what programs see of QsNet (Elan3lib; Petrini et al. 2002): a global virtual memory,
// remote DMA by descriptor, events. A rank is a VPID; it and an address name a byte anywhere. Ranks
// that allocate alike have the same addresses.
//
//   Elan3& elan = *ep.capability<Elan3>();
//   const Elan3::Block block = elan.allocate(Elan3::Store::main, 4096);
//   const Elan3::Event came = elan.make_event();
//   const Elan3::Segment data = elan.open(block, Rights::remote), word = elan.open_event(came);
//   co_await barrier->enter();
//   if (ep.rank() == 0)
//     co_await elan.dma({.from = 0, .to = 1, .source = block.elan, .target = block.elan,
//                        .bytes = 4096, .target_event = came});
//   else
//     co_await elan.wait(came, 1);
//
// An Op ends when the Elan that carries it out knows its outcome. A program that is to learn the
// outcome as on the real machine waits for an event.
#pragma once
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/team.hpp"

namespace weft::comm {

class Elan3 {
 public:
  using Address = std::uint32_t;      ///< an Elan virtual address; 0 is none
  using HostAddress = std::uint64_t;  ///< of the main processor
  using Event = Address;              ///< of its word, in Elan memory
  static constexpr std::size_t event_bytes = 8;
  enum class Store : std::uint8_t { main, elan };

  struct Block {
    Address elan = 0;
    HostAddress host = 0;
    Store store = Store::main;
    std::span<std::byte> bytes{};  ///< valid until it is released
    /// A part of the block. Throws Error unless it lies within.
    Block part(std::size_t offset, std::size_t size) const;
  };

  explicit Elan3(Endpoint& endpoint) : endpoint_(endpoint) {}
  Elan3(const Elan3&) = delete;
  Elan3& operator=(const Elan3&) = delete;
  virtual ~Elan3() = default;

  // Memory. Wrong arguments throw Error.
  virtual Block allocate(Store store, std::size_t bytes) = 0;
  /// Maps main memory that the program owns.
  virtual Block map(std::span<std::byte> memory) = 0;
  /// Releases the block that begins here, and invalidates all segments with a byte in the block.
  virtual void release(Address address) = 0;

  /// Memory is open to partners as long as its Segment lives.
  class Segment {
   public:
    Segment() = default;
    Segment(Elan3& of, std::uint64_t handle) : of_(&of), handle_(handle) {}
    Segment(Segment&& other) noexcept { *this = std::move(other); }
    Segment& operator=(Segment&& other) noexcept {
      std::swap(of_, other.of_);
      std::swap(handle_, other.handle_);
      return *this;
    }
    ~Segment();
    /// Names the segment while it is open; stale afterwards.
    std::uint64_t handle() const { return handle_; }
    /// Throws Error when it is closed already, or its memory was released.
    void close();

   private:
    Elan3* of_ = nullptr;
    std::uint64_t handle_ = 0;
  };
  /// Lets the partners access these bytes, which must lie in blocks.
  Segment open(const Block& block, RegionRights rights, std::span<const Rank> partners) {
    return {*this, export_to(block.elan, block.bytes.size(), rights, partners)};
  }
  Segment open(const Block& block, RegionRights rights, const Team& partners);
  /// The same for all ranks.
  Segment open(const Block& block, RegionRights rights) {
    return open(block, rights, Team(endpoint_));
  }
  /// Lets the partners, or all ranks, set an event.
  Segment open_event(Event event, std::span<const Rank> partners) {
    return {*this, export_to(event, event_bytes, RegionRights::remote_write, partners)};
  }
  Segment open_event(Event event);
  /// Throws Error for a stale handle.
  virtual void close(std::uint64_t segment) = 0;

  // Remote DMA.
  static constexpr std::uint32_t no_queue = ~std::uint32_t{0};
  struct Dma {
    Rank from = 0, to = 0;  ///< source and target; either, or another rank, may post it
    Address source = 0, target = 0;
    std::uint64_t bytes = 0;
    Event source_event = 0, target_event = 0;  ///< of those ranks, set when it is done; 0: none
    Priority priority = Priority::low;
    std::uint32_t queue = no_queue;  ///< DMAs of one queue run one after another
    std::uint32_t table = 0;         ///< which of the source's routing tables
  };
  /// Ends as ok, as refused (`traps` says why), or as peer_gone when it cannot be delivered. Throws
  /// Error for a rank that does not exist, and for an address of this rank that is no event.
  virtual Op dma(const Dma& dma) = 0;
  /// Writes the same data to the same address at one rank on every other host of a group of the
  /// tables: the rank with this rank's index on its host. Ends when all have acknowledged.
  struct BroadcastRequest {
    int group = 0;
    Address source = 0, target = 0;
    std::uint64_t bytes = 0;
    Event source_event = 0, target_event = 0;
    Priority priority = Priority::low;
  };
  virtual Op broadcast(const BroadcastRequest& broadcast) = 0;
  /// This rank's refused accesses, human-readable; no other rank learns of them.
  virtual const std::vector<std::string>& traps() const = 0;
  /// Loads a routing table of this rank's host, a list of tags for each target; `Dma::table`
  /// chooses it. Ranks without an entry keep their usual route. Throws Error for tags that lead
  /// elsewhere.
  virtual void load_routes(std::uint32_t table,
                           const std::map<Rank, std::vector<std::uint16_t>>& routes) = 0;

  // Events count how often they were set. They are in Elan memory: an address of main memory is
  // refused, as PCI has no atomic add.
  virtual Event make_event() = 0;
  /// Sets an event of any rank.
  virtual Op set(Rank rank, Event event) = 0;
  /// Reads the count over PCI. Time passes only while something is awaited: a polling loop awaits
  /// `sleep` or `spend` in between, or uses `wait`.
  virtual std::uint64_t poll(Event event) = 0;
  enum class How : std::uint8_t {
    poll,       ///< reads the count over PCI again and again
    busy_wait,  ///< polls a word of main memory, to which the Elan copies a block
    block,      ///< sleeps, and is woken by an interrupt; the processor is free meanwhile
  };
  /// Ends when an event of this rank has been set `count` times in all.
  virtual Op wait(Event event, std::uint64_t count, How how = How::busy_wait) = 0;
  /// Block copy, from Elan to main memory; wait for it with `until`.
  virtual void copy_when(Event event, std::uint64_t count, const Block& from, const Block& to) = 0;
  /// The Elan starts a DMA when the event has been set `count` times.
  virtual void dma_when(Event event, std::uint64_t count, const Dma& dma) = 0;

 protected:
  virtual std::uint64_t export_to(Address first, std::size_t bytes, RegionRights rights,
                                  std::span<const Rank> partners) = 0;
  Endpoint& endpoint_;
};

}  // namespace weft::comm
