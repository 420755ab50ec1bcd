// SPDX-License-Identifier: Apache-2.0
// Values that several programs read or tell.
#pragma once
#include "lab/programs/program.hpp"

namespace weft {

/// "512B" or a plain number of bytes.
std::size_t size_from(const Params& params, std::string_view name);
std::size_t count_from(const Params& params, std::string_view name, std::int64_t least);
double in_microseconds(Duration time);
double megabytes_per_second(std::size_t bytes, Duration time);

}  // namespace weft
