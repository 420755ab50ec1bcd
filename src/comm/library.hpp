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

/// The costs of a library: times of the main processor, unless noted.
struct Library {
  std::string spec{"none"};
  /// Messages go through buffers of the library, which keeps receives posted for them, so that no
  /// message finds its receiver unprepared. Without a library that depends on the NIC.
  bool buffers = false;
  /// A send of up to this size ends when its data are copied, a longer one when it is delivered.
  Bytes buffered{std::numeric_limits<std::int64_t>::max()};
  Duration send{0};  ///< per fragment: the layers down to the NIC, its envelope
  Duration recv{0};  ///< per fragment: the layers up from the NIC, matching its envelope
  bool once_per_message = false;  ///< `send` and `recv` are spent on the first fragment only
  /// The same of a lower library between this one and the NIC (PM of SCore), for every fragment.
  Duration lower_send{0}, lower_recv{0};
  /// So many fragments of a rank may be under way unacknowledged; its processor waits before it
  /// sends another. 0: any number.
  std::uint32_t window = 0;
  /// Time of the NIC's processor per envelope, where the NIC matches envelopes. Then `recv` is the
  /// main processor's work after a receive has ended.
  Duration match{0};
  Duration unexpected{0};    ///< to store a message without a posted receive
  bool keeps_place = false;  ///< which stays in the buffer it came in, instead of being copied
  Duration check{0};         ///< to poll one connection; finding a message polls all
  Bandwidth copy_in{0};      ///< to its buffers, at the sender; 0: nothing is copied
  Bandwidth copy_out{0};     ///< from its buffers, at the receiver; 0: nothing is copied
  Duration touch{0};         ///< more for the first copy of a message from a buffer: a cache miss
  Bytes eager{0};            ///< messages up to this size go eagerly; 0: the NIC's limit
  Bytes fragment{0};         ///< longer eager messages go as several of this size; 0: as one
  Duration rendezvous{0};    ///< of the receiver, when it answers a request
  /// The receiver of a long message reads it, where the NIC can, instead of having it written.
  bool reads = false;
  bool copies_requests = false;  ///< a request goes from a buffer, never inline with its doorbell

  Bandwidth combine{0};  ///< of the operands of a reduction; 0: combining takes no time

  /// The times of one copy. What fits a cache line is copied with the envelope.
  Duration copying_in(std::uint64_t bytes) const;
  Duration copying_out(std::uint64_t bytes) const;
  Duration combining(std::uint64_t bytes) const;
};

using LibraryRow = Row<Library(const Params&)>;
std::span<const LibraryRow> libraries();
/// The library of a spec such as "mvich:mhz=700". Throws Error.
Library library_from(std::string_view spec);

}  // namespace weft::comm
