// SPDX-License-Identifier: Apache-2.0
// Which points of a sweep this process runs.
#include "cli/sweeps/distribution.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "base/error.hpp"
#include "base/text.hpp"
#include "cli/sweeps/journal_file.hpp"
#include "lab/sweep/brackets.hpp"

namespace weft::cli {
namespace {

struct RankVariables {
  const char *rank, *size;
};
/// In this order: mpirun within a job of Slurm makes the ranks, and Slurm's numbers are those of
/// the job. Slurm sets the last one for srun alone, not for the script of a job, which is no rank.
constexpr std::array rank_variables{
    RankVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},  // Open MPI
    RankVariables{"PMI_RANK", "PMI_SIZE"},                          // MPICH and what comes of it
    RankVariables{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},          // srun
};

Shard shard_of_rank() {
  std::string lacking;
  for (const RankVariables& names : rank_variables) {
    const char *rank = std::getenv(names.rank), *size = std::getenv(names.size);
    if (rank == nullptr || size == nullptr) {
      if (rank != nullptr && lacking.empty())
        lacking = fmt::format("{}={}, but {} is not set", names.rank, shown(rank), names.size);
      continue;
    }
    const auto number = number_from<std::size_t>(rank), of = number_from<std::size_t>(size);
    if (!number || !of || *number >= *of || *of > most_points)
      throw Error("--mpi: {}={} and {}={} are no rank and number of ranks", names.rank, shown(rank),
                  names.size, shown(size));
    return {*number + 1, *of};
  }
  if (!lacking.empty()) throw Error("--mpi: {}: start it with mpirun or srun", lacking);
  throw Error(
      "--mpi: the environment names no rank (OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID): start "
      "it with mpirun or srun");
}

}  // namespace

void add_distribution(Arguments& arguments, Distribution& distribution) {
  arguments.option("--shard I/N", distribution.shard,
                   "in a sweep: run every N-th point, in a journal beside the result\nfile; weft "
                   "merge puts the N shards together");
  arguments.flag("--mpi", distribution.mpi,
                 "in a sweep: under mpirun or srun, each rank runs its share of the\npoints, one "
                 "at a time (--jobs); the last one to finish writes the\nresults");
}

Shard shard_of(const Distribution& distribution) {
  if (distribution.mpi && !distribution.shard.empty())
    throw Error("--shard and --mpi: with --mpi the rank is the shard");
  if (distribution.mpi) return shard_of_rank();
  return distribution.shard.empty() ? Shard{} : shard_from(distribution.shard);
}

std::string shard_journal(const std::string& out, const Shard& shard) {
  return fmt::format("{}.{}-of-{}.journal", out, shard.number, shard.of);
}

std::string journal_of(const Distribution& distribution, const std::string& out) {
  std::string whole = journal_path(out);
  if (distribution.all_here()) return whole;
  if (whole.empty())
    throw Error("{}: a file for the results is needed: the journals of shards are beside it",
                distribution.mpi ? "--mpi" : "--shard");
  return shard_journal(out, shard_of(distribution));
}

void require_all_here(const Distribution& distribution) {
  if (!distribution.all_here())
    throw Error("{}: only a sweep has points to share out, and brackets make one",
                distribution.mpi ? "--mpi" : "--shard");
}

void reject_outputs_of_shard(
    const Distribution& distribution,
    std::initializer_list<std::pair<const char*, const std::string&>> files) {
  for (const auto& [option, file] : files)
    if (!distribution.shard.empty() && !file.empty())
      throw Error("{}: a shard writes its journal alone; weft merge takes {}", option, option);
}

}  // namespace weft::cli
