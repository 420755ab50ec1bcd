// SPDX-License-Identifier: Apache-2.0
// multicast: from every sender of a group, every other member gets the packet exactly once and
// nobody else gets it.
#include <vector>

#include "base/words.hpp"
#include "plan/check/checks.hpp"

namespace weft {
namespace {

/// Copies each host receives when `sender` sends; a loop is cut when a channel would be used twice.
struct Delivery {
  std::vector<std::uint32_t> copies;
  ChannelId twice{};
};

/// Where copying begins: a switch, and the port that gets none.
struct CopyOrigin {
  SwitchId at;
  PortNumber in;
};

Delivery deliver(const Fabric& fabric, const Group& group, CopyOrigin start) {
  IdVector<SwitchId, const PortSet*> ports(fabric.switch_count(), nullptr);
  for (const PortSet& set : group.out) ports[set.on] = &set;
  Delivery out{std::vector<std::uint32_t>(fabric.host_count(), 0)};
  std::vector<bool> used(fabric.channel_count(), false);
  std::vector<CopyOrigin> arrivals{start};
  while (!arrivals.empty()) {
    const auto [at, in] = arrivals.back();
    arrivals.pop_back();
    if (ports[at] == nullptr) continue;
    for (PortNumber port : ports[at]->ports) {
      if (port == in) continue;
      const Neighbour next = fabric.at_port(at, port);
      if (next.host.valid()) ++out.copies[next.host.index()];
      if (!next.channel.valid()) continue;
      if (used[next.channel.index()]) {
        out.twice = next.channel;
        continue;
      }
      used[next.channel.index()] = true;
      arrivals.push_back({fabric.to(next.channel), fabric.in_port(next.channel)});
    }
  }
  return out;
}

/// Describes the first errors and counts them all.
struct DeliveryErrors {
  std::size_t count = 0;
  std::vector<std::string> described{};
  void add(const std::string& fault) {
    constexpr std::size_t most_described = 8;
    ++count;
    if (described.size() < most_described) described.push_back(fault);
  }
};

std::vector<HostId> senders(const Group& group) {
  return group.source ? std::vector{*group.source} : group.members;
}

void compare(const Fabric& fabric, const Group& group, const std::string& who, const Delivery& got,
             HostId sender, DeliveryErrors& faults) {
  std::vector<bool> member(fabric.host_count(), false);
  for (HostId h : group.members) member[h.index()] = true;
  if (got.twice.valid())
    faults.add(fmt::format("{}: switch {} sends copies twice over port {}", who,
                           fabric[fabric.from(got.twice)].name, fabric.out_port(got.twice)));
  for (HostId h : fabric.hosts()) {
    const std::uint32_t wanted = member[h.index()] && h != sender ? 1 : 0;
    if (got.copies[h.index()] != wanted)
      faults.add(fmt::format("{}: {} gets {} copies instead of {}", who, fabric[h].name,
                             got.copies[h.index()], wanted));
  }
}

void judge(const Fabric& fabric, const Group& group, HostId sender, DeliveryErrors& faults) {
  const Delivery got = deliver(fabric, group, {fabric[sender].on, fabric[sender].port});
  const std::string who = fmt::format("group {} from {}", group.name, fabric[sender].name);
  compare(fabric, group, who, got, sender, faults);
}

/// Where a packet of a group with a root ends on its route up: at the root, or where it is lost.
SwitchId top_of_route(const Fabric& fabric, const Group& group, HostId sender,
                      const IdVector<SwitchId, PortNumber>& up) {
  SwitchId at = fabric[sender].on;
  for (std::size_t left = fabric.switch_count(); left > 0 && at != *group.root; --left) {
    const ChannelId c = fabric.channel_at(at, up[at]);
    if (!c.valid()) break;
    at = fabric.to(c);
  }
  return at;
}

/// Below the root all senders' packets are copied alike; no sender gets its own.
void judge_rooted(const Fabric& fabric, const Group& group, DeliveryErrors& faults) {
  const Delivery got = deliver(fabric, group, {*group.root, 0});
  compare(fabric, group, fmt::format("group {}", group.name), got,
          group.source.value_or(HostId::none()), faults);
  IdVector<SwitchId, PortNumber> up(fabric.switch_count(), 0);
  for (const UpPort& port : group.up) up[port.on] = port.port;
  for (HostId sender : senders(group))
    if (const SwitchId at = top_of_route(fabric, group, sender, up); at != *group.root)
      faults.add(fmt::format("group {} from {}: the route up to {} ends at {}", group.name,
                             fabric[sender].name, fabric[*group.root].name, fabric[at].name));
}

}  // namespace

Finding check_multicast(const Subject& subject) {
  Finding finding{"multicast", Verdict::measured, "there are no groups"};
  const auto& groups = subject.tables.groups;
  if (groups.empty()) return finding;
  DeliveryErrors faults;
  std::size_t wrong = 0;
  for (const Group& group : groups) {
    const std::size_t before = faults.count;
    if (group.root)
      judge_rooted(subject.fabric, group, faults);
    else
      for (HostId sender : senders(group)) judge(subject.fabric, group, sender, faults);
    wrong += faults.count > before ? 1 : 0;
  }
  finding.details = faults.described;
  finding.verdict = finding.details.empty() ? Verdict::fine : Verdict::bad;
  finding.numbers = {{"groups", static_cast<double>(groups.size())},
                     {"wrong_groups", static_cast<double>(wrong)},
                     {"faults", static_cast<double>(faults.count)}};
  finding.summary =
      finding.details.empty()
          ? fmt::format("all members of {} get every packet once",
                        counted(groups.size(), "group", "groups"))
          : fmt::format("wrong in {} of {}{}", counted(faults.count, "delivery", "deliveries"),
                        wrong < groups.size() ? fmt::format("{} of ", wrong) : "",
                        counted(groups.size(), "group", "groups"));
  return finding;
}

}  // namespace weft
