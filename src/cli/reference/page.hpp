// SPDX-License-Identifier: Apache-2.0
// A page of the reference: sections with prose, commands and tables. It is printed as text by
// `weft help`, as a manual page for man(1), and as Markdown for docs/reference.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

namespace weft::cli {

/// Its last column is prose; the others are what people type or read in files.
struct ReferenceTable {
  std::vector<std::string> heading{};
  std::vector<std::vector<std::string>> lines{};
};

struct ReferenceSection {
  std::string title;     ///< empty: more of the section before
  int depth = 1;         ///< 2: below the last section of depth 1
  std::string about{};   ///< prose
  std::string syntax{};  ///< lines to type, kept as they are
  ReferenceTable table{};
};

struct ReferencePage {
  std::string name;        ///< "weft-results"
  int manual_section = 1;  ///< of man(1): 1 commands, 5 files, 7 the rest
  std::string summary;     ///< what it is about, in a line
  std::string about{};     ///< prose
  std::vector<ReferenceSection> sections{};
};

void write_text(std::ostream& out, const ReferencePage& page);
void write_text(std::ostream& out, const ReferenceSection& section);
void write_manual(std::ostream& out, const ReferencePage& page);
void write_markdown(std::ostream& out, const ReferencePage& page);

}  // namespace weft::cli
