// SPDX-License-Identifier: Apache-2.0
// Text forms and arithmetic of units.
#include "base/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "base/error.hpp"

namespace weft {
namespace {

struct UnitFactor {
  std::string_view name;
  std::int64_t factor;
};

constexpr std::array delay_units{UnitFactor{"s", 1'000'000'000'000},
                                 UnitFactor{"ms", 1'000'000'000},
                                 UnitFactor{"us", 1'000'000},
                                 UnitFactor{"ns", 1'000},
                                 UnitFactor{"ps", 1},
                                 UnitFactor{"cycles", 1}};
constexpr std::span<const UnitFactor> duration_units = std::span(delay_units).first(5);
constexpr std::array bandwidth_units{UnitFactor{"Tb/s", 1'000'000'000'000},
                                     UnitFactor{"Gb/s", 1'000'000'000},
                                     UnitFactor{"Mb/s", 1'000'000},
                                     UnitFactor{"kb/s", 1'000},
                                     UnitFactor{"b/s", 1},
                                     UnitFactor{"TB/s", 8'000'000'000'000},
                                     UnitFactor{"GB/s", 8'000'000'000},
                                     UnitFactor{"MB/s", 8'000'000},
                                     UnitFactor{"kB/s", 8'000},
                                     UnitFactor{"B/s", 8}};
constexpr std::array bytes_units{UnitFactor{"GiB", 1 << 30},  UnitFactor{"MiB", 1 << 20},
                                 UnitFactor{"KiB", 1 << 10},  UnitFactor{"GB", 1'000'000'000},
                                 UnitFactor{"MB", 1'000'000}, UnitFactor{"kB", 1'000},
                                 UnitFactor{"B", 1}};

/// Our name of a unit that people write otherwise: 100Gbps, 10 Gbit/s and 100G for 100Gb/s, 4k for
/// 4KiB, 3 µs and 3usec for 3us.
std::string our_unit(std::string_view what, std::string_view written) {
  std::string name(written);
  const auto replace = [&](std::string_view from, std::string_view to) {
    if (const std::size_t at = name.find(from); at != std::string::npos)
      name.replace(at, from.size(), to);
  };
  if (what == "speed") {
    replace("bit", "b");
    if (name.ends_with("ps")) name.replace(name.size() - 2, 2, "/s");
    if (name.size() == 1) name += "b/s";
    if (name.starts_with("K")) name.front() = 'k';
  } else if (what == "size") {
    if (name == "k" || name == "K") return "KiB";
    if (name == "M" || name == "G") return name + "iB";
    replace("bytes", "B");
  } else {
    replace("µ", "u");  // the micro sign
    replace("μ", "u");  // the Greek letter
    replace("sec", "s");
    if (name == "cycle") return "cycles";
  }
  return name;
}

[[noreturn]] void reject(std::string_view what, std::string_view text,
                         std::span<const UnitFactor> units) {
  std::string names;
  for (const UnitFactor& unit : units)
    names += (names.empty() ? "" : ", ") + std::string(unit.name);
  throw Error("\"{}\" is not a {}: write a number and one of {}", text.substr(0, 40), what, names);
}

std::int64_t parse(std::string_view what, std::string_view text,
                   std::span<const UnitFactor> units) {
  const char* end = text.data() + text.size();
  double number = 0;
  std::int64_t whole = 0;
  const auto [rest, problem] = std::from_chars(text.data(), end, number);
  const auto [whole_rest, whole_problem] = std::from_chars(text.data(), end, whole);
  const bool is_whole = whole_problem == std::errc() && whole_rest == rest;
  std::string_view written(rest, static_cast<std::size_t>(end - rest));
  while (!written.empty() && written.front() == ' ') written.remove_prefix(1);
  const std::string name = our_unit(what, written);
  for (const UnitFactor& unit : units) {
    if (problem != std::errc() || name != unit.name || !(number >= 0)) continue;
    std::int64_t exact = 0;  // a double holds only 53 bits
    if (is_whole && !__builtin_mul_overflow(whole, unit.factor, &exact)) return exact;
    const double scaled = number * static_cast<double>(unit.factor);
    if (scaled >= 9.2e18) break;
    return std::llround(scaled);
  }
  reject(what, text, units);
}

/// The largest unit that leaves no more than three decimals, so that the text reads back exactly.
std::string print(std::int64_t amount, std::span<const UnitFactor> units) {
  for (const UnitFactor& unit : units) {
    if (amount < unit.factor) continue;
    if (amount % unit.factor == 0) return fmt::format("{}{}", amount / unit.factor, unit.name);
    if (unit.factor >= 1000 && amount % (unit.factor / 1000) == 0 && amount < (1LL << 50)) {
      std::string digits = fmt::format("{:03}", amount % unit.factor / (unit.factor / 1000));
      digits.erase(digits.find_last_not_of('0') + 1);
      return fmt::format("{}.{}{}", amount / unit.factor, digits, unit.name);
    }
  }
  return fmt::format("{}{}", amount, units.back().name);
}

}  // namespace

std::optional<std::int64_t> count_from(std::string_view text) {
  const char* end = text.data() + text.size();
  std::int64_t whole = 0;
  const auto [whole_rest, whole_problem] = std::from_chars(text.data(), end, whole);
  if (whole_problem == std::errc() && whole_rest == end) return whole;
  double number = 0;
  const auto [rest, problem] = std::from_chars(text.data(), end, number);
  const std::string_view letter(rest, static_cast<std::size_t>(end - rest));
  constexpr std::array factors{UnitFactor{"", 1}, UnitFactor{"k", 1'000}, UnitFactor{"K", 1'000},
                               UnitFactor{"M", 1'000'000}, UnitFactor{"G", 1'000'000'000}};
  for (const UnitFactor& each : factors) {
    if (problem != std::errc() || letter != each.name) continue;
    const double scaled = number * static_cast<double>(each.factor);
    constexpr double exact = 9'007'199'254'740'992.0;  // 2^53
    if (std::abs(scaled) <= exact && scaled == std::round(scaled))
      return static_cast<std::int64_t>(scaled);
  }
  return std::nullopt;
}

Duration operator/(Bytes size, Bandwidth speed) {
  __extension__ using Wide = __int128;
  const Wide bits = Wide{size.count} * 8 * std::pico::den;
  const Wide per = speed.bits_per_second;
  invariant(per > 0, "a size is divided by a speed that is not above zero");
  const Wide time = (bits + per - 1) / per;
  if (time > Duration::max().count())
    throw Error("{} at {} take longer than 106 days", to_text(size), to_text(speed));
  return Duration(static_cast<std::int64_t>(time));
}

std::string to_text(Duration time) { return print(time.count(), duration_units); }
std::string to_text(Delay delay) {
  return delay.in_cycles_ ? fmt::format("{}cycles", delay.amount_)
                          : to_text(Duration(delay.amount_));
}
std::string to_text(Bandwidth speed) {
  return print(speed.bits_per_second, std::span(bandwidth_units).first(5));
}
std::string to_text(Bytes size) {
  constexpr std::array printed{bytes_units[0], bytes_units[1], bytes_units[2], bytes_units[6]};
  for (const UnitFactor& unit : printed)
    if (size.count >= unit.factor && size.count % unit.factor == 0)
      return fmt::format("{}{}", size.count / unit.factor, unit.name);
  return fmt::format("{}B", size.count);
}

Duration duration_from(std::string_view text) {
  return Duration(parse("duration", text, duration_units));
}
Delay delay_from(std::string_view text) {
  const std::int64_t amount = parse("delay", text, delay_units);
  return text.find("cycle") != std::string_view::npos ? Delay::cycles(amount)
                                                      : Delay(Duration(amount));
}
Bandwidth bandwidth_from(std::string_view text) { return {parse("speed", text, bandwidth_units)}; }
Bytes bytes_from(std::string_view text) { return {parse("size", text, bytes_units)}; }

}  // namespace weft
