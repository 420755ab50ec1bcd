// SPDX-License-Identifier: Apache-2.0
// Pages on the command line.
#include "cli/page.hpp"

#include <deque>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "lab/page/fabric_section.hpp"

namespace weft::cli {

void add_html(Arguments& arguments, std::string& path) {
  arguments.option("--html FILE", path,
                   "write a page that shows it to this file: HTML, opens in any browser");
}

void require_html(const std::string& path) {
  if (path.empty() || path == "-" || path.ends_with(".html")) return;
  throw Error("{}: a page is x.html", path);
}

void write_page(const std::string& path, HtmlPage page) {
  page.command = command_line();
  write_file(path, [&](std::ostream& out) { write_html(out, page); });
}

PageSection section_of_fabric(const std::string& fabric_name,
                              const std::vector<std::string>& engines, RefusingEngines refusing) {
  const Fabric fabric = find_fabric(fabric_name);
  std::deque<Tables> tables;  // which sections refer to
  std::deque<Checked> checked;
  PageFabric shown{.fabric = fabric};
  for (const std::string& engine : engines) {
    try {
      tables.push_back(find_tables(fabric, engine));
    } catch (const Error&) {
      if (refusing == RefusingEngines::throw_error) throw;
      continue;
    }
    checked.push_back(run_checks(fabric, tables.back()));
    shown.routings.push_back({tables.back(), &checked.back()});
  }
  return fabric_section(shown);
}

}  // namespace weft::cli
