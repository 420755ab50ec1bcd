// SPDX-License-Identifier: Apache-2.0
// Turning times into cycles.
#include "sim/timing.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft::sim {
namespace {

constexpr std::int64_t most_cycles = 1'000'000;

/// 1/65536 cycles that a flit takes on a link of this speed.
std::uint64_t interval_of(Bandwidth speed, Bandwidth best) {
  const auto scaled = static_cast<unsigned __int128>(best.bits_per_second) << 16U;
  const auto divisor = static_cast<unsigned __int128>(speed.bits_per_second);
  return static_cast<std::uint64_t>((scaled + divisor - 1) / divisor);
}

}  // namespace

Timing::Timing(const Fabric& fabric, const SwitchModel& model)
    : fabric_(fabric),
      model_(model),
      fastest_(fastest_link(fabric)),
      cycle_(std::max(model.flit / fastest_, Duration{1})),
      common_(stages_for(Duration{0})),
      credit_(cycles(model.credit, "credit")),
      aging_(cycles(model.aging, "aging")) {
  find_longest_loop();
}

std::uint32_t Timing::cycles(Delay time, const char* what) const {
  const std::int64_t count = time.nearest_cycles(cycle_);
  if (count > most_cycles)
    throw Error("{}: {}: {} are {} cycles of {}; {} are the most", model_.spec, what,
                weft::to_text(time), count, weft::to_text(cycle_), most_cycles);
  return static_cast<std::uint32_t>(count);
}

/// Stages of many cycles are pipelined: of routing and the allocation of lanes, which the packets
/// of a lane pass one after the other, all but one cycle is spent ahead of the buffer.
StageCycles Timing::stages_for(Duration fabric_latency) const {
  const bool own_stages =
      model_.route || model_.lane || model_.allocate || model_.cross || model_.link;
  std::optional<Delay> latency = model_.latency;
  if (!latency && !own_stages)
    latency = fabric_latency > Duration{0} ? Delay(fabric_latency) : model_.usual_latency;
  const auto stage = [&](const std::optional<Delay>& given, std::uint32_t least, const char* name) {
    if (!given) return latency ? least : 1;
    return std::max(cycles(*given, name), least);
  };
  StageCycles out{.route = stage(model_.route, 0, "route"),
                  .lane = stage(model_.lane, 0, "allocate_lane"),
                  .allocate = stage(model_.allocate, 1, "allocate"),
                  .cross = stage(model_.cross, 0, "cross"),
                  .link = stage(model_.link, 0, "link")};
  const std::uint32_t sum = out.sum();
  const std::uint32_t whole = latency ? cycles(*latency, "latency") : sum;
  if (whole < sum)
    throw Error(
        "{}: a latency of {} is {} cycles of {}, and the stages of the switch take {}; smaller "
        "flits make shorter cycles",
        model_.spec, weft::to_text(cycle_ * whole), whole, weft::to_text(cycle_), sum);
  out.ahead = whole - sum;
  for (std::uint32_t* stage_cycles : {&out.route, &out.lane}) {
    if (*stage_cycles <= 1) continue;
    out.ahead += *stage_cycles - 1;
    *stage_cycles = 1;
  }
  return out;
}

StageCycles Timing::stages(SwitchId s) const {
  const Duration own = fabric_[s].latency;
  return own > Duration{0} ? stages_for(own) : common_;
}

LinkCycles Timing::on(const Wire& wire, std::uint32_t sender, std::uint32_t receiver) const {
  LinkCycles out;
  out.interval = interval_of(wire.speed, fastest_);
  const std::int64_t delay = wire.delay.in_cycles(cycle_);
  if (delay > most_cycles)
    throw Error("{}: a link with a delay of {} is {} cycles of {} long; {} are the most",
                fabric_.name(), weft::to_text(wire.delay), delay, weft::to_text(cycle_),
                most_cycles);
  const std::uint32_t on_wire = common_.link + static_cast<std::uint32_t>(delay);
  const auto slower = static_cast<std::uint32_t>((out.interval - 1) >> 16U);
  out.flight = sender + on_wire + slower + receiver;
  out.back = 1 + on_wire + credit_;
  return out;
}

LinkCycles Timing::link(ChannelId channel) const {
  return on(fabric_.wire(channel), common_.allocate + common_.cross,
            stages(fabric_.to(channel)).ahead);
}
LinkCycles Timing::from_host(HostId host) const {
  return on(fabric_[host].wire, 1, stages(fabric_[host].on).ahead);
}
LinkCycles Timing::to_host(HostId host) const {
  return on(fabric_[host].wire, common_.allocate + common_.cross, 0);
}

void Timing::find_longest_loop() {
  const auto count = [this](const LinkCycles& link, std::uint32_t in_buffer) {
    const std::uint64_t cycles = link.flight + link.back + in_buffer;
    const std::uint64_t flits = ((cycles << 16U) + link.interval - 1) / link.interval;
    loop_ = std::max(loop_, static_cast<std::uint32_t>(flits));
  };
  const std::uint32_t in_buffer = common_.route + common_.lane;
  for (ChannelId c : fabric_.channels()) count(link(c), in_buffer);
  for (HostId h : fabric_.hosts()) {
    count(from_host(h), in_buffer);
    count(to_host(h), 0);
  }
}

std::uint32_t Timing::buffer(std::uint32_t longest, bool whole) const {
  constexpr std::uint32_t least = 8;
  if (model_.buffer > 0) return model_.buffer;
  // Stop comes a loop before the buffer is full, and go a loop before it is empty.
  std::uint32_t out = loop_;
  if (whole) out += longest - 1;
  if (model_.switching == Switching::store_and_forward) out += longest;
  if (model_.flow == FlowControl::stop_go) out *= 3;
  return std::max(least, out);
}

}  // namespace weft::sim
