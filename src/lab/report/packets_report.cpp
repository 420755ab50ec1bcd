// SPDX-License-Identifier: Apache-2.0
// Packets and flits of a simulation as CSV, a line each, written while it runs.
#include <ostream>

#include "lab/report/report.hpp"

namespace weft {
namespace {

std::string_view kind_of(const sim::Packet& packet) {
  return packet.kind == sim::reply ? "reply" : "data";
}

/// The time of a cycle in nanoseconds, exactly.
std::string nanoseconds(const sim::Network& network, sim::Cycle cycle) {
  const auto picoseconds = static_cast<std::uint64_t>(network.cycle().count()) * cycle;
  if (picoseconds % 1000 == 0) return std::to_string(picoseconds / 1000);
  return fmt::format("{}.{:03}", picoseconds / 1000, picoseconds % 1000);
}

std::string port_name(const Fabric& fabric, SwitchId at, PortNumber port) {
  return fmt::format("{}:{}", fabric[at].name, port);
}

/// "s0:1 > s1:3 > s5:5": the out-ports of its switches. The last one leads to the host, where the
/// packet has come so far.
std::string route_text(const Fabric& fabric, const sim::TracedPacket& traced) {
  std::string out;
  const auto add = [&](const std::string& hop) { out += (out.empty() ? "" : " > ") + hop; };
  for (const ChannelId channel : traced.route)
    add(port_name(fabric, fabric.from(channel), fabric.out_port(channel)));
  if (!traced.lost) add(port_name(fabric, fabric[traced.at].on, fabric[traced.at].port));
  return out;
}

std::pair<std::string, std::string> ends_of_link(const Fabric& fabric,
                                                 const sim::FlitDeparture& link) {
  if (link.channel.valid()) {
    const ChannelId c = link.channel;
    return {port_name(fabric, fabric.from(c), fabric.out_port(c)),
            port_name(fabric, fabric.to(c), fabric.in_port(c))};
  }
  const Host& host = fabric[link.host];
  std::pair ends{host.name, port_name(fabric, host.on, host.port)};
  if (link.to_host) std::swap(ends.first, ends.second);
  return ends;
}

}  // namespace

std::function<void(const sim::Network&, const sim::TracedPacket&)> packet_writer(
    std::ostream& out) {
  out << "packet,kind,from,to,flits,urgent,created,injected,delivered,created_ns,injected_ns,"
         "delivered_ns,hops,outcome,route\n";
  return [&out](const sim::Network& network, const sim::TracedPacket& traced) {
    const sim::Packet& packet = traced.packet;
    const Fabric& fabric = network.fabric();
    const auto cycle = [&](bool known, sim::Cycle at) {
      return known ? std::pair(std::to_string(at), nanoseconds(network, at))
                   : std::pair(std::string(), std::string());
    };
    const auto created = cycle(true, packet.created);
    const auto injected = cycle(traced.injected, packet.injected);
    const auto delivered = cycle(!traced.lost, network.now());
    out << fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", traced.number, kind_of(packet),
        csv_field(fabric[packet.from].name), csv_field(fabric[traced.at].name), packet.flits,
        packet.urgent ? 1 : 0, created.first, injected.first, delivered.first, created.second,
        injected.second, delivered.second, traced.hops,
        traced.lost ? to_text(*traced.lost) : "delivered", csv_field(route_text(fabric, traced)));
  };
}

std::function<void(const sim::Network&, const sim::TracedFlit&)> flit_writer(std::ostream& out) {
  out << "cycle,time_ns,packet,flit,from,to,lane\n";
  return [&out](const sim::Network& network, const sim::TracedFlit& traced) {
    const auto [from, to] = ends_of_link(network.fabric(), traced.link);
    out << fmt::format("{},{},{},{},{},{},{}\n", network.now(), nanoseconds(network, network.now()),
                       traced.packet, traced.link.flit, csv_field(from), csv_field(to),
                       traced.link.lane);
  };
}

}  // namespace weft
