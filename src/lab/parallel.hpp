// SPDX-License-Identifier: Apache-2.0
// Independent pieces of work on several cores.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace weft {

/// Calls `work(i)` for 0 to count-1, begun in this order, on up to `threads` threads. When one call
/// throws, no further ones begin, and the exception of the lowest `i` is rethrown, so that of
/// several errors always the same one is reported.
template <class Work>
void in_parallel(std::size_t count, std::size_t threads, Work work) {
  std::vector<std::exception_ptr> problems(count);
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> stop = false;
  const auto serve = [&] {
    while (!stop) {
      const std::size_t i = next++;
      if (i >= count) return;
      try {
        work(i);
      } catch (...) {
        problems[i] = std::current_exception();
        stop = true;
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) helpers.emplace_back(serve);
    serve();
  }
  for (const std::exception_ptr& problem : problems)
    if (problem) std::rethrow_exception(problem);
}

}  // namespace weft
