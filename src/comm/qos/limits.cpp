// SPDX-License-Identifier: Apache-2.0
// Limits of hosts: the curve, and intervals.
#include "comm/qos/limits.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "base/error.hpp"

namespace weft::comm::qos {
namespace {

/// Products of two rates; unsigned, as not every sanitizer's library multiplies the signed ones.
__extension__ using Exact = unsigned __int128;
Exact exact(std::int64_t positive) { return static_cast<std::uint64_t>(positive); }

/// The end of the curve's line for an incoming rate, which is not above the last point's.
std::size_t line_at(const Limits& limits, std::int64_t incoming) {
  std::size_t end = 1;
  while (limits.curve[end].incoming.bits_per_second < incoming) ++end;
  return end;
}

/// T * B_max, in picoseconds times bits per second.
Exact packet_bits_per_second(const Limits& limits) {
  return exact(limits.per_packet.count()) * exact(limits.peak.bits_per_second);
}

}  // namespace

void check(const Limits& limits) {
  constexpr Bandwidth absurd{10'000'000'000'000};
  const auto outside = [&](Bandwidth b) { return b.bits_per_second < 0 || b > absurd; };
  if (limits.per_packet.count() <= 0 || limits.per_packet >= stopped)
    throw Error("qos: a packet takes {}: more than nothing and less than {} is needed",
                weft::to_text(limits.per_packet), weft::to_text(stopped));
  if (limits.peak.bits_per_second <= 0 || limits.peak > absurd)
    throw Error("qos: the peak rate is {}: from 1b/s to {} is needed", weft::to_text(limits.peak),
                weft::to_text(absurd));
  const auto& curve = limits.curve;
  if (curve.size() < 2 || curve.front().incoming.bits_per_second != 0 ||
      curve.back().outgoing.bits_per_second != 0)
    throw Error(
        "qos: a host's curve begins where nothing comes in, and ends where nothing goes out");
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const bool falls = i == 0 || (curve[i - 1].incoming < curve[i].incoming &&
                                  curve[i - 1].outgoing >= curve[i].outgoing);
    if (!falls || outside(curve[i].incoming) || outside(curve[i].outgoing))
      throw Error("qos: a host's curve does not fall at ({}, {}): more in, not more out",
                  in_bytes(curve[i].incoming), in_bytes(curve[i].outgoing));
  }
}

bool admits(const Limits& limits, const HostLoad& load) {
  const std::int64_t in = load.incoming.bits_per_second, out = load.outgoing.bits_per_second;
  if (in < 0 || out < 0 || load.incoming > limits.curve.back().incoming) return false;
  const std::size_t end = line_at(limits, in);
  const CurvePoint &a = limits.curve[end - 1], &b = limits.curve[end];
  const std::int64_t below = a.outgoing.bits_per_second - out;
  const std::int64_t across = b.incoming.bits_per_second - a.incoming.bits_per_second;
  const std::int64_t down = a.outgoing.bits_per_second - b.outgoing.bits_per_second;
  return below >= 0 &&
         exact(below) * exact(across) >= exact(down) * exact(in - a.incoming.bits_per_second);
}

Bandwidth most_outgoing(const Limits& limits, Bandwidth incoming) {
  std::int64_t low = 0, high = limits.curve.front().outgoing.bits_per_second;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (admits(limits, {incoming, {middle}}))
      low = middle;
    else
      high = middle - 1;
  }
  return {low};
}

Bandwidth most_incoming(const Limits& limits, Bandwidth outgoing) {
  std::int64_t low = 0, high = limits.curve.back().incoming.bits_per_second;
  while (low < high) {
    const std::int64_t middle = low + (high - low + 1) / 2;
    if (admits(limits, {{middle}, outgoing}))
      low = middle;
    else
      high = middle - 1;
  }
  return {low};
}

Duration interval_of(const Limits& limits, Bandwidth rate) {
  if (rate >= limits.peak) return limits.per_packet;
  if (rate.bits_per_second <= 0) return stopped;
  const Exact bits = packet_bits_per_second(limits);
  const Exact time = (bits + exact(rate.bits_per_second) - 1) / exact(rate.bits_per_second);
  return time < exact(stopped.count()) ? Duration(static_cast<std::int64_t>(time)) : stopped;
}

Bandwidth least(const Limits& limits) {
  // The longest interval that is not `stopped` is a picosecond shorter.
  const Exact shorter = exact(stopped.count() - 1);
  return {static_cast<std::int64_t>((packet_bits_per_second(limits) + shorter - 1) / shorter)};
}

std::string in_bytes(Bandwidth rate) {
  struct Scale {
    std::string_view name;
    std::int64_t bits;
  };
  constexpr std::array scales{Scale{"GB/s", 8'000'000'000}, Scale{"MB/s", 8'000'000},
                              Scale{"kB/s", 8'000}, Scale{"B/s", 8}};
  const bool negative = rate.bits_per_second < 0;
  const auto given = static_cast<std::uint64_t>(rate.bits_per_second);
  const Exact bits = negative ? 0 - given : given;
  const auto* scale = scales.begin();
  while (scale + 1 != scales.end() && bits < exact(scale->bits)) ++scale;
  const auto thousandths =
      static_cast<std::uint64_t>((bits * 1000 + exact(scale->bits / 2)) / exact(scale->bits));
  std::string digits = fmt::format(".{:03}", thousandths % 1000);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits == ".") digits.clear();
  return fmt::format("{}{}{}{}", negative ? "-" : "", thousandths / 1000, digits, scale->name);
}

}  // namespace weft::comm::qos
