// SPDX-License-Identifier: Apache-2.0
// hca: an InfiniBand-style adapter with queue pairs. The processor writes a work queue entry
// together with its doorbell; short data are part of the entry, longer ones the NIC reads over the
// bus, packet by packet with several reads under way. The target's NIC writes packets to memory and
// reports through a completion queue. Reliable connections: every message is acknowledged.
//
// Whence the defaults (figures of 200 Gb/s adapters, PCIe 4.0 with sixteen lanes): reads over the
// bus take 550 ns (Neugebauer et al. 2018, pcie-bench), a posted write, such as a doorbell, half of
// that; the bus carries 26 GB/s of data in packets of 256 B and works in both directions at once;
// post, doorbell and entry from the cost constants of UCX; LRH, BTH, ICRC and VCRC are 26 B; 77 ns
// in either NIC is what 8 B over three switches leave on Azure HBv3. Poll and match with the
// library `ucx` are the o_r of Azure HBv2.
#include <algorithm>

#include "sim/nics/nics.hpp"
#include "sim/nics/shared_parameters.hpp"

namespace weft::sim {
namespace {

struct HcaHost {
  Duration post, bus_latency, latency, process, packet, poll, match, store;
  Bandwidth bus, copy;
  Duration posted_write() const { return bus_latency / 2; }
};

constexpr Bytes entry{64};  ///< of a work queue

// The two directions of the bus are parts of their own: dma_out to the NIC, dma_in to memory.

/// The NIC reads the data.
TransferStages outgoing(const HcaHost& host) {
  TransferStages path;
  path.post = {{Part::processor, host.post}};
  path.submit = {{Part::dma_out, entry / host.bus},
                 {Part::latency, host.posted_write()},
                 {Part::nic, host.process},
                 {Part::latency, host.latency}};
  path.packet_out = {{Part::dma_out, Duration{0}, host.bus},
                     {Part::latency, host.bus_latency},
                     {Part::nic, host.packet}};
  path.packet_in = {{Part::nic, host.packet},
                    {Part::latency, host.latency},
                    {Part::dma_in, Duration{0}, host.bus},
                    {Part::latency, host.posted_write()}};
  path.ack_out = {{Part::nic, host.packet}};
  path.ack_in = {{Part::nic, host.packet},
                 {Part::latency, host.latency + host.posted_write()},
                 {Part::processor, host.poll}};
  return path;
}

/// The entry carries the data: nothing is read.
TransferStages inlined(TransferStages path, const HcaHost& host, std::uint64_t most) {
  path.up_to = most;
  path.submit.front() = {Part::dma_out, entry / host.bus, host.bus};
  path.packet_out = {{Part::nic, host.packet}};
  return path;
}

/// A message: a completion entry reports it. Its copies are the library's, and the completions of
/// sends are taken in batches.
TransferStages message_of(const HcaHost& host) {
  TransferStages path = outgoing(host);
  path.deliver = {{Part::processor, host.poll + host.match}};
  path.ack_in.pop_back();
  return path;
}

void set_paths(NicModel& model, const HcaHost& host, std::uint64_t most_inline) {
  const TransferStages write = outgoing(host), message = message_of(host);
  TransferStages read = inlined(write, host, ~std::uint64_t{0});
  read.packet_in = {{Part::nic, host.packet}, {Part::latency, host.latency}};
  TransferStages response = write;  // no doorbell
  response.submit = {{Part::nic, host.process}, {Part::latency, host.latency}};
  response.deliver = {{Part::processor, host.poll}};
  model.paths[at(Move::message)] = {inlined(message, host, most_inline), message};
  model.paths[at(Move::write)] = {inlined(write, host, most_inline), write};
  model.paths[at(Move::read)] = {read};
  model.paths[at(Move::response)] = {response};
  model.paths[at(Move::event)] = {read};
}

}  // namespace

std::vector<Param> hca_params() {
  return with_host_of_today(
      {{"post", DurationText{}, "80ns", "processor: write a work queue entry with its doorbell"},
       {"bus", BandwidthText{}, "26GB/s", "of the host's bus, in each direction"},
       {"bus_latency", DurationText{}, "550ns",
        "of a read over the bus; a write, such as a doorbell, takes half of it"},
       {"prefetch", BytesText{.least = Bytes{1}, .below = "reading takes a byte or more"}, "64KiB",
        "data of a message that the NIC reads ahead of the link"},
       {"latency", DurationText{}, "77ns", "NIC: from bus to link, and from link to bus"},
       {"process", DurationText{}, "5ns", "NIC: a message, one after the other"},
       {"packet", DurationText{}, "5ns", "NIC: a packet, one after the other"},
       {"inline", BytesText{}, "200B", "data up to this size travel with the doorbell"},
       {"mtu", packet_data, "4KiB", "data in a packet"},
       {"header", BytesText{}, "26B", "of a packet, with its check sums"},
       {"poll", DurationText{}, "50ns",
        "processor: take an entry from a completion queue, or see a changed word"},
       {"match", DurationText{}, "40ns", "processor: match a tagged message"}});
}

NicModel hca(const Params& params) {
  const HcaHost host{params.duration("post"),    params.duration("bus_latency"),
                     params.duration("latency"), params.duration("process"),
                     params.duration("packet"),  params.duration("poll"),
                     params.duration("match"),   params.duration("store"),
                     params.bandwidth("bus"),    params.bandwidth("copy")};
  NicModel model;
  set_paths(model, host, static_cast<std::uint64_t>(params.bytes("inline").count));
  set_packets(model, params);
  const std::int64_t ahead = params.bytes("prefetch").count / model.mtu.count;
  model.prefetch = static_cast<std::uint32_t>(std::clamp<std::int64_t>(ahead, 1, 1 << 20));
  set_host_of_today(model, params, host.post, host.poll + host.match);
  return model;
}

}  // namespace weft::sim
