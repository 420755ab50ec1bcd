// SPDX-License-Identifier: Apache-2.0
// Common parameters of NIC models.
#include "sim/nics/shared_parameters.hpp"

namespace weft::sim {

void set_packets(NicModel& model, const Params& params) {
  model.mtu = params.bytes("mtu");
  model.header = params.bytes("header");
  model.ack = model.header;
}

void set_host(NicModel& model, const Params& params) {
  model.retries = params.whole<int>("retries");
  model.retry_after = params.duration("retry_after");
  model.poll = params.duration("poll");
  model.copy = params.bandwidth("copy");
  model.expose = params.duration("expose");
  model.store = params.duration("store");
}

}  // namespace weft::sim
