// SPDX-License-Identifier: Apache-2.0
// Pairs of hosts that are not reached, grouped and described.
#include "plan/check/lost_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/words.hpp"

namespace weft {
namespace {

constexpr std::size_t names_shown = 2;

/// "h84", or "12 hosts of "leaf7" (h84, h85, …)".
std::string hosts_text(const Fabric& fabric, const std::vector<HostId>& hosts) {
  if (hosts.size() == 1) return fabric[hosts.front()].name;
  std::set<SwitchId> switches;
  for (HostId h : hosts) switches.insert(fabric[h].on);
  std::string names;
  for (std::size_t i = 0; i < std::min(names_shown, hosts.size()); ++i)
    names += (i == 0 ? "" : ", ") + fabric[hosts[i]].name;
  return fmt::format("{} hosts of {} ({}{})", hosts.size(),
                     switches.size() == 1 ? fmt::format("\"{}\"", fabric[*switches.begin()].name)
                                          : fmt::format("{} switches", switches.size()),
                     names, hosts.size() > names_shown ? ", …" : "");
}

/// "no switch has", "switch "leaf3" has", or "12 switches (leaf3, leaf4, …) have".
std::string switches_have(const Fabric& fabric, const std::vector<SwitchId>& at) {
  if (at.empty()) return "no switch has";
  if (at.size() == 1) return fmt::format("switch \"{}\" has", fabric[at.front()].name);
  std::string names;
  for (std::size_t i = 0; i < std::min(names_shown, at.size()); ++i)
    names += (i == 0 ? "" : ", ") + fabric[at[i]].name;
  return fmt::format("{} switches ({}{}) have", at.size(), names,
                     at.size() > names_shown ? ", …" : "");
}

/// "s0 > s1 > s0".
std::string loop_text(const Fabric& fabric, const std::vector<SwitchId>& loop) {
  constexpr std::size_t shown = 6;
  std::string out;
  for (std::size_t i = 0; i < std::min(shown, loop.size()); ++i)
    out += fabric[loop[i]].name + " > ";
  if (loop.size() > shown) out += fmt::format("… ({} more) > ", loop.size() - shown);
  return out + fabric[loop.front()].name;
}

/// Begins with the first switch of the fabric, so that a loop is the same wherever it is entered.
LossPlace as_loop(std::vector<SwitchId> loop) {
  std::rotate(loop.begin(), std::min_element(loop.begin(), loop.end()), loop.end());
  return {RouteEnd::loop, std::move(loop), no_port};
}

}  // namespace

LossPlace loss_place(const Fabric& fabric, const Walk& walk) {
  if (walk.end != RouteEnd::loop)
    return {walk.end, {walk.at}, walk.end == RouteEnd::no_entry ? no_port : walk.port};
  // The walk has been round at least once: it ends with the loop.
  std::vector<SwitchId> loop{walk.at};
  for (std::size_t i = walk.hops.size(); i-- > 0;) {
    const SwitchId before = fabric.from(walk.hops[i].channel);
    if (before == walk.at) break;
    loop.insert(loop.begin() + 1, before);
  }
  return as_loop(std::move(loop));
}

LossPlace loop_of(const Fabric& fabric, std::span<const PortNumber> next, SwitchId on) {
  std::vector<SwitchId> loop;
  SwitchId at = on;
  do {
    loop.push_back(at);
    at = fabric.to(fabric.channel_at(at, next[at.index()]));
  } while (at != on);
  return as_loop(std::move(loop));
}

std::string by_lid(const Fabric& fabric, HostId host, unsigned further) {
  if (further == 0) return {};
  if (fabric[host].lid == 0) return fmt::format(" by LID + {}", further);
  return fmt::format(" by LID {}", fabric[host].lid + further);
}

std::string_view LostPairs::cause() const {
  switch (place.end) {
    case RouteEnd::reached:
      break;
    case RouteEnd::no_entry:
      return "no entry";
    case RouteEnd::loop:
      return "loop";
    case RouteEnd::dead_port:
      return "dead port";
    case RouteEnd::wrong_host:
      return "wrong host";
    case RouteEnd::no_lane:
      return "no lane";
  }
  return "";
}

std::string LostPairs::describe(const Fabric& fabric) const {
  const std::string hosts = hosts_text(fabric, to);
  const std::string many = counted(pairs, "pair", "pairs") + ": ";
  if (place.end == RouteEnd::no_entry)
    return many + fmt::format("{} {} entry for {}", switches_have(fabric, place.at),
                              place.at.empty() ? "an" : "no", hosts);
  if (place.end == RouteEnd::loop)
    return many + fmt::format("packets for {} go round {}", hosts, loop_text(fabric, place.at));
  const SwitchId at = place.at.front();
  const std::string hop =
      fmt::format("switch \"{}\" port {}, the next hop to {},", fabric[at].name, place.port, hosts);
  if (place.end == RouteEnd::dead_port) return many + hop + " is connected to nothing";
  if (place.end == RouteEnd::no_lane) return many + hop + " does not have the lane they need";
  if (place.port == here)
    return many + fmt::format("switch \"{}\" takes {} for its own", fabric[at].name, hosts);
  return many + hop + fmt::format(" leads to {}", fabric[fabric.at_port(at, place.port).host].name);
}

void LostPairsByPlace::add(const LossPlace& place, HostId from, std::span<const HostId> to,
                           std::uint64_t pairs) {
  LostPairs& group = by_place_[place];
  if (group.pairs == 0) {
    group.place = place;
    group.example = {from, to.front()};
  }
  group.pairs += pairs;
  group.to.insert(group.to.end(), to.begin(), to.end());
}

std::vector<LostPairs> LostPairsByPlace::groups() && {
  std::vector<LostPairs> out;
  std::map<std::vector<HostId>, std::size_t> without_entry;
  for (auto& [place, group] : by_place_) {
    std::sort(group.to.begin(), group.to.end());
    group.to.erase(std::unique(group.to.begin(), group.to.end()), group.to.end());
    if (place.end == RouteEnd::no_entry && !place.at.empty()) {
      const auto [known, is_new] = without_entry.emplace(group.to, out.size());
      if (!is_new) {
        LostPairs& same = out[known->second];
        same.place.at.push_back(place.at.front());
        same.pairs += group.pairs;
        continue;
      }
    }
    out.push_back(std::move(group));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const LostPairs& a, const LostPairs& b) { return a.pairs > b.pairs; });
  return out;
}

}  // namespace weft
