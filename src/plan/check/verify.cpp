// SPDX-License-Identifier: Apache-2.0
// The verifier: it never searches and knows no dependency graph. It follows every packet and
// compares two numbers per step.
#include <fmt/format.h>

#include "fabric/walk.hpp"
#include "plan/check/certificate.hpp"
#include "plan/check/group_steps.hpp"
#include "plan/check/survey.hpp"

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
  const Traffic traffic(fabric, tables);
  Walker walk(fabric, tables);
  for (const auto& hosts : traffic.to)
    for (const auto& sources : traffic.sources)
      for (HostId from : sources) {
        if (hosts.empty()) continue;
        const Walk& w = walk(from, hosts.front());
        if (w.end == Arrival::no_lane || w.end == Arrival::loop)
          return to_text(fabric, from, hosts.front(), w);
        for (std::size_t i = 1; i < w.hops.size(); ++i)
          if (const auto wrong = step(fabric, certificate, w.hops[i - 1], w.hops[i]))
            return fmt::format("from {} to {}: {}", fabric[from].name, fabric[hosts.front()].name,
                               *wrong);
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
