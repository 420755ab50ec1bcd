// SPDX-License-Identifier: Apache-2.0
// The work of the system software: attaches and detaches processes, allocates and maps blocks.
#include "sim/elan/memory/memory.hpp"

#include <bit>
#include <limits>
#include <utility>

#include "base/error.hpp"

namespace weft::sim::elan {
namespace {

constexpr Bytes largest_sdram{std::int64_t{1} << 28U};
constexpr Bytes largest_main{std::int64_t{1} << 48U};

/// The options. Throws Error when no Elan has them.
const MemoryOptions& checked(const MemoryOptions& options) {
  const std::int64_t page = options.page.count;
  if (page < 8 << 10 || page > 64 << 10 || !std::has_single_bit(static_cast<std::uint64_t>(page)))
    throw Error("Elan memory: a page of {}: 8KiB, 16KiB, 32KiB or 64KiB are possible",
                to_text(options.page));
  if (options.sdram.count < page || options.sdram > largest_sdram)
    throw Error("Elan memory: {} of SDRAM: a page up to {} are possible", to_text(options.sdram),
                to_text(largest_sdram));
  if (options.main.count < page || options.main > largest_main)
    throw Error("Elan memory: {} of main memory: a page up to {} are possible",
                to_text(options.main), to_text(largest_main));
  if (options.tlb_entries < 1) throw Error("Elan memory: a TLB has an entry or more");
  const std::uint64_t elan_last = std::numeric_limits<Address>::max();
  if (options.host_end < options.host_base || options.elan_base < options.page.count ||
      options.elan_base % page != 0 || options.host_base % static_cast<std::uint64_t>(page) != 0 ||
      options.host_end - options.host_base > elan_last - options.elan_base)
    throw Error("Elan memory: {:#x} to {:#x} cannot be the Elan's addresses from {:#x} on",
                options.host_base, options.host_end, options.elan_base);
  if (options.heap.count < 0 || options.heap.count % page != 0 ||
      static_cast<std::uint64_t>(options.heap.count) > options.host_end - options.host_base + 1)
    throw Error("Elan memory: a heap of {} is not whole pages within the Elan's reach",
                to_text(options.heap));
  return options;
}

}  // namespace

Memory::Memory(const MemoryOptions& options)
    : options_(checked(options)),
      page_(static_cast<std::uint64_t>(options.page.count)),
      heap_(static_cast<std::uint64_t>(options.heap.count)),
      main_("main memory", options.main, page_),
      sdram_("the Elan's SDRAM", options.sdram, page_),
      mmu_(page_, options.tlb_entries, sdram_),
      cache_(options.cache) {}

Space& Memory::space(Context context, const char* what) {
  const auto found = spaces_.find(context);
  if (found == spaces_.end()) throw Error("{}: the Elan has no context {}", what, context);
  return found->second;
}

Context Memory::attach(Process process) {
  if (const auto here = context_of(process))
    throw Error("attach: process {} is here already, as context {}", process, *here);
  if (last_context_ == std::numeric_limits<Context>::max())
    throw Error("attach: all {} contexts of the Elan were used", last_context_);
  const Context context = static_cast<Context>(last_context_ + 1);
  mmu_.attach(context);
  spaces_.emplace(context, Space(process, page_));
  return last_context_ = context;
}

void Memory::detach(Context context) {
  Space& leaving = space(context, "detach");
  while (!leaving.pieces().empty())
    unmap(context, leaving, leaving.find(leaving.pieces().begin()->first));
  mmu_.detach(context);
  spaces_.erase(context);
}

std::optional<Context> Memory::context_of(Process process) const {
  for (const auto& [context, space] : spaces_)
    if (space.process == process) return context;
  return std::nullopt;
}

std::optional<Process> Memory::process_of(Context context) const {
  const auto found = spaces_.find(context);
  return found == spaces_.end() ? std::nullopt : std::optional(found->second.process);
}

MemoryBlock Memory::allocate(Context context, MemoryKind kind, std::size_t bytes,
                             std::size_t alignment) {
  Space& owner = space(context, "allocate");
  if (!std::has_single_bit(alignment) || alignment > page_)
    throw Error("allocate: an alignment of {} is no power of two up to a page", alignment);
  if (bytes == 0) throw Error("allocate: a block has a byte or more");
  const bool small = bytes <= page_ / 2;
  if (small)
    if (const auto at = owner.share(kind, bytes, alignment)) return block(owner.find(*at), *at);
  const std::uint64_t pages = small ? 1 : bytes / page_ + (bytes % page_ != 0 ? 1 : 0);
  const auto at = pages <= heap_ / page_ ? owner.gap(heap(), pages * page_) : std::nullopt;
  if (!at) throw Error("allocate: no {} bytes of addresses are free in the heap", bytes);
  frames(kind).need(pages);
  Piece piece{.kind = kind, .shared = small};
  piece.own = std::make_unique<std::byte[]>(pages * page_);
  piece.bytes = {piece.own.get(), pages * page_};
  if (!small) piece.add_block(0, bytes);
  place(context, owner, *at, std::move(piece));
  return block(owner.find(*at), small ? owner.share(kind, bytes, alignment).value() : *at);
}

MemoryBlock Memory::map(Context context, std::span<std::byte> memory,
                        std::optional<HostAddress> at) {
  Space& owner = space(context, "map");
  if (!at) {
    const auto gap = owner.gap({heap().end, reachable().end}, memory.size());
    if (!gap) throw Error("map: {} bytes: the Elan's addresses end before", memory.size());
    at = to_host(static_cast<Address>(*gap));
  }
  const HostAddress host = *at;
  if (memory.empty()) throw Error("map: a block has a byte or more");
  const auto first = to_elan(host);
  if (!first || *first < heap().end || reachable().end - *first < memory.size())
    throw Error("map: {} bytes from {:#x} on: the Elan reaches {:#x} to {:#x}", memory.size(), host,
                options_.host_base + heap_, options_.host_end);
  if (*first % page_ != 0) throw Error("map: {:#x} is not the beginning of a page", host);
  if (!owner.is_free({*first, *first + memory.size()}))
    throw Error("map: {} bytes from {:#x} on: something is mapped there", memory.size(), host);
  Piece piece{.kind = MemoryKind::main, .bytes = memory};
  piece.add_block(0, memory.size());
  place(context, owner, *first, std::move(piece));
  return block(owner.find(*first), *first);
}

void Memory::place(Context context, Space& owner, std::uint64_t at, Piece piece) {
  mmu_.prepare(context, static_cast<PageNumber>(at / page_),
               (piece.bytes.size() + page_ - 1) / page_);
  piece.frames = frames(piece.kind).take(piece.bytes);
  owner.add(at, std::move(piece));
}

MemoryBlock Memory::block(const FoundPiece& in, std::uint64_t at) const {
  const std::uint64_t from = at - in.first;
  const Address elan = static_cast<Address>(at);
  return {elan, *to_host(elan), in.piece->kind,
          in.piece->bytes.subspan(from, in.piece->blocks.at(from))};
}

std::uint64_t Memory::release(Context context, Address address) {
  Space& owner = space(context, "release");
  const FoundPiece in = owner.find(address);
  if (!in || !in.piece->blocks.contains(address - in.first))
    throw Error("release: no block of context {} begins at {:#x}", context, address);
  const std::uint64_t bytes = in.piece->remove_block(address - in.first);
  owner.exports.withdraw({address, address + bytes});
  if (in.piece->blocks.empty()) unmap(context, owner, in);
  return bytes;
}

void Memory::unmap(Context context, Space& owner, const FoundPiece& piece) {
  PageNumber page = static_cast<PageNumber>(piece.first / page_);
  for (std::size_t count = piece.piece->frames.size(); count > 0; --count)
    mmu_.unmap(context, page++);
  frames(piece.piece->kind).give_back(piece.piece->frames);
  owner.remove(piece.first);
}

}  // namespace weft::sim::elan
