// SPDX-License-Identifier: Apache-2.0
// Lengths of packets: one for all, or a mix of several with their shares.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/chance.hpp"
#include "base/units.hpp"

namespace weft::sim {

class Lengths {
 public:
  /// "16", "64B" or "1*0.8+16*0.2". Throws Error for other text, and for shares that do not add up
  /// to 1.
  Lengths(std::string_view text, Bytes flit);

  std::uint32_t operator()(Rng& rng) const {
    if (parts_.size() == 1) return parts_[0].flits;
    const std::uint64_t draw = rng.next() >> 1;
    std::size_t i = 0;
    while (draw >= parts_[i].below) ++i;
    return parts_[i].flits;
  }
  std::uint32_t longest() const;
  bool mixed() const { return parts_.size() > 1; }
  /// The chance of a packet in a cycle that makes `load` flits a cycle.
  Chance packets_at(Chance load) const;

 private:
  struct LengthShare {
    std::uint32_t flits;
    std::uint64_t below;  ///< draws under this, and not under the one before; in 2^-63
  };
  std::vector<LengthShare> parts_;
};

}  // namespace weft::sim
