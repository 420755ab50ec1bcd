// SPDX-License-Identifier: Apache-2.0
// loggp: a NIC given by the parameters of LogGP (Alexandrov, Ionescu, Schauser and Scheiman 1995;
// o_s and o_r apart as Netgauge measures them). o_s and o_r are work of the processors, g is the
// least time between two messages that a NIC sends, G the time of a byte, here as the bandwidth
// 1/G. L is the latency of both NICs and buses, half of it on each side; switches and cables are
// simulated and come on top. G counts while a packet passes the link, so that the slower of the two
// is the rate of long messages and neither adds to the other.
#include "sim/nics/nics.hpp"
#include "sim/nics/shared_parameters.hpp"

namespace weft::sim {
namespace {

struct LogGpHost {
  Duration latency, send, receive, gap, poll, store;
  Bandwidth rate, copy;
  Duration half() const { return latency / 2; }
};

TransferStages across(const LogGpHost& host) {
  TransferStages path;
  path.post = {{Part::processor, host.send}};
  path.submit = {NicStage::trailing(Part::nic, host.gap), {Part::latency, host.half()}};
  path.packet_out = {NicStage::streaming(Part::dma_out, Duration{0}, host.rate)};
  path.packet_in = {{Part::latency, host.latency - host.half()}};
  path.ack_in = {{Part::latency, host.half()}};
  return path;
}

void set_paths(NicModel& model, const LogGpHost& host) {
  const TransferStages write = across(host);
  TransferStages message = write;
  message.deliver = {{Part::processor, host.receive}};
  TransferStages response = write;
  response.deliver = {{Part::processor, host.poll}};
  model.paths[at(Move::message)] = {message};
  model.paths[at(Move::write)] = {write};
  model.paths[at(Move::read)] = {write};
  model.paths[at(Move::response)] = {response};
  model.paths[at(Move::event)] = {write};
}

}  // namespace

std::vector<Param> loggp_params() {
  return with_host_of_today(
      {{"L", DurationText{}, "910ns", "latency of both NICs and buses; switches come on top"},
       {"o_s", DurationText{}, "100ns", "processor: send a message"},
       {"o_r", DurationText{}, "230ns", "processor: receive a message"},
       {"g", DurationText{}, "290ns", "NIC: least time between two messages"},
       {"G", BandwidthText{}, "24.3GB/s", "NIC: 1/G, the rate of long messages"},
       {"mtu", packet_data, "4KiB", "data in a packet"},
       {"header", BytesText{}, "26B", "of a packet, with its check sums"},
       {"poll", DurationText{}, "50ns", "processor: see a changed word"}});
}

NicModel loggp(const Params& params) {
  const LogGpHost host{params.duration("L"),  params.duration("o_s"),  params.duration("o_r"),
                       params.duration("g"),  params.duration("poll"), params.duration("store"),
                       params.bandwidth("G"), params.bandwidth("copy")};
  NicModel model;
  set_paths(model, host);
  set_packets(model, params);
  set_host_of_today(model, params, host.send, host.receive);
  return model;
}

}  // namespace weft::sim
