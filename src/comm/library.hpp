// SPDX-License-Identifier: Apache-2.0
// Libraries: what the message-passing libraries of the papers add to what a NIC does. There is one
// layer, Tagged, which matches envelopes, keeps unexpected messages, and asks before it sends long
// ones; a Library is what its work costs in one of them. In a real world the work itself takes the
// time.
#pragma once
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/catalog.hpp"
#include "base/units.hpp"

namespace weft::comm {

/// Times of the processor, if nothing else is said.
struct Library {
  std::string spec{"none"};
  /// Messages go through buffers of the library, for which it keeps receives posted: none finds
  /// its receiver unprepared. Without a library that is up to the NIC.
  bool buffers = false;
  /// A send of so much at most ends when its data are copied, a longer one when it is delivered.
  Bytes buffered{std::numeric_limits<std::int64_t>::max()};
  Duration send{0};  ///< a message: the layers down to the NIC, its envelope
  Duration recv{0};  ///< a message: the layers up from the NIC, matching its envelope
  /// Of the NIC's own processor, where that matches envelopes: one of them. Then `recv` is what the
  /// main processor does when a receive has ended.
  Duration match{0};
  Duration unexpected{0};  ///< to put one aside for which no receive is posted
  Duration check{0};       ///< to look at one connection; all are looked at to find a message
  Bandwidth copy{0};       ///< to and from its buffers; 0: nothing is copied
  Bytes eager{0};          ///< messages up to this size go without asking; 0: as the NIC says

  /// To copy this much once. What fits a cache line is copied with the envelope.
  Duration copying(std::uint64_t bytes) const;
};

using LibraryRow = Row<Library(const Params&)>;
std::span<const LibraryRow> libraries();
/// The library of a spec such as "mvich:mhz=700". Throws Error.
Library library_from(std::string_view spec);

}  // namespace weft::comm
