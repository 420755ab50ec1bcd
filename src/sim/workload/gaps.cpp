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
}

}  // namespace weft::sim
