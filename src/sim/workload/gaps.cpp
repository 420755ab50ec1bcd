// SPDX-License-Identifier: Apache-2.0
// The probabilities of the bits of a gap.
#include "sim/workload/gaps.hpp"

#include "base/error.hpp"

namespace weft::sim {

Gaps::Gaps(Chance p) {
  invariant(p.parts() > 0 && p.parts() <= Chance::one, "a gap needs a chance above zero");
  std::uint64_t q = (Chance::one - p.parts()) << 1;  // in 2^-64; then its squares
  while (q != 0 && bits_ < set_.size()) {
    set_[bits_++] = static_cast<std::uint64_t>((Wide{q} << 64) / ((Wide{1} << 64) + q));
    q = static_cast<std::uint64_t>((Wide{q} * q + (Wide{1} << 63)) >> 64);
  }
  for (unsigned j = 0; j < bits_; ++j) {
    top_[j / 8] |= set_[j] >> 56 << j % 8 * 8;
    used_[j / 8] |= std::uint64_t{0x80} << j % 8 * 8;
  }
}

Cycle Gaps::one_by_one(Rng& rng, std::uint64_t word, unsigned first) const {
  Cycle gap = 0;
  for (unsigned j = first; j < bits_ && j < first + 8; ++j, word >>= 8) {
    const std::uint64_t chunk = word & 0xFF, top = set_[j] >> 56;
    bool set = chunk < top;
    if (chunk == top) set = rng.next() < set_[j] << 8;  // the other 56 bits decide
    gap |= Cycle{set} << j;
  }
  return gap;
}

}  // namespace weft::sim
