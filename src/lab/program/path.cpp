// SPDX-License-Identifier: Apache-2.0
// Cutting a path out of a fabric, and measuring on it.
#include "lab/program/path.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "fabric/builder.hpp"
#include "fabric/distances.hpp"
#include "lab/program/experiment.hpp"

namespace weft {
Fabric path_between(const Fabric& fabric, HostId from, HostId to) {
  const auto left = distances(fabric, fabric[to].on);
  SwitchId at = fabric[from].on;
  if (left[at] == unreachable)
    throw Error("{}: there is no path from {} to {}", fabric.name(), fabric[from].name,
                fabric[to].name);
  FabricBuilder out(fabric.name());
  const auto add_switch = [&](SwitchId s) {
    return out.add_switch({.name = fabric[s].name, .latency = fabric[s].latency});
  };
  SwitchId last = add_switch(at);
  out.add_host({.name = fabric[from].name, .on = last, .wire = fabric[from].wire});
  while (at != fabric[to].on) {
    const auto next =
        std::find_if(fabric.out(at).begin(), fabric.out(at).end(),
                     [&](ChannelId channel) { return left[fabric.to(channel)] + 1 == left[at]; });
    at = fabric.to(*next);
    const SwitchId added = add_switch(at);
    out.connect(last, added, fabric.wire(*next));
    last = added;
  }
  out.add_host({.name = fabric[to].name, .on = last, .wire = fabric[to].wire});
  return std::move(out).build();
}

namespace {

/// The other host whose distance is better than those of all before it.
template <class Better>
std::optional<HostId> best_of_others(const Fabric& fabric, HostId host, Better better) {
  const auto far = distances(fabric, fabric[host].on);
  std::optional<HostId> out;
  for (const HostId h : fabric.hosts()) {
    const std::uint32_t here = far[fabric[h].on];
    if (h == host || here == unreachable) continue;
    if (!out || better(here, far[fabric[*out].on])) out = h;
  }
  return out;
}

}  // namespace

std::optional<HostId> nearest_to(const Fabric& fabric, HostId host) {
  return best_of_others(fabric, host, std::less<>());
}
std::optional<HostId> farthest_from(const Fabric& fabric, HostId host) {
  return best_of_others(fabric, host, std::greater<>());
}

Machine on_fabric(const MachineRequest& parts, Fabric fabric) {
  auto shared = std::make_shared<const Fabric>(std::move(fabric));
  Tables tables = find_tables(*shared, "minhop");
  return {std::make_shared<const ResolvedNetwork>(std::move(shared), std::move(tables)),
          parts.switches, parts.nic, parts.library, parts.of_a_paper};
}

Duration half_round_trip(const Machine& machine, Bytes size) {
  const ProgramResult result =
      run_program(machine, fmt::format("pingpong:bytes={},iterations=2,warmup=1", to_text(size)));
  return Duration(std::llround(figure_of(result, "one_way") * 1e6));
}

Bandwidth write_rate(const Machine& machine) {
  const ProgramResult result =
      run_program(machine, "put:bytes=256KiB,window=16,iterations=160,warmup=32");
  return {static_cast<std::int64_t>(figure_of(result, "bandwidth") * 8e6)};
}

}  // namespace weft
