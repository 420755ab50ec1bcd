// SPDX-License-Identifier: Apache-2.0
// The rules of placement, and files that say it.
#include "lab/replay/placement.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "base/suggestion.hpp"

namespace weft {
namespace {

constexpr std::array<std::string_view, 3> rules{"by_switch", "round_robin", "random"};

std::vector<HostId> by_switch(const Fabric& fabric, std::vector<HostId> hosts) {
  std::stable_sort(hosts.begin(), hosts.end(),
                   [&](HostId a, HostId b) { return fabric[a].on < fabric[b].on; });
  return hosts;
}

/// The first host of every switch, then the second of every switch, and so on.
std::vector<HostId> dealt_to_switches(const Fabric& fabric, const std::vector<HostId>& hosts) {
  std::map<SwitchId, std::size_t> before;
  std::vector<std::pair<std::size_t, HostId>> order;
  for (const HostId host : by_switch(fabric, hosts))
    order.emplace_back(before[fabric[host].on]++, host);
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<HostId> out;
  for (const auto& [turn, host] : order) out.push_back(host);
  return out;
}

std::vector<HostId> from_file(const Fabric& fabric, const std::string& path, std::size_t ranks) {
  std::ifstream file(path);
  if (!file)
    throw Error("placement: \"{}\" is no file and no rule; there are: {}{}", path,
                fmt::join(rules, " "),
                suggestion(path, std::vector<std::string_view>(rules.begin(), rules.end())));
  std::vector<HostId> out;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos || line[begin] == '#') continue;
    const std::string name = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    const auto host = fabric.find_host(name);
    if (!host) throw Error("{}:{}: the fabric has no host \"{}\"", path, number, name);
    out.push_back(*host);
  }
  if (out.size() < ranks)
    throw Error("{}: it places {} ranks, and there are {}", path, out.size(), ranks);
  out.resize(ranks);
  return out;
}

}  // namespace

std::vector<std::string_view> placement_rules() { return {rules.begin(), rules.end()}; }

std::vector<HostId> place_ranks(const Fabric& fabric, const PlacementRequest& request,
                                std::size_t ranks) {
  std::vector<HostId> hosts = request.hosts;
  if (request.rule == "by_switch") {
    hosts = by_switch(fabric, hosts);
  } else if (request.rule == "round_robin") {
    hosts = dealt_to_switches(fabric, hosts);
  } else if (request.rule == "random") {
    Rng rng(request.seed);
    rng.shuffle(hosts);
  } else {
    return from_file(fabric, request.rule, ranks);
  }
  const auto each = static_cast<std::size_t>(request.ranks_per_host);
  if (hosts.size() * each < ranks)
    throw Error(
        "{} ranks: {} hosts with {} each have room for {}; more ranks on each host (--ranks)"
        " or a larger fabric are needed",
        ranks, hosts.size(), each, hosts.size() * each);
  const bool deals = request.rule == "round_robin";
  const std::size_t used = std::min(hosts.size(), deals ? ranks : (ranks + each - 1) / each);
  std::vector<HostId> out;
  for (std::size_t rank = 0; rank < ranks; ++rank)
    out.push_back(hosts[deals ? rank % used : rank / each]);
  return out;
}

}  // namespace weft
