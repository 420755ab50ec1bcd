// SPDX-License-Identifier: Apache-2.0
// Blocks of a list of sizes, and shares of a total.
#include "comm/coll/blocks.hpp"

#include "base/error.hpp"

namespace weft::comm {

Blocks::Blocks(std::vector<std::size_t> sizes)
    : members_(static_cast<int>(sizes.size())), offsets_(std::move(sizes)) {
  std::size_t end = 0;
  for (std::size_t& size : offsets_) end += std::exchange(size, end);
  offsets_.push_back(end);
}

Blocks Blocks::shares(int members, std::size_t total, std::size_t unit) {
  const std::size_t units = unit == 0 ? 0 : total / unit, count = static_cast<std::size_t>(members);
  invariant(units * unit == total, "a buffer is not of whole units");
  Blocks out;
  out.members_ = members;
  out.each_ = units / count * unit;
  out.larger_ = units % count;
  out.unit_ = unit;
  return out;
}

std::size_t Blocks::largest() const {
  std::size_t out = 0;
  for (Rank member = 0; member < (offsets_.empty() ? 1 : members_); ++member)
    out = std::max(out, size(member));
  return out;
}

bool Blocks::are_equal() const { return static_cast<std::size_t>(members_) * largest() == total(); }

}  // namespace weft::comm
