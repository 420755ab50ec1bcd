// SPDX-License-Identifier: Apache-2.0
// Axes of charts: linear, logarithmic, by powers of two.
#include "lab/report/chart/axis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

namespace weft::charts {
namespace {

/// Beyond them, arithmetic would overflow and labels become long.
constexpr double smallest = 1e-99, largest = 1e99;

/// The positive part of an extent; 1 to 10 where there is none.
std::pair<double, double> positive_part(const AxisExtent& extent) {
  if (!extent.has_positive()) return {1, 10};
  const double least = std::clamp(extent.least_positive, smallest, largest);
  return {least, std::clamp(extent.most, least, largest)};
}

std::string bytes_text(int power) {
  constexpr std::array<std::string_view, 7> units{"", "K", "M", "G", "T", "P", "E"};
  const auto unit = static_cast<std::size_t>(std::max(0, power) / 10);
  if (power < 0 || unit >= units.size()) return fmt::format("{:.3g}", std::exp2(power));
  return fmt::format("{}{}", 1 << (power % 10), units[unit]);
}

}  // namespace

void AxisExtent::add(double value) {
  if (!std::isfinite(value)) return;
  most = std::max(most, value);
  if (value > 0)
    least_positive = std::min(least_positive, value);
  else
    has_zero = true;
}

double ChartAxis::share(double value) const {
  if (scale == AxisScale::linear) return std::clamp((value - low) / (high - low), 0.0, 1.0);
  if (!(value > 0)) return 0;
  const double positive = std::log(value / low) / std::log(high / low);
  return zero_share + (1 - zero_share) * std::clamp(positive, 0.0, 1.0);
}

ChartAxis linear_axis(double low, double high, int about) {
  low = std::isfinite(low) ? std::clamp(low, -largest, largest) : 0;
  high = std::min(high, largest);
  if (!(high > low)) high = low + std::max(1.0, std::abs(low));
  const Ticks ticks = Ticks::up_to(high - low, about);
  ChartAxis axis{.low = low, .high = high};
  const double first = std::ceil(low / ticks.step - 1e-4);
  for (int i = 0; i <= ticks.count; ++i)
    if (const double value = ticks.step * (first + i); value <= high + 1e-4 * ticks.step)
      axis.ticks.push_back({value, ticks.text_of(value)});
  if (axis.ticks.empty() || axis.ticks[0].value > low + 1e-4 * ticks.step)
    axis.ticks.insert(axis.ticks.begin(), {low, fmt::format("{:.6g}", low), false});
  return axis;
}

ChartAxis rising_axis(double most) {
  const Ticks ticks = Ticks::up_to(std::min(most, largest) * 1.03, 6);
  return linear_axis(0, ticks.last(), 6);
}

ChartAxis log_axis(const AxisExtent& extent) {
  const auto [least, most] = positive_part(extent);
  const auto first = static_cast<int>(std::floor(std::log10(least)));
  const int last = std::max(first + 1, static_cast<int>(std::ceil(std::log10(most))));
  const int every = (last - first + 7) / 8;
  std::vector<AxisTick> all;
  for (int power = first; power < last + every; power += every)
    for (const int digit : {1, 2, 5}) {
      if (digit != 1 && (last - first > 3 || power == last)) continue;
      const double value = digit * std::pow(10.0, power);
      all.push_back({value, fmt::format("{:g}", value), digit == 1});
    }
  // From the last tick that is not above the least value to the first that is not below the most.
  auto begin = all.begin(), end = all.end();
  while (std::distance(begin, end) > 2 && std::next(begin)->value <= least) ++begin;
  while (std::distance(begin, end) > 2 && std::prev(end, 2)->value >= most) --end;
  return {.scale = AxisScale::log,
          .low = begin->value,
          .high = std::prev(end)->value,
          .ticks = {begin, end}};
}

ChartAxis byte_axis(const AxisExtent& extent, int about) {
  const auto [least, most] = positive_part(extent);
  const auto first = static_cast<int>(std::floor(std::log2(least)));
  const int last = std::max(first + 1, static_cast<int>(std::ceil(std::log2(most))));
  const int every = (last - first) / std::max(1, about) + 1;
  ChartAxis axis{.scale = AxisScale::bytes, .low = std::exp2(first), .high = std::exp2(last)};
  for (int power = first; power <= last; power += every)
    axis.ticks.push_back({std::exp2(power), bytes_text(power)});
  return axis;
}

ChartAxis with_zero(ChartAxis axis) {
  axis.zero_share = 0.08;
  axis.ticks.insert(axis.ticks.begin(), {0, "0"});
  return axis;
}

}  // namespace weft::charts

namespace weft {

Ticks Ticks::up_to(double most, int about) {
  Ticks out;
  if (!(most > charts::smallest) || !std::isfinite(most)) return out;
  const double power = std::pow(10.0, std::floor(std::log10(most / about)));
  for (const double step : {1.0, 2.0, 5.0, 10.0}) {
    out.step = step * power;
    if (most / out.step <= about) break;
  }
  out.count = std::max(1, static_cast<int>(std::ceil(most / out.step - 1e-9)));
  out.places = std::max(0, -static_cast<int>(std::floor(std::log10(out.step) + 1e-9)));
  return out;
}

std::string Ticks::text_of(double value) const {
  const bool plain = places <= 4 && last() < 1e7 && std::abs(value) < 1e7;
  if (std::abs(value) < step / 1e6) value = 0;  // and not -0.0, or 1e-17
  return plain ? fmt::format("{:.{}f}", value, places) : fmt::format("{:.6g}", value);
}

}  // namespace weft
