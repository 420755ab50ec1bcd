// SPDX-License-Identifier: Apache-2.0
// The points of a sweep on several cores, with a journal and progress.
#pragma once
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "base/error.hpp"
#include "lab/cores.hpp"
#include "lab/parallel.hpp"
#include "lab/progress.hpp"
#include "lab/sweep/journal.hpp"

namespace weft {

template <class Result>
struct PointOptions {
  std::uint64_t jobs = 0;              ///< points at a time; 0: one per core
  Journal<Result>* journal = nullptr;  ///< results are taken from it and added to it
  Progress progress{};                 ///< called by one thread at a time
  /// Of shards: nothing is run, and a point that is not among them is an Error.
  const Finished<Result>* merged = nullptr;
};

/// Runs points for any thread; takes those that the journal has from it, and adds the others.
template <class Experiment, class Result>
class PointRunner {
 public:
  using PointSpec = decltype(Result::spec);
  using Run = std::function<Result(const Experiment&)>;
  using Name = std::function<std::string(const PointSpec&)>;

  /// `all` points are planned; progress calls them by what `name` makes of their specs.
  PointRunner(Run run, Name name, const PointOptions<Result>& options, std::size_t all)
      : run_(std::move(run)), name_(std::move(name)), options_(options), all_(all) {
    if (options.journal != nullptr) done_ = options.journal->finished().size();
    report("");
  }

  /// A point that was not planned adds to the number of all when it is done, so that the share that
  /// is done never falls.
  Result operator()(const PointSpec& spec, const Experiment& point, bool planned = true) {
    if (const Result* before = known(spec)) return *before;
    if (options_.merged != nullptr) throw Error("the journals lack the point {}", name_(spec));
    Result result = run_(point);
    result.spec = spec;
    const std::lock_guard lock(mutex_);
    if (options_.journal != nullptr) options_.journal->add(result);
    ++done_;
    if (!planned) ++all_;
    report(name_(spec));
    return result;
  }
  /// The result of an earlier run or of a shard; null where there is none.
  const Result* known(const PointSpec& spec) const {
    const Finished<Result>* before = options_.merged;
    if (before == nullptr && options_.journal != nullptr) before = &options_.journal->finished();
    if (before == nullptr) return nullptr;
    const auto found = before->find(spec);
    return found == before->end() ? nullptr : &found->second;
  }
  /// For progress: so many points that were planned are not needed.
  void plan_fewer(std::size_t points) {
    const std::lock_guard lock(mutex_);
    all_ -= points;
  }

 private:
  void report(const std::string& what) const {
    if (options_.progress) options_.progress(done_, all_, what);
  }
  Run run_;
  Name name_;
  const PointOptions<Result>& options_;
  std::mutex mutex_;  // guards what is below, the journal's file and progress
  std::size_t all_;
  std::size_t done_ = 0;
};

/// Throws Error for too many.
inline std::size_t jobs_from(std::uint64_t wanted) {
  constexpr std::uint64_t most = 1024;
  if (wanted > most) throw Error("jobs={}: {} at most", wanted, most);
  return wanted > 0 ? wanted : usable_cores();
}

/// Calls `work(i)` for each of `count` points. When one throws Error, a journal that has nothing
/// from before is removed.
template <class Result, class Work>
void run_points(std::size_t count, const PointOptions<Result>& options, Work work) {
  try {
    in_parallel(count, jobs_from(options.jobs), work);
  } catch (const Error&) {
    if (options.journal != nullptr && options.journal->empty()) options.journal->remove();
    throw;
  }
}

}  // namespace weft
