// SPDX-License-Identifier: Apache-2.0
// All catalogues side by side: what `weft list` prints and the reference documents.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/param.hpp"
#include "cli/reference/page.hpp"

namespace weft::cli {

/// A row of any catalogue.
struct ListedItem {
  std::string name, summary;
  std::vector<Param> params{};
  std::string more{};  ///< the command that says more, where it is not weft list
};

struct Listing {
  std::string_view name;   ///< "engines"
  std::string_view about;  ///< what they are, and where one is given
  std::vector<ListedItem> (*entries)();
};

std::span<const Listing> listings();
/// The command that prints the row of this name of some catalogue, "weft list nics hca"; or
/// nothing.
std::string command_for_row(std::string_view name);
/// Throws Error with all names, or with the command for a row of this name.
const Listing& find_listing(std::string_view name);
/// The rows of this name: one, or several where a barrier and a broadcast share it. Throws Error
/// with all names. Parameters may follow the name: "hca:post=1ns".
std::vector<ListedItem> find_items(const Listing& listing, std::string_view name);

/// The parameters of a row: name, default, values, meaning.
ReferenceTable table_of(const std::vector<Param>& params);

}  // namespace weft::cli
