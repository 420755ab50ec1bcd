// SPDX-License-Identifier: Apache-2.0
// EventQueue: a kernel's events, earliest first, those of the same time in the order of pushing.
// Near events wait in a wheel of buckets, at a cost that does not grow with their number (Brown
// 1988, calendar queues). A heap has what the wheel does not hold: events up to the bucket that is
// due, events beyond the last one, and those whose place in a long bucket is not near its ends.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace weft::sim {

template <class Event>
class EventHeap {
 public:
  bool empty() const { return events_.empty(); }
  const Event& front() const { return events_.front(); }
  void push(const Event& event) {
    events_.emplace_back();
    up(events_.size() - 1, event);
  }
  Event pop() {
    const Event first = events_.front(), last = events_.back();
    events_.pop_back();
    if (!events_.empty()) down(last);
    return first;
  }

 private:
  // Four children a node: half as deep as with two.
  void up(std::size_t place, const Event& event) {
    while (place > 0) {
      const std::size_t parent = (place - 1) / 4;
      if (!event.before(events_[parent])) break;
      events_[place] = events_[parent];
      place = parent;
    }
    events_[place] = event;
  }
  void down(const Event& event) {
    const std::size_t size = events_.size();
    std::size_t place = 0;
    for (std::size_t child; (child = 4 * place + 1) < size;) {
      const std::size_t end = child + 4 < size ? child + 4 : size;
      std::size_t least = child;
      for (++child; child < end; ++child)
        if (events_[child].before(events_[least])) least = child;
      if (!events_[least].before(event)) break;
      events_[place] = events_[least];
      place = least;
    }
    events_[place] = event;
  }

  std::vector<Event> events_;
};

/// An Event has a time `at`, not negative, and an order: `before(other)`. Of two events of the same
/// time, the one pushed first is before the other. A bucket takes 2^bucket_bits units of time.
template <class Event, int bucket_bits>
class EventQueue {
 public:
  EventQueue() {
    last_.fill(nothing);
    grow();
  }

  /// The time of the earliest event; there is one.
  std::int64_t next() {
    if (due_ == nothing && used_words_ != 0) turn();
    return is_due() ? waiting_[due_].event.at : heap_.front().at;
  }
  /// Takes the earliest event, unless it is after `limit` or there is none: then null. It is valid
  /// until the next push.
  const Event* pop(std::int64_t limit) {
    if (due_ == nothing && used_words_ != 0) turn();
    if (!is_due()) return pop_from_heap(limit);
    const std::uint32_t id = due_;
    WaitingEvent& first = waiting_[id];
    if (first.event.at > limit) return nullptr;
    due_ = first.next;
    first.next = free_;
    free_ = id;
    return &first.event;
  }
  /// Adds an event. Neither it nor any that is left is before `now`.
  void push(std::int64_t now, const Event& event) {
    waiting_[free_].event = event;
    const std::size_t bucket = place_in_wheel(event.at);
    if (is_near(event.at) && comes_last(bucket, event.at))
      append(bucket);
    else
      push_elsewhere(now);
  }

 private:
  static constexpr std::int64_t bucket_of(std::int64_t time) { return time >> bucket_bits; }
  static constexpr std::int64_t buckets = 4096;
  static constexpr std::uint32_t nothing = std::numeric_limits<std::uint32_t>::max();
  struct WaitingEvent {
    Event event{};
    std::uint32_t next = nothing;
  };

