// SPDX-License-Identifier: Apache-2.0
// What programs between two ranks share.
#pragma once
#include "lab/programs/shared/values.hpp"

namespace weft {

struct TwoRanks {
  TwoRanks(const Params& params, const ProgramSetting& setting, Laps& to_fill);
  comm::Rank from, to;
  std::size_t bytes, warmup;
  Laps& laps;
};

}  // namespace weft
