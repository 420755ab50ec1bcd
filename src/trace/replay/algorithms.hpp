// SPDX-License-Identifier: Apache-2.0
// Which algorithm carries out each collective of a replayed trace: one that the user names, or one
// that suits the size and the number of members, by the rules of MPICH (Thakur, Rabenseifner and
// Gropp, Optimization of Collective Communication Operations in MPICH, 2005).
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "comm/coll/coll.hpp"
#include "trace/call.hpp"

namespace weft::trace {

class CollectiveAlgorithms {
 public:
  /// From texts such as "allreduce=ring" and "bcast=chain:segment=64KiB". Throws Error for one that
  /// names no collective, or no algorithm that can carry it out in a replay.
  explicit CollectiveAlgorithms(std::span<const std::string> chosen = {});

  /// `bytes` are those of the whole vector of a member; for alltoall, of a pair. All members get
  /// the same answer. The reference stays valid, and is the same for the same algorithm.
  const comm::CollectiveSpec& of(CallKind kind, std::size_t bytes, int members) const;

  /// The names that may stand before "=".
  static std::vector<std::string_view> names();

 private:
  std::map<CallKind, comm::CollectiveSpec> chosen_;
  std::map<std::pair<CallKind, std::string_view>, comm::CollectiveSpec> usual_;
};

}  // namespace weft::trace
