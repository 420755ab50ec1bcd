// SPDX-License-Identifier: Apache-2.0
// Endpoint: all that a host program sees of the world. A world (simulated or real) implements the
// few virtual functions; operations are accounted for here, once.
#pragma once
#include <cstdint>
#include <span>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "base/slots.hpp"
#include "comm/deadlines.hpp"
#include "comm/op.hpp"
#include "comm/pool.hpp"
#include "comm/ready.hpp"
#include "comm/region.hpp"
#include "comm/types.hpp"

namespace weft::comm {

template <class T>
struct Condition {
  Compare compare;
  T value;
};
/// Words compare modulo their width: at_least(3) holds for the 2^(bits-1) numbers from 3 on.
template <class T>
Condition<T> at_least(T value) {
  return {Compare::at_least, value};
}
template <class T>
Condition<T> equal_to(T value) {
  return {Compare::equal, value};
}
template <class T>
Condition<T> differs_from(T value) {
  return {Compare::differs, value};
}
/// Whether the condition of an `until` request holds now.
bool holds(const OpRequest& request);

/// A piece of data that travels with a put and is handed to a receive descriptor of the target.
struct Immediate {
  std::uint64_t value = 0;
};

struct MessageStep;

/// Hears of every operation.
class OperationLog {
 public:
  virtual ~OperationLog() = default;
  /// It was begun, and may have ended at once.
  virtual void begun(const Op&, Rank /*rank*/, Time /*at*/) {}
  virtual void completed(const Op& op, Rank rank, Time at) = 0;
  /// Its end lets a program go on that waited for it, alone or as the last of several.
  virtual void resumed(const Op&, Rank /*rank*/, Time /*at*/) {}
  /// In simulated worlds: the processor has done its work on a step of a tagged message, which is
  /// on the network from now on.
  virtual void step_left(const MessageStep&, Time /*at*/) {}
  /// The step is in memory at its target, whose processor has not worked on it yet. It may be
  /// reported again.
  virtual void step_arrived(const MessageStep&, Time /*at*/) {}
};

class Endpoint {
 public:
  Endpoint(Rank rank, int size, Ready& ready) : rank_(rank), size_(size), ready_(ready) {}
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;

  Rank rank() const { return rank_; }
  int size() const { return size_; }
  virtual Time now() const = 0;

  // Tagged messages. Those of one sender that match the same receive arrive in order.
  Op send(Rank to, Tag tag, std::span<const std::byte> data, SendOptions options = {}) {
    return send(to, {0, rank_, tag}, data, options);
  }
  Op recv(Rank from, Tag tag, std::span<std::byte> into) {
    return recv(from, {0, from, tag}, into);
  }
  /// The same with the envelope of a team: see team.hpp.
  Op send(Rank to, const Envelope& envelope, std::span<const std::byte> data,
          SendOptions options = {});
  Op recv(Rank from, const Envelope& wanted, std::span<std::byte> into);

  // One-sided. A put ends when the target has the data, or has refused them.
  Region expose(std::span<std::byte> memory, RegionRights rights = RegionRights::remote);
  Op put(Rank to, RemoteSlice at, std::span<const std::byte> data);
  Op put(Rank to, RemoteSlice at, std::span<const std::byte> data, Immediate immediate);
  /// A receive descriptor: ends with the immediate data of one put.
  Op notice(Rank from = any_source);
  Op get(Rank from, RemoteSlice at, std::span<std::byte> into);

  // Own memory and time.
  template <class T>
  requires std::is_integral_v<T> Op until(const T& word,
                                          Condition<std::type_identity_t<T>> condition) {
    return Op(*this, {.kind = OpKind::until,
                      .compare = condition.compare,
                      .data = bytes_of(word),
                      .value = static_cast<std::uint64_t>(condition.value)});
  }
  Op sleep(Duration time);
  /// Models work of the processor; in a real world the work itself takes the time.
  Op spend(Duration time);
  /// Ends when the processor has done its share of what was posted before.
  Op catch_up() { return spend(Duration{0}); }
  /// Models combining so many bytes with as many others, in a reduction; and the time it takes,
  /// where it is modelled.
  Op combine(std::size_t bytes) { return spend(combining(bytes)); }
  virtual Duration combining(std::size_t) const { return Duration{0}; }
  /// The same of copying so many bytes from one place in memory to another.
  Op copy(std::size_t bytes) { return spend(copying(bytes)); }
  virtual Duration copying(std::size_t) const { return Duration{0}; }

  /// What only some networks have (capabilities.hpp); null where it is missing.
  template <class C>
  C* capability() {
    return static_cast<C*>(find_capability(typeid(C)));
  }

  Pool& frames() { return pool_; }
  Ready& ready() { return ready_; }
  std::vector<PendingOperation> pending() const;
  void record(OperationLog* timeline) { timeline_ = timeline; }

 protected:
  friend class Op;
  friend class Ops;

  /// Starts a new Op, and may complete it at once.
  virtual void post(Op& op) = 0;
  /// Forgets an Op: it is destroyed, cancelled, timed out, or its peer has gone.
  virtual void withdraw(Op& op) = 0;
  /// Accounts for the time that exposing memory takes.
  virtual void exposing(std::span<std::byte> memory) = 0;
  /// Asks for a call of expire() at this time.
  virtual void alarm(Time at) = 0;
  /// A program is about to wait for this Op: polls for arrivals, in worlds that do not deliver them
  /// by themselves.
  virtual void poll(Op&) {}
  virtual void* find_capability(const std::type_info&) { return nullptr; }

  void complete(Op& op, const Result& result);
  /// Withdraws and completes.
  void abandon(Op& op, Status status);
  /// The Op of a handle, unless it is gone.
  Op* find(OpHandle handle) const {
    if (handle.slot >= slots_.size() || slots_[handle.slot].generation != handle.generation)
      return nullptr;
    return slots_[handle.slot].op;
  }
  /// Ends Ops past their deadline as timed out.
  void expire();
  /// A rank has left, or the connection to it is broken: ends Ops that wait for it, and those
  /// posted for it from now on.
  void gone(Rank peer, Status why);
  /// Why a rank is gone; ok if it is not.
  Status why_gone(Rank peer) const {
    return gone_.empty() || peer < 0 ? Status::ok : gone_[static_cast<std::size_t>(peer)];
  }
  template <class Visit>
  void for_each_pending(Visit visit) {
    for (Op *op = first_, *next = nullptr; op != nullptr; op = next) {
      next = op->next_;
      visit(*op);
    }
  }

 private:
  void enter(Op& op);
  void leave(Op& op);
  void limit(Op& op, Time deadline);

  struct Slot {
    Op* op = nullptr;
    std::uint32_t generation = 0;
  };

  // What every operation needs is in few lines of the cache.
  Rank rank_;
  int size_;
  Ready& ready_;
  Op* first_ = nullptr;  ///< pending, in the order they were posted
  Op* last_ = nullptr;
  Slots<Slot> slots_;
  OperationLog* timeline_ = nullptr;
  std::vector<Status> gone_;  ///< why, by rank, or ok; empty as long as nobody is gone
  Deadlines deadlines_;
  Pool pool_;

 protected:
  Regions regions_;
};

}  // namespace weft::comm
