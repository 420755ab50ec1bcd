// SPDX-License-Identifier: Apache-2.0
// Running a sweep in one process, in shards, or by the ranks of an MPI job, and merging shards: the
// same for every verb that has sweeps. A Sweep is a verb's own:
//
//   using Result = …;                      of a point, as the journal keeps it
//   std::string out;                       the result file beside which journals are
//   Distribution distribution;  std::uint64_t jobs;
//   SweepIdentity identity() const;
//   auto set_up(optional<Shard>) const;    its points, or those of a shard, ready to run
//   auto run(points, PointOptions<Result>) const;  their rows
//   void write(rows) const;                into all files
//   int print(rows) const;                 returns the exit code
#pragma once
#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "cli/sweeps/distribution.hpp"
#include "cli/sweeps/journal_file.hpp"
#include "cli/verbs.hpp"
#include "lab/sweep/point_runner.hpp"
#include "lab/sweep/shard_journals.hpp"

namespace weft::cli {

/// Tells of the journals of MPI jobs that had another number of ranks, and are not used.
void name_other_journals(const std::string& out, std::size_t ranks);

/// Files to merge, as texts. Throws Error.
std::vector<JournalSource> read_journals(const std::vector<std::string>& paths);

/// The rows of points that are set up; the journal stays open until results are written.
template <class Sweep, class Points>
auto run_with_journal(const Sweep& sweep, const Points& points, const SweepIdentity& identity,
                      std::optional<Journal<typename Sweep::Result>>& journal) {
  ProgressLine line(stderr);
  std::optional<LastWords> last_words;
  if (const std::string path = journal_of(sweep.distribution, sweep.out); !path.empty()) {
    last_words.emplace(path);
    journal.emplace(path, identity);
  }
  return sweep.run(points, {jobs_of(sweep.distribution, sweep.jobs), journal ? &*journal : nullptr,
                            std::ref(line)});
}

template <class Sweep>
int run_whole(const Sweep& sweep) {
  std::optional<Journal<typename Sweep::Result>> journal;
  const auto rows = run_with_journal(sweep, sweep.set_up(std::nullopt), sweep.identity(), journal);
  sweep.write(rows);
  if (journal) journal->remove();
  return sweep.print(rows);
}

/// Leaves a journal that is closed and on the disk; returns how many points are in it.
template <class Sweep>
std::size_t run_shard(const Sweep& sweep, const Shard& shard) {
  const auto points = sweep.set_up(shard);
  std::optional<Journal<typename Sweep::Result>> journal;
  run_with_journal(sweep, points, with_shard(sweep.identity(), shard), journal);
  journal->end();
  return points.points.size();
}

/// Writes what the undisturbed sweep would have written.
template <class Sweep>
int merge(const Sweep& sweep, const ShardJournals& journals) {
  journals.require_same(sweep.identity());
  const auto finished = journals.finished<typename Sweep::Result>();
  const auto rows = sweep.run(sweep.set_up(std::nullopt), {.jobs = 1, .merged = &finished});
  sweep.write(rows);
  return sweep.print(rows);
}

/// The texts of all journals; none where a shard is not finished, or another process has merged
/// them. Throws Error for files that cannot be read.
inline std::optional<std::vector<JournalSource>> finished_journals(
    const std::vector<std::string>& paths) {
  const auto all = [&](auto test) { return std::all_of(paths.begin(), paths.end(), test); };
  if (!all(shard_is_finished)) return std::nullopt;
  try {
    return read_journals(paths);
  } catch (const Error&) {
    if (all([](const std::string& path) { return std::filesystem::exists(path); })) throw;
    return std::nullopt;
  }
}

/// The last rank to finish merges. Each has closed its journal, with the last line in it, before it
/// looks at those of the others, so at least one sees all of them finished; of several, the one
/// that has the lock writes the results and then removes the journals.
template <class Sweep>
int run_rank(const Sweep& sweep, const Shard& rank) {
  if (rank.number == 1) name_other_journals(sweep.out, rank.of);
  run_shard(sweep, rank);
  std::vector<std::string> paths;
  for (std::size_t number = 1; number <= rank.of; ++number)
    paths.push_back(shard_journal(sweep.out, {number, rank.of}));
  if (!std::all_of(paths.begin(), paths.end(), shard_is_finished)) return exit_fine;
  const MergeLock lock(paths[0]);
  if (!lock.held()) return exit_fine;
  std::optional<std::vector<JournalSource>> texts = finished_journals(paths);
  if (!texts) return exit_fine;
  const int code = merge(sweep, ShardJournals(std::move(*texts)));
  std::error_code ignored;
  for (const std::string& path : paths) std::filesystem::remove(path, ignored);
  return code;
}

template <class Sweep>
int run_distributed(const Sweep& sweep) {
  if (sweep.distribution.all_here()) return run_whole(sweep);
  const Shard shard = shard_of(sweep.distribution);
  if (sweep.distribution.mpi) return run_rank(sweep, shard);
  const std::size_t points = run_shard(sweep, shard);
  std::cout << fmt::format("shard {} is finished: {} in {}\n", to_text(shard),
                           counted(points, "point", "points"), shard_journal(sweep.out, shard));
  return exit_fine;
}

}  // namespace weft::cli
