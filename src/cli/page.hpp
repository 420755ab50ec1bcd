// SPDX-License-Identifier: Apache-2.0
// Pages on the command line: the option --html of verbs, and the fabrics that their pages show.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments/arguments.hpp"
#include "lab/page/html_page.hpp"

namespace weft::cli {

/// Adds the option --html.
void add_html(Arguments& arguments, std::string& path);
/// Throws Error for a page that is not to be called x.html, or "-".
void require_html(const std::string& path);

/// Writes the page, with the command line that made it.
void write_page(const std::string& path, HtmlPage page);

enum class RefusingEngines {
  throw_error,  ///< what a user asks for is shown, or the reason why not
  left_out,     ///< of the engines of a study, those that serve the fabric
};
/// A fabric with the tables of engines, by their specs or files, and their proofs.
PageSection section_of_fabric(const std::string& fabric, const std::vector<std::string>& engines,
                              RefusingEngines refusing);

}  // namespace weft::cli
