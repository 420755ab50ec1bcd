// SPDX-License-Identifier: Apache-2.0
// HtmlPage: one self-contained HTML file that shows sections (a fabric, charts, tables, time lines,
// papers). The script that draws them is page/ of the source tree; page/src/data.ts says what is in
// a section. Sections are made by the other files of this room.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {

using PageSection = nlohmann::ordered_json;

/// "topology" and "torus:dims=4x4".
struct PageSpec {
  std::string name, value;
};

struct HtmlPage {
  std::string title{};
  std::string command{};  ///< that made it
  std::vector<PageSpec> specs{};
  std::optional<std::uint64_t> seed{};
  std::vector<PageSection> sections{};

  void add(std::vector<PageSection> more) {
    for (PageSection& section : more) sections.push_back(std::move(section));
  }
};

/// Large data are compressed. Sections of the same id get numbers: "rows", "rows-2".
void write_html(std::ostream& out, const HtmlPage& page);

/// The columns of a table, which begin as empty lists.
nlohmann::ordered_json page_columns(std::initializer_list<const char*> names);

/// The data of a page that weft wrote: title, what made it, and sections. Throws Error, or an
/// exception of the JSON parser where they are damaged.
nlohmann::ordered_json page_data(std::string_view html, const std::string& name);

}  // namespace weft