  bool is_due() const {
    return due_ != nothing && (heap_.empty() || waiting_[due_].event.before(heap_.front()));
  }
  /// Whether the wheel has a bucket for this time.
  bool is_near(std::int64_t time) const {
    return static_cast<std::uint64_t>(bucket_of(time) - current_ - 1) < buckets - 1;
  }
  static std::size_t place_in_wheel(std::int64_t time) {
    return static_cast<std::size_t>(bucket_of(time)) % buckets;
  }
  bool comes_last(std::size_t bucket, std::int64_t time) const {
    const std::uint32_t last = last_[bucket];
    return last == nothing || time >= waiting_[last].event.at;
  }
  // A new event is in the first free place, of which there always is one: it gets neighbours.
  void append(std::size_t bucket) {
    const std::uint32_t last = std::exchange(last_[bucket], free_);
    if (last == nothing) {
      used_[bucket / 64] |= std::uint64_t{1} << bucket % 64;
      used_words_ |= std::uint64_t{1} << bucket / 64;
    }
    insert_behind(last == nothing ? free_ : last);
  }
  void insert_behind(std::uint32_t before) {
    const std::uint32_t id = free_, next_free = std::exchange(waiting_[id].next, id);
    waiting_[id].next = std::exchange(waiting_[before].next, id);
    free_ = next_free;
    if (next_free == nothing) grow();
  }
  // (What is rare is not inlined, so that the rest needs few registers.)
  [[gnu::noinline]] const Event* pop_from_heap(std::int64_t limit) {
    if (heap_.empty() || heap_.front().at > limit) return nullptr;
    popped_ = heap_.pop();
    return &popped_;
  }
  [[gnu::noinline]] void push_elsewhere(std::int64_t now) {
    if (due_ == nothing && used_words_ == 0) current_ = std::max(current_, bucket_of(now));
    const std::int64_t at = waiting_[free_].event.at;
    const std::size_t bucket = place_in_wheel(at);
    const bool near = is_near(at);
    if (near && comes_last(bucket, at)) {
      append(bucket);
      return;
    }
    const std::uint32_t before = near ? place_from_first(last_[bucket], at) : nothing;
    if (before == nothing)
      heap_.push(waiting_[free_].event);
    else
      insert_behind(before);
  }
  /// The event of a bucket behind which a time before the last one's has its place: the last one
  /// itself if that is before the first. Nothing if it is too far.
  std::uint32_t place_from_first(std::uint32_t last, std::int64_t time) const {
    std::uint32_t before = last;
    for (int steps = 0; steps < 16; ++steps) {
      const std::uint32_t next = waiting_[before].next;
      if (time < waiting_[next].event.at) return before;
      before = next;
    }
    return nothing;
  }
  [[gnu::noinline]] void grow() {
    free_ = static_cast<std::uint32_t>(waiting_.size());
    waiting_.emplace_back();
  }
  /// Goes on to the next bucket with events, which are due then.
  void turn() {
    const std::size_t bucket = next_used(static_cast<std::size_t>(current_ + 1) % buckets);
    current_ += 1 + ((static_cast<std::int64_t>(bucket) - current_ - 1) & (buckets - 1));
    const std::uint32_t last = std::exchange(last_[bucket], nothing);
    due_ = std::exchange(waiting_[last].next, nothing);
    used_[bucket / 64] &= ~(std::uint64_t{1} << bucket % 64);
    if (used_[bucket / 64] == 0) used_words_ &= ~(std::uint64_t{1} << bucket / 64);
  }
  /// The first bucket with events from this one on, around the wheel.
  std::size_t next_used(std::size_t from) const {
    const auto lowest = [](std::uint64_t bits) {
      return static_cast<std::size_t>(std::countr_zero(bits));
    };
    const std::size_t word = from / 64;
    if (const std::uint64_t bits = used_[word] >> from % 64; bits != 0) return from + lowest(bits);
    const std::uint64_t behind = used_words_ & ~std::uint64_t{1} << word;
    const std::size_t found = lowest(behind != 0 ? behind : used_words_);
    return 64 * found + lowest(used_[found]);
  }

  std::int64_t current_ = 0;     ///< bucket; those of the wheel come after it
  std::uint32_t due_ = nothing;  ///< the first event of the current bucket
  std::uint32_t free_ = nothing;
  std::vector<WaitingEvent> waiting_;  ///< in the wheel, due, or free
  EventHeap<Event> heap_;
  Event popped_{};                                  ///< from the heap, last
  std::uint64_t used_words_ = 0;                    ///< a bit for each word of the next ones
  std::array<std::uint64_t, buckets / 64> used_{};  ///< a bit for each bucket
  /// The last event of each bucket; the first one comes after it, around.
  std::array<std::uint32_t, buckets> last_;
};

}  // namespace weft::sim
