// SPDX-License-Identifier: Apache-2.0
// ideal: no NIC and no network, but transfers that take no time. Programs on it take the time of
// their own work and of waiting for each other: the bound that no network can beat.
#include <limits>

#include "sim/hosts/ideal_hosts.hpp"
#include "sim/nics/nics.hpp"

namespace weft::sim {

NicModel ideal(const Params&) {
  NicModel model;
  model.make_hosts = ideal_hosts();
  model.eager = Bytes{std::numeric_limits<std::int64_t>::max()};
  model.acknowledge = Acknowledge::never;
  model.events = true;
  return model;
}

}  // namespace weft::sim
