// SPDX-License-Identifier: Apache-2.0
// Whether all members of a communicator make the same collective calls in the same order.
#pragma once
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "trace/checks/communicators.hpp"
#include "trace/trace.hpp"

namespace weft::trace {

class CollectiveCounts {
 public:
  explicit CollectiveCounts(const Trace& trace) : trace_(trace) {}

  /// From here on calls are those of `rank`, from its first.
  void begin(Rank rank);
  /// Takes a collective call of the rank that is walked now. Throws Error where its root or sizes
  /// do not fit the communicator.
  void add(Rank rank, const Call& call, const KnownCommunicator& communicator);
  /// The rank has no more calls. Throws Error where they are not those of other members.
  void end(Rank rank, const CommunicatorTable& communicators);
  /// Throws Error where members disagree on what one sends another; to be called at the end.
  void require_equal_sizes(const CommunicatorTable& communicators) const;

 private:
  /// What one rank calls on a communicator.
  struct CallSequence {
    std::uint64_t calls = 0;
    std::uint64_t number = 0;  ///< tells sequences apart
  };
  /// The same on all members, and of calls with sizes for each member a sum over what is sent, and
  /// one over what is received, in which every pair of ranks has its own factor.
  struct CommunicatorCalls {
    Rank first = no_rank;  ///< member that was walked first
    CallSequence sequence{};
    std::uint64_t sent = 0, received = 0;
  };

  void require_fit(Rank rank, const Call& call, const KnownCommunicator& communicator) const;
  void add_sizes(Rank rank, const Call& call, const KnownCommunicator& communicator);
  [[noreturn]] void fail_difference(std::int32_t communicator, Rank one, Rank other) const;

  const Trace& trace_;
  std::unordered_map<std::int32_t, CallSequence> own_;  ///< of the rank that is walked
  std::vector<std::uint64_t> numbers_;                  ///< of its collectives, in a graph
  std::size_t seen_ = 0;                                ///< of them
  std::map<std::int32_t, CommunicatorCalls> all_;
};

}  // namespace weft::trace
