// SPDX-License-Identifier: Apache-2.0
// Sharing bandwidth by the definitions, resource by resource.
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

/// Hosts are 0 and on, ports -1 and down.
struct Passing {
  int resource;
  bool out;
};

std::vector<Passing> passed(const FlowNetwork& network, const Flow& flow) {
  const qos::Path path = network.path(flow);
  std::vector<Passing> all{{path.source, true}, {path.target, false}};
  for (const qos::Port& port : path.ports)
    all.push_back({-1 - static_cast<int>(port.number), true});
  return all;
}

/// The height of the curve, by interpolation.
std::int64_t height(const qos::Limits& limits, std::int64_t incoming) {
  for (std::size_t i = 1; i < limits.curve.size(); ++i) {
    const std::int64_t x0 = limits.curve[i - 1].incoming.bits_per_second,
                       y0 = limits.curve[i - 1].outgoing.bits_per_second,
                       x1 = limits.curve[i].incoming.bits_per_second,
                       y1 = limits.curve[i].outgoing.bits_per_second;
    if (incoming > x1) continue;
    __extension__ using Exact = __int128;
    const Exact fall = Exact{y0 - y1} * (incoming - x0);
    return y0 - static_cast<std::int64_t>((fall + (x1 - x0) - 1) / (x1 - x0));
  }
  return -1;
}

struct Sums {
  std::int64_t in = 0, out = 0;
};
bool carries(const FlowNetwork& network, int resource, const Sums& sums) {
  if (resource < 0) {
    const auto port = static_cast<std::size_t>(-1 - resource);
    return sums.out <= network.ports[port].bits_per_second;
  }
  return sums.out <= height(network.limits, sums.in);
}

std::map<int, Sums> sums_of(const FlowNetwork& network, const Rates& rates) {
  std::map<int, Sums> sums;
  for (const auto& [flow, rate] : rates)
    for (const Passing& at : passed(network, flow))
      (at.out ? sums[at.resource].out : sums[at.resource].in) += rate;
  return sums;
}

/// The largest number up to the peak rate for which something holds that holds for all smaller.
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
      for (const Passing& at : passed(network, flow))
        members_[at.resource].push_back({flow, at.out});
      if (grant.kind == qos::Grant::Kind::promise) rates_[flow] = grant.promise.bits_per_second;
    }
    for (const auto& [flow, grant] : grants) {
      if (grant.kind != qos::Grant::Kind::best_effort) continue;
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
      for (const Passing& at : passed(network_, flow))
        rates[flow] = std::min(rates[flow], level(at.resource));
    }
    return rates;
  }

  /// One resource after another is full: of several at once, hosts come before ports.
  Rates by_filling() {
    while (!open_.empty()) {
      int fullest = 0;
      std::int64_t least = -1;
      for (const int resource : in_order())
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
    for (const Passing& at : passed(network_, flow)) {
      if (members_.at(at.resource).size() > 1) return std::nullopt;
      if (at.resource < 0)
        rate = std::min(rate,
                        network_.ports[static_cast<std::size_t>(-1 - at.resource)].bits_per_second);
    }
    return rate;
  }
  /// With all open flows there at one rate, or another for what goes out.
  Sums at_rates(int resource, std::int64_t in_rate, std::int64_t out_rate) const {
    Sums sums;
    for (const Member& member : members_.at(resource)) {
      const auto fixed = rates_.find(member.flow);
      const std::int64_t open = member.out ? out_rate : in_rate;
      (member.out ? sums.out : sums.in) += fixed != rates_.end() ? fixed->second : open;
    }
    return sums;
  }
  std::int64_t level(int resource) const {
    return largest(network_, [&](std::int64_t rate) {
      return carries(network_, resource, at_rates(resource, rate, rate));
    });
  }
  std::vector<int> in_order() const {
    std::vector<int> resources;
    for (const auto& [resource, members] : members_)
      if (std::any_of(members.begin(), members.end(),
                      [&](const Member& member) { return open_.contains(member.flow); }))
        resources.push_back(resource);
    std::sort(resources.begin(), resources.end(),
              [](int a, int b) { return (a < 0) != (b < 0) ? b < 0 : (a < 0 ? a > b : a < b); });
    return resources;
  }
  void stop(int resource, std::int64_t at) {
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
  std::map<int, std::vector<Member>> members_;
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
      std::vector<std::uint32_t> way;
      for (std::uint32_t port = 0; port < ports.size(); ++port)
        if (rng.below(3) == 0) way.push_back(port);
      rng.shuffle(way);
      ways[{from, to}] = way;
    }
}

qos::Path FlowNetwork::path(const Flow& flow) const {
  qos::Path path{host_of(flow.source), host_of(flow.target), {}};
  for (const std::uint32_t port : ways.at({path.source, path.target}))
    path.ports.push_back({port, ports[port]});
  return path;
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

std::string overload(const FlowNetwork& network, const Rates& rates) {
  std::map<int, int> flows;
  for (const auto& [flow, rate] : rates) {
    if (rate < 0) return fmt::format("flow {} has {}", to_text(flow), rate);
    for (const Passing& at : passed(network, flow)) flows[at.resource] += rate > 0;
  }
  for (const auto& [resource, sums] : sums_of(network, rates)) {
    if (carries(network, resource, sums)) continue;
    const bool peak = resource >= 0 && flows[resource] == 1 &&
                      sums.in + sums.out <= network.limits.peak.bits_per_second;
    if (!peak) return fmt::format("resource {}: {} in, {} out", resource, sums.in, sums.out);
  }
  return "";
}

bool promises_fit(const FlowNetwork& network, const Grants& grants) {
  Rates promised;
  for (const auto& [flow, grant] : grants)
    if (grant.kind == qos::Grant::Kind::promise) promised[flow] = grant.promise.bits_per_second;
  const auto sums = sums_of(network, promised);
  return std::all_of(sums.begin(), sums.end(),
                     [&](const auto& at) { return carries(network, at.first, at.second); });
}

Rates fair_rates(const FlowNetwork& network, const Grants& grants, qos::Policy policy) {
  Sharing sharing(network, grants);
  return policy == qos::Policy::equal ? sharing.equally() : sharing.by_filling();
}

}  // namespace weft::test
