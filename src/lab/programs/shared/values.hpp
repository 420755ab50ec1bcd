// SPDX-License-Identifier: Apache-2.0
// Values that several programs read or report.
#pragma once
#include "lab/programs/program.hpp"

namespace weft {

inline constexpr Bytes most_data{std::int64_t{1} << 32U};
/// "512B" or a plain number of bytes.
inline constexpr BytesText message_size{.most = most_data, .plain = true};
inline constexpr WholeUpTo any_rank{0, "ranks-1"};

constexpr Param iterations_param(std::string_view fallback = "1000") {
  return {"iterations", Whole{1, 1'000'000'000}, fallback, "that are measured"};
}
constexpr Param warmup_param(std::string_view fallback = "10") {
  return {"warmup", Whole{0, 1'000'000'000}, fallback, "iterations before them"};
}

/// The value of a parameter that is a message_size.
std::size_t size_from(const Params& params, std::string_view name);
/// The value of a parameter that is a rank.
comm::Rank rank_from(const Params& params, std::string_view name, const ProgramSetting& setting);
double in_microseconds(Duration time);
double megabytes_per_second(std::size_t bytes, Duration time);

}  // namespace weft
