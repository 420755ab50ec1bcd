// SPDX-License-Identifier: Apache-2.0
// RunResults: the results of a study's runs, each simulated once however many experiments read it.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "lab/parallel.hpp"
#include "papers/runner/paper.hpp"

namespace weft::papers {

/// How runs are simulated, by several threads at once.
template <class Run, class Result>
struct Simulator {
  std::function<Result(const Run&)> simulate;
  std::function<std::string(const Run&)> label;  ///< for the progress line
  /// The work of a run: those with most begin first.
  std::function<std::uint64_t(const Run&)> work = [](const Run&) { return std::uint64_t{1}; };
};

template <class Run, class Result>
class RunResults {
 public:
  /// Simulates the runs that have no result yet, on the lab's threads.
  void add(const Lab& lab, const std::vector<Run>& runs, const Simulator<Run, Result>& simulator) {
    std::vector<Run> todo;
    std::uint64_t all = 0, done = 0;
    for (const Run& run : runs)
      if (results_.try_emplace(run).second) {
        todo.push_back(run);
        all += simulator.work(run);
      }
    if (todo.empty()) return;
    std::stable_sort(todo.begin(), todo.end(), [&](const Run& a, const Run& b) {
      return simulator.work(a) > simulator.work(b);
    });
    lab.progress(0, simulator.label(todo.front()));
    std::mutex mutex;
    in_parallel(todo.size(), lab.threads, [&](std::size_t i) {
      Result result = simulator.simulate(todo[i]);
      const std::lock_guard lock(mutex);
      results_.at(todo[i]) = std::move(result);
      done += simulator.work(todo[i]);
      lab.progress(static_cast<double>(done) / static_cast<double>(all), simulator.label(todo[i]));
    });
  }
  /// The result of a run that was added.
  const Result& at(const Run& run) const {
    const auto found = results_.find(run);
    invariant(found != results_.end(), "an experiment reads a run that it does not name");
    return found->second;
  }

 private:
  std::map<Run, Result> results_;
};

}  // namespace weft::papers
