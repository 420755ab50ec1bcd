// SPDX-License-Identifier: Apache-2.0
// How many routes the links carry.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "plan/check/survey.hpp"

namespace weft {

struct LinkLoad {
  double most = 0;
  ChannelId busiest{};  ///< none when there are no links between switches
  double mean = 0, deviation = 0;
  std::size_t unused = 0;  ///< channels that no route takes
};

LinkLoad link_load(const Fabric& fabric, const Survey& survey);
LinkLoad link_load(const Fabric& fabric, const IdVector<ChannelId, double>& loads);

/// Channels by load, in `bins` equal ranges from 0 to the largest load.
std::vector<std::size_t> load_histogram(const Survey& survey, std::size_t bins);

/// "56 routes", or "5.33 routes".
std::string routes_text(double routes);

}  // namespace weft
