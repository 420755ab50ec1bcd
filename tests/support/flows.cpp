// SPDX-License-Identifier: Apache-2.0
// Shares bandwidth by the definitions, resource by resource.
#include "support/flows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <set>

namespace weft::test {
namespace {

using comm::Flow;
namespace qos = comm::qos;

using Passing = FlowNetwork::Passing;

/// The height of the curve, by interpolation.
std::int64_t height(const qos::Limits& limits, std::int64_t incoming) {
  for (std::size_t i = 1; i < limits.curve.size(); ++i) {
    const std::int64_t x0 = limits.curve[i - 1].incoming.bits_per_second,
                       y0 = limits.curve[i - 1].outgoing.bits_per_second,
                       x1 = limits.curve[i].incoming.bits_per_second,
                       y1 = limits.curve[i].outgoing.bits_per_second;
    if (incoming > x1) continue;
    __extension__ using Exact = unsigned __int128;
    const Exact fall =
        Exact{static_cast<std::uint64_t>(y0 - y1)} * static_cast<std::uint64_t>(incoming - x0);
    const auto across = static_cast<std::uint64_t>(x1 - x0);
    return y0 - static_cast<std::int64_t>((fall + across - 1) / across);
  }
  return -1;
}

struct Sums {
  std::int64_t in = 0, out = 0;
};
bool is_port(const FlowNetwork& network, std::size_t resource) {
  return resource >= static_cast<std::size_t>(network.hosts);
}
std::int64_t capacity(const FlowNetwork& network, std::size_t port) {
  return network.ports[port - static_cast<std::size_t>(network.hosts)].bits_per_second;
}
bool carries(const FlowNetwork& network, std::size_t resource, const Sums& sums) {
  return sums.out <= (is_port(network, resource) ? capacity(network, resource)
                                                 : height(network.limits, sums.in));
}

std::vector<Sums> sums_of(const FlowNetwork& network, const Rates& rates) {
  std::vector<Sums> sums(static_cast<std::size_t>(network.hosts) + network.ports.size());
  for (const auto& [flow, rate] : rates)
    for (const Passing& at : network.passed(flow))
      (at.out ? sums[at.resource].out : sums[at.resource].in) += rate;
  return sums;
}

/// The largest number up to the peak rate for which `holds`; it does for all smaller ones.
std::int64_t largest(const FlowNetwork& network, const std::function<bool(std::int64_t)>& holds) {
  std::int64_t found = 0;
  for (std::int64_t step = std::int64_t{1} << 42; step > 0; step /= 2)
    if (found + step <= network.limits.peak.bits_per_second && holds(found + step)) found += step;
  return found;
}

class Sharing {
 public:
  Sharing(const FlowNetwork& network, const Grants& grants) : network_(network) {
    for (const auto& [flow, grant] : grants) {
      for (const Passing& at : network.passed(flow))
        members_[at.resource].push_back({flow, at.out});
      if (grant.kind == qos::GrantKind::promise) rates_[flow] = grant.promise.bits_per_second;
    }
    for (const auto& [flow, grant] : grants) {
      if (grant.kind != qos::GrantKind::best_effort) continue;
      if (const auto rate = alone(flow))
        rates_[flow] = *rate;
      else
        open_.insert(flow);
    }
  }

  Rates equally() {
    Rates rates = rates_;
    for (const Flow& flow : open_) {
      rates[flow] = network_.limits.peak.bits_per_second;
      for (const Passing& at : network_.passed(flow))
        rates[flow] = std::min(rates[flow], level(at.resource));
    }
    return rates;
  }

  /// Fills one resource after another; of several at once, hosts come before ports.
  Rates by_filling() {
    while (!open_.empty()) {
      std::size_t fullest = 0;
      std::int64_t least = -1;
      for (const std::size_t resource : in_order())
        if (const std::int64_t here = level(resource); least < 0 || here < least) {
          fullest = resource;
          least = here;
        }
      stop(fullest, least);
    }
    return rates_;
  }

 private:
  struct Member {
    Flow flow;
    bool out;
  };
  std::optional<std::int64_t> alone(const Flow& flow) const {
    std::int64_t rate = network_.limits.peak.bits_per_second;
    for (const Passing& at : network_.passed(flow)) {
      if (members_.at(at.resource).size() > 1) return std::nullopt;
      if (is_port(network_, at.resource)) rate = std::min(rate, capacity(network_, at.resource));
    }
    return rate;
  }
  /// The sums with all open flows there at one rate, or at another for outgoing ones.
  Sums at_rates(std::size_t resource, std::int64_t in_rate, std::int64_t out_rate) const {
    Sums sums;
    for (const Member& member : members_.at(resource)) {
      const auto fixed = rates_.find(member.flow);
      const std::int64_t open = member.out ? out_rate : in_rate;
      (member.out ? sums.out : sums.in) += fixed != rates_.end() ? fixed->second : open;
    }
    return sums;
  }
  std::int64_t level(std::size_t resource) const {
    return largest(network_, [&](std::int64_t rate) {
      return carries(network_, resource, at_rates(resource, rate, rate));
    });
  }
  std::vector<std::size_t> in_order() const {
    std::vector<std::size_t> resources;
    for (const auto& [resource, members] : members_)
      if (std::any_of(members.begin(), members.end(),
                      [&](const Member& member) { return open_.contains(member.flow); }))
        resources.push_back(resource);
    return resources;
  }
  void stop(std::size_t resource, std::int64_t at) {
    bool some_in = false, some_out = false;
    for (const Member& member : members_.at(resource))
      if (open_.contains(member.flow)) (member.out ? some_out : some_in) = true;
    const bool both = some_in && some_out && at < network_.limits.peak.bits_per_second;
    const bool in_grows = both && carries(network_, resource, at_rates(resource, at + 1, at));
    const bool out_grows =
        both && !in_grows && carries(network_, resource, at_rates(resource, at, at + 1));
    for (const Member& member : members_.at(resource)) {
      if (!open_.contains(member.flow) || (member.out ? out_grows : in_grows)) continue;
      rates_[member.flow] = at;
      open_.erase(member.flow);
    }
  }

