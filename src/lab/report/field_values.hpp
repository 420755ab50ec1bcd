// SPDX-License-Identifier: Apache-2.0
// The fields of a request as values of JSON: what is a number becomes one.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

namespace weft {

/// "0.1" as a number; any other text as it is.
inline nlohmann::ordered_json number_or_text(const std::string& text) {
  auto value = nlohmann::ordered_json::parse(text, nullptr, false);
  return value.is_number() ? value : nlohmann::ordered_json(text);
}

template <class Spec, class Fields>
void put_fields(nlohmann::ordered_json& row, const Spec& spec, const Fields& fields) {
  for (const auto& field : fields) row[field.name] = number_or_text(spec.*field.text);
}

}  // namespace weft
