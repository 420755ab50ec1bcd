// SPDX-License-Identifier: Apache-2.0
// A catalogue: a visible table of named functions with their parameters. One thing, one row.
#pragma once
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/other_names.hpp"
#include "base/params.hpp"
#include "base/suggestion.hpp"

namespace weft {

template <class Function>
struct Row {
  std::string_view name;
  Function* make;
  std::string_view summary;
  std::vector<Param> params;
};

template <class AnyRow>
std::vector<std::string_view> names_of(std::span<const AnyRow> rows) {
  std::vector<std::string_view> out;
  out.reserve(rows.size());
  for (const AnyRow& row : rows) out.push_back(row.name);
  return out;
}

/// Returns the row called `name`, here or in other tools, or throws Error with all names. `kind` is
/// what a row is: "topology".
template <class AnyRow>
const AnyRow& find_row(std::span<const AnyRow> rows, std::string_view kind, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const AnyRow& row) { return row.name == name; });
  if (found != rows.end()) return *found;
  for (const AnyRow& row : rows) {
    if (row.name != our_name(name)) continue;
    note_other_name(name, row.name);
    return row;
  }
  const std::vector<std::string_view> names = names_of(rows);
  throw Error("no {} is called \"{}\"; there are: {}{}", kind, name.substr(0, 60),
              fmt::join(names, " "), suggestion(name, names));
}

}  // namespace weft
