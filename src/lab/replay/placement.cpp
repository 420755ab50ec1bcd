// SPDX-License-Identifier: Apache-2.0
// The rules of placement, and files that say it.
#include "lab/replay/placement.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/rng.hpp"
#include "base/suggestion.hpp"
#include "base/text.hpp"
#include "base/words.hpp"

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

/// A file with a host on each line.
class PlacementFile {
 public:
  PlacementFile(const Fabric& fabric, const PlacementRequest& request)
      : fabric_(fabric), request_(request) {
    for (const HostId host : request.hosts) ranks_.emplace(host, 0);
  }

  std::vector<HostId> read(std::size_t ranks) {
    const std::string text = contents();
    Lines lines(text);
    std::vector<HostId> out;
    while (lines.next()) {
      const std::string_view name = trimmed(lines.text);
      if (name.empty() || name.front() == '#') continue;
      try {
        out.push_back(host_named(name));
      } catch (const Error& error) {
        throw Error("{}:{}: {}", request_.rule, lines.number, error.what());
      }
    }
    if (out.size() != ranks)
      throw Error("{}: it places {}, and there are {}", request_.rule,
                  counted(out.size(), "rank", "ranks"), ranks);
    return out;
  }

 private:
  std::string contents() const {
    const std::string& path = request_.rule;
    std::error_code problem;
    if (!std::filesystem::exists(path, problem))
      throw Error("placement: \"{}\" is no file and no rule; there are: {}{}", path,
                  fmt::join(rules, " "),
                  suggestion(path, std::vector<std::string_view>(rules.begin(), rules.end())));
    return read_file(path);
  }
  HostId host_named(std::string_view name) {
    const auto host = fabric_.find_host(name);
    if (!host) throw Error("the fabric has no host \"{}\"", shown(name));
    const auto found = ranks_.find(*host);
    if (found == ranks_.end())
      throw Error("host {} is none of those that may be used (--hosts)", name);
    if (++found->second > request_.ranks_per_host)
      throw Error("host {} has {} ranks, and may have {} (--ranks)", name, found->second,
                  request_.ranks_per_host);
    return *host;
  }

  const Fabric& fabric_;
  const PlacementRequest& request_;
  std::map<HostId, int> ranks_;  ///< of the hosts that may be used
};

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
    return PlacementFile(fabric, request).read(ranks);
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
