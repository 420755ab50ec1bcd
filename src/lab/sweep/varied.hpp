// SPDX-License-Identifier: Apache-2.0
// What differs between the runs of a sweep.
#pragma once
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace weft {

/// A field, or a parameter of the program, that differs between runs.
struct VariedValue {
  std::string name{};
  std::vector<std::string> values{};  ///< by run

  bool varies() const {
    return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) != values.end();
  }
};

/// `text` makes the value of a run.
template <class Runs, class Text>
VariedValue values_by_run(std::string name, const Runs& runs, Text text) {
  VariedValue out{std::move(name), {}};
  for (const auto& run : runs) out.values.push_back(text(run));
  return out;
}

inline void add_varied(std::vector<VariedValue>& out, VariedValue value) {
  if (value.varies()) out.push_back(std::move(value));
}

inline bool has_value(const std::vector<VariedValue>& varied, const std::string& name) {
  return std::any_of(varied.begin(), varied.end(),
                     [&](const VariedValue& value) { return value.name == name; });
}

}  // namespace weft
