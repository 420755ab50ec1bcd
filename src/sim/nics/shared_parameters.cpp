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

std::vector<Param> with_host_of_today(std::vector<Param> own) {
  own.push_back(
      {"eager", BytesText{}, "8KiB", "tagged messages up to this size go without asking"});
  own.push_back({"copy", BandwidthText{}, "10GB/s", "processor: memory to memory"});
  own.push_back({"expose", DurationText{}, "1us", "register memory"});
  own.push_back({"store", DurationText{}, "100ns", "hand a cache line to another processor"});
  own.push_back({"retries", few_retries, "7", "of a packet that was lost"});
  own.push_back({"retry_after", DurationText{}, "20us", "until a lost packet is sent again"});
  return own;
}

void set_host_of_today(NicModel& model, const Params& params, Duration post, Duration deliver) {
  set_host(model, params);
  model.copies_messages = true;
  model.eager = params.bytes("eager");
  TransferStages within;
  within.post = {{Part::processor, post, model.copy}};
  within.submit = {{Part::latency, model.store}};
  model.local.fill(within);
  within.post = {{Part::processor, post}};
  within.deliver = {{Part::processor, deliver}};
  model.local[at(Move::message)] = within;
}

}  // namespace weft::sim
