// SPDX-License-Identifier: Apache-2.0
// Pacer: rate control of flows (Gulati, A Proportional Bandwidth Allocation Scheme for Myrinet
// Clusters, 2001, sections 3.2.2 and 4.2.2). Every flow has an interval, the least time between two
// of its packets (IDT), and a time before which its next one may not go (NDT). Of the flows that
// have something to send, the one with the smallest NDT goes, once that time has come, and its NDT
// grows by its interval. Each call takes time logarithmic in the flows.
//
// Time is a counter of ticks that may wrap around: the pacer must see it at least every 2^31
// ticks. Intervals may be fractions of a tick; they add up exactly.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace weft {

class Pacer {
 public:
  using FlowNumber = std::uint32_t;
  using Tick = std::uint32_t;  ///< as the counter shows it

  /// In 1/65536 ticks. 0: the flow is not held back.
  struct Interval {
    std::uint64_t parts = 0;
    static constexpr std::uint64_t tick = 1U << 16U;
    static constexpr Interval ticks(std::uint64_t whole) { return {whole * tick}; }
  };

  FlowNumber add() { return add(Interval{}); }
  FlowNumber add(Interval interval) {
    flows_.push_back({interval.parts, 0, 0, nowhere});
    return static_cast<FlowNumber>(flows_.size() - 1);
  }
  std::size_t size() const { return flows_.size(); }
  /// A longer interval applies from the next packet on; a shorter one also shortens the present
  /// wait.
  void set_interval(FlowNumber flow, Interval interval, Tick now) {
    PacedFlow& state = flows_[flow];
    const std::uint64_t before = std::exchange(state.interval, interval.parts);
    const std::uint64_t time = since_start(now);
    if (interval.parts >= before || state.next <= time) return;
    const std::uint64_t sooner = before - interval.parts;
    state.next = state.next - time > sooner ? state.next - sooner : time;
    if (state.place != nowhere) settle(state.place, flow);
  }
  Interval interval(FlowNumber flow) const { return {flows_[flow].interval}; }
  /// The next dispatch time, since the counter's first zero.
  Interval next_dispatch(FlowNumber flow) const { return {flows_[flow].next}; }

  /// A flow at rest has something to send: NDT = max(NDT, now).
  void wake(FlowNumber flow, Tick now) {
    PacedFlow& state = flows_[flow];
    invariant(state.place == nowhere, "a flow is woken twice");
    const std::uint64_t time = since_start(now);
    if (state.next < time) state.next = time;
    heap_.push_back(flow);
    up(heap_.size() - 1);
  }
  /// The flow has nothing more to send.
  void rest(FlowNumber flow) {
    const std::uint32_t place = flows_[flow].place;
    invariant(place != nowhere, "a flow rests that was not awake");
    flows_[flow].place = nowhere;
    const FlowNumber last = heap_.back();
    heap_.pop_back();
    if (last == flow) return;
    settle(place, last);
  }
  bool awake(FlowNumber flow) const { return flows_[flow].place != nowhere; }

  /// The flow whose packet goes now, if any is due.
  std::optional<FlowNumber> due(Tick now) {
    const std::uint64_t time = since_start(now);
    if (heap_.empty() || flows_[heap_.front()].next > time) return std::nullopt;
    return heap_.front();
  }
  /// Ticks from now until a flow is due; nothing when all rest.
  std::optional<std::uint64_t> wait(Tick now) {
    if (heap_.empty()) return std::nullopt;
    const std::uint64_t time = since_start(now), next = flows_[heap_.front()].next;
    return next <= time ? 0 : (next - time + Interval::tick - 1) / Interval::tick;
  }
  /// Sends a packet of the flow: NDT = NDT + IDT. A flow that is not held back is due again at
  /// once, takes turns with others of its kind, and accumulates no time.
  void dispatch(FlowNumber flow, Tick now) {
    PacedFlow& state = flows_[flow];
    invariant(state.place != nowhere, "a flow sends that was not awake");
    state.turn = state.interval > 0 ? 0 : ++turns_;
    state.next = state.interval > 0 ? state.next + state.interval : since_start(now);
    settle(state.place, flow);
  }

 private:
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();
  struct PacedFlow {
    std::uint64_t interval, next;
    std::uint64_t turn;   ///< its last turn, if it is not held back
    std::uint32_t place;  ///< in the heap
  };

  /// The counter without its wrapping, in parts of a tick. It never decreases.
  std::uint64_t since_start(Tick now) {
    const Tick passed = now - last_;
    last_ = now;
    return now_ += std::uint64_t{passed} * Interval::tick;
  }
  /// Ties go to the lower number; flows that are not held back come after the others.
  bool before(FlowNumber a, FlowNumber b) const {
    const PacedFlow &first = flows_[a], &second = flows_[b];
    if (first.next != second.next) return first.next < second.next;
    return first.turn != second.turn ? first.turn < second.turn : a < b;
  }
  void put(std::size_t place, FlowNumber flow) {
    heap_[place] = flow;
    flows_[flow].place = static_cast<std::uint32_t>(place);
  }
  /// Restores the heap after a flow's time has changed; `place` is the flow's own or free.
  void settle(std::size_t place, FlowNumber flow) {
    put(place, flow);
    up(place);
    down(flows_[flow].place);
  }
  void up(std::size_t place) {
    const FlowNumber flow = heap_[place];
    for (; place > 0 && before(flow, heap_[(place - 1) / 2]); place = (place - 1) / 2)
      put(place, heap_[(place - 1) / 2]);
    put(place, flow);
  }
  void down(std::size_t place) {
    const FlowNumber flow = heap_[place];
    for (std::size_t child; (child = 2 * place + 1) < heap_.size(); place = child) {
      if (child + 1 < heap_.size() && before(heap_[child + 1], heap_[child])) ++child;
      if (!before(heap_[child], flow)) break;
      put(place, heap_[child]);
    }
    put(place, flow);
  }

  std::vector<PacedFlow> flows_;
  std::vector<FlowNumber> heap_;  ///< of those awake, the smallest NDT first
  std::uint64_t now_ = 0, turns_ = 0;
  Tick last_ = 0;
};

}  // namespace weft
