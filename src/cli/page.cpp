// SPDX-License-Identifier: Apache-2.0
// Pages on the command line.
#include "cli/page.hpp"

#include <algorithm>
#include <deque>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "fabric/without.hpp"
#include "lab/fields.hpp"
#include "lab/page/fabric_section.hpp"
#include "lab/page/result_sections.hpp"
#include "lab/page/timeline_section.hpp"

namespace weft::cli {

void add_html(Arguments& arguments, std::string& path) {
  arguments.option("--html FILE", path,
                   "write a page that shows it to this file: HTML, opens in any browser");
}

void add_from(Arguments& arguments, std::string& from) {
  arguments.option("--from TIME", from,
                   "the virtual time at which the time line of --html begins, such as\n2ms; "
                   "otherwise 0: pages hold the first 200,000 operations");
}

RecordWindow window_of(const TimelineFiles& files) {
  const auto& [from, html, trace] = files;
  RecordWindow out;
  if (trace.empty()) out.most = most_timeline_operations;
  if (from.empty()) return out;
  if (html.empty()) throw Error("--from is for the time line of a page: --html is needed");
  if (!trace.empty()) throw Error("--from is for the time line of --html: --trace writes all");
  out.from = parsed("--from", from, duration_from);
  return out;
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

namespace {

using Json = nlohmann::ordered_json;

/// The values of a key in the rows of a result, each once, in their order.
std::vector<std::string> values_of(const Json& document, const char* key) {
  std::vector<std::string> out;
  for (const Json& row : document.value("rows", Json::array()))
    if (const Json value = row.value(key, Json()); value.is_string())
      if (std::find(out.begin(), out.end(), value.get<std::string>()) == out.end())
        out.push_back(value);
  return out;
}

/// Where in the fabric the failures of rows are, by row; null for rows of other fabrics.
Json marks_of_failures(const Json& document, const std::string& topology,
                       const std::string& section) {
  const Fabric fabric = find_fabric(topology);
  Json out = Json::array();
  for (const Json& row : document["rows"]) {
    Json& mark = out.emplace_back();
    if (row.value("topology", "") != topology) continue;
    const Removal gone = removal_from(fabric, row.value("without", ""));
    mark = {{"fabric", section},
            {"switches", page_indices(gone.switches)},
            {"links", page_indices(gone.links)},
            {"hosts", page_indices(gone.hosts)}};
  }
  return out;
}

}  // namespace

void add_fabrics(HtmlPage& page, const Json& document) {
  const std::string kind = result_kind(document);
  if ((kind != "study" && kind != "failures") || !document.value("without", "").empty()) return;
  PageSection& rows = page.sections.back();
  std::vector<PageSection> fabrics;
  for (const std::string& topology : values_of(document, "topology")) try {
      PageSection section =
          section_of_fabric(topology, values_of(document, "engine"), RefusingEngines::left_out);
      if (!fabrics.empty()) section["id"] = fmt::format("fabric-{}", fabrics.size() + 1);
      const Json marks =
          kind == "failures" ? marks_of_failures(document, topology, section["id"]) : Json::array();
      fabrics.push_back(std::move(section));
      for (std::size_t i = 0; i < marks.size(); ++i)
        if (!marks[i].is_null()) rows["marks"][i] = marks[i];
    } catch (const Error&) {
      continue;  // a file that is gone, say: its rows are there
    }
  page.add(std::move(fabrics));
}

}  // namespace weft::cli
