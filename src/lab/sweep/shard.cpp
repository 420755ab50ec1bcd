// SPDX-License-Identifier: Apache-2.0
// Dealing the points of a sweep to its shards.
#include "lab/sweep/shard.hpp"

#include <algorithm>
#include <charconv>
#include <numeric>

#include "base/rng.hpp"
#include "lab/fields.hpp"
#include "lab/sweep/brackets.hpp"

namespace weft {

Shard shard_from(const std::string& text) {
  const auto part = [&](const std::string& digits) -> std::size_t {
    std::size_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, problem] = std::from_chars(digits.data(), end, value);
    if (problem != std::errc() || rest != end)
      reject("shard", text, "which one and of how many is needed, such as 3/10");
    return value;
  };
  const std::size_t slash = std::min(text.find('/'), text.size());
  const Shard out{part(text.substr(0, slash)), part(text.substr(std::min(slash + 1, text.size())))};
  if (out.of < 1 || out.of > most_points)
    reject("shard", text, fmt::format("a sweep has 1 to {} shards", most_points));
  if (out.number < 1 || out.number > out.of)
    reject("shard", text, fmt::format("of {0} shards the numbers are 1 to {0}", out.of));
  return out;
}

std::string to_text(const Shard& shard) { return fmt::format("{}/{}", shard.number, shard.of); }

std::vector<std::size_t> points_of(const Shard& shard, std::size_t points) {
  std::vector<std::size_t> out, order(shard.of);
  for (std::size_t first = 0; first < points; first += shard.of) {
    std::iota(order.begin(), order.end(), first);
    Rng(first).shuffle(order);
    if (const std::size_t point = order[shard.number - 1]; point < points) out.push_back(point);
  }
  return out;
}

}  // namespace weft
