// SPDX-License-Identifier: Apache-2.0
// What the visiting orders are made of: recursive doubling over a list, hosts by switch, and the
// list of sends as it grows (McKinley et al., 1994; RHiNET-2, sections II.B and IV.A).
#pragma once
#include <vector>

#include "base/rng.hpp"
#include "plan/mcast/mcast.hpp"

namespace weft {

/// In each step everyone who has the data sends to one who has not: list[i] to list[have + i].
/// `have` at the front have it already. Steps count from `first_step`; the last one is returned.
int double_over(const std::vector<HostId>& list, std::size_t have, int first_step,
                std::vector<Send>& sends);

/// The hosts of a request by switch: the root's first with the root in front, the others by id.
std::vector<std::vector<HostId>> by_switch(const Fabric& fabric, const OrderRequest& request,
                                           HostId root);

/// The request's root, or the lowest host.
HostId lowest_root(const OrderRequest& request);
/// The request's root, or a random host.
HostId random_root(const OrderRequest& request, Rng& rng);

/// Everyone but the root, by id, with the root in front.
std::vector<HostId> root_first(const OrderRequest& request, HostId root);

/// SHO over given groups: first to one host of each switch, then inside all switches at once.
std::vector<Send> between_then_within(const std::vector<std::vector<HostId>>& groups);

template <class T>
void shuffle_tail(std::vector<T>& items, std::size_t keep, Rng& rng) {
  std::vector<T> tail(items.begin() + static_cast<std::ptrdiff_t>(keep), items.end());
  rng.shuffle(tail);
  std::copy(tail.begin(), tail.end(), items.begin() + static_cast<std::ptrdiff_t>(keep));
}

}  // namespace weft
