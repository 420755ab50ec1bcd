// SPDX-License-Identifier: Apache-2.0
// Merging the shards of a sweep: what each verb that has sweeps does for weft merge.
#pragma once
#include <string>
#include <vector>

#include "lab/sweep/shard_journals.hpp"

namespace weft::cli {

struct MergeArguments {
  std::vector<std::string> journals;
  std::string out, plot, html;
  std::string open_mpi;  ///< of weft run alone

  std::string json() const { return out.ends_with(".json") ? out : ""; }
  std::string csv() const { return out.ends_with(".json") ? "" : out; }
};

/// They write the results of the sweep whose identity the journals have, and return its exit code.
int merge_simulations(const MergeArguments& arguments, const ShardJournals& journals);
int merge_runs(const MergeArguments& arguments, const ShardJournals& journals);
int merge_replays(const MergeArguments& arguments, const ShardJournals& journals);

}  // namespace weft::cli
