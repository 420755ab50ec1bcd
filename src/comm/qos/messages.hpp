// SPDX-License-Identifier: Apache-2.0
// Messages between the managers: plain values that may be delayed and overtake each other, but are
// lost only together with the manager that they are for. There is a local manager on every host,
// and one master.
//
// These rules keep flows from ever having more than there is:
//  1. The master makes one change at a time. It first lowers the flows that get less (`lower`)
//     and waits until their local managers have confirmed it; only then it raises the others and
//     grants the request. So at any time no flow has more than before the change (until all are
//     confirmed), or than after it; and a resource that can carry a load can carry a smaller one.
//  2. A local manager stops a flow that is released before the master knows of the release.
//  3. Every message of the master has a version that grows; of a flow's messages, a local manager
//     applies one only if it is newer than the last that it applied.
//  4. A local manager that has lost its memory applies nothing until the master has sent it all its
//     flows again; its NIC keeps the intervals meanwhile, and the master waits for it.
//  5. A master that has lost its memory has a greater epoch than before. A local manager that it
//     asks ignores the earlier master, reports what its flows have, and repeats requests that were
//     not answered. The master decides nothing before all have reported.
// A flow's state is at two places, the master and its local manager: if both lose it before one has
// informed the other, the flow is forgotten, and the NIC keeps its last interval.
#pragma once
#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "comm/qos/admission_control.hpp"

namespace weft::comm::qos {

/// What a rank asks for.
enum class RequestKind : std::uint8_t { reserve, best_effort, release };

/// A flow, what it has, and the interval that follows from it.
struct Holding {
  Flow flow{};
  Grant grant{};
  Duration interval{};
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
  hello,      ///< it has just begun or lost its memory; its epoch is 0 or the asking master's
  report,     ///< how many flows it will report to the new master; `count`
  reported,   ///< one of them
  request,    ///< a rank here wants something
  confirmed,  ///< the message of this version has been applied
  // From the master to a local manager.
  ask,      ///< a new master wants to know what the flows there have
  welcome,  ///< how many flows a local manager will learn of; `count`
  learn,    ///< one of them
  lower,    ///< a flow has less; to be confirmed
  raise,    ///< a flow has more
  granted,  ///< a request: with the flow's holding
  refused,  ///< a request, and why
};

struct ManagerMessage {
  MessageKind kind{};
  Rank local = 0;           ///< where the local manager is, whichever end
  std::uint64_t life = 0;   ///< of the local manager: from 1 on, greater after each loss of memory
  std::uint64_t epoch = 0;  ///< of the master: the same
  std::uint64_t version = 0;
  std::uint64_t number = 0;  ///< of the request, at its local manager
  std::uint64_t count = 0;
  RequestKind request_kind{};
  Holding holding{};
  Reason reason{};

  bool to_master() const { return kind <= MessageKind::confirmed; }
};
static_assert(std::is_trivially_copyable_v<ManagerMessage>);

}  // namespace weft::comm::qos
