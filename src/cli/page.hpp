// SPDX-License-Identifier: Apache-2.0
// Pages on the command line: the option --html of verbs, and the fabrics that their pages show.
#pragma once
#include <string>
#include <vector>

#include "cli/arguments/arguments.hpp"
#include "lab/page/html_page.hpp"
#include "lab/path/watched_world.hpp"

namespace weft::cli {

/// Adds the option --html.
void add_html(Arguments& arguments, std::string& path);
/// Throws Error for a page that is not to be called x.html, or "-".
void require_html(const std::string& path);

/// Adds the option --from, of time lines.
void add_from(Arguments& arguments, std::string& from);
/// The options of a verb that records operations.
struct TimelineFiles {
  const std::string &from, &html, &trace;
};
/// The operations of the time line of a page: its first ones from a time on, or all where a trace
/// file is wanted as well. Throws Error where options contradict each other.
RecordWindow window_of(const TimelineFiles& files);

/// Writes the page, with the command line that made it.
void write_page(const std::string& path, HtmlPage page);

enum class RefusingEngines {
  throw_error,  ///< what a user asks for is shown, or the reason why not
  left_out,     ///< of the engines of a study, those that serve the fabric
};
/// A fabric with the tables of engines, by their specs or files, and their proofs.
PageSection section_of_fabric(const std::string& fabric, const std::vector<std::string>& engines,
                              RefusingEngines refusing);

/// Adds the fabrics of a study, or of failures, to the page of its document, whose rows are the
/// page's last section: those that can still be made. Failures are marked in their fabric.
void add_fabrics(HtmlPage& page, const nlohmann::ordered_json& document);

}  // namespace weft::cli
