// SPDX-License-Identifier: Apache-2.0
// What fits of constants to published points have in common. A constant has `keys` (one, or two
// with a space between them, that have the same value), a `unit`, and says whether it is
// `of_library` or of the NIC.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/params.hpp"
#include "lab/cluster/cluster.hpp"
#include "papers/runner/page.hpp"

namespace weft::papers {

/// The spec with other values for those of the constants that it has.
template <class Constants, class Values>
std::string with_constants(const std::string& text, const Constants& constants,
                           const Values& values, bool library) {
  Spec spec = Spec::parse(text);
  for (std::size_t i = 0; i < constants.size(); ++i) {
    if (constants[i].of_library != library) continue;
    const std::string keys = constants[i].keys;
    const std::size_t gap = keys.find(' ');
    for (const std::string& key :
         {keys.substr(0, gap), gap == std::string::npos ? "" : keys.substr(gap + 1)})
      if (const auto found = spec.values.find(key); found != spec.values.end())
        found->second = fmt::format("{:.0f}{}", values[i], constants[i].unit);
  }
  return spec.text();
}

/// The constant as a cluster's specs have it.
template <class Constant>
double written(const Cluster& cluster, const Constant& constant) {
  const Spec spec = Spec::parse(constant.of_library ? cluster.library : cluster.nic);
  const std::string keys = constant.keys;
  const auto found = spec.values.find(keys.substr(0, keys.find(' ')));
  return found == spec.values.end() ? 0 : std::stod(found->second);
}

}  // namespace weft::papers
