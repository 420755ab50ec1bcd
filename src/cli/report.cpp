// SPDX-License-Identifier: Apache-2.0
// weft report: results of weft, from their JSON files, as one page.
#include <iostream>
#include <memory>
#include <set>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/page.hpp"
#include "cli/verbs.hpp"
#include "lab/page/result_sections.hpp"
#include "papers/runner/html_page.hpp"

namespace weft::cli {
namespace {

using Json = nlohmann::ordered_json;

struct ReportArguments {
  std::vector<std::string> files, engines;
  std::string fabric, out = "report.html", title;
};

Json read_result(const std::string& path) {
  const std::string text = read_file(path);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error&) {
    const bool begins = text.find_first_not_of(" \n\t") == text.find('{');
    throw Error("{}: {}", path,
                begins ? "JSON that ends in the middle, or is damaged"
                       : "no JSON; results are written by --json FILE");
  }
}

/// The values of a key in the rows of a result, each once, in their order.
std::vector<std::string> values_of(const Json& document, const char* key) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const Json& row : document.value("rows", Json::array()))
    if (const Json value = row.value(key, Json()); value.is_string())
      if (const std::string text = value; seen.insert(text).second) out.push_back(text);
  return out;
}

/// The fabrics that a study compared, with its engines, where they can still be made.
void add_fabrics(HtmlPage& page, const Json& document) {
  if (result_kind(document) != "study" || !document.value("without", "").empty()) return;
  for (const std::string& fabric : values_of(document, "topology")) try {
      page.sections.push_back(
          section_of_fabric(fabric, values_of(document, "engine"), RefusingEngines::left_out));
    } catch (const Error&) {
      continue;  // a file that is gone, say: its rows are there
    }
}

void add_result(HtmlPage& page, const Json& document, bool with_fabrics) {
  if (result_kind(document) == "page")
    page.sections.push_back(papers::paper_section(document));
  else
    page.add(result_sections(document));
  if (with_fabrics) add_fabrics(page, document);
}

/// The command that wrote a result, which its rows may have, and the revision of weft.
std::string origin_of(const Json& document) {
  const std::vector<std::string> commands = values_of(document, "command");
  const std::string command =
      document.value("command", commands.size() == 1 ? commands.front() : "");
  return fmt::format("{}{}weft {}", command, command.empty() ? "" : "; ",
                     document.value("revision", "of unknown revision"));
}

int report(const ReportArguments& options) {
  require_html(options.out);
  if (options.files.empty() && options.fabric.empty())
    throw Error("report: which results? JSON files that weft wrote with --json");
  std::vector<std::string> inputs = options.files;
  inputs.push_back(options.fabric);
  std::ostream& human_output = prepare_outputs({options.out}, inputs);
  HtmlPage page{.title = options.title};
  for (const std::string& path : options.files) {
    const Json document = read_result(path);
    try {
      add_result(page, document, options.fabric.empty());
      page.specs.push_back({path, origin_of(document)});
    } catch (const Json::exception&) {
      throw Error("{}: a result, but not as weft writes it", path);
    } catch (const Error& error) {
      throw Error("{}: {}", path, error.what());
    }
  }
  if (!options.fabric.empty())
    page.sections.push_back(
        section_of_fabric(options.fabric, options.engines, RefusingEngines::throw_error));
  if (page.title.empty())
    page.title =
        options.files.empty() ? options.fabric : fmt::format("{}", fmt::join(options.files, ", "));
  write_page(options.out, page);
  if (options.out != "-") human_output << fmt::format("{} is written\n", options.out);
  return exit_fine;
}

}  // namespace

Action add_report(Arguments& arguments) {
  auto options = std::make_shared<ReportArguments>();
  arguments.words("results", options->files, "JSON files that weft wrote with --json");
  arguments.option("--fabric FABRIC", options->fabric,
                   "show this fabric, too: a fabric file or a topology …");
  arguments.words("--tables TABLES", options->engines,
                  "… with these tables: files, or routing engines, one word each");
  arguments.option("--title WORDS", options->title,
                   "of the page; otherwise the names of the files");
  arguments.option("-o,--output FILE", options->out, "the page: x.html");
  return [options] { return report(*options); };
}

}  // namespace weft::cli
