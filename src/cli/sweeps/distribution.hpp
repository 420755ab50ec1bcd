// SPDX-License-Identifier: Apache-2.0
// The options --shard and --mpi of sweeps: which of the points this process runs.
#pragma once
#include <initializer_list>
#include <string>
#include <utility>

#include "cli/arguments/arguments.hpp"
#include "lab/sweep/shard.hpp"

namespace weft::cli {

struct Distribution {
  std::string shard;  ///< "3/10"
  bool mpi = false;
  bool all_here() const { return shard.empty() && !mpi; }
};

/// Adds the options --shard and --mpi.
void add_distribution(Arguments& arguments, Distribution& distribution);

/// The shard that this process runs; 1/1 where it runs all points. Of an MPI job its rank is the
/// shard, which mpirun and srun say in the environment. Throws Error.
Shard shard_of(const Distribution& distribution);

/// The journal of a shard, beside the result file of its sweep.
std::string shard_journal(const std::string& out, const Shard& shard);
/// The journal of this process; empty where none can be, which for a shard is an Error.
std::string journal_of(const Distribution& distribution, const std::string& out);

/// How many points this process runs at a time; 0: one a core. A rank is taken to have one core.
inline std::uint64_t jobs_of(const Distribution& distribution, std::uint64_t wanted) {
  return wanted == 0 && distribution.mpi ? 1 : wanted;
}

/// Throws Error for options of a sweep where there is none.
void require_all_here(const Distribution& distribution);
/// Throws Error for a result file other than the one whose journal is written: `files` are options
/// and their values.
void reject_outputs_of_shard(
    const Distribution& distribution,
    std::initializer_list<std::pair<const char*, const std::string&>> files);

}  // namespace weft::cli
