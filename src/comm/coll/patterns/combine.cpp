// SPDX-License-Identifier: Apache-2.0
// Combining the operands of a reduction.
#include "comm/coll/patterns/combine.hpp"

#include "base/error.hpp"

namespace weft::comm {

Task combine(const Team& team, const Reduction& reduction, std::span<const std::byte> left,
             std::span<std::byte> right) {
  invariant(left.size() == right.size(), "operands differ in size");
  if (!right.empty() && !is_unbacked(left) && !is_unbacked(right)) reduction.combine(left, right);
  Endpoint& endpoint = team.endpoint();
  if (endpoint.combining(right.size()).count() > 0) co_await endpoint.combine(right.size());
}

Task combine_into(const Team& team, const Reduction& reduction, std::span<std::byte> mine,
                  std::span<std::byte> came, bool from_lower) {
  if (from_lower || reduction.commutative) return combine(team, reduction, came, mine);
  return [](const Team& at, const Reduction& with, std::span<std::byte> left,
            std::span<std::byte> right) -> Task {
    co_await combine(at, with, left, right);
    co_await copy(at, right, left);
  }(team, reduction, mine, came);
}

void require_commutative(const Reduction& reduction, std::string_view algorithm,
                         std::string_view others) {
  if (!reduction.commutative)
    throw Error(
        "{} does not combine in the order of ranks, and the reduction does not commute: "
        "take {}",
        algorithm, others);
}

}  // namespace weft::comm
