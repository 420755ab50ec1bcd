// SPDX-License-Identifier: Apache-2.0
// Time, size and speed as types, with their text forms ("6Gb/s", "25ns", "14cycles", "4KiB").
#pragma once
#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <ratio>
#include <string>
#include <string_view>

namespace weft {

/// Virtual time is counted in whole picoseconds: 2^63 of them are 106 days.
using Duration = std::chrono::duration<std::int64_t, std::pico>;

struct Bytes {
  std::int64_t count = 0;
  friend auto operator<=>(const Bytes&, const Bytes&) = default;
};

struct Bandwidth {
  std::int64_t bits_per_second = 0;
  friend auto operator<=>(const Bandwidth&, const Bandwidth&) = default;
};

/// How long something is held up: a time, or cycles of the clock of whatever simulates it, however
/// long those are. Cycles (but for none) are more than any time.
class Delay {
 public:
  constexpr Delay() = default;
  constexpr Delay(Duration time) : amount_(time.count()) {}
  static constexpr Delay cycles(std::int64_t count) {
    Delay out;
    out.in_cycles_ = count != 0;
    out.amount_ = count;
    return out;
  }
  constexpr bool counts_cycles() const { return in_cycles_; }
  /// Cycles of the length `cycle`, rounded to the nearest number.
  constexpr std::int64_t nearest_cycles(Duration cycle) const {
    return in_cycles_ ? amount_ : (amount_ + cycle.count() / 2) / cycle.count();
  }
  /// The same, rounded up.
  constexpr std::int64_t in_cycles(Duration cycle) const {
    if (in_cycles_) return amount_;
    return amount_ / cycle.count() + (amount_ % cycle.count() != 0 ? 1 : 0);
  }
  friend std::string to_text(Delay);
  friend constexpr auto operator<=>(const Delay&, const Delay&) = default;

 private:
  bool in_cycles_ = false;
  std::int64_t amount_ = 0;  ///< picoseconds or cycles
};

constexpr Bandwidth gigabits_per_second(std::int64_t n) { return {n * 1'000'000'000}; }
/// For reports.
constexpr double microseconds_of(Duration time) { return static_cast<double>(time.count()) / 1e6; }
/// MB/s, for reports.
constexpr double in_megabytes(Bandwidth rate) {
  return static_cast<double>(rate.bits_per_second) / 8e6;
}

/// The time to send `size` at `speed`, rounded up to a picosecond. `speed` is positive. Throws
/// Error when a Duration cannot hold the time.
Duration operator/(Bytes size, Bandwidth speed);

/// A whole number: "10000", "1e4", "10k", "0.01M". (Of sizes, "4k" is 4KiB.)
std::optional<std::int64_t> count_from(std::string_view text);

std::string to_text(Duration);
std::string to_text(Delay);
std::string to_text(Bandwidth);
std::string to_text(Bytes);

/// The inverse of to_text. Throws Error naming the text and the units that are understood.
Duration duration_from(std::string_view text);
Delay delay_from(std::string_view text);
Bandwidth bandwidth_from(std::string_view text);
Bytes bytes_from(std::string_view text);

}  // namespace weft
