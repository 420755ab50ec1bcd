// SPDX-License-Identifier: Apache-2.0
// Deriving figures, and judging them.
#include "lab/cluster/physics.hpp"

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "sim/timing.hpp"

namespace weft {
namespace {

constexpr Duration shortest_hop = std::chrono::nanoseconds(10);

bool waits_for_whole_packets(const sim::SwitchModel& switches) {
  return switches.switching != sim::Switching::wormhole;
}

Bytes in_bytes(std::uint32_t flits, const sim::SwitchModel& switches) {
  return {flits * switches.flit.count};
}

/// The least buffer with which a link is busy while its packets pass the next switch at once.
std::uint32_t least_buffer(const sim::Timing& timing, const sim::SwitchModel& switches,
                           std::uint32_t longest) {
  if (switches.flow == sim::FlowControl::stop_go) return timing.longest_loop() + 1;
  return timing.longest_loop() + (waits_for_whole_packets(switches) ? longest - 1 : 0);
}

void judge_buffer(const sim::Timing& timing, const sim::SwitchModel& switches,
                  std::uint32_t longest, std::vector<std::string>& out) {
  const std::uint32_t least = least_buffer(timing, switches, longest);
  const bool refused = waits_for_whole_packets(switches) && switches.buffer < longest;
  if (switches.buffer == 0 || switches.buffer >= least || refused) return;
  out.push_back(
      fmt::format("buffers of {} a lane cannot keep the longest link busy until its credits are "
                  "back; buffer={} would do",
                  to_text(in_bytes(switches.buffer, switches)),
                  least > sim::most_buffer_flits ? "auto" : to_text(in_bytes(least, switches))));
}

void judge_latency(Duration hop, std::vector<std::string>& out) {
  if (hop >= shortest_hop) return;
  out.push_back(
      fmt::format("switches take {} for a hop, in which light goes {:.1f} m; those of clusters "
                  "take 35 ns to 500 ns: latency=130ns",
                  to_text(hop), static_cast<double>(hop.count()) * 2.998e-4));
}

}  // namespace

NetworkFigures figures_of(const Fabric& fabric, const sim::SwitchModel& switches,
                          std::uint32_t longest) {
  const sim::Timing timing(fabric, switches);
  NetworkFigures out;
  out.cycle = timing.cycle();
  out.fastest = timing.fastest();
  for (const SwitchId s : fabric.switches())
    out.hop = std::max(out.hop, timing.cycle() * timing.stages(s).sum());
  const auto cable = [&](const Wire& wire) {
    return wire.delay.counts_cycles() ? out.cycle * wire.delay.in_cycles(out.cycle)
                                      : Duration(wire.delay.in_cycles(Duration{1}));
  };
  for (const HostId h : fabric.hosts())
    out.host_cable = std::max(out.host_cable, cable(fabric[h].wire));
  out.longest_cable = out.host_cable;
  for (const LinkId l : fabric.links())
    out.longest_cable = std::max(out.longest_cable, cable(fabric[l].wire));
  out.round_trip = in_bytes(timing.longest_loop(), switches);
  out.buffer = in_bytes(timing.buffer(longest, waits_for_whole_packets(switches)), switches);
  return out;
}

Bandwidth streaming_rate(const sim::NicModel& nic) {
  const auto& paths = nic.paths[static_cast<std::size_t>(sim::Move::write)];
  if (paths.empty()) return {};
  const sim::TransferStages& path = paths.back();
  std::int64_t slowest = 0;  // picoseconds per KiB
  for (const sim::Stages* stages : {&path.packet_out, &path.packet_send, &path.packet_in}) {
    std::array<std::int64_t, sim::part_count> by_part{};
    for (const sim::NicStage& stage : *stages)
      if (stage.part != sim::Part::latency)
        slowest =
            std::max(slowest, by_part[static_cast<std::size_t>(stage.part)] += stage.per_kibibyte);
  }
  if (slowest == 0) return {};
  constexpr std::int64_t mega = 1'000'000;
  return {(1024 * 8 * std::int64_t{std::pico::den} / slowest + mega / 2) / mega * mega};
}

std::uint32_t longest_packet(const sim::NicModel& nic, const sim::SwitchModel& switches) {
  const std::int64_t bytes = nic.mtu.count + nic.header.count, flit = switches.flit.count;
  return static_cast<std::uint32_t>((bytes + flit - 1) / flit);
}

std::vector<std::string> warnings_about(const Fabric& fabric, const sim::SwitchModel& switches,
                                        std::uint32_t longest) {
  std::vector<std::string> out;
  const sim::Timing timing(fabric, switches);
  judge_buffer(timing, switches, longest, out);
  Duration fastest = Duration::max();
  for (const SwitchId s : fabric.switches())
    fastest = std::min(fastest, timing.cycle() * timing.stages(s).sum());
  judge_latency(fastest, out);
  return out;
}

std::vector<std::string> warnings_about(const Machine& machine) {
  if (machine.of_a_paper) return {};
  std::vector<std::string> out = warnings_about(machine.fabric(), machine.switches,
                                                longest_packet(machine.nic, machine.switches));
  const Bandwidth nic = streaming_rate(machine.nic);
  Bandwidth link{};
  for (const HostId h : machine.fabric().hosts())
    link = std::max(link, machine.fabric()[h].wire.speed);
  if (nic.bits_per_second > 0 && nic.bits_per_second < link.bits_per_second / 10 * 9)
    out.push_back(fmt::format("the NIC moves {} at most, its link {}: see the rates of --nic",
                              to_text(nic), to_text(link)));
  return out;
}

}  // namespace weft
