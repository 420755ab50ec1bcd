// SPDX-License-Identifier: Apache-2.0
// Makes the BitSlicedKernel that fits a network and the machine. There is one file for each number
// of words of a block, so that they are compiled side by side.
#pragma once
#include <memory>

#include "sim/flit/bitsliced/allocate_lanes.hpp"
#include "sim/flit/bitsliced/choose_ports.hpp"
#include "sim/flit/bitsliced/crossbars.hpp"
#include "sim/flit/bitsliced/empty_lanes.hpp"
#include "sim/flit/bitsliced/kernel.hpp"
#include "sim/flit/bitsliced/nics.hpp"
#include "sim/flit/bitsliced/packets.hpp"
#include "sim/flit/bitsliced/plain_packets.hpp"

namespace weft::sim {

// clang inlines only one level for `flatten` and so compiles next to nothing for AVX2.
#if defined(__x86_64__) && !defined(__clang__)
#define WEFT_WITH_AVX2
#endif

#ifdef WEFT_WITH_AVX2
/// A BitSlicedKernel compiled for AVX2, BMI and POPCNT, where every x86_64 machine has vectors of
/// two words only: for blocks of one word it gains nothing. The attribute `flatten` inlines all
/// that a cycle calls, and so has it compiled for the same instructions.
template <class Base>
class WithAvx2 final : public Base {
 public:
  using Base::Base;
  std::unique_ptr<BitSliced> make_part(const PipelineUnits& of,
                                       const std::vector<Index>& switches) override {
    return std::make_unique<WithAvx2>(*this, of, switches);
  }
  static bool runs_here() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  }
  [[gnu::target("avx2,bmi,bmi2,popcnt"), gnu::flatten]] void receive() override { Base::receive(); }
  [[gnu::target("avx2,bmi,bmi2,popcnt"), gnu::flatten]] bool step() override {
    return Base::step();
  }
};
#endif

template <Index ports, Index lanes, Index wide>
std::unique_ptr<BitSliced> make_here(const PipelineUnits& of, SliceSizes sizes) {
  using Kernel = BitSlicedKernel<ports, lanes, wide>;
#ifdef WEFT_WITH_AVX2
  if constexpr (wide > 1)
    if (WithAvx2<Kernel>::runs_here()) return std::make_unique<WithAvx2<Kernel>>(of, sizes);
#endif
  return std::make_unique<Kernel>(of, sizes);
}

template <Index wide>
std::unique_ptr<BitSliced> make_bit_sliced_of(const PipelineUnits& of, SliceSizes sizes) {
  if (!made_for(sizes)) return make_here<0, 0, wide>(of, sizes);
  if (sizes.lanes == 1) return make_here<5, 1, wide>(of, sizes);
  if (sizes.lanes == 2) return make_here<5, 2, wide>(of, sizes);
  return make_here<5, 4, wide>(of, sizes);
}

}  // namespace weft::sim
