// SPDX-License-Identifier: Apache-2.0
// The verifier: it never searches and knows no dependency graph. It follows every packet and
// compares two numbers per step.
#include <fmt/format.h>

#include "fabric/walk.hpp"
#include "plan/check/certificate.hpp"
#include "plan/check/group_steps.hpp"

namespace weft {
namespace {

std::string place(const Fabric& fabric, Hop hop) {
  return fmt::format("{} port {} lane {}", fabric[fabric.from(hop.channel)].name,
                     fabric.out_port(hop.channel), hop.lane);
}

std::optional<std::string> step(const Fabric& fabric, const Certificate& certificate, Hop first,
                                Hop second) {
  const std::uint32_t a = certificate.at(first.channel, first.lane);
  const std::uint32_t b = certificate.at(second.channel, second.lane);
  if (a == Certificate::unused || b == Certificate::unused)
    return fmt::format("{} has no number",
                       place(fabric, a == Certificate::unused ? first : second));
  if (a < b) return std::nullopt;
  return fmt::format("{} has number {} and waits for {} with number {}", place(fabric, first), a,
                     place(fabric, second), b);
}

}  // namespace

std::optional<std::string> verify(const Fabric& fabric, const Tables& tables,
                                  const Certificate& certificate) {
  if (certificate.lanes != tables.lane_count)
    return fmt::format("the certificate is for {} lanes, the tables have {}", certificate.lanes,
                       tables.lane_count);
  // Hosts that share a column share their routes but for the last port: one of them is enough. So
  // is one source per switch, unless the lane follows from the port by which a packet comes in.
  const auto* service = std::get_if<ServiceLanes>(&tables.lanes);
  const bool port_matters = std::holds_alternative<TurnLanes>(tables.lanes) ||
                            (service != nullptr && service->map.has_value());
  std::vector<bool> walked(column_count(tables), false);
  Walker walk(fabric, tables);
  for (HostId to : fabric.hosts()) {
    const ColumnId column = tables.to_host[to];
    if (!column.valid() || walked[column.index()]) continue;
    walked[column.index()] = true;
    for (HostId from : fabric.hosts()) {
      if (!port_matters && fabric.hosts_on(fabric[from].on).front() != from) continue;
      const Walk& w = walk(from, to);
      if (w.end == Arrival::no_lane || w.end == Arrival::loop) return to_text(fabric, from, to, w);
      for (std::size_t i = 1; i < w.hops.size(); ++i)
        if (const auto wrong = step(fabric, certificate, w.hops[i - 1], w.hops[i]))
          return fmt::format("from {} to {}: {}", fabric[from].name, fabric[to].name, *wrong);
    }
  }
  std::optional<std::string> problem;
  for (const Group& group : tables.groups)
    for_each_step(fabric, group, [&](ChannelId in, ChannelId out) {
      if (!in.valid() || problem) return;
      if (const auto wrong = step(fabric, certificate, {in, group.lane}, {out, group.lane}))
        problem = fmt::format("group {}: {}", group.name, *wrong);
    });
  return problem;
}

}  // namespace weft