  const FlowNetwork& network_;
  std::map<std::size_t, std::vector<Member>> members_;
  Rates rates_;
  std::set<Flow> open_;
};

}  // namespace

qos::Limits myrinet_limits() {
  return {.per_packet = std::chrono::microseconds(48),
          .peak = {682'640'000},
          .curve = {{megabytes(0), megabytes(78)},
                    {megabytes(16), megabytes(65)},
                    {megabytes(84), megabytes(0)}}};
}

FlowNetwork::FlowNetwork(std::uint64_t seed) : limits(myrinet_limits()) {
  Rng rng(seed);
  hosts = 2 + static_cast<int>(rng.below(6));
  ranks_per_host = 1 + static_cast<int>(rng.below(3));
  if (rng.below(3) == 0)  // level, steep, and not convex
    limits.curve = {{megabytes(0), megabytes(70)},
                    {megabytes(20), megabytes(70)},
                    {megabytes(21), megabytes(30)},
                    {{500'000'001}, {200'000'003}},
                    {megabytes(80), megabytes(0)}};
  const auto count = rng.below(8);
  for (std::uint64_t i = 0; i < count; ++i)
    ports.push_back(
        {megabytes(20).bits_per_second + static_cast<std::int64_t>(rng.below(1u << 30))});
  for (int from = 0; from < hosts; ++from)
    for (int to = 0; to < hosts; ++to) {
      std::vector<std::uint32_t> route;
      for (std::uint32_t port = 0; port < ports.size(); ++port)
        if (rng.below(3) == 0) route.push_back(port);
      rng.shuffle(route);
      routes[{from, to}] = route;
      const auto first = static_cast<std::size_t>(hosts);
      passed_.push_back({{static_cast<std::size_t>(from), true}});
      for (const std::uint32_t port : route) passed_.back().push_back({first + port, true});
      passed_.back().push_back({static_cast<std::size_t>(to), false});
    }
}

qos::Path FlowNetwork::path(const Flow& flow) const {
  qos::Path path{host_of(flow.source), host_of(flow.target), {}};
  for (const std::uint32_t port : routes.at({path.source, path.target}))
    path.ports.push_back({port, ports[port]});
  return path;
}

const std::vector<Passing>& FlowNetwork::passed(const Flow& flow) const {
  return passed_[static_cast<std::size_t>(host_of(flow.source) * hosts + host_of(flow.target))];
}

Flow FlowNetwork::random_flow(Rng& rng) const {
  for (;;) {
    const auto rank = [&] {
      return static_cast<comm::Rank>(rng.below(static_cast<std::uint64_t>(ranks())));
    };
    const Flow flow{rank(), rank(), rng.below(4) == 0 ? comm::Priority::high : comm::Priority::low};
    if (host_of(flow.source) != host_of(flow.target)) return flow;
  }
}

FlowNetwork thesis_network(int hosts) {
  for (std::uint64_t seed = 1;; ++seed) {
    FlowNetwork network(seed);
    network.ranks_per_host = 1;
    if (network.hosts == hosts && network.ports.empty() && network.limits.curve.size() == 3)
      return network;
  }
}

std::string overload(const FlowNetwork& network, const Rates& rates) {
  const std::vector<Sums> sums = sums_of(network, rates);
  std::vector<int> flows(sums.size());
  for (const auto& [flow, rate] : rates) {
    if (rate < 0) return fmt::format("flow {} has {}", to_text(flow), rate);
    for (const Passing& at : network.passed(flow)) flows[at.resource] += rate > 0;
  }
  for (std::size_t r = 0; r < sums.size(); ++r) {
    if (carries(network, r, sums[r])) continue;
    const bool peak = !is_port(network, r) && flows[r] == 1 &&
                      sums[r].in + sums[r].out <= network.limits.peak.bits_per_second;
    if (!peak) return fmt::format("resource {}: {} in, {} out", r, sums[r].in, sums[r].out);
  }
  return "";
}

bool promises_fit(const FlowNetwork& network, const Grants& grants) {
  Rates promised;
  for (const auto& [flow, grant] : grants)
    if (grant.kind == qos::GrantKind::promise) promised[flow] = grant.promise.bits_per_second;
  const std::vector<Sums> sums = sums_of(network, promised);
  for (std::size_t r = 0; r < sums.size(); ++r)
    if (!carries(network, r, sums[r])) return false;
  return true;
}

Rates fair_rates(const FlowNetwork& network, const Grants& grants, qos::Policy policy) {
  Sharing sharing(network, grants);
  return policy == qos::Policy::equal ? sharing.equally() : sharing.by_filling();
}

}  // namespace weft::test
