// SPDX-License-Identifier: Apache-2.0
// The table of NIC models.
#include "base/error.hpp"
#include "sim/nics/nics.hpp"

namespace weft::sim {
std::span<const NicRow> nics() {
  static const std::vector<NicRow> rows{
      {"hca", hca, "InfiniBand queue pairs: doorbell, work queue entry, DMA, completion queue",
       hca_params()},
      {"loggp", loggp, "given by the parameters of LogGP: L, o_s, o_r, g, G", loggp_params()},
      {"via", via,
       "Virtual Interfaces: descriptors, doorbells, reliable connections, as in GigaNet cLAN",
       via_params()},
      {"martini", martini,
       "RHiNET-2/NI: PIO for short data, PUSH and PULL by DMA for long; packets acknowledged",
       martini_params()},
      {"gm", gm,
       "Myrinet with GM: ports, tokens, one LANai for four state machines, rate control of flows",
       gm_params()},
      {"elan", elan_nic,
       "Elan3 of QsNet: remote DMA and events in a global virtual memory, matching on the NIC",
       elan_params()},
      {"ideal", ideal, "transfers that take no time: what remains is the program's own", {}},
  };
  return rows;
}

NicModel nic_from(std::string_view text) {
  const Spec spec = Spec::parse(text);
  const NicRow& row = find_row(nics(), "NIC model", spec.name);
  const Params params(spec, row.params);
  NicModel model = row.make(params);
  model.spec = params.spec();
  return model;
}

NicStage::NicStage(Part on, Duration time, Bandwidth rate)
    : part(on),
      fixed(time),
      per_kibibyte(rate.bits_per_second > 0 ? (Bytes{1024} / rate).count() : 0) {}

}  // namespace weft::sim
