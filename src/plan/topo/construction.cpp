// SPDX-License-Identifier: Apache-2.0
// Checked sizes, hosts and switches, and fabrics from lists of links.
#include "plan/topo/construction.hpp"

#include "base/error.hpp"

namespace weft::topo {
namespace {

constexpr std::int64_t most_things = 4'000'000;

std::string to_text(CheckedCount count) {
  return count.value() < CheckedCount::absurd ? std::to_string(count.value()) : "10^12 or more";
}

std::vector<std::size_t> degrees(const Graph& graph) {
  std::vector<std::size_t> out(graph.hosts.size(), 0);
  for (const Join& link : graph.links) {
    ++out[link.a];
    ++out[link.b];
  }
  return out;
}

}  // namespace

void require_size(const Params& params, const Size& size) {
  if (size.switches + size.hosts + size.links > most_things)
    throw Error(
        "{}: {} switches, {} hosts and {} links are too many: at most {} in all are possible",
        params.owner(), to_text(size.switches), to_text(size.hosts), to_text(size.links),
        most_things);
  if (size.ports > most_ports)
    throw Error("{}: a switch would have {} ports; at most {} are possible", params.owner(),
                to_text(size.ports), most_ports);
}

std::size_t hosts_each(const Params& params) { return params.whole<std::size_t>("hosts"); }

Rng rng_of(const Params& params) { return Rng(params.whole<std::uint64_t>("seed")); }

std::vector<int> digits(std::size_t index, std::span<const int> dims) {
  std::vector<int> out;
  out.reserve(dims.size());
  for (const int size : dims) {
    const auto radix = static_cast<std::size_t>(size);
    out.push_back(static_cast<int>(index % radix));
    index /= radix;
  }
  return out;
}

CheckedCount product(std::span<const int> dims) {
  CheckedCount out = 1;
  for (const int size : dims) out = out * size;
  return out;
}

Wire wire_of(const Params& params) { return {params.bandwidth("speed"), params.duration("delay")}; }

Wire wire_with(const Params& params, std::string_view delay) {
  Wire wire = wire_of(params);
  if (!params.is(delay, "delay")) wire.delay = params.delay(delay);
  return wire;
}

Assembly::Assembly(const Params& params, const Size& size)
    : out_(params.spec()), wire_(wire_of(params)), host_wire_(wire_with(params, "host_delay")) {
  require_size(params, size);
}

void Assembly::add_switch(std::vector<int> at) {
  out_.add_switch({.name = "s" + std::to_string(out_.switch_count()), .at = std::move(at)});
}

void Assembly::add_hosts(std::size_t on, std::size_t first, std::size_t count) {
  for (std::size_t port = first; port < first + count; ++port)
    out_.add_host({.name = "h" + std::to_string(out_.host_count()),
                   .on = SwitchId(on),
                   .port = static_cast<PortNumber>(port),
                   .wire = host_wire_});
}

Fabric from_graph(const Params& params, Graph graph) {
  const std::vector<std::size_t> degree = degrees(graph);
  Size size{degree.size(), 0, graph.links.size(), 0};
  for (std::size_t s = 0; s < degree.size(); ++s) {
    size.hosts = size.hosts + graph.hosts[s];
    size.ports = std::max(size.ports, CheckedCount(degree[s] + graph.hosts[s]));
  }
  Assembly out(params, size);
  for (std::size_t s = 0; s < degree.size(); ++s) out.add_switch();
  // In this order every switch meets its neighbours by id: first as the larger end, then as the
  // smaller.
  std::sort(graph.links.begin(), graph.links.end());
  for (const Join& link : graph.links) out.add_link(end_at(link.a, 0), end_at(link.b, 0));
  for (std::size_t s = 0; s < degree.size(); ++s) out.add_hosts(s, degree[s] + 1, graph.hosts[s]);
  return std::move(out).build();
}

}  // namespace weft::topo
