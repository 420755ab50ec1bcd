// SPDX-License-Identifier: Apache-2.0
// Tasks: lazy, nested, resumed only from the queue, destroyed whole.
#include "comm/task.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace weft::comm {
namespace {

/// Something with a pool, as an endpoint is.
struct Home {
  Pool pool{};
  Pool& frames() { return pool; }
};

/// Waits until it is opened.
struct Gate {
  std::coroutine_handle<> waiting{};
  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) { waiting = handle; }
  void await_resume() {}
};

TaskOf<int> doubled(Home&, int value) { co_return 2 * value; }
TaskOf<std::unique_ptr<int>> boxed(int value) { co_return std::make_unique<int>(value); }
Task failing() {
  throw std::runtime_error("no");
  co_return;
}

TEST(Task, BeginsWhenAwaitedAndReturnsItsValue) {
  Ready ready;
  Home home;
  int result = 0;
  auto outer = [](Home& at, int& out) -> Task {
    TaskOf<int> child = doubled(at, 4);
    EXPECT_FALSE(child.done());
    out = co_await child;
    out += *co_await boxed(10);
  };
  Task task = outer(home, result);
  EXPECT_FALSE(task.done());
  task.start(ready);
  ready.run();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(result, 18);
}

TEST(Task, WhatItThrowsComesOutWhereItIsAwaited) {
  Ready ready;
  std::string caught;
  auto outer = [](std::string& out) -> Task {
    try {
      co_await failing();
    } catch (const std::runtime_error& error) {
      out = error.what();
    }
    co_await failing();
  };
  Task task = outer(caught);
  task.start(ready);
  ready.run();
  EXPECT_EQ(caught, "no");
  EXPECT_THROW(task.result(), std::runtime_error);
}

TaskOf<int> depth(Home& home, int left) {
  if (left == 0) co_return 0;
  const int below = co_await depth(home, left - 1);
  co_return below + 1;
}

TEST(Task, NeitherDepthNorRepetitionUsesTheStack) {
  Ready ready;
  Home home;
  int deep = 0, sum = 0;
  auto outer = [](Home& at, int& far, int& many) -> Task {
    far = co_await depth(at, 200'000);
    for (int i = 0; i < 1'000'000; ++i) many += co_await doubled(at, 1);
  };
  Task task = outer(home, deep, sum);
  task.start(ready);
  ready.run();
  EXPECT_EQ(deep, 200'000);
  EXPECT_EQ(sum, 2'000'000);
}

struct Witness {
  explicit Witness(int& of) : count(of) { ++count; }
  ~Witness() { --count; }
  int& count;
};

Task waits(Gate& gate, int& alive) {
  const Witness witness(alive);
  co_await gate;
}
Task waits_for_one_that_waits(Gate& gate, int& alive) {
  const Witness witness(alive);
  co_await waits(gate, alive);
}

TEST(Task, DestroyedWhileItWaitsItDestroysWhatItAwaits) {
  Ready ready;
  Gate gate;
  int alive = 0;
  {
    Task task = waits_for_one_that_waits(gate, alive);
    task.start(ready);
    ready.run();
    EXPECT_EQ(alive, 2);
  }
  EXPECT_EQ(alive, 0);
}

TEST(Task, DestroyedWhenAboutToBeResumedItIsNotResumed) {
  Ready ready;
  Gate gate;
  int alive = 0;
  {
    Task task = waits_for_one_that_waits(gate, alive);
    task.start(ready);
    ready.run();
    ready.push(gate.waiting);
  }
  ready.run();
  EXPECT_EQ(alive, 0);
}

TEST(Task, StartedItRunsBesideItsParent) {
  Ready ready;
  Gate gate;
  int alive = 0;
  std::vector<std::string> order;
  auto parent = [](Ready& at, Gate& closed, int& count, std::vector<std::string>& log) -> Task {
    Task child = waits(closed, count);
    child.start(at);
    log.emplace_back("parent goes on");
    co_await child;
    log.emplace_back("child is done");
  };
  Task task = parent(ready, gate, alive, order);
  task.start(ready);
  ready.run();
  EXPECT_EQ(order.size(), 1U);
  ready.push(gate.waiting);
  ready.run();
  EXPECT_TRUE(task.done());
  EXPECT_EQ(order.back(), "child is done");
}

TEST(Ready, GrowsAndKeepsTheOrder) {
  Ready ready;
  std::vector<int> order;
  std::vector<Task> tasks;
  for (int i = 0; i < 1000; ++i) {
    tasks.push_back([](std::vector<int>& log, int number) -> Task {
      log.push_back(number);
      co_return;
    }(order, i));
    tasks.back().start(ready);
  }
  ready.run();
  ASSERT_EQ(order.size(), 1000U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  EXPECT_TRUE(ready.empty());
}

}  // namespace
}  // namespace weft::comm
