// SPDX-License-Identifier: Apache-2.0
// Values that several programs read or tell.
#include "lab/programs/parts/values.hpp"

#include "lab/programs/parts/two_ranks.hpp"

namespace weft {

std::size_t size_from(const Params& params, std::string_view name) {
  constexpr std::int64_t most = std::int64_t{1} << 32U;
  const std::string& text = params.text(name);
  const bool plain = text.find_first_not_of("0123456789") == std::string::npos;
  try {
    const Bytes size = bytes_from(plain ? text + "B" : text);
    if (size.count <= most) return static_cast<std::size_t>(size.count);
  } catch (const Error& error) {
    params.reject(name, error.what());
  }
  params.reject(name, "4GiB is the most");
}

std::size_t count_from(const Params& params, std::string_view name, std::int64_t least) {
  return static_cast<std::size_t>(params.integer(name, least, 1'000'000'000));
}

double in_microseconds(Duration time) { return static_cast<double>(time.count()) / 1e6; }

double megabytes_per_second(std::size_t bytes, Duration time) {
  return time.count() > 0 ? static_cast<double>(bytes) / in_microseconds(time) : 0;
}

TwoRanks::TwoRanks(const Params& params, const ProgramSetting& setting, Laps& to_fill)
    : bytes(size_from(params, "bytes")),
      iterations(count_from(params, "iterations", 1)),
      warmup(count_from(params, "warmup", 0)),
      laps(to_fill) {
  if (setting.ranks() < 2) throw Error("{}: two ranks are needed", params.owner());
  from = static_cast<comm::Rank>(params.integer("from", 0, setting.ranks() - 1));
  to = static_cast<comm::Rank>(params.integer("to", 0, setting.ranks() - 1));
  if (from == to) params.reject("to", "another rank than the first is needed");
  laps.expect(iterations);
}

}  // namespace weft
