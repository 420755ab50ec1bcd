// SPDX-License-Identifier: Apache-2.0
// What programs of Elan3lib share: where their data are, how they wait, and streams of DMAs.
#pragma once
#include "comm/elan3.hpp"
#include "lab/programs/program.hpp"

namespace weft {

inline constexpr OneOf store_choice{"main", "elan"};
inline constexpr Param wait_param{"wait", OneOf{"poll", "busy_wait", "block"}, "busy_wait",
                                  "for events"};

/// The parameters that these programs share.
struct ElanPlan {
  /// Throws Error when the machine's NICs are no Elans.
  ElanPlan(const Params& params, const ProgramSetting& setting, Laps& to_fill);
  comm::Elan3::Store from, to;  ///< where DMAs begin and end
  std::size_t bytes, iterations, warmup, window;
  comm::Elan3::How how;
  Laps& laps;
};

/// A rank's memory and events, open to all ranks; all have the same addresses.
class ElanPlayer {
 public:
  ElanPlayer(comm::Endpoint& ep, const ElanPlan& plan);
  comm::Pool& frames() { return ep.frames(); }

  /// A DMA from this rank's data to another's.
  comm::Elan3::Dma dma_to(comm::Rank rank) const;
  comm::Op wait(comm::Elan3::Event event, std::uint64_t count) {
    return elan.wait(event, count, plan.how);
  }
  /// Runs the DMAs of the warm-up, or the measured ones, `window` at a time. A time is from the end
  /// of one DMA to the end of the next, as this rank's event signals them.
  comm::Task stream(comm::Elan3::Dma dma, bool measured);

  comm::Endpoint& ep;
  const ElanPlan& plan;
  comm::Elan3& elan;
  comm::Elan3::Block source, target;
  comm::Elan3::Event out, in;  ///< this rank's DMAs have ended; another's have arrived

 private:
  std::vector<comm::Elan3::Segment> open_;
  std::uint64_t ended_ = 0;  ///< DMAs of streams
};

}  // namespace weft
