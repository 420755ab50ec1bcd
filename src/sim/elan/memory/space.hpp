// SPDX-License-Identifier: Apache-2.0
// Space: the memory of one process that its Elan can reach. It lies in pieces of whole pages, each
// in one memory: a piece holds one block, or is a page that small blocks share.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/elan/memory/address.hpp"
#include "sim/elan/memory/exports.hpp"
#include "sim/elan/memory/frames.hpp"

namespace weft::sim::elan {

/// Contiguous for the program and in virtual addresses; its frames may be anywhere.
struct Piece {
  MemoryKind kind = MemoryKind::main;
  bool shared = false;
  std::unique_ptr<std::byte[]> own{};  ///< nothing when the program's own memory was mapped
  std::span<std::byte> bytes{};
  std::vector<FrameNumber> frames{};
  std::map<std::uint64_t, std::uint64_t> blocks{};  ///< from where in the piece, how many bytes
  std::uint64_t used = 0;                           ///< bytes of blocks

  void add_block(std::uint64_t from, std::uint64_t length) {
    blocks.emplace(from, length);
    used += length;
  }
  /// Returns its length.
  std::uint64_t remove_block(std::uint64_t from) {
    const std::uint64_t length = blocks.extract(from).mapped();
    used -= length;
    return length;
  }
};

struct FoundPiece {
  std::uint64_t first = 0;  ///< where the piece begins
  Piece* piece = nullptr;   ///< nothing when the address is in none
  std::uint64_t end() const { return first + piece->bytes.size(); }
  explicit operator bool() const { return piece != nullptr; }
};

class Space {
 public:
  Space(Process process, std::uint64_t page) : process(process), page_(page) {}
  Process process;
  Exports exports;

  FoundPiece find(std::uint64_t address);

  /// The first free place for `bytes` bytes in a region.
  std::optional<std::uint64_t> gap(AddressRange region, std::uint64_t bytes) const;
  /// Whether the pages of a range, which begins at a page, are free.
  bool is_free(AddressRange range) const;
  /// Adds a piece at a free address.
  void add(std::uint64_t address, Piece piece);
  void remove(std::uint64_t address) { pieces_.erase(address); }
  const std::map<std::uint64_t, Piece>& pieces() const { return pieces_; }

  /// Adds a block to a shared page that has room for it; returns its address.
  std::optional<std::uint64_t> share(MemoryKind, std::uint64_t bytes, std::uint64_t alignment);
  /// Whether every byte of the range is in a block.
  bool has_blocks(AddressRange range);

 private:
  std::uint64_t page_;
  std::map<std::uint64_t, Piece> pieces_;
};

}  // namespace weft::sim::elan
