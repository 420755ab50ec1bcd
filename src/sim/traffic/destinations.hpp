// SPDX-License-Identifier: Apache-2.0
// What several patterns share: fixed destinations, shifts in a grid, and the hosts that a
// definition needs.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "base/chance.hpp"
#include "sim/traffic/traffic.hpp"

namespace weft::sim {

/// Hosts send to destination(number of the host), always.
std::unique_ptr<Pattern> fixed_pattern(const Fabric& fabric,
                                       const std::function<std::size_t(std::size_t)>& destination);

/// Hosts send `shift(k)` further in every dimension of k switches, or, with by=ids, among all hosts
/// in one ring. Throws Error when the fabric's coordinates make no grid.
std::unique_ptr<Pattern> shifted_pattern(const Fabric& fabric, const Params& params,
                                         const std::function<std::size_t(std::size_t)>& shift);

/// The number of bits in a host's number. Throws Error unless there are 2^n hosts.
unsigned bits_of_hosts(const Fabric& fabric, const Params& params);
/// The k of k x k hosts. Throws Error unless their number is a square.
std::size_t side_of_hosts(const Fabric& fabric, const Params& params);
/// Throws Error when there are fewer than two.
void require_two_hosts(const Fabric& fabric, const Params& params);

/// Any of `hosts` hosts but `from`, with equal chances.
inline HostId any_other(std::size_t hosts, HostId from, Rng& rng) {
  const std::uint64_t draw = draw_below(rng, hosts - 1);
  return HostId(draw + (draw >= from.index() ? 1 : 0));
}

}  // namespace weft::sim
