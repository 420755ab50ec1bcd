// SPDX-License-Identifier: Apache-2.0
// Dense networks of four words a block.
#include "sim/engine/dense/make_of.hpp"

namespace weft::sim {

template std::unique_ptr<Dense> make_dense_of<4>(State&, Sizes);

}  // namespace weft::sim
