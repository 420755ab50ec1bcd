// SPDX-License-Identifier: Apache-2.0
// What the ranks of a world spend their time on, as seen from their operations: waits differ
// by what ended them. The items are those of table VIII of Koibuchi et al. (RHiNET-2).
#pragma once
#include <vector>

#include "comm/endpoint.hpp"

namespace weft {

/// The time of a rank; the items add up to the total.
struct RankItems {
  Duration total{};
  Duration compute{};
  Duration library{};     ///< work of the library that the program calls: MPI
  Duration lower{};       ///< work below it: a lower library, the NIC's share of the processor
  Duration send_ready{};  ///< waiting for a send to be taken: by its receiver, as a rule
  Duration packet{};      ///< waiting for a message
  Duration nic_ready{};   ///< waiting for the NIC to take the next fragment
  Duration ack{};         ///< waiting for acknowledgments before the next fragment
};

/// Counts of a rank that only grow, at some time.
struct RankCounts {
  comm::Time at{};
  Duration compute{}, beside{}, library{}, busy{}, send_wait{}, ack{}, nic{};
};
RankItems items_between(const RankCounts& begin, const RankCounts& end);

/// Follows when the processors of ranks are idle. Time passes only while a rank waits: what is idle
/// from one end of a wait to the next is charged to what the rank goes on after, however many waits
/// it has open.
class RankWaits {
 public:
  explicit RankWaits(int ranks) : ranks_(static_cast<std::size_t>(ranks)) {}
  /// How long the processor was idle since a wait of the rank ended; `busy` is the work done.
  Duration idle(comm::Rank rank, comm::Time now, Duration busy) const;
  /// When a wait of the rank ended last.
  comm::Time since(comm::Rank rank) const { return of(rank).since; }
  void ends(comm::Rank rank, comm::Time now, Duration busy, bool by_send);
  /// The rank begins something: what ended last has let it go on.
  void goes_on(comm::Rank rank);
  /// Idle time in waits for sends, in all.
  Duration sends(comm::Rank rank) const;

 private:
  struct RankWait {
    comm::Time since{};
    Duration busy{};       ///< work done until then
    Duration sends{};      ///< idle in waits for sends, in all
    Duration open{};       ///< idle time that is still to be charged
    bool by_send = false;  ///< a send ended last
  };
  const RankWait& of(comm::Rank rank) const { return ranks_[static_cast<std::size_t>(rank)]; }
  RankWait& of(comm::Rank rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  std::vector<RankWait> ranks_;
};

}  // namespace weft
