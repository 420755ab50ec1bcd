// SPDX-License-Identifier: Apache-2.0
// Matcher: pairs receives with tagged messages as MPI does. Receives wait in the posted queue,
// messages in the unexpected queue; of all that match, the earliest is taken. Exact receives and
// messages are found by hashing, wildcards by walking their own queue.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/slots.hpp"

namespace weft {

inline constexpr std::int32_t any_source = -1;
inline constexpr std::int64_t any_tag = -1;

/// The fields that are matched: those of a message, or those a receive wants, which may be
/// wildcards.
struct Envelope {
  std::uint64_t context = 0;  ///< messages of different contexts never match
  std::int32_t source = 0;
  std::int64_t tag = 0;
  friend bool operator==(const Envelope&, const Envelope&) = default;
};

inline bool wild(const Envelope& wanted) {
  return wanted.source == any_source || wanted.tag == any_tag;
}
inline bool matches(const Envelope& wanted, const Envelope& message) {
  return wanted.context == message.context &&
         (wanted.source == any_source || wanted.source == message.source) &&
         (wanted.tag == any_tag || wanted.tag == message.tag);
}

template <class Receive, class Message>
class Matcher {
 public:
  /// Names a receive in the posted queue, to withdraw it.
  using Ticket = std::uint32_t;
  static constexpr Ticket no_ticket = ~Ticket{0};

  /// Matches an arriving message: returns its receive, or queues the message and returns nothing.
  std::optional<Receive> arrive(const Envelope& envelope, const Message& message) {
    Bin& here = bins_[bin(envelope)];
    const std::uint32_t exact = first(here.posted, envelope, in_bin);
    const std::uint32_t any = first(wildcards_, envelope, in_order);
    const std::uint32_t found = earlier(exact, any);
    if (found != none) {
      const Receive receive = nodes_[found].receive;
      if (found == exact)
        take_posted(here.posted, found, in_bin);
      else
        take_posted(wildcards_, found, in_order);
      return receive;
    }
    const std::uint32_t id = add(envelope);
    nodes_[id].message = message;
    append(here.unexpected, id, in_bin);
    append(unexpected_, id, in_order);
    ++unexpected_count_;
    return std::nullopt;
  }

  struct Posted {
    std::optional<Message> message{};  ///< the match, if it has arrived already
    Ticket ticket = no_ticket;         ///< of the waiting receive otherwise
  };
  /// Matches a new receive with an unexpected message, or queues it.
  Posted post(const Envelope& wanted, const Receive& receive) {
    const bool any = wild(wanted);
    Bin& here = bins_[bin(wanted)];
    const std::uint32_t found = any ? first_unexpected(unexpected_, wanted, in_order)
                                    : first_unexpected(here.unexpected, wanted, in_bin);
    if (found != none) return {take_unexpected(found)};
    const std::uint32_t id = add(wanted);
    nodes_[id].receive = receive;
    if (any)
      append(wildcards_, id, in_order);
    else
      append(here.posted, id, in_bin);
    ++posted_count_;
    return {std::nullopt, id};
  }

  /// Removes a waiting receive from the posted queue.
  void withdraw(Ticket ticket) {
    const Envelope& wanted = nodes_[ticket].envelope;
    if (wild(wanted))
      take_posted(wildcards_, ticket, in_order);
    else
      take_posted(bins_[bin(wanted)].posted, ticket, in_bin);
  }

  /// The message that a receive would match now; it stays in its queue.
  const Message* probe(const Envelope& wanted) const {
    const std::uint32_t found = find_unexpected(wanted);
    return found == none ? nullptr : &nodes_[found].message;
  }
  /// Whether a posted receive matches this message.
  bool awaits(const Envelope& message) const {
    return first(bins_[bin(message)].posted, message, in_bin) != none ||
           first(wildcards_, message, in_order) != none;
  }
  /// Removes and returns the first unexpected message for which `leaves` holds.
  template <class Leaves>
  std::optional<Message> take_if(Leaves leaves) {
    for (std::uint32_t id = unexpected_.head; id != none; id = nodes_[id].link[in_order].next)
      if (leaves(nodes_[id].message)) return take_unexpected(id);
    return std::nullopt;
  }

