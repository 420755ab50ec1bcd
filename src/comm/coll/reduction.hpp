// SPDX-License-Identifier: Apache-2.0
// Reduction: how the operands of members are combined.
#pragma once
#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>

namespace weft::comm {

/// An associative operation on elements of some size. `combine` writes left[i] op right[i] to the
/// place of right[i]; what is on the left comes from lower ranks.
struct Reduction {
  std::size_t element = 1;
  bool commutative = true;
  void (*combine)(std::span<const std::byte> left, std::span<std::byte> right_and_result) = nullptr;
};

/// For unbacked data, which nobody combines.
inline Reduction unspecified(std::size_t element) { return {.element = element}; }

/// Combines elements one by one: `elementwise<int, std::bit_xor<int>>()`.
template <class T, class Operation>
requires std::is_trivially_copyable_v<T> Reduction elementwise(bool commutative = true) {
  return {sizeof(T), commutative, [](std::span<const std::byte> left, std::span<std::byte> right) {
            for (std::size_t at = 0; at < right.size(); at += sizeof(T)) {
              T a, b;  // copied, as nobody promises that they are aligned
              std::memcpy(&a, left.data() + at, sizeof(T));
              std::memcpy(&b, right.data() + at, sizeof(T));
              b = Operation()(a, b);
              std::memcpy(right.data() + at, &b, sizeof(T));
            }
          }};
}
/// The sum; of integers modulo 2^n, so that it does not overflow and is associative.
template <class T>
struct WrappedSum {
  T operator()(T left, T right) const {
    if constexpr (std::is_integral_v<T>) {
      using Unsigned = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<Unsigned>(left) + static_cast<Unsigned>(right));
    } else {
      return left + right;
    }
  }
};
template <class T>
Reduction sum_of() {
  return elementwise<T, WrappedSum<T>>();
}

}  // namespace weft::comm
