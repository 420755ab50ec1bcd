// SPDX-License-Identifier: Apache-2.0
// The verifier: it never searches and knows no dependency graph. It follows every packet, by every
// choice it has, and compares two numbers per step.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

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

/// Follows packets whose routes leave choices. What goes on as something did before, by the same
/// channel and lane and with the same tags left, is not followed again.
class Choices {
 public:
  Choices(const Fabric& fabric, const Tables& tables, const Certificate& certificate)
      : fabric_(fabric), tables_(tables), certificate_(certificate), stepper_(fabric, tables) {}

  std::optional<std::string> follow(HostId from, HostId to) {
    const auto& routes = std::get<SourceRoutes>(tables_.paths);
    const SwitchId source = fabric_[from].on;
    const auto tags = routes.route(tables_.to_host[to], source);
    if (!tags) return std::nullopt;
    todo_.assign(1, {{tables_.to_host[to], source, source, fabric_[from].port, 0}, {}, *tags});
    while (!todo_.empty()) {
      const Standing now = todo_.back();
      todo_.pop_back();
      if (now.tags.empty()) continue;
      for (const PortNumber port : routes.ports(now.tags.front()))
        if (const auto wrong = take(now, port))
          return fmt::format("from {} to {}: {}", fabric_[from].name, fabric_[to].name, *wrong);
    }
    return std::nullopt;
  }
  void next_column() { followed_.clear(); }

 private:
  struct Standing {
    Stand stand;
    Hop by;
    std::span<const PortNumber> tags;
  };
  std::optional<std::string> take(const Standing& now, PortNumber port) {
    const ChannelId channel =
        port == here ? ChannelId::none() : fabric_.channel_at(now.stand.at, port);
    if (!channel.valid()) return std::nullopt;
    const auto lane = stepper_.lane(now.stand, port);
    if (!lane)
      return fmt::format("{} port {}: the lane does not exist", fabric_[now.stand.at].name, port);
    const Hop next{channel, *lane};
    if (now.by.channel.valid())
      if (const auto wrong = step(fabric_, certificate_, now.by, next)) return wrong;
    const auto tags = now.tags.subspan(1);
    const std::uint64_t by =
        std::uint64_t{channel.index()} << 16U | std::uint64_t{*lane} << 8U | level(now.stand);
    if (followed_[as_key(tags)].insert(by).second)
      todo_.push_back({stepper_.over(now.stand, channel, *lane), next, tags});
    return std::nullopt;
  }
  unsigned level(const Stand& stand) const {
    const auto* service = std::get_if<ServiceLanes>(&tables_.lanes);
    return service == nullptr ? 0 : service->level[stand.column][stand.source.index()];
  }

  const Fabric& fabric_;
  const Tables& tables_;
  const Certificate& certificate_;
  Stepper stepper_;
  std::vector<Standing> todo_;
  /// By the tags left: channel, lane and level.
  std::unordered_map<std::string_view, std::unordered_set<std::uint64_t>> followed_;
};

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
  const bool choices = leave_choices(tables);
  Walker walk(fabric, tables);
  Choices every_way(fabric, tables, certificate);
  for (HostId to : fabric.hosts()) {
    const ColumnId column = tables.to_host[to];
    if (!column.valid() || walked[column.index()]) continue;
    walked[column.index()] = true;
    every_way.next_column();
    for (HostId from : fabric.hosts()) {
      if (!port_matters && fabric.hosts_on(fabric[from].on).front() != from) continue;
      if (choices) {
        if (auto wrong = every_way.follow(from, to)) return wrong;
        continue;
      }
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
