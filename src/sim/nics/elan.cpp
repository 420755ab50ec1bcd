// SPDX-License-Identifier: Apache-2.0
// elan: the NIC of QsNet (Petrini et al. 2002). sim/elan models its behaviour; this file has its
// parameters.
#include <memory>

#include "base/error.hpp"
#include "sim/elan/elans.hpp"
#include "sim/nics/nics.hpp"
#include "sim/nics/shared_parameters.hpp"

namespace weft::sim {
namespace {

constexpr std::string_view pages = "8KiB, 16KiB, 32KiB or 64KiB are possible";
constexpr BytesText some_bytes{.least = Bytes{1}, .below = "it is to be a byte or more"};

}  // namespace

std::vector<Param> elan_params() {
  return {
      {"command", DurationText{}, "200ns", "processor: fill out a descriptor and hand it over"},
      {"poll", DurationText{}, "50ns", "processor: see a changed word"},
      {"interrupt", DurationText{}, "10us", "until a process that waits blocked runs"},
      {"map_page", DurationText{}, "20us", "system software: map a page of main memory on demand"},
      {"copy", BandwidthText{}, "400MB/s",
       "processor: memory to memory, between the ranks of a host"},
      {"store", DurationText{}, "200ns", "hand a cache line to another processor"},
      {"pci", BandwidthText{}, "528MB/s", "of the PCI bus: 64 bit at 66 MHz"},
      {"pci_setup", DurationText{}, "78ns", "of every burst over PCI, of a block or less"},
      {"pci_latency", DurationText{}, "100ns", "until main memory answers a read"},
      {"bus", DurationText{}, "114ns", "internal data bus: a block"},
      {"sdram", BandwidthText{}, "1064MB/s", "reading SDRAM holds the internal bus so much longer"},
      {"fill", DurationText{}, "60ns", "a line of the cache"},
      {"microcode", DurationText{}, "100ns", "a microcode thread wakes, works and sleeps"},
      {"requests", one_or_more, "8", "to memory under way"},
      {"slice", one_or_more, "32", "packets of a DMA before others have their turn"},
      {"payload", some_bytes, "320B", "data in a packet"},
      {"block", BytesText{.least = Bytes{1}, .most = Bytes{65536}, .below = some_bytes.below},
       "64B", "data in a transaction"},
      {"packet_header", BytesText{}, "12B", "route, check sum and end of a packet"},
      {"block_header", BytesText{}, "10B", "kind, address and check sum of a transaction"},
      {"envelope", BytesText{}, "32B", "of a tagged message"},
      {"memory", BytesText{.least = Bytes{1 << 20}, .below = "an Elan needs 1MiB or more"}, "64MiB",
       "SDRAM"},
      {"tlb", one_or_more, "16", "entries of the MMU's buffer"},
      {"page",
       BytesText{.least = Bytes{8192}, .most = Bytes{65536}, .below = pages, .above = pages},
       "8KiB", "of virtual memory: a power of two"},
      {"retries", Whole{0, 1'000'000}, "4",
       "of a packet before its source looks for another route"},
      {"retry_after", DurationText{}, "2us", "until a packet is sent again"}};
}

namespace {

/// Throws Error for numbers that no Elan has.
elan::Model elan_model(const Params& params) {
  elan::Model elan;
  elan.payload = params.bytes("payload");
  elan.block = params.bytes("block");
  elan.packet_header = params.bytes("packet_header");
  elan.block_header = params.bytes("block_header");
  elan.envelope = params.bytes("envelope");
  if (elan.envelope >= elan.payload || elan.descriptor > elan.payload)
    throw Error("elan: a packet of {} has no room for an envelope of {} or a descriptor of {}",
                to_text(elan.payload), to_text(elan.envelope), to_text(elan.descriptor));
  elan.command = params.duration("command");
  elan.interrupt = params.duration("interrupt");
  elan.map_page = params.duration("map_page");
  elan.pci = params.bandwidth("pci");
  elan.pci_setup = params.duration("pci_setup");
  elan.pci_latency = params.duration("pci_latency");
  elan.bus = params.duration("bus");
  elan.sdram = params.bandwidth("sdram");
  elan.fill = params.duration("fill");
  elan.microcode = params.duration("microcode");
  elan.requests = params.whole<std::uint32_t>("requests");
  elan.slice = params.whole<std::uint32_t>("slice");
  elan.retries = params.whole<int>("retries");
  elan.retry_after = params.duration("retry_after");
  elan.memory.sdram = params.bytes("memory");
  elan.memory.tlb_entries = params.whole<std::uint32_t>("tlb");
  elan.memory.page = params.bytes("page");
  if (elan.payload.count / elan.block.count > 4096)
    throw Error("elan: a packet of {} in transactions of {}: 4096 are possible",
                to_text(elan.payload), to_text(elan.block));
  return elan;
}

}  // namespace

NicModel elan_nic(const Params& params) {
  const elan::Model elan = elan_model(params);
  NicModel model;
  model.mtu = Bytes{elan.payload.count - elan.envelope.count};
  model.eager = model.mtu;
  model.events = true;
  model.descriptor = elan.command;
  model.poll = params.duration("poll");
  model.copy = params.bandwidth("copy");
  model.store = params.duration("store");
  model.has_processor = true;
  model.group_scheme = "rooted";
  model.particulars = elan;
  model.make_hosts = [elan](const NicModel& nic, const HostSetup& setup) {
    return std::make_unique<Elans>(nic, elan, setup);
  };
  return model;
}

}  // namespace weft::sim
