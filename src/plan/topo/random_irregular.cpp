// SPDX-License-Identifier: Apache-2.0
// Random irregular network: a random spanning tree, then random links until there are `links`, with
// at most `parallel` between the same two switches; `bare` random switches have no hosts.
#include <fmt/format.h>

#include <unordered_map>

#include "plan/topo/construction.hpp"
#include "plan/topo/topologies.hpp"

namespace weft::topo {
namespace {

struct Wanted {
  std::size_t switches, links, hosts, parallel, bare;
};

void require_possible(const Params& params, const Wanted& wanted) {
  const std::size_t least = wanted.switches - 1;
  if (wanted.links < least)
    params.reject("links", fmt::format("{} switches need {} or more to be connected",
                                       wanted.switches, least));
  const CheckedCount room = CheckedCount(wanted.switches) * least / 2 * wanted.parallel;
  if (room < wanted.links)
    params.reject("links", fmt::format("{} switches with parallel={} have room for {}",
                                       wanted.switches, wanted.parallel, room.value()));
  if (wanted.bare >= wanted.switches) params.reject("bare", "one switch or more must have hosts");
  const CheckedCount hosted = wanted.switches - wanted.bare;
  require_size(params, {wanted.switches, hosted * wanted.hosts, wanted.links, 0});
}

Join ordered(std::uint64_t a, std::uint64_t b) {
  return {static_cast<std::uint32_t>(std::min(a, b)), static_cast<std::uint32_t>(std::max(a, b))};
}

/// All trees alike (Aldous, 1990): the links by which a random walk first enters each switch.
std::vector<Join> random_tree(std::size_t switches, Rng& rng) {
  std::vector<Join> links;
  std::vector<bool> visited(switches, false);
  std::uint64_t at = rng.below(switches);
  visited[at] = true;
  while (links.size() + 1 < switches) {
    const std::uint64_t next = rng.below(switches);
    if (!visited[next]) links.push_back(ordered(at, next));
    visited[next] = true;
    at = next;
  }
  return links;
}

std::vector<Join> random_links(const Wanted& wanted, Rng& rng) {
  std::vector<Join> links = random_tree(wanted.switches, rng);
  std::unordered_map<std::uint64_t, std::size_t> joined;
  const auto count = [&](const Join& link) -> std::size_t& {
    return joined[std::uint64_t{link.a} << 32 | link.b];
  };
  for (const Join& link : links) ++count(link);
  while (links.size() < wanted.links) {
    const std::uint64_t one = rng.below(wanted.switches);
    const Join link = ordered(one, rng.below(wanted.switches));
    if (link.a == link.b || count(link) == wanted.parallel) continue;
    ++count(link);
    links.push_back(link);
  }
  return links;
}

std::vector<std::size_t> random_hosts(const Wanted& wanted, Rng& rng) {
  std::vector<std::size_t> hosts(wanted.switches, wanted.hosts);
  std::fill_n(hosts.begin(), wanted.bare, 0);
  rng.shuffle(hosts);
  return hosts;
}

}  // namespace

Fabric random_irregular(const Params& params) {
  const Wanted wanted{params.whole<std::size_t>("switches"), params.whole<std::size_t>("links"),
                      hosts_each(params), params.whole<std::size_t>("parallel"),
                      params.whole<std::size_t>("bare")};
  require_possible(params, wanted);
  Rng rng = rng_of(params);
  std::vector<Join> links = random_links(wanted, rng);
  return from_graph(params, {std::move(links), random_hosts(wanted, rng)});
}

}  // namespace weft::topo
