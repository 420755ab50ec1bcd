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
/// For programs whose iterations are alike: expect_iterations() reads it.
inline constexpr Param steady_iterations_param{
    "iterations", Whole{.least = 1, .most = 1'000'000'000, .word = "auto"}, "auto",
    "that are measured; auto: until the mean is known to 1 %"};
constexpr Param warmup_param(std::string_view fallback = "10") {
  return {"warmup", Whole{0, 1'000'000'000}, fallback, "iterations before them"};
}

/// Reads steady_iterations_param.
void expect_iterations(const Params& params, Laps& laps);
/// The value of a parameter that is a message_size.
std::size_t size_from(const Params& params, std::string_view name);
/// The value of a parameter that is a rank.
comm::Rank rank_from(const Params& params, std::string_view name, const ProgramSetting& setting);
double megabytes_per_second(std::size_t bytes, Duration time);

}  // namespace weft
