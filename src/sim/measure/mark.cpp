// SPDX-License-Identifier: Apache-2.0
// Drift and growth between three marks, in whole numbers.
#include "sim/measure/mark.hpp"

#include "base/chance.hpp"

namespace weft::sim {
namespace {

struct MarkDifference {
  std::uint64_t sent, reported, delivered, latency;
  std::int64_t waiting, inside;  ///< how much more at its end

  MarkDifference(const Mark& from, const Mark& to)
      : sent(to.counts.sent - from.counts.sent),
        reported(to.counts.delivered + to.counts.lost - from.counts.delivered - from.counts.lost),
        delivered(to.counts.delivered - from.counts.delivered),
        latency(to.counts.latency - from.counts.latency),
        waiting(static_cast<std::int64_t>(to.waiting - from.waiting)),
        inside(static_cast<std::int64_t>(to.counts.inside() - from.counts.inside())) {}
};

/// latency of `b` >= per_cent / 100 of that of `a`, by their means
bool latency_at_least(const MarkDifference& b, const MarkDifference& a, unsigned per_cent) {
  return Wide{b.latency} * a.delivered * 100 >= Wide{a.latency} * b.delivered * per_cent;
}

bool takes_at_least(const MarkDifference& stretch, unsigned per_cent) {
  return stretch.waiting > 0 &&
         static_cast<std::uint64_t>(stretch.waiting) * 100 >= stretch.sent * per_cent;
}

/// Whether so many packets more than before wait not only because bursts came together.
bool beyond_chance(std::int64_t more, std::uint64_t dispersion, const MarkDifference& stretch) {
  const auto packets = static_cast<std::uint64_t>(more);
  return more > 0 && Wide{packets} * packets > Wide{10} * dispersion * stretch.sent;
}

std::uint64_t size_of(std::int64_t value) {
  return static_cast<std::uint64_t>(value < 0 ? -value : value);
}

}  // namespace

bool settled(const Mark& a, const Mark& b, const Mark& c) {
  constexpr std::uint64_t enough = 500;
  const MarkDifference first(a, b), second(b, c);
  if (first.reported < enough || second.reported < enough) return false;
  const bool far_from_start = second.latency * 8 <= second.delivered * c.at;
  return far_from_start && latency_at_least(second, first, 98) &&
         latency_at_least(first, second, 98) && size_of(second.inside) * 50 <= second.sent;
}

bool clearly_growing(const Mark& a, const Mark& b, const Mark& c) {
  constexpr std::uint64_t enough = 2000;
  const MarkDifference first(a, b), second(b, c);
  const unsigned least = c.at < 16'384 ? 5 : 2;
  const bool by_burst = c.dispersion > 1 && !beyond_chance(second.waiting, c.dispersion, second);
  return c.at >= 4096 && second.sent >= enough && !by_burst && takes_at_least(first, least) &&
         takes_at_least(second, least) && second.waiting * 10 >= first.waiting * 9;
}

bool growing(const Mark& a, const Mark& b, const Mark& c) {
  const MarkDifference first(a, b), second(b, c);
  if (first.waiting <= 0 || second.waiting <= 0) return false;
  // Hosts that are served at their load fall behind only by their own excess over the mean: by x
  // packets of n with probability exp(-x^2 / 2n) at most (backlog.hpp), here 1 in 128.
  const auto more = static_cast<std::uint64_t>(first.waiting + second.waiting);
  const bool by_chance = Wide{more} * more <= Wide{10} * c.dispersion * (first.sent + second.sent);
  const bool straight = second.waiting * 4 >= first.waiting * 3;
  return !by_chance && ((straight && takes_at_least(first, 1) && takes_at_least(second, 1)) ||
                        !latency_at_least(first, second, 83));
}

bool filling(const Mark& a, const Mark& b, const Mark& c, unsigned per_cent) {
  constexpr std::uint64_t enough = 200;
  const auto fills = [&](const MarkDifference& stretch) {
    const std::uint64_t more = size_of(stretch.inside);
    return stretch.sent >= enough && stretch.inside > 0 && more * 100 >= stretch.sent * per_cent &&
           Wide{more} * more > Wide{2} * c.dispersion * stretch.sent;
  };
  return fills(MarkDifference(a, b)) && fills(MarkDifference(b, c));
}

}  // namespace weft::sim
