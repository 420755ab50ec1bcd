// SPDX-License-Identifier: Apache-2.0
// A cluster in the figures that follow from its file, before anything is run on it.
#include <ostream>

#include "lab/cluster/physics.hpp"
#include "lab/program/path.hpp"
#include "lab/report/report.hpp"

namespace weft {
namespace {

std::string in_microseconds(Duration time) {
  return fmt::format("{:.2f} us", static_cast<double>(time.count()) * 1e-6);
}

std::string in_nanoseconds(Duration time) {
  return fmt::format("{:.4g} ns", static_cast<double>(time.count()) * 1e-3);
}

std::string gigabytes(Bandwidth rate) {
  return fmt::format("{:.2f} GB/s", in_megabytes(rate) / 1e3);
}

std::string kibibytes(Bytes size) {
  return fmt::format("{:.1f} KiB", static_cast<double>(size.count) / 1024);
}

/// Small flits take long to simulate.
bool has_small_flits(const MachineRequest& parts) { return parts.switches.flit < Bytes{16}; }
Bytes large_message(const MachineRequest& parts) {
  return {has_small_flits(parts) ? 64 << 10 : 4 << 20};
}

Bandwidth rate_of(Bytes size, Duration time) {
  return {static_cast<std::int64_t>(static_cast<double>(size.count) * 8e12 /
                                    static_cast<double>(time.count()))};
}

void write_pair(std::ostream& out, const MachineRequest& parts, const Fabric& fabric, HostId to,
                std::string_view which) {
  const Bytes large = large_message(parts);
  const Machine path = on_fabric(parts, path_between(fabric, HostId(0), to));
  const std::size_t switches = path.fabric().switch_count();
  out << fmt::format("  {:11} 8 B in {}, {} at {} to the {} host, {} over {} switch{}\n", "pair",
                     in_microseconds(half_round_trip(path, Bytes{8})), to_text(large),
                     gigabytes(rate_of(large, half_round_trip(path, large))), which,
                     fabric[to].name, switches, switches == 1 ? "" : "es");
}

void write_topology(std::ostream& out, const MachineRequest& parts, const Fabric& fabric) {
  const NetworkFigures figures =
      figures_of(fabric, parts.switches, longest_packet(parts.nic, parts.switches));
  out << fmt::format("{}: {} hosts, {} switches, {} links between switches\n", fabric.name(),
                     fabric.host_count(), fabric.switch_count(), fabric.link_count());
  out << fmt::format(
      "  {:11} {} through a switch, {:.0f} cycles of {}\n", "hop", in_nanoseconds(figures.hop),
      static_cast<double>(figures.hop.count()) / static_cast<double>(figures.cycle.count()),
      in_nanoseconds(figures.cycle));
  out << fmt::format("  {:11} {} to hosts, {} at most\n", "cables",
                     in_nanoseconds(figures.host_cable), in_nanoseconds(figures.longest_cable));
  out << fmt::format("  {:11} {}: {} on the way until a credit is back; buffers {} a lane\n",
                     "links", gigabytes(figures.fastest), kibibytes(figures.round_trip),
                     kibibytes(figures.buffer));
  if (fabric.host_count() == 0) return;
  const auto near = nearest_to(fabric, HostId(0)), far = farthest_from(fabric, HostId(0));
  if (!near) {
    out << fmt::format("  {:11} {} reaches no other host\n", "pair", fabric[HostId(0)].name);
    return;
  }
  write_pair(out, parts, fabric, *near, "nearest");
  if (far != near) write_pair(out, parts, fabric, *far, "farthest");
  const Machine path = on_fabric(parts, path_between(fabric, HostId(0), *far));
  if (!has_small_flits(parts))
    out << fmt::format("  {:11} {} by many long writes at once\n", "bandwidth",
                       gigabytes(write_rate(path)));
  for (const std::string& text : warnings_about(path))
    out << fmt::format("  {:11} {}\n", "warning", text);
}

}  // namespace

void write_cluster(std::ostream& out, const std::string& path_or_name) {
  FilledMachine machine = fill({.cluster = path_or_name});
  const Cluster& cluster = machine.cluster;
  out << fmt::format("{}: {}\n", cluster.name, cluster.about);
  out << fmt::format("switches {}\nnic {}\nlibrary {}\n", machine.spec.switches, machine.spec.nic,
                     machine.spec.library);
  for (const std::string& topology : cluster.topologies) {
    machine.spec.topology = topology;
    write_topology(out, request_of(machine), find_fabric(topology, cluster.links));
  }
}

}  // namespace weft
