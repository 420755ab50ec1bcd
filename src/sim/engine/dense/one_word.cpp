// SPDX-License-Identifier: Apache-2.0
// Dense networks of one word a block.
#include "sim/engine/dense/make_of.hpp"

namespace weft::sim {

template std::unique_ptr<Dense> make_dense_of<1>(State&, Sizes);

}  // namespace weft::sim
