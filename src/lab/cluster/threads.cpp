// SPDX-License-Identifier: Apache-2.0
// Threads by the size of a network, and by the cores that this process may use.
#include "lab/cluster/threads.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/params.hpp"
#include "lab/cores.hpp"

namespace weft {

std::string hosts_stay_because(const Machine& machine, bool ranks_are_apart) {
  if (!ranks_are_apart) return "every step of every rank is recorded";
  if (!machine.nic.hosts_are_apart())
    return fmt::format("NICs of the kind {} know of each other by more than packets",
                       Spec::parse(machine.nic.spec).name);
  if (!std::holds_alternative<DestinationTables>(machine.tables().paths))
    return "routes depend on more than the destination";
  return "";
}

void require_threads(const Fabric& fabric, std::uint64_t wanted) {
  if (wanted > fabric.switch_count())
    throw Error("--threads {}: {} has {} switch{}, and every thread moves one or more", wanted,
                fabric.name(), fabric.switch_count(), fabric.switch_count() == 1 ? "" : "es");
  constexpr std::uint64_t most = 1024;
  if (wanted > most) throw Error("--threads {}: {} is the most", wanted, most);
}

unsigned threads_for(const Fabric& fabric, std::uint64_t wanted, HostsOn hosts) {
  require_threads(fabric, wanted);
  if (wanted > 0) return static_cast<unsigned>(wanted);
  constexpr std::size_t ports_each = 1024;  // fewer wait for each other longer than they work
  constexpr std::size_t beside_hosts = 4;   // more wait for the one that has the hosts
  std::size_t ports = 0;
  for (const SwitchId s : fabric.switches()) ports += fabric[s].ports;
  std::size_t gain = std::min(ports / ports_each, fabric.switch_count());
  if (hosts == HostsOn::one_thread) gain = std::min(gain, beside_hosts);
  return static_cast<unsigned>(std::clamp<std::size_t>(gain, 1, usable_cores()));
}

}  // namespace weft
