// SPDX-License-Identifier: Apache-2.0
// Messages between the managers: plain values that may be delayed and overtake each other, but are
// lost only together with the manager that they are for. There is a local manager on every host,
// and one master at a time.
//
// These rules keep flows from ever having more than there is:
//  1. The master counts every flow with the most that its NIC may allow it: the greatest rate that
//     was announced since the last one that the local manager has confirmed. A flow gets more only
//     where all flows, so counted, leave room for it; so requests whose paths share nothing never
//     wait for each other.
//  2. A local manager stops a flow that is released before the master knows of the release.
//  3. Every message of the master has a version that grows; of a flow's messages, a local manager
//     applies one only if it is newer than the last that it applied.
//  4. A local manager that has lost its memory begins a new life: it applies nothing until the
//     master has sent it all its flows again (a welcome). Before it confirms that, it stops flows
//     that its NIC has and the master does not know.
//  5. A local manager has its flows for the time of a lease, which counts from when it sent the
//     last message that the master has answered; then its NIC stops them by itself, and it begins
//     a new life. The master counts from when it received that message, an eighth longer as clocks
//     differ, and then forgets the flows. So it waits for nobody for ever.
//  6. A master that has lost its memory has a greater epoch than before. A local manager that it
//     asks ignores the earlier master, and reports what its flows have. The master decides nothing
//     before all have reported, or have confirmed that they have nothing, or their lease is over.
// So of a flow that both have forgotten, nothing is left when the next is granted its place.
#pragma once
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "comm/qos/admission_control.hpp"

namespace weft::comm::qos {

/// What a rank asks for.
enum class RequestKind : std::uint8_t { reserve, best_effort, release };

/// How long a local manager has its flows without hearing from the master.
inline constexpr Duration usual_lease = std::chrono::seconds(3);

/// A flow, what it has, and the interval that follows from it.
struct Holding {
  Flow flow{};
  Grant grant{};
  Bandwidth rate{};
  Duration interval{};
  friend bool operator==(const Holding&, const Holding&) = default;
};

/// Words of limited length, as messages have a fixed size.
class Reason {
 public:
  Reason() = default;
  explicit Reason(std::string_view words) : length_(std::min(words.size(), most)) {
    std::copy_n(words.begin(), length_, text_.begin());
  }
  std::string_view words() const { return {text_.data(), length_}; }

 private:
  static constexpr std::size_t most = 144;
  std::size_t length_ = 0;
  std::array<char, most> text_{};
};

enum class MessageKind : std::uint8_t {
  // From a local manager to the master.
  hello,      ///< it knows nothing; its epoch is 0 or the asking master's
  report,     ///< how many flows it will report to the new master; `count`
  reported,   ///< one of them
  request,    ///< a rank here wants something
  confirmed,  ///< of this flow, or of all after a welcome, the message of this version is applied
  renew,      ///< it is there
  // From the master to a local manager.
  ask,      ///< a new master wants to know what the flows there have
  welcome,  ///< how many flows a local manager will learn of; `count`
  learn,    ///< one of them
  changed,  ///< a flow has another rate; to be confirmed when it has less
  granted,  ///< a request: with the flow's holding; also to be confirmed when it has less
  refused,  ///< a request, and why
  renewed,  ///< the lease
};

struct ManagerMessage {
  MessageKind kind{};
  bool confirm = false;     ///< whether to confirm it
  Rank local = 0;           ///< where the local manager is, whichever end
  std::uint64_t life = 0;   ///< of the local manager: from 1 on, greater after each loss of memory
  std::uint64_t epoch = 0;  ///< of the master: the same
  std::uint64_t version = 0;
  std::uint64_t number = 0;  ///< of the request, at its local manager; 0: nobody waits for it
  std::uint64_t count = 0;
  Time sent{};  ///< by the local manager's clock; from the master: of the latest that it received
  RequestKind request_kind{};
  Holding holding{};
  Reason reason{};

  bool to_master() const { return kind <= MessageKind::renew; }
};
static_assert(std::is_trivially_copyable_v<ManagerMessage>);

}  // namespace weft::comm::qos
