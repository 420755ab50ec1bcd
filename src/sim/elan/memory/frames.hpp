// SPDX-License-Identifier: Apache-2.0
// Frames: the physical pages of one memory, and the bytes in them. Bytes that are next to each
// other may lie in frames that are not.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/slots.hpp"
#include "base/units.hpp"
#include "sim/elan/memory/address.hpp"

namespace weft::sim::elan {

class Frames {
 public:
  /// `name` is for errors: "the Elan's SDRAM".
  Frames(const char* name, Bytes size, std::uint64_t page);

  /// Throws Error unless so many are free.
  void need(std::uint64_t frames) const;
  /// Frames for these bytes, of which the last may be used in part. Throws Error without room.
  std::vector<FrameNumber> take(std::span<std::byte> bytes);
  /// A frame whose bytes nobody reads here. Throws Error without room.
  FrameNumber take_bare();
  void give_back(std::span<const FrameNumber> frames);

  std::uint64_t address(FrameNumber frame) const { return frame * page_; }
  FrameNumber frame(std::uint64_t address) const {
    return static_cast<FrameNumber>(address / page_);
  }
  /// The bytes from an address to the end of the used part of its frame; none when the frame is
  /// free.
  std::span<std::byte> rest(std::uint64_t address) const;
  std::uint64_t left() const { return limit_ - used_.in_use(); }  ///< in frames

 private:
  const char* name_;
  std::uint64_t page_, limit_;
  Slots<std::span<std::byte>> used_;
};

}  // namespace weft::sim::elan
