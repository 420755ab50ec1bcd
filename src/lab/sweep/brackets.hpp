// SPDX-License-Identifier: Apache-2.0
// Brackets in a value make a sweep: "iq:lanes=[1,2,4]", "[0.05..0.4:0.05]", "[8B..1MiB:x4]".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "lab/fields.hpp"

namespace weft {

inline constexpr std::size_t most_points = 100'000;  ///< of a sweep
/// Throws Error for more.
void require_few(std::size_t points);

/// Expands a text with brackets; several brackets multiply, the last one varying fastest. Within a
/// bracket commas separate the values, or bars where it has any: then a value may have commas, or
/// be empty. "1..9:2" is 1, 3, 5, 7, 9, and "1..9" goes by ones; "0.1..0.5" lacks its step.
/// "1..8:x2" is 1, 2, 4, 8. Sizes make ranges, too: "8B..1KiB:x4", "1KiB..4KiB:1KiB". Texts that do
/// not begin with a number, such as ../torus.toml, stay as they are. Throws Error.
std::vector<std::string> expand(std::string_view text);

/// Every spec of `all` with every value of one of its fields. Throws Error naming the field.
template <class Text, class Request>
std::vector<Text> vary(const std::vector<Text>& all, const Field<Text, Request>& field) {
  std::vector<Text> out;
  for (const Text& one : all) {
    const std::vector<std::string> values =
        parsed(field.name, one.*field.text, [](const std::string& text) { return expand(text); });
    require_few(out.size() + values.size());
    for (const std::string& value : values) {
      out.push_back(one);
      out.back().*field.text = value;
    }
  }
  return out;
}

/// All specs of one with brackets in its fields. They multiply in the order of the fields, the last
/// one varying fastest; the field `fastest`, though, varies before any other. Throws Error.
template <class Text, class Request>
std::vector<Text> expand_fields(const Text& spec, const std::vector<Field<Text, Request>>& fields,
                                std::string Text::*fastest) {
  std::vector<Text> all{spec};
  for (const Field<Text, Request>& field : fields)
    if (field.text != fastest) all = vary(all, field);
  for (const Field<Text, Request>& field : fields)
    if (field.text == fastest) all = vary(all, field);
  return all;
}

/// "load=0.1 seed=2": the values of a point that are not as the sweep's text has them; those that
/// it leaves empty are a cluster's.
template <class Text, class Request>
std::string point_name(const Text& sweep, const Text& point,
                       const std::vector<Field<Text, Request>>& fields) {
  std::string out;
  for (const Field<Text, Request>& field : fields)
    if (!(sweep.*field.text).empty() && point.*field.text != sweep.*field.text)
      out += fmt::format("{}{}={}", out.empty() ? "" : " ", field.name, point.*field.text);
  return out;
}

}  // namespace weft
