// SPDX-License-Identifier: Apache-2.0
// The cores that this process may use.
#pragma once
#include <cstddef>

namespace weft {

/// Those that a job has, which may be fewer than the machine's; one or more.
std::size_t usable_cores();

}  // namespace weft
