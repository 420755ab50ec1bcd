// SPDX-License-Identifier: Apache-2.0
// Op: an operation of a host program. It is posted when it is made and awaited when needed:
// `co_await ep.send(…)`, or `Op sent = ep.send(…); …; co_await sent;`. It lives where it was made
// (in the coroutine's frame, as a rule), does not move, and withdraws itself when destroyed. What
// has left the host by then still arrives.
#pragma once
#include <array>
#include <coroutine>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "comm/pool.hpp"
#include "comm/region.hpp"
#include "comm/types.hpp"

namespace weft::comm {

class Endpoint;

/// How `until` compares a word with a value: modulo the word's width, so that growing numbers may
/// wrap around.
enum class Compare : std::uint8_t { at_least, equal, differs };

/// What is asked for; which fields count depends on the kind.
struct OpRequest {
  OpKind kind{};
  Compare compare{};
  bool notify = false;      ///< a put that also consumes a receive descriptor
  bool sets_event = false;  ///< a put that also sets an event of its target: the envelope's tag
  Priority priority = Priority::low;
  Mode mode = Mode::asynchronous;
  Rank peer = any_source;
  Envelope envelope{};
  std::span<const std::byte> data{};  ///< to send; the word that `until` looks at
  std::span<std::byte> into{};
  RemoteSlice at{};
  std::uint64_t value = 0;  ///< immediate data, a word's value, a group, an event's count
  Duration time{};
};

/// Names an Op to those who carry it out; it may be gone by the time they are done.
struct OpHandle {
  std::uint32_t slot = ~std::uint32_t{0}, generation = 0;
  bool valid() const { return slot != ~std::uint32_t{0}; }
  friend bool operator==(const OpHandle&, const OpHandle&) = default;
};

class Op {
 public:
  Op(Endpoint& endpoint, const OpRequest& request);
  Op(const Op&) = delete;
  Op& operator=(const Op&) = delete;
  ~Op() {
    if (!done()) destroy();
  }

  bool done() const { return result_.status != Status::pending; }
  const Result& result() const { return result_; }
  const OpRequest& request() const { return request_; }
  Time since() const { return since_; }
  Rank rank() const;  ///< whose operation it is
  /// Withdraws it: it ends as cancelled, unless it has ended.
  void cancel();
  /// Ends it as timed out unless it ends within this time from now.
  Op& within(Duration limit);
  PendingOperation pending() const;

  /// Resumes with the Result. A short wait is no suspension: what can be polled is polled.
  auto operator co_await() { return OpAwaiter{*this}; }

 private:
  friend class Endpoint;
  friend class Deadlines;
  template <class Ops>
  friend class Several;

  struct OpAwaiter {
    explicit OpAwaiter(Op& of) : op(of) {}
    OpAwaiter(const OpAwaiter&) = delete;
    ~OpAwaiter() { op.waiting_ = nullptr; }
    bool await_ready() { return op.poll(); }
    void await_suspend(std::coroutine_handle<> handle) { op.waiting_ = handle; }
    Result await_resume() { return op.result_; }
    Op& op;
  };
  bool poll();
  void destroy();

  Endpoint& endpoint_;
  OpRequest request_;
  Result result_{};
  Time since_{};
  std::coroutine_handle<> waiting_{};
  std::uint32_t* left_ = nullptr;  ///< how many of those awaited together are pending
  Op* previous_ = nullptr;         ///< pending before it, at the same endpoint
  Op* next_ = nullptr;
  OpHandle handle_{};
  Time deadline_{};
  std::uint32_t deadline_place_ = no_place;
  static constexpr std::uint32_t no_place = std::numeric_limits<std::uint32_t>::max();

 public:
  // For those who carry it out.
  struct Carried {
    std::uint32_t ticket = std::numeric_limits<std::uint32_t>::max();  ///< in a Matcher
    std::uint32_t stage = 0;
    std::uint64_t message = 0;  ///< of a send: unique in the world
  } carried;
  OpHandle handle() const { return handle_; }
};

/// Holds one operation after another; the last one may outlive the coroutine that posted it. make()
/// withdraws an operation that has not ended: await it before.
class LastOp {
 public:
  LastOp() = default;
  LastOp(const LastOp&) = delete;
  LastOp& operator=(const LastOp&) = delete;
  ~LastOp() { clear(); }

  /// `last.make([&] { return ep.put(…); });`
  template <class Make>
  Op& make(Make make) {
    clear();
    return *(op_ = new (memory_.data()) Op(make()));
  }
  Op* get() { return op_; }

 private:
  void clear() {
    if (op_ != nullptr) std::exchange(op_, nullptr)->~Op();
  }
  alignas(Op) std::array<std::byte, sizeof(Op)> memory_;
  Op* op_ = nullptr;
};

/// Waits for several at once.
template <class Ops>
class Several {
 public:
  Several(Ops ops, bool all) : ops_(ops), all_(all) {}
  Several(const Several&) = delete;
  ~Several() {
    for (Op* op : ops_) {
      op->waiting_ = nullptr;
      op->left_ = nullptr;
    }
  }
  bool await_ready() {
    std::uint32_t pending = 0, count = 0;
    for (Op* op : ops_) {
      pending += op->poll() ? 0 : 1;
      ++count;
    }
    left_ = all_ ? pending : 1;
    return pending == 0 || (!all_ && pending < count);
  }
  void await_suspend(std::coroutine_handle<> handle) {
    for (Op* op : ops_) {
      if (op->done()) continue;
      op->waiting_ = handle;
      op->left_ = &left_;
    }
  }
  /// The place of the first that has ended.
  std::size_t await_resume() const {
    std::size_t place = 0;
    for (Op* op : ops_) {
      if (op->done()) break;
      ++place;
    }
    return place;
  }

 private:
  Ops ops_;
  std::uint32_t left_ = 0;
  bool all_;
};

/// `co_await all(sent, received);`
template <class... AnyOp>
auto all(AnyOp&... ops) {
  return Several<std::array<Op*, sizeof...(ops)>>({&ops...}, true);
}
/// `switch (co_await any(answer, alarm)) …`: the place of the first that has ended.
template <class... AnyOp>
auto any(AnyOp&... ops) {
  return Several<std::array<Op*, sizeof...(ops)>>({&ops...}, false);
}

/// Any number of operations in progress, in memory of their endpoint's pool.
class Ops {
 public:
  Ops(Endpoint& endpoint, std::size_t most);
  Ops(const Ops&) = delete;
  Ops& operator=(const Ops&) = delete;
  ~Ops();

  /// `ops.add([&] { return ep.send(…); });`
  template <class Make>
  Op& add(Make make) {
    invariant(count_ < most_, "more operations than there is room for");
    return *new (first_ + count_++) Op(make());
  }
  std::size_t size() const { return count_; }
  Op& operator[](std::size_t i) { return first_[i]; }

  struct Pointers {
    struct OpIterator {
      Op* at;
      Op* operator*() const { return at; }
      OpIterator& operator++() {
        ++at;
        return *this;
      }
      friend bool operator==(const OpIterator&, const OpIterator&) = default;
    };
    Op *first, *last;
    OpIterator begin() const { return {first}; }
    OpIterator end() const { return {last}; }
  };
  auto all() { return Several<Pointers>({first_, first_ + count_}, true); }
  auto any() { return Several<Pointers>({first_, first_ + count_}, false); }

 private:
  Pool& pool_;
  Op* first_;
  std::size_t count_ = 0, most_;
};

}  // namespace weft::comm