  std::size_t posted() const { return posted_count_; }
  std::size_t unexpected() const { return unexpected_count_; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::size_t bin_count = 32;
  enum Through : std::size_t { in_bin, in_order };
  struct Links {
    std::uint32_t previous = none, next = none;
  };
  struct Node {
    Envelope envelope{};
    std::uint64_t number = 0;  ///< in the order of posting or arrival
    Receive receive{};
    Message message{};
    std::array<Links, 2> link{};
  };
  struct List {
    std::uint32_t head = none, tail = none;
  };
  struct Bin {
    List posted{}, unexpected{};
  };

  static std::size_t bin(const Envelope& envelope) {
    std::uint64_t mixed = envelope.context * 0x9e3779b97f4a7c15U;
    mixed += static_cast<std::uint64_t>(envelope.tag) + (mixed >> 29U);
    mixed = (mixed ^ static_cast<std::uint32_t>(envelope.source)) * 0xbf58476d1ce4e5b9U;
    return mixed >> 59U;
  }

  std::uint32_t find_unexpected(const Envelope& wanted) const {
    return wild(wanted) ? first_unexpected(unexpected_, wanted, in_order)
                        : first_unexpected(bins_[bin(wanted)].unexpected, wanted, in_bin);
  }
  /// The first message of a list that a receive matches.
  std::uint32_t first_unexpected(const List& list, const Envelope& wanted, Through through) const {
    std::uint32_t id = list.head;
    while (id != none && !matches(wanted, nodes_[id].envelope)) id = nodes_[id].link[through].next;
    return id;
  }
  void take_posted(List& list, std::uint32_t id, Through through) {
    remove(list, id, through);
    --posted_count_;
    nodes_.release(id);
  }
  Message take_unexpected(std::uint32_t id) {
    const Message message = nodes_[id].message;
    remove(bins_[bin(nodes_[id].envelope)].unexpected, id, in_bin);
    remove(unexpected_, id, in_order);
    --unexpected_count_;
    nodes_.release(id);
    return message;
  }
  /// The first receive of a list that matches a message.
  std::uint32_t first(const List& list, const Envelope& message, Through through) const {
    std::uint32_t id = list.head;
    while (id != none && !matches(nodes_[id].envelope, message)) id = nodes_[id].link[through].next;
    return id;
  }
  std::uint32_t earlier(std::uint32_t a, std::uint32_t b) const {
    if (a == none || b == none) return a == none ? b : a;
    return nodes_[a].number < nodes_[b].number ? a : b;
  }

  std::uint32_t add(const Envelope& envelope) {
    const std::uint32_t id = nodes_.acquire();
    nodes_[id].envelope = envelope;
    nodes_[id].number = ++count_;
    return id;
  }
  void append(List& list, std::uint32_t id, Through through) {
    nodes_[id].link[through] = {list.tail, none};
    (list.tail == none ? list.head : nodes_[list.tail].link[through].next) = id;
    list.tail = id;
  }
  void remove(List& list, std::uint32_t id, Through through) {
    const auto [previous, next] = nodes_[id].link[through];
    (previous == none ? list.head : nodes_[previous].link[through].next) = next;
    (next == none ? list.tail : nodes_[next].link[through].previous) = previous;
  }

  // What every call needs comes before the bins, of which a call needs one.
  Slots<Node> nodes_;
  List wildcards_{};   ///< receives
  List unexpected_{};  ///< messages, in the order they came
  std::uint64_t count_ = 0;
  std::size_t posted_count_ = 0, unexpected_count_ = 0;
  std::array<Bin, bin_count> bins_{};
};

}  // namespace weft
