// SPDX-License-Identifier: Apache-2.0
// Lengths of packets.
#include "sim/workload/lengths.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "sim/switch_model.hpp"

namespace weft::sim {
Lengths::Lengths(std::string_view text, Bytes flit) {
  std::uint64_t sum = 0;
  for (std::string_view rest = text; !rest.empty() || parts_.empty();) {
    const std::string_view part = rest.substr(0, rest.find('+'));
    const bool more = part.size() < rest.size();
    rest.remove_prefix(part.size() + (more ? 1 : 0));
    const std::size_t star = part.find('*');
    if (star == std::string_view::npos && (more || !parts_.empty()))
      throw Error("\"{}\": a mix is written 1*0.8+16*0.2, every length with its share",
                  text.substr(0, 60));
    const Chance share =
        star == std::string_view::npos ? Chance(Chance::one) : chance_from(part.substr(star + 1));
    if (share.parts() == 0) throw Error("\"{}\": a share of 0", text.substr(0, 60));
    sum += share.parts();
    if (sum > Chance::one + Chance::one / 2) break;
    parts_.push_back({flits_from(part.substr(0, star), flit), sum});
    if (more && rest.empty()) throw Error("\"{}\": nothing behind the +", text.substr(0, 60));
  }
  constexpr std::uint64_t tolerance = Chance::one >> 28;  // three times 0.333333333
  if (sum < Chance::one - tolerance || sum > Chance::one + tolerance)
    throw Error("\"{}\": the shares do not add up to 1", text.substr(0, 60));
  parts_.back().below = Chance::one;
}

std::uint32_t Lengths::longest() const {
  return std::max_element(
             parts_.begin(), parts_.end(),
             [](const LengthShare& a, const LengthShare& b) { return a.flits < b.flits; })
      ->flits;
}

Chance Lengths::packets_at(Chance load) const {
  Wide mean = 0;  // flits, in 2^-63
  std::uint64_t before = 0;
  for (const LengthShare& part : parts_) {
    mean += Wide{part.below - before} * part.flits;
    before = part.below;
  }
  return Chance(static_cast<std::uint64_t>((Wide{load.parts()} << 63) / mean));
}

}  // namespace weft::sim
