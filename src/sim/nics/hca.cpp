// SPDX-License-Identifier: Apache-2.0
// hca: an InfiniBand-style adapter with queue pairs. The processor writes a work queue entry and
// rings the doorbell; the NIC fetches the entry and the data by DMA (short data travel inline with
// the doorbell), cuts them into packets, and the target's NIC writes them to memory and reports
// through a completion queue. Reliable connections: every message is acknowledged.
#include "base/error.hpp"
#include "sim/nics/nics.hpp"
#include "sim/nics/shared_parameters.hpp"

namespace weft::sim {
namespace {

struct HcaHost {
  Duration post, doorbell, bus_latency, process, packet, poll, match, store;
  Bandwidth bus, copy;
};

constexpr Bytes entry{64};  ///< of a work queue

TransferStages outgoing(const HcaHost& host) {
  const Duration half = host.bus_latency / 2;
  TransferStages path;
  path.post = {{Part::processor, host.post}};
  path.submit = {{Part::bus, entry / host.bus},
                 {Part::latency, host.doorbell + host.bus_latency},
                 {Part::nic, host.process}};
  path.packet_out = {{Part::bus, Duration{0}, host.bus},
                     {Part::latency, host.bus_latency},
                     {Part::nic, host.packet}};
  path.packet_in = {
      {Part::nic, host.packet}, {Part::bus, Duration{0}, host.bus}, {Part::latency, half}};
  path.ack_out = {{Part::nic, host.packet}};
  path.ack_in = {{Part::nic, host.packet}, {Part::latency, half}, {Part::processor, host.poll}};
  return path;
}

/// The doorbell carries the data: nothing is fetched.
TransferStages inlined(TransferStages path, const HcaHost& host, std::uint64_t most) {
  path.up_to = most;
  path.submit = {{Part::bus, Duration{0}, host.bus},
                 {Part::latency, host.doorbell},
                 {Part::nic, host.process}};
  path.packet_out = {{Part::nic, host.packet}};
  return path;
}

TransferStages within_hca_host(const HcaHost& host) {
  TransferStages path;
  path.post = {{Part::processor, host.post, host.copy}};
  path.submit = {{Part::latency, host.store}};
  return path;
}

}  // namespace

std::vector<Param> hca_params() {
  return {
      {"post", DurationText{}, "60ns", "processor: write a work queue entry and ring the doorbell"},
      {"doorbell", DurationText{}, "150ns", "doorbell over the bus"},
      {"bus", BandwidthText{}, "16GB/s", "of the host's bus"},
      {"bus_latency", DurationText{}, "250ns", "of a read over the bus; a write takes half of it"},
      {"process", DurationText{}, "40ns", "NIC: a message"},
      {"packet", DurationText{}, "15ns", "NIC: a packet"},
      {"inline", BytesText{}, "64B", "data up to this size travel with the doorbell"},
      {"mtu", packet_data, "4KiB", "data in a packet"},
      {"header", BytesText{}, "30B", "of a packet, with its check sums"},
      {"poll", DurationText{}, "50ns",
       "processor: take an entry from a completion queue, or see a changed word"},
      {"match", DurationText{}, "40ns", "processor: match a tagged message"},
      {"eager", BytesText{}, "8KiB", "tagged messages up to this size go without asking"},
      {"copy", BandwidthText{}, "10GB/s", "processor: memory to memory"},
      {"expose", DurationText{}, "1us", "register memory"},
      {"store", DurationText{}, "100ns", "hand a cache line to another processor"},
      {"retries", few_retries, "7", "of a packet that was lost"},
      {"retry_after", DurationText{}, "20us", "until a lost packet is sent again"}};
}

NicModel hca(const Params& params) {
  const HcaHost host{params.duration("post"),        params.duration("doorbell"),
                     params.duration("bus_latency"), params.duration("process"),
                     params.duration("packet"),      params.duration("poll"),
                     params.duration("match"),       params.duration("store"),
                     params.bandwidth("bus"),        params.bandwidth("copy")};
  const auto most_inline = static_cast<std::uint64_t>(params.bytes("inline").count);
  const Duration half = host.bus_latency / 2;
  NicModel model;

  const TransferStages write = outgoing(host);
  TransferStages message = write;  // via registered buffers; a completion entry reports it
  message.post = {{Part::processor, host.post, host.copy}};
  message.deliver = {{Part::latency, half}, {Part::processor, host.poll + host.match}};
  TransferStages read = inlined(write, host, ~std::uint64_t{0});
  read.packet_in = {{Part::nic, host.packet}};
  TransferStages response = write;
  response.deliver = {{Part::latency, half}, {Part::processor, host.poll}};
  TransferStages event = read;
  model.paths[at(Move::message)] = {inlined(message, host, most_inline), message};
  model.paths[at(Move::write)] = {inlined(write, host, most_inline), write};
  model.paths[at(Move::read)] = {read};
  model.paths[at(Move::response)] = {response};
  model.paths[at(Move::event)] = {event};

  model.local.fill(within_hca_host(host));
  model.local[at(Move::message)].deliver = {{Part::processor, host.poll + host.match}};

  set_packets(model, params);
  set_host(model, params);
  model.eager = params.bytes("eager");
  return model;
}

}  // namespace weft::sim
