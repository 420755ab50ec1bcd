// SPDX-License-Identifier: Apache-2.0
// Values that several programs read or report.
#include "lab/programs/shared/values.hpp"

#include "lab/programs/shared/two_ranks.hpp"

namespace weft {

void expect_iterations(const Params& params, Laps& laps) {
  if (params.is("iterations", "auto"))
    laps.expect_until_steady();
  else
    laps.expect(params.whole<std::size_t>("iterations"));
}

std::size_t size_from(const Params& params, std::string_view name) {
  return static_cast<std::size_t>(params.bytes(name).count);
}

comm::Rank rank_from(const Params& params, std::string_view name, const ProgramSetting& setting) {
  return params.whole_up_to<comm::Rank>(name, setting.ranks() - 1);
}

double megabytes_per_second(std::size_t bytes, Duration time) {
  return time.count() > 0 ? static_cast<double>(bytes) / microseconds_of(time) : 0;
}

TwoRanks::TwoRanks(const Params& params, const ProgramSetting& setting, Laps& to_fill)
    : bytes(size_from(params, "bytes")),
      warmup(params.whole<std::size_t>("warmup")),
      laps(to_fill) {
  if (setting.ranks() < 2) throw Error("{}: two ranks are needed", params.owner());
  from = rank_from(params, "from", setting);
  to = rank_from(params, "to", setting);
  if (from == to) params.reject("to", "another rank than the first is needed");
}

}  // namespace weft
