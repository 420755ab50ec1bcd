// SPDX-License-Identifier: Apache-2.0
// martini: the network interface of RHiNET-2 (Koibuchi et al.; Watanabe et al., CCGrid 2003). Short
// data go by PIO: the processor writes them to the NIC word by word. Long ones go by remote DMA,
// PUSH (write) and PULL (read): the processor writes a command, the NIC converts addresses and
// fetches the data over PCI while they pass on to the link; the target's NIC writes them to memory
// as they come. Each direction has hard-wired logic of its own; both share the bus. Every packet is
// acknowledged, on control lanes where the switches have them.
#include "base/error.hpp"
#include "sim/nics/nics.hpp"
#include "sim/nics/shared_parameters.hpp"

namespace weft::sim {
namespace {

constexpr Bytes word{8};

struct MartiniHost {
  Duration post, word_time, transit, command, convert, process, poll, match, store;
  Bandwidth pci, copy;
};

/// The speed of writing words that take this long each.
Bandwidth rate_of(Duration word_time) {
  constexpr std::int64_t bits = 8, picoseconds = 1'000'000'000'000;
  return Bandwidth{word.count * bits * picoseconds / word_time.count()};
}

TransferStages acknowledged(const MartiniHost& host) {
  TransferStages path;
  path.ack_out = {{Part::nic, host.process}};
  path.ack_in = {{Part::nic, host.process}, {Part::latency, host.poll}};
  return path;
}

TransferStages pio(const MartiniHost& host, std::uint64_t most) {
  TransferStages path = acknowledged(host);
  path.up_to = most;
  path.post = {{Part::processor, host.post, rate_of(host.word_time)}};
  path.submit = {{Part::latency, host.transit / 2}};
  path.packet_out = {{Part::nic, host.process}};
  path.packet_in = {{Part::nic, host.process},
                    NicStage::streaming(Part::bus, Duration{0}, host.pci),
                    {Part::latency, host.transit / 2}};
  return path;
}

TransferStages push(const MartiniHost& host) {
  TransferStages path = acknowledged(host);
  path.post = {{Part::processor, host.command}};
  path.packet_out = {{Part::dma_out, host.convert},
                     NicStage::streaming(Part::bus, Duration{0}, host.pci)};
  path.packet_in = {{Part::dma_in, host.convert},
                    NicStage::streaming(Part::bus, Duration{0}, host.pci)};
  return path;
}

/// The request of a PULL carries no data.
TransferStages pull(const MartiniHost& host) {
  TransferStages path = push(host);
  path.packet_out = {{Part::nic, host.process}};
  path.packet_in = {{Part::nic, host.process}};
  return path;
}

TransferStages within_martini_host(const MartiniHost& host) {
  TransferStages path;
  path.post = {{Part::processor, host.store, host.copy}};
  return path;
}

void set_paths(NicModel& model, const MartiniHost& host, std::uint64_t most) {
  TransferStages short_message = pio(host, most), message = push(host);
  message.post.emplace_back(Part::processor, Duration{0}, host.copy);  // to registered memory
  for (TransferStages* path : {&short_message, &message})
    path->deliver = {{Part::processor, host.poll + host.match}};
  model.paths[at(Move::message)] = {short_message, message};
  model.paths[at(Move::write)] = {pio(host, most), push(host)};
  model.paths[at(Move::read)] = {pull(host)};
  model.paths[at(Move::response)] = {push(host)};
  model.paths[at(Move::response)].front().deliver = {{Part::processor, host.poll}};
  model.paths[at(Move::event)] = {pio(host, ~std::uint64_t{0})};
  model.local.fill(within_martini_host(host));
  model.local[at(Move::message)].deliver = {{Part::processor, host.poll + host.match}};
}

}  // namespace

std::vector<Param> martini_params() {
  return {{"post", DurationText{}, "1.135us", "processor: begin a PIO transfer"},
          {"word", DurationText{.least = Duration{1}, .below = "writing a word takes some time"},
           "65ns", "processor: write 8 bytes to the NIC"},
          {"pio", BytesText{}, "512B", "data up to this size go by PIO; 0B: everything by PUSH"},
          {"transit", DurationText{}, "1us",
           "PIO: from the processor to the NIC, and from the NIC to memory"},
          {"command", DurationText{}, "500ns", "processor: write the command of a PUSH or PULL"},
          {"convert", DurationText{}, "1us",
           "NIC: address conversion, protection and DMA set-up of a packet"},
          {"process", DurationText{}, "100ns", "NIC: a packet by PIO, or an acknowledgment"},
          {"pci", BandwidthText{}, "528MB/s", "of the host's bus: 64 bit at 66 MHz"},
          {"mtu", packet_data, "1792B", "data in a packet: 224 flits and 5 of header and trailer"},
          {"header", BytesText{}, "40B", "of a packet, with its trailer"},
          {"smallest", BytesText{}, "136B", "packet: 17 flits"},
          {"window", Whole{0, 1'000'000}, "0",
           "packets of a NIC under way unacknowledged; 0: any number"},
          {"poll", DurationText{}, "100ns", "processor: see a changed word"},
          {"match", DurationText{}, "500ns", "processor: match a tagged message"},
          {"eager", BytesText{}, "8KiB", "tagged messages up to this size go without asking"},
          {"copy", BandwidthText{}, "400MB/s", "processor: memory to memory"},
          {"expose", DurationText{}, "20us", "register memory"},
          {"store", DurationText{}, "200ns", "hand a cache line to another processor"},
          {"retries", few_retries, "7", "of a packet that was lost"},
          {"retry_after", DurationText{}, "100us", "until a lost packet is sent again"}};
}

NicModel martini(const Params& params) {
  const MartiniHost host{
      params.duration("post"),    params.duration("word"),    params.duration("transit"),
      params.duration("command"), params.duration("convert"), params.duration("process"),
      params.duration("poll"),    params.duration("match"),   params.duration("store"),
      params.bandwidth("pci"),    params.bandwidth("copy")};
  NicModel model;
  set_paths(model, host, static_cast<std::uint64_t>(params.bytes("pio").count));
  set_packets(model, params);
  model.smallest = params.bytes("smallest");
  model.acknowledge = Acknowledge::packet;
  model.window = params.whole<std::uint32_t>("window");
  set_host(model, params);
  model.eager = params.bytes("eager");
  return model;
}

}  // namespace weft::sim
