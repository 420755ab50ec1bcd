// SPDX-License-Identifier: Apache-2.0
// Regions: memory that a rank has opened to others, under a key and with rights. The target checks
// every access against them; a key that was withdrawn is never valid again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "base/slots.hpp"

namespace weft::comm {

enum class RegionRights : std::uint8_t { local = 0, remote_read = 1, remote_write = 2, remote = 3 };
constexpr bool allows(RegionRights given, RegionRights wanted) {
  const auto bits = static_cast<std::uint8_t>(wanted);
  return (static_cast<std::uint8_t>(given) & bits) == bits;
}

/// A place in another rank's memory. Plain data: programs send it to each other.
struct RemoteSlice {
  std::uint64_t key = 0;
  std::uint64_t offset = 0;
  friend bool operator==(const RemoteSlice&, const RemoteSlice&) = default;
};

/// The regions of one rank.
class Regions {
 public:
  std::uint64_t add(std::span<std::byte> memory, RegionRights rights) {
    const std::uint32_t index = entries_.acquire();
    RegisteredMemory& entry = entries_[index];
    entry.memory = memory;
    entry.rights = rights;
    entry.open = true;
    return key(index);
  }
  void remove(std::uint64_t key) {
    RegisteredMemory& entry = entries_[index_of(key)];
    entry.open = false;
    ++entry.generation;
    entries_.release(index_of(key));
  }
  /// The memory of an access, or nothing when it must be refused.
  std::optional<std::span<std::byte>> find(RemoteSlice at, std::size_t size,
                                           RegionRights wanted) const {
    const std::size_t index = index_of(at.key);
    if (index >= entries_.size() || !entries_[index].open || key(index) != at.key)
      return std::nullopt;
    const RegisteredMemory& entry = entries_[index];
    if (!allows(entry.rights, wanted) || at.offset > entry.memory.size() ||
        size > entry.memory.size() - at.offset)
      return std::nullopt;
    return entry.memory.subspan(at.offset, size);
  }

 private:
  struct RegisteredMemory {
    std::span<std::byte> memory{};
    RegionRights rights{};
    bool open = false;
    std::uint32_t generation = 1;
  };
  static std::uint32_t index_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }
  std::uint64_t key(std::size_t index) const {
    return std::uint64_t{entries_[index].generation} << 32U | index;
  }
  Slots<RegisteredMemory> entries_;
};

/// Memory is open to others as long as its Region lives.
class Region {
 public:
  Region() = default;
  Region(Regions& regions, std::span<std::byte> memory, RegionRights rights)
      : regions_(&regions), key_(regions.add(memory, rights)), memory_(memory) {}
  Region(Region&& other) noexcept { *this = std::move(other); }
  Region& operator=(Region&& other) noexcept {
    std::swap(regions_, other.regions_);
    std::swap(key_, other.key_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~Region() {
    if (regions_ != nullptr) regions_->remove(key_);
  }

  std::uint64_t key() const { return key_; }
  std::span<std::byte> memory() const { return memory_; }
  /// What another rank needs to reach the byte at `offset`.
  RemoteSlice slice(std::uint64_t offset = 0) const { return {key_, offset}; }

 private:
  Regions* regions_ = nullptr;
  std::uint64_t key_ = 0;
  std::span<std::byte> memory_{};
};

}  // namespace weft::comm
