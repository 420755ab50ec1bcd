// SPDX-License-Identifier: Apache-2.0
// Who may reach what, and where it is: what the MMU does for the units of the Elan.
#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "sim/elan/memory/memory.hpp"

namespace weft::sim::elan {

std::optional<Address> Memory::to_elan(HostAddress host) const {
  if (host < options_.host_base || host > options_.host_end) return std::nullopt;
  return static_cast<Address>(options_.elan_base + (host - options_.host_base));
}

std::optional<HostAddress> Memory::to_host(Address elan) const {
  if (!reachable().has(elan)) return std::nullopt;
  return options_.host_base + (elan - options_.elan_base);
}

SegmentId Memory::open(Context context, Address address, std::size_t bytes, AccessRights rights,
                       std::span<const Process> partners) {
  Space& owner = space(context, "open");
  if (bytes == 0) throw Error("open: a segment has a byte or more");
  if (rights == AccessRights::none) throw Error("open: a segment without rights is of no use");
  const std::uint64_t room = reachable().has(address) ? reachable().end - address : 0;
  if (bytes > room || !owner.has_blocks({address, address + bytes}))
    throw Error("open: not all of {} bytes from {:#x} on are blocks of context {}", bytes, address,
                context);
  // The context is a part of the number, so that close() knows whose it is.
  const SegmentId segment = SegmentId{context} << 48U | ++last_segment_;
  owner.exports.open(segment, {address, address + bytes}, rights, partners);
  return segment;
}

void Memory::close(SegmentId segment) {
  const auto owner = spaces_.find(static_cast<Context>(segment >> 48U));
  if (owner == spaces_.end() || !owner->second.exports.close(segment))
    throw Error("close: segment {:#x} is not open", segment);
}

std::optional<Exports::Refusal> Memory::refusal(Space& owner, AddressRange range, Access access,
                                                Process by) {
  if (by != owner.process) return owner.exports.refusal(range, access, by);
  for (std::uint64_t at = range.first; at < range.end;) {
    const FoundPiece found = owner.find(at);
    if (!found) return Exports::Refusal{at, Fault::unmapped};
    at = found.end();
  }
  return std::nullopt;
}

std::variant<Translation, Fault> Memory::translate(Context context, Address address, Access access,
                                                   Process by, std::size_t bytes) {
  const std::uint64_t within = address % page_;
  invariant(bytes >= 1 && bytes <= page_ - within, "an access of the Elan leaves its page");
  const auto owner = spaces_.find(context);
  std::optional<Fault> fault;
  if (owner == spaces_.end())
    fault = Fault::no_context;
  else if (const auto refused = refusal(owner->second, {address, address + bytes}, access, by))
    fault = refused->why;
  if (fault) {
    mmu_.count_fault();
    return *fault;
  }
  return mmu_.translate(context, address, [&]() -> Physical {
    const FoundPiece found = owner->second.find(address);
    const MemoryKind kind = found.piece->kind;
    return {kind, frames(kind).address(found.piece->frames[(address - found.first) / page_])};
  });
}

std::span<std::byte> Memory::bytes(Physical physical, std::size_t count) {
  const std::span<std::byte> rest = frames(physical.kind).rest(physical.at);
  invariant(count <= rest.size(), "there are no such bytes in the Elan's reach");
  return rest.first(count);
}

std::optional<Trap> Memory::check(Context context, Address address, std::size_t bytes,
                                  Access access, Process by) {
  const auto owner = spaces_.find(context);
  if (owner == spaces_.end()) return Trap{by, context, address, access, Fault::no_context};
  // Nothing is mapped or exported at 2^32, where an access that is too long is refused at last.
  const std::uint64_t length = std::min<std::uint64_t>(bytes, std::uint64_t{1} << 32U);
  const auto refused = refusal(owner->second, {address, address + length}, access, by);
  if (!refused) return std::nullopt;
  return Trap{by, context, static_cast<Address>(refused->at), access, refused->why};
}

std::optional<Trap> Memory::copy_in(Context context, Address to, std::span<const std::byte> from,
                                    Process by) {
  if (auto trap = check(context, to, from.size(), Access::write, by)) return trap;
  Space& owner = spaces_.at(context);
  for (std::uint64_t at = to; !from.empty();) {
    const FoundPiece found = owner.find(at);
    const std::size_t part = std::min<std::size_t>(from.size(), found.end() - at);
    std::memmove(&found.piece->bytes[at - found.first], from.data(), part);
    from = from.subspan(part);
    at += part;
  }
  return std::nullopt;
}

std::optional<Trap> Memory::copy_out(std::span<std::byte> to, Context context, Address from,
                                     Process by) {
  if (auto trap = check(context, from, to.size(), Access::read, by)) return trap;
  Space& owner = spaces_.at(context);
  for (std::uint64_t at = from; !to.empty();) {
    const FoundPiece found = owner.find(at);
    const std::size_t part = std::min<std::size_t>(to.size(), found.end() - at);
    std::memmove(to.data(), &found.piece->bytes[at - found.first], part);
    to = to.subspan(part);
    at += part;
  }
  return std::nullopt;
}

Bytes Memory::sdram_left() const { return {static_cast<std::int64_t>(sdram_.left() * page_)}; }

std::optional<Memory::View> Memory::view(Context context, Address address, std::size_t bytes) {
  const auto all = rest(context, address);
  if (!all || bytes > all->bytes.size()) return std::nullopt;
  return View{all->kind, all->bytes.first(bytes)};
}

std::optional<Memory::View> Memory::rest(Context context, Address address) {
  const auto owner = spaces_.find(context);
  if (owner == spaces_.end()) return std::nullopt;
  const FoundPiece found = owner->second.find(address);
  if (!found) return std::nullopt;
  return View{found.piece->kind, found.piece->bytes.subspan(address - found.first)};
}

}  // namespace weft::sim::elan
