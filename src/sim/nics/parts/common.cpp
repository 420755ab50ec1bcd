// SPDX-License-Identifier: Apache-2.0
// Common parameters of NIC models.
#include "sim/nics/parts/common.hpp"

namespace weft::sim {

Bytes bytes_of(const Params& params, std::string_view name) {
  return bytes_from(params.text(name));
}

void set_packets(NicModel& model, const Params& params) {
  model.mtu = bytes_of(params, "mtu");
  if (model.mtu.count < 1) params.reject("mtu", "a packet carries a byte or more");
  model.header = bytes_of(params, "header");
  model.ack = model.header;
}

void set_host(NicModel& model, const Params& params) {
  model.retries = static_cast<int>(params.integer("retries", 0, 1000));
  model.retry_after = params.duration("retry_after");
  model.poll = params.duration("poll");
  model.copy = params.bandwidth("copy");
  model.expose = params.duration("expose");
  model.store = params.duration("store");
}

}  // namespace weft::sim
