// SPDX-License-Identifier: Apache-2.0
// elan: the NIC of QsNet (Petrini et al. 2002). What it does is in sim/elan; here are its numbers.
#include "sim/nics/elan.hpp"

#include <memory>

#include "base/error.hpp"
#include "sim/elan/elans.hpp"
#include "sim/nics/parts/common.hpp"
#include "sim/nics/rows.hpp"

namespace weft::sim {

elan::Model elan_model(const Params& params) {
  const auto count = [&](const char* name, std::int64_t least) {
    return static_cast<std::uint32_t>(params.integer(name, least, 1'000'000));
  };
  const auto some = [&](const char* name) {
    const Bytes bytes = bytes_of(params, name);
    if (bytes.count < 1) throw Error("elan: {} is to be a byte or more", name);
    return bytes;
  };
  elan::Model elan;
  elan.payload = some("payload");
  elan.block = some("block");
  elan.packet_header = bytes_of(params, "packet_header");
  elan.block_header = bytes_of(params, "block_header");
  elan.envelope = bytes_of(params, "envelope");
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
  elan.requests = count("requests", 1);
  elan.slice = count("slice", 1);
  elan.retries = static_cast<int>(count("retries", 0));
  elan.retry_after = params.duration("retry_after");
  elan.memory.sdram = some("memory");
  elan.memory.tlb_entries = count("tlb", 1);
  elan.memory.page = some("page");
  if (elan.memory.sdram < Bytes{1 << 20})
    throw Error("elan: {} of memory: an Elan needs 1MiB or more", to_text(elan.memory.sdram));
  if (elan.payload.count / elan.block.count > 4096)
    throw Error("elan: a packet of {} in transactions of {}: 4096 are possible",
                to_text(elan.payload), to_text(elan.block));
  if (elan.pci.bits_per_second < 1 || elan.sdram.bits_per_second < 1)
    throw Error("elan: pci and sdram are to have some bandwidth");
  return elan;
}

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
  model.make_hosts = [elan](const NicModel& nic, const HostSetup& setup) {
    return std::make_unique<Elans>(nic, elan, setup);
  };
  return model;
}

elan::Model elan_model_from(std::string_view text) {
  const Spec spec = Spec::parse(text);
  if (spec.name != "elan") throw Error("the NIC {} is no Elan", text);
  return elan_model(Params(spec, find_row(nics(), "NIC model", spec.name).params));
}

}  // namespace weft::sim
