// SPDX-License-Identifier: Apache-2.0
// The option for threads that move one network.
#pragma once
#include "cli/arguments/arguments.hpp"

namespace weft::cli {

inline void add_threads(Arguments& arguments, std::uint64_t& threads) {
  arguments.option("--threads NUMBER", threads,
                   "that move one network together, with the same results; 0: all cores,\nas far "
                   "as it is large enough to gain");
}

}  // namespace weft::cli
