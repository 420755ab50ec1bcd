// SPDX-License-Identifier: Apache-2.0
// Finds room for blocks in a process's address space, and finds the blocks by address.
#include "sim/elan/memory/space.hpp"

#include <utility>

namespace weft::sim::elan {
namespace {

constexpr std::uint64_t round_up(std::uint64_t bytes, std::uint64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

FoundPiece Space::find(std::uint64_t address) {
  auto after = pieces_.upper_bound(address);
  if (after == pieces_.begin()) return {};
  auto& [first, piece] = *--after;
  if (address - first >= piece.bytes.size()) return {};
  return {first, &piece};
}

std::optional<std::uint64_t> Space::gap(AddressRange region, std::uint64_t bytes) const {
  std::uint64_t at = region.first;
  for (auto next = pieces_.lower_bound(at); next != pieces_.end() && next->first < region.end;
       ++next) {
    if (next->first - at >= bytes) break;
    at = round_up(next->first + next->second.bytes.size(), page_);
  }
  if (at >= region.end || region.end - at < bytes) return std::nullopt;
  return at;
}

bool Space::is_free(AddressRange range) const {
  const auto after = pieces_.lower_bound(range.end);
  if (after == pieces_.begin()) return true;
  const auto& [first, piece] = *std::prev(after);
  return first + piece.bytes.size() <= range.first;
}

void Space::add(std::uint64_t address, Piece piece) { pieces_.emplace(address, std::move(piece)); }

std::optional<std::uint64_t> Space::share(MemoryKind kind, std::uint64_t bytes,
                                          std::uint64_t alignment) {
  for (auto& [first, piece] : pieces_) {
    if (!piece.shared || piece.kind != kind || piece.bytes.size() - piece.used < bytes) continue;
    std::uint64_t at = 0;
    for (const auto& [from, length] : piece.blocks) {
      if (from >= at + bytes) break;
      at = round_up(from + length, alignment);
    }
    if (at + bytes > piece.bytes.size()) continue;
    piece.add_block(at, bytes);
    return first + at;
  }
  return std::nullopt;
}

bool Space::has_blocks(AddressRange range) {
  std::uint64_t at = range.first;
  while (at < range.end) {
    const FoundPiece found = find(at);
    if (!found) return false;
    auto after = found.piece->blocks.upper_bound(at - found.first);
    if (after == found.piece->blocks.begin()) return false;
    const auto& [from, length] = *--after;
    const std::uint64_t end = found.first + from + length;
    if (end <= at) return false;
    at = end;
  }
  return true;
}

}  // namespace weft::sim::elan
