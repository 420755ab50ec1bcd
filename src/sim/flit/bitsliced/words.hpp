// SPDX-License-Identifier: Apache-2.0
// Arithmetic on words whose bits stand for switches: a word or several at a time.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>

#include "sim/flit/bitsliced/word_layout.hpp"

// How a function passes such a vector depends on the instructions it is compiled for. So whatever
// takes or returns one by value is always inlined; CMakeLists.txt silences the warning of
// compilers that do not see that.

namespace weft::sim {

/// Several words, for vector instructions where there are some.
template <Index wide>
struct WordVector {
  using Type __attribute__((vector_size(8 * wide))) = Word;
};
template <>
struct WordVector<1> {
  using Type = Word;
};

template <class W>
[[gnu::always_inline]] inline W load(const Word* from) {
  W out;
  std::memcpy(&out, from, sizeof(W));
  return out;
}
template <class W>
[[gnu::always_inline]] inline void store(Word* to, W what) {
  std::memcpy(to, &what, sizeof(W));
}
inline Word part(Word words, Index) { return words; }
template <class W>
[[gnu::always_inline]] inline Word part(W words, Index i) {
  return words[i];
}
template <class W>
[[gnu::always_inline]] inline bool any(W words) {
  Word out = 0;
  for (Index i = 0; i < sizeof(W) / 8; ++i) out |= part(words, i);
  return out != 0;
}
template <class W>
[[gnu::always_inline]] inline std::uint64_t count(W words) {
  std::uint64_t out = 0;
  for (Index i = 0; i < sizeof(W) / 8; ++i)
    out += static_cast<std::uint64_t>(std::popcount(part(words, i)));
  return out;
}

template <class W>
[[gnu::always_inline]] inline W rotate(W words, int places) {
  return (words << places) | (words >> (64 - places) % 64);
}
/// The same words for every one of several lanes.
template <class G, class W>
[[gnu::always_inline]] inline G spread(W words) {
  if constexpr (sizeof(G) == sizeof(W))
    return words;
  else
    return G{words, words};
}
/// What is in one of several lanes.
template <class W, class G>
[[gnu::always_inline]] inline W gather(G lanes) {
  if constexpr (sizeof(G) == sizeof(W))
    return lanes;
  else
    return lanes[0] | lanes[1];
}

/// The bits `bit` of so many words, `apart` from each other.
template <Index apart>
inline std::uint64_t column(const Word* words, Index count, Index bit) {
  std::uint64_t out = 0;
  Index i = 0;
  if constexpr (apart == 1) {
    using Two = WordVector<2>::Type;
    const Word mask = Word{1} << bit;
    const Two masks{mask, mask};
    Two all{}, place{1, 2};
    for (; i + 2 <= count; i += 2, place <<= 2)
      all |= static_cast<Two>((load<Two>(words + i) & masks) != 0) & place;
    out = all[0] | all[1];
  }
  for (; i < count; ++i) out |= (words[i * apart] >> bit & 1) << i;
  return out;
}

/// Round robin in each switch: the first of the requests from the pointer on, and round. The mask
/// of the pointer is `turn(i)`, or a word.
template <class W, class Turn>
inline void first_by(const W* requests, Turn turn, W* out, Index count) {
  W taken{};
  for (Index i = 1; i < count; ++i) {
    const W late = requests[i] & turn(i);
    out[i] = late & ~taken;
    taken |= late;
  }
  out[0] = requests[0] & ~taken;
  taken |= requests[0];
  for (Index i = 1; i < count; ++i) {
    out[i] |= requests[i] & ~taken;
    taken |= requests[i];
  }
}
template <class W>
inline void first_of(const W* requests, const Word* turn, W* out, Index count) {
  first_by(
      requests,
      [turn](Index i)
          __attribute__((always_inline)) { return load<W>(turn + i * (sizeof(W) / 8)); },
      out, count);
}
/// Where one of `chosen` is set, the pointer moves behind it.
template <class W>
inline void move_turn(const W* chosen, Word* turn, Index count) {
  constexpr Index wide = sizeof(W) / 8;
  W any = chosen[0];
  for (Index i = 1; i < count; ++i) any |= chosen[i];
  W passed = chosen[0];
  for (Index i = 1; i < count; ++i) {
    store(turn + i * wide, (load<W>(turn + i * wide) & ~any) | passed);
    passed |= chosen[i];
  }
}
/// Calls `step` for every bit of a number: most buffers have eight flits, so four is made quick.
template <class Step>
inline void each_bit(Index width, Step step) {
  if (width == 4) {
    for (Index b = 0; b < 4; ++b) step(b);
  } else {
    for (Index b = 0; b < width; ++b) step(b);
  }
}
/// Adds one to the numbers, where `ones` says so. (All bits always: a branch would cost more.)
template <class W>
[[gnu::always_inline]] inline void add(Word* bits, W ones, Index width) {
  each_bit(width, [&](Index b) {
    const W before = load<W>(bits + b * (sizeof(W) / 8));
    store(bits + b * (sizeof(W) / 8), before ^ ones);
    ones &= before;
  });
}
/// And the other way round. Returns where the numbers are not zero then.
template <class W>
[[gnu::always_inline]] inline W subtract(Word* bits, W ones, Index width) {
  W some{};
  each_bit(width, [&](Index b) {
    const W before = load<W>(bits + b * (sizeof(W) / 8)), after = before ^ ones;
    store(bits + b * (sizeof(W) / 8), after);
    some |= after;
    ones &= ~before;
  });
  return some;
}
/// Where a number is below `limit`, which has no more bits.
template <class W>
[[gnu::always_inline]] inline W below(const W* bits, Index width, Index limit) {
  W out{};
  for (Index b = 0; b < width; ++b) out = (limit >> b & 1) != 0 ? out | ~bits[b] : out & ~bits[b];
  return out;
}
/// Where the numbers are not zero.
template <class W>
[[gnu::always_inline]] inline W some_of(const Word* bits, Index width) {
  W out{};
  each_bit(width, [&](Index b) { out |= load<W>(bits + b * (sizeof(W) / 8)); });
  return out;
}

}  // namespace weft::sim
