// SPDX-License-Identifier: Apache-2.0
// Pairs: what is known about every two hosts that have talked, found by hashing.
#pragma once
#include <cstdint>
#include <vector>

namespace weft::sim {

class Pairs {
 public:
  struct Pair {
    std::uint64_t key = unused;
    std::uint32_t begun = 0, taken = 0;  ///< transfers that were given a number, and had their turn
    std::uint32_t held = nothing;        ///< the first of those that came too early
  };
  static constexpr std::uint32_t nothing = ~std::uint32_t{0};

  /// Valid until the next call.
  Pair& of(std::size_t from, std::size_t to) {
    const std::uint64_t key = std::uint64_t{from} << 32U | to;
    Pair* pair = find(pairs_, key);
    if (pair->key == key) return *pair;
    if (2 * ++count_ > pairs_.size()) {
      std::vector<Pair> larger(2 * pairs_.size());
      for (const Pair& each : pairs_)
        if (each.key != unused) *find(larger, each.key) = each;
      pairs_.swap(larger);
      pair = find(pairs_, key);
    }
    pair->key = key;
    return *pair;
  }

 private:
  static constexpr std::uint64_t unused = ~std::uint64_t{0};
  static Pair* find(std::vector<Pair>& pairs, std::uint64_t key) {
    const std::size_t mask = pairs.size() - 1;
    std::size_t place = (key * 0x9e3779b97f4a7c15U >> 32U) & mask;
    while (pairs[place].key != key && pairs[place].key != unused) place = (place + 1) & mask;
    return &pairs[place];
  }
  std::vector<Pair> pairs_{std::vector<Pair>(64)};
  std::size_t count_ = 0;
};

}  // namespace weft::sim
