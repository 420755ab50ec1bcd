// SPDX-License-Identifier: Apache-2.0
// The bit-sliced path for blocks of four words.
#include "sim/flit/bitsliced/make_kernel.hpp"

namespace weft::sim {

template std::unique_ptr<BitSliced> make_bit_sliced_of<4>(const PipelineUnits&, SliceSizes);

}  // namespace weft::sim
