// SPDX-License-Identifier: Apache-2.0
// weft report: results of weft, from their JSON files or pages, as one page.
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

/// What a file of weft shows.
struct ReportedFile {
  HtmlPage page;       ///< sections and specs
  std::string origin;  ///< the command and revision that made it
};

Json read_result(const std::string& text, const std::string& path) {
  try {
    return Json::parse(text);
  } catch (const Json::parse_error&) {
    const bool begins = text.find_first_not_of(" \n\t") == text.find('{');
    throw Error("{}: {}", path,
                begins ? "JSON that ends in the middle, or is damaged"
                       : "neither JSON nor a page; weft writes them by --json and --html");
  }
}

/// The command that wrote a result, which its rows may have, or else what the result is of, and the
/// revision of weft.
std::string origin_of(const Json& document) {
  std::set<std::string> commands;
  for (const Json& row : document.value("rows", Json::array()))
    if (const std::string command = row.value("command", ""); !command.empty())
      commands.insert(command);
  std::string what = document.value("command", commands.size() == 1 ? *commands.begin() : "");
  if (what.empty()) what = document.value("subject", document.value("cluster", ""));
  return fmt::format("{}{}weft {}", what, what.empty() ? "" : "; ",
                     document.value("revision", "of unknown revision"));
}

ReportedFile of_result(const Json& document, bool with_fabrics) {
  const std::string kind = result_kind(document);
  ReportedFile out{.page = {}, .origin = origin_of(document)};
  if (const Json seed = document.value("seed", Json()); seed.is_number())
    out.page.specs.push_back({"seed", seed.dump()});
  if (kind == "page")
    out.page.sections.push_back(papers::paper_section(document));
  else
    out.page.add(result_sections(document));
  if (with_fabrics) add_fabrics(out.page, document);
  return out;
}

/// All that another page shows.
ReportedFile of_page(const Json& data) {
  const Json& made = data.at("made");
  ReportedFile out{
      .page = {},
      .origin = fmt::format("{}; weft {}", made.value("command", ""), made.value("version", ""))};
  out.page.add(data.at("sections").get<std::vector<PageSection>>());
  for (const Json& spec : made.at("specs"))
    out.page.specs.push_back({spec.at("name"), spec.at("value")});
  if (made.contains("seed")) out.page.specs.push_back({"seed", made["seed"]});
  return out;
}

/// Sections of one of several files: their titles say of which, and ids are those of no other.
/// Throws an exception of the JSON parser where they are none.
void set_apart(std::vector<PageSection>& sections, const std::string& path, std::size_t number) {
  const auto apart = [&](Json& id) { id = fmt::format("{}-of-{}", id.get<std::string>(), number); };
  for (PageSection& section : sections) {
    for (const char* key : {"id", "kind", "title"}) section.at(key).get<std::string>();  // throws
    if (number == 0) continue;
    section["title"] = fmt::format("{} ({})", section["title"].get<std::string>(), path);
    apart(section["id"]);
    if (section.contains("marks") && section["kind"] == "rows")
      for (Json& mark : section["marks"])
        if (mark.is_object()) apart(mark["fabric"]);
  }
}

/// `number` tells the files of a report apart; 0: there is only one.
ReportedFile read_reported(const std::string& path, std::size_t number, bool with_fabrics) {
  const std::string text = read_file(path);
  try {
    const std::size_t first = text.find_first_not_of(" \n\t\r");
    const bool is_page = first != std::string::npos && text[first] == '<';
    ReportedFile out =
        is_page ? of_page(page_data(text, path)) : of_result(read_result(text, path), with_fabrics);
    set_apart(out.page.sections, path, number);
    return out;
  } catch (const Json::exception&) {
    throw Error("{}: a result, but not as weft writes it", path);
  } catch (const Error& error) {
    const std::string said = error.what();
    throw Error("{}", said.starts_with(path) ? said : fmt::format("{}: {}", path, said));
  }
}

int report(const ReportArguments& options) {
  require_html(options.out);
  if (options.files.empty() && options.fabric.empty())
    throw Error("report: which results? Files that weft wrote with --json or --html");
  std::vector<std::string> inputs = options.files;
  inputs.push_back(options.fabric);
  std::ostream& human_output = prepare_outputs({options.out}, inputs);
  HtmlPage page{.title = options.title};
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    const std::size_t number = options.files.size() > 1 ? i + 1 : 0;
    ReportedFile file = read_reported(options.files[i], number, options.fabric.empty());
    page.add(std::move(file.page.sections));
    page.specs.push_back({options.files[i], file.origin});
    page.specs.insert(page.specs.end(), file.page.specs.begin(), file.page.specs.end());
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
  arguments.words("results", options->files,
                  "files that weft wrote with --json, or pages that it wrote with --html");
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
