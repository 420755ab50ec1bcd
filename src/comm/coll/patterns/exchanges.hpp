// SPDX-License-Identifier: Apache-2.0
// Exchanges: most barriers are a list of them for every rank, carried out by messages or by puts.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include "comm/coll/coll.hpp"

namespace weft::comm {

inline constexpr Rank nobody = any_source;

/// A step of one rank: it notifies `to`, and waits for the notification of `from`. Two ranks that
/// notify each other several times list these steps in the same order.
struct Exchange {
  Rank to = nobody, from = nobody;
  friend bool operator==(const Exchange&, const Exchange&) = default;
};
using Exchanges = std::vector<Exchange>;

/// Pairwise exchange with recursive doubling. Ranks beyond the largest power of two notify a
/// partner below it first and are notified last: floor(log2 N) + 2 steps (Gupta et al., 2002,
/// section 5.1).
Exchanges pairwise_exchanges(Rank rank, int size);
/// Hensgen, Finkel and Manber, 1988.
Exchanges dissemination_exchanges(Rank rank, int size);

/// Up a tree in which the children of rank r are degree*r + 1 and following, and down again.
struct GatherRelease {
  Exchanges gather, release;
  Exchanges both() const;
};
GatherRelease tree_exchanges(Rank rank, int size, int degree);
/// A schedule backwards, then forwards.
GatherRelease schedule_exchanges(Rank rank, std::span<const ScheduledSend> schedule);

/// A barrier of these exchanges, by messages or by puts.
TaskOf<std::unique_ptr<Barrier>> exchange_barrier(Team team, Exchanges exchanges, bool puts);
/// Whether the parameter "by" is puts.
bool by_puts(const Params& params);

}  // namespace weft::comm
