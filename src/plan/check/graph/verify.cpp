// SPDX-License-Identifier: Apache-2.0
// The verifier: it never searches and knows no dependency graph. It follows every packet, by every
// choice it has, and compares two numbers per step.
#include <fmt/format.h>

#include <unordered_map>
#include <unordered_set>

#include "fabric/walk.hpp"
#include "plan/check/graph/certificate.hpp"
#include "plan/check/graph/group_steps.hpp"
#include "plan/check/graph/rooted.hpp"

namespace weft {
namespace {

std::string place(const Fabric& fabric, Hop hop) {
  const LinkPlace link = place_of(fabric, hop.channel);
  return fmt::format("{} port {} lane {}", fabric[link.on].name, link.port, hop.lane);
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

/// Compares the numbers of a packet's steps, and records the steps for groups with a root.
class StepChecker {
 public:
  StepChecker(const Fabric& fabric, const Tables& tables, const Certificate& certificate)
      : fabric_(fabric), certificate_(certificate), rooted_(fabric, tables) {
    if (!rooted_.any()) return;
    hosts_.resize(column_count(tables));
    for (HostId h : fabric.hosts())
      if (tables.to_host[h].valid() && rooted_.deliver_to(h))
        hosts_[tables.to_host[h].index()].push_back(h);
  }
  RootedGroups& rooted() { return rooted_; }

  std::optional<std::string> take(Hop first, Hop second) {
    rooted_.add_step(first, second);
    return step(fabric_, certificate_, first, second);
  }
  /// From the last switch of a column to its hosts.
  std::optional<std::string> arrive(Hop last, SwitchId at, ColumnId column) {
    if (!rooted_.any()) return std::nullopt;
    for (HostId h : hosts_[column.index()])
      if (fabric_[h].on == at)
        if (const auto wrong = take(last, link_to(fabric_, h))) return wrong;
    return std::nullopt;
  }

 private:
  const Fabric& fabric_;
  const Certificate& certificate_;
  RootedGroups rooted_;
  std::vector<std::vector<HostId>> hosts_;  ///< by column: those that circuits reach
};

/// Follows packets whose routes leave choices. Packets on the same channel and lane with the same
/// tags left continue alike: only the first is followed.
class ChoiceFollower {
 public:
  ChoiceFollower(const Fabric& fabric, const Tables& tables, StepChecker& steps)
      : fabric_(fabric), tables_(tables), steps_(steps), stepper_(fabric, tables) {}

  std::optional<std::string> follow(HostId from, HostId to) {
    const auto& routes = std::get<SourceRoutes>(tables_.paths);
    const SwitchId source = fabric_[from].on;
    const auto tags = routes.route(tables_.to_host[to], source);
    if (!tags) return std::nullopt;
    todo_.assign(1, {{tables_.to_host[to], source, source, fabric_[from].port, 0}, {}, *tags});
    while (!todo_.empty()) {
      const FollowedPacket now = todo_.back();
      todo_.pop_back();
      if (now.tags.empty() && now.by.channel.valid())
        if (const auto wrong = steps_.arrive(now.by, now.position.at, now.position.column))
          return fmt::format("from {} to {}: {}", fabric_[from].name, fabric_[to].name, *wrong);
      if (now.tags.empty()) continue;
      for (const PortNumber port : routes.ports(now.tags.front()))
        if (const auto wrong = take(now, port))
          return fmt::format("from {} to {}: {}", fabric_[from].name, fabric_[to].name, *wrong);
    }
    return std::nullopt;
  }
  void next_column() { followed_.clear(); }

 private:
  struct FollowedPacket {
    PacketPosition position;
    Hop by;
    std::span<const PortNumber> tags;
  };
  std::optional<std::string> take(const FollowedPacket& now, PortNumber port) {
    const ChannelId channel =
        port == here ? ChannelId::none() : fabric_.channel_at(now.position.at, port);
    if (!channel.valid())
      return now.by.channel.valid() ? steps_.arrive(now.by, now.position.at, now.position.column)
                                    : std::nullopt;
    const auto lane = stepper_.lane(now.position, port);
    if (!lane)
      return fmt::format("{} port {}: the lane does not exist", fabric_[now.position.at].name,
                         port);
    const Hop next{channel, *lane};
    if (now.by.channel.valid())
      if (const auto wrong = steps_.take(now.by, next)) return wrong;
    const auto tags = now.tags.subspan(1);
    const std::uint64_t by =
        std::uint64_t{channel.index()} << 16U | std::uint64_t{*lane} << 8U | level(now.position);
    if (followed_[as_key(tags)].insert(by).second)
      todo_.push_back({stepper_.over(now.position, channel, *lane), next, tags});
    return std::nullopt;
  }
  unsigned level(const PacketPosition& position) const {
    const auto* service = std::get_if<ServiceLanes>(&tables_.lanes);
    return service == nullptr ? 0 : service->level[position.column][position.source.index()];
  }

  const Fabric& fabric_;
  const Tables& tables_;
  StepChecker& steps_;
  Stepper stepper_;
  std::vector<FollowedPacket> todo_;
  /// By the tags left: channel, lane and level.
  std::unordered_map<std::string_view, std::unordered_set<std::uint64_t>> followed_;
};

std::optional<std::string> follow_walk(const Fabric& fabric, HostId from, HostId to, const Walk& w,
                                       ColumnId column, StepChecker& steps) {
  if (w.end == RouteEnd::no_lane || w.end == RouteEnd::loop) return to_text(fabric, from, to, w);
  std::optional<std::string> wrong;
  for (std::size_t i = 1; i < w.hops.size() && !wrong; ++i)
    wrong = steps.take(w.hops[i - 1], w.hops[i]);
  if (!wrong && !w.hops.empty()) wrong = steps.arrive(w.hops.back(), w.at, column);
  if (!wrong) return std::nullopt;
  return fmt::format("from {} to {}: {}", fabric[from].name, fabric[to].name, *wrong);
}

/// Packets of groups: copies of those without a root, circuits of the others.
std::optional<std::string> verify_groups(const Fabric& fabric, const Tables& tables,
                                         const Certificate& certificate, StepChecker& steps) {
  std::optional<std::string> problem;
  for (const Group& group : tables.groups) {
    if (group.root) continue;
    const auto compare = [&](Hop first, Hop second) {
      if (problem) return;
      if (const auto wrong = steps.take(first, second))
        problem = fmt::format("group {}: {}", group.name, *wrong);
    };
    for_each_step(fabric, group, [&](ChannelId in, ChannelId out) {
      if (in.valid()) compare({in, group.lane}, {out, group.lane});
    });
    for_each_arrival(fabric, group, [&](ChannelId in, HostId host) {
      if (steps.rooted().deliver_to(host)) compare({in, group.lane}, link_to(fabric, host));
    });
  }
  steps.rooted().for_each_wait([&](const Group& group, Hop first, Hop second) {
    if (problem) return;
    if (const auto wrong = step(fabric, certificate, first, second))
      problem = fmt::format("group {}: {}", group.name, *wrong);
  });
  return problem;
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
  const bool choices = leave_choices(tables);
  Walker walk(fabric, tables);
  StepChecker steps(fabric, tables, certificate);
  if (steps.rooted().problem()) return steps.rooted().problem()->why;
  ChoiceFollower every_choice(fabric, tables, steps);
  for (HostId to : fabric.hosts()) {
    const ColumnId column = tables.to_host[to];
    if (!column.valid() || walked[column.index()]) continue;
    walked[column.index()] = true;
    every_choice.next_column();
    for (HostId from : fabric.hosts()) {
      if (!port_matters && fabric.hosts_on(fabric[from].on).front() != from) continue;
      auto wrong = choices ? every_choice.follow(from, to)
                           : follow_walk(fabric, from, to, walk(from, to), column, steps);
      if (wrong) return wrong;
    }
  }
  return verify_groups(fabric, tables, certificate, steps);
}

}  // namespace weft
