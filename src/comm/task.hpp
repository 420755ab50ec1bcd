// SPDX-License-Identifier: Apache-2.0
// Task: a lazy coroutine. It begins when it is awaited (or started, to run beside its parent),
// rethrows its exception where it is awaited, and destroying it destroys what it awaits. Its frame
// comes from the pool of the first argument that has one: `Task barrier(Endpoint& ep, …)`.
#pragma once
#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "comm/pool.hpp"
#include "comm/ready.hpp"

namespace weft::comm {

namespace task {

template <class T>
concept HasFrames = requires(T& t) {
  { t.frames() } -> std::same_as<Pool&>;
};

inline Pool* pool_of() { return nullptr; }
template <class First, class... Rest>
Pool* pool_of(First& first, Rest&... rest) {
  if constexpr (HasFrames<First>)
    return &first.frames();
  else
    return pool_of(rest...);
}

class Promise {
 public:
  template <class... Arguments>
  static void* operator new(std::size_t size, Arguments&... arguments) {
    return allocate(size, pool_of(arguments...));
  }
  static void operator delete(void* frame, std::size_t size) { release(frame, size); }

  std::suspend_always initial_suspend() noexcept { return {}; }
  auto final_suspend() noexcept {
    struct Done {
      bool await_ready() noexcept { return false; }
      void await_suspend(std::coroutine_handle<>) noexcept {
        if (promise.awaiting) promise.ready->push(promise.awaiting);
      }
      void await_resume() noexcept {}
      Promise& promise;
    };
    return Done{*this};
  }
  void unhandled_exception() { thrown = std::current_exception(); }

  Ready* ready = nullptr;  ///< set when it begins
  std::coroutine_handle<> awaiting{};
  std::exception_ptr thrown{};

 private:
  static void* allocate(std::size_t size, Pool* pool);
  static void release(void* frame, std::size_t size);
};

template <class T>
struct ValuePromise : Promise {
  std::optional<T> value{};
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
  T take() { return std::move(*value); }
};
template <>
struct ValuePromise<void> : Promise {
  void return_void() {}
  void take() {}
};

}  // namespace task

template <class T = void>
class [[nodiscard]] TaskOf {
 public:
  struct promise_type : task::ValuePromise<T> {
    TaskOf get_return_object() {
      return TaskOf(std::coroutine_handle<promise_type>::from_promise(*this));
    }
  };
  TaskOf(TaskOf&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  TaskOf& operator=(TaskOf&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~TaskOf() {
    if (!handle_) return;
    if (handle_.promise().ready != nullptr && !handle_.done())
      handle_.promise().ready->forget(handle_);
    handle_.destroy();
  }

  /// Begins to run beside whoever started it; awaiting it waits for its end.
  void start(Ready& ready) {
    invariant(handle_.promise().ready == nullptr, "a task is started twice");
    handle_.promise().ready = &ready;
    ready.push(handle_);
  }
  bool done() const { return handle_.done(); }
  /// After its end: what it returned or threw.
  T result() const {
    auto& promise = handle_.promise();
    if (promise.thrown) std::rethrow_exception(promise.thrown);
    return promise.take();
  }

  auto operator co_await() & { return TaskAwaiter{handle_}; }
  auto operator co_await() && { return TaskAwaiter{handle_}; }

 private:
  struct TaskAwaiter {
    std::coroutine_handle<promise_type> child;
    bool await_ready() const { return child.done(); }
    template <class Parent>
    void await_suspend(std::coroutine_handle<Parent> parent) {
      task::Promise& promise = child.promise();
      promise.awaiting = parent;
      if (promise.ready != nullptr) return;  // it was started before
      promise.ready = parent.promise().ready;
      promise.ready->push(child);
    }
    T await_resume() {
      if (child.promise().thrown) std::rethrow_exception(child.promise().thrown);
      return child.promise().take();
    }
  };
  explicit TaskOf(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  std::coroutine_handle<promise_type> handle_;
};

using Task = TaskOf<>;

}  // namespace weft::comm
