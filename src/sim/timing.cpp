// SPDX-License-Identifier: Apache-2.0
// Turning times into cycles.
#include "sim/timing.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft::sim {
namespace {

constexpr std::int64_t most_cycles = 1'000'000;

bool any_latency(const Fabric& fabric) {
  for (const SwitchId s : fabric.switches())
    if (fabric[s].latency > Duration{0}) return true;
  return false;
}

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
      latency_known_(model.latency || model.usual_latency || any_latency(fabric)),
      common_(own_stages()),
      credit_(cycles(model.credit, "credit")),
      aging_(cycles(model.aging, "aging")),
      flow_pause_(cycles(model.policy.idle, "policy: idle")) {
  find_longest_loop();
}

std::uint32_t Timing::cycles(Delay time, const char* what) const {
  const std::int64_t count = time.nearest_cycles(cycle_);
  if (count > most_cycles)
    throw Error("{}: {}: {} are {} cycles of {}; {} are the most", model_.spec, what,
                weft::to_text(time), count, weft::to_text(cycle_), most_cycles);
  return static_cast<std::uint32_t>(count);
}

/// The stages alone. Where latencies are known, those that are not given take as little as they
/// can. Stages of many cycles are pipelined: of routing and the allocation of lanes, which the
/// packets of a lane pass one after the other, all but one cycle is spent ahead of the buffer.
StageCycles Timing::own_stages() const {
  const auto stage = [&](const std::optional<Delay>& given, std::uint32_t least, const char* name) {
    if (!given) return latency_known_ ? least : 1;
    return std::max(cycles(*given, name), least);
  };
  StageCycles out{.route = stage(model_.route, 0, "route"),
                  .lane = stage(model_.lane, 0, "allocate_lane"),
                  .allocate = stage(model_.allocate, 1, "allocate"),
                  .cross = stage(model_.cross, 0, "cross"),
                  .link = stage(model_.link, 0, "link")};
  for (std::uint32_t* stage_cycles : {&out.route, &out.lane}) {
    if (*stage_cycles <= 1) continue;
    out.ahead += *stage_cycles - 1;
    *stage_cycles = 1;
  }
  return out;
}

StageCycles Timing::stages(SwitchId s) const {
  StageCycles out = common_;
  const std::uint32_t sum = out.sum();
  std::uint32_t whole = sum;
  if (model_.latency) {
    whole = cycles(*model_.latency, "latency");
    if (whole < sum)
      throw Error(
          "{}: a latency of {} is {} cycles of {}, and the stages of the switch take {}; smaller "
          "flits make shorter cycles",
          model_.spec, weft::to_text(*model_.latency), whole, weft::to_text(cycle_), sum);
  } else if (const Duration own = fabric_[s].latency; own > Duration{0}) {
    whole = cycles(own, "latency");
  } else if (model_.usual_latency) {
    whole = cycles(*model_.usual_latency, "latency");
  } else if (latency_known_) {
    whole = StageCycles::usual_sum;  // of other switches
  }
  out.ahead += std::max(whole, sum) - sum;
  return out;
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
    loop_cycles_ = std::max(loop_cycles_, static_cast<std::uint32_t>(cycles));
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
  const bool stop_go = model_.flow == FlowControl::stop_go;
  std::uint32_t out = stop_go ? loop_cycles_ : loop_;
  if (whole) out += longest - 1;
  if (model_.switching == Switching::store_and_forward) out += longest;
  // Stop comes a loop before the buffer is full, and go a loop before it is empty.
  return std::max(least, stop_go ? 3 * out : out);
}

}  // namespace weft::sim
