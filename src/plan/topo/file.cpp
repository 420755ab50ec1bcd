// SPDX-License-Identifier: Apache-2.0
// A fabric from a file, in any of the formats of fabric/format; the file says speeds and delays.
// Graphs of switches only, as GraphML often has them, get hosts.
#include "fabric/builder.hpp"
#include "fabric/format/format.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

Fabric with_hosts(const Fabric& fabric, int each) {
  FabricBuilder builder(fabric.name());
  for (const SwitchId s : fabric.switches()) {
    Switch copy = fabric[s];
    copy.ports = 0;  // as many as are used
    builder.add_switch(std::move(copy));
  }
  for (const LinkId link : fabric.links()) builder.add_link(fabric[link]);
  const Wire wire = fabric.link_count() > 0 ? fabric[LinkId(0)].wire : Wire{};
  int number = 0;
  for (const SwitchId s : fabric.switches())
    for (int i = 0; i < each; ++i)
      builder.add_host({.name = fmt::format("h{}", number++), .on = s, .wire = {wire.speed}});
  return std::move(builder).build();
}

}  // namespace

Fabric file(const Params& params) {
  if (params.text("path").empty()) params.reject("path", "the name of a fabric file is needed");
  Fabric fabric = read_fabric(read_source(params.text("path")));
  const int hosts = params.whole<int>("hosts");
  if (hosts == 0) return fabric;
  if (fabric.host_count() > 0) params.reject("hosts", "the file has hosts of its own");
  return with_hosts(fabric, hosts);
}

}  // namespace weft::topo
