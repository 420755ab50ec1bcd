// SPDX-License-Identifier: Apache-2.0
// weft help: the help of a verb, or a page of the reference; as text, for man(1), or as Markdown.
#include <filesystem>
#include <iostream>
#include <memory>

#include "base/catalog.hpp"
#include "base/files.hpp"
#include "cli/reference/catalogues.hpp"
#include "cli/reference/topics.hpp"
#include "cli/verbs.hpp"

namespace weft::cli {
namespace {

struct HelpArguments {
  std::string about, folder;
  bool man = false, markdown = false;
};

template <class Rows>
auto find_named(const Rows& rows, std::string_view name) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.name == name; });
  return found == rows.end() ? nullptr : &*found;
}

/// Throws Error with all verbs and topics.
[[noreturn]] void reject_topic(std::string_view name) {
  if (const std::string command = command_for_row(name); !command.empty())
    throw Error("help: \"{}\" is an entry of a catalogue: {}", name, command);
  std::vector<std::string_view> known = names_of(verbs());
  for (const Topic& topic : topics()) known.push_back(topic.name);
  throw Error("help: there is no verb or topic \"{}\"; there are: {}{}", name.substr(0, 60),
              fmt::join(known, " "), suggestion(name, known));
}

/// The page of "", "weft", "sim", "weft-sim" or "results".
ReferencePage find_page(std::string_view name) {
  if (name.empty() || name == "weft") return page_of_program();
  const std::string_view word = name.starts_with("weft-") ? name.substr(5) : name;
  if (const Verb* verb = find_named(verbs(), word)) return page_of(*verb);
  if (const Topic* topic = find_named(topics(), word)) return page_of(*topic);
  reject_topic(name);
}

/// man1/weft-sim.1 and the other pages, in a folder that is made where there is none.
void write_manual_pages(const std::filesystem::path& folder) {
  for (const ReferencePage& page : manual_pages()) {
    const auto below = folder / fmt::format("man{}", page.manual_section);
    std::error_code problem;
    std::filesystem::create_directories(below, problem);
    if (!std::filesystem::is_directory(below, problem))
      throw Error("{}: no folder of this name can be made", below.string());
    write_file((below / fmt::format("{}.{}", page.name, page.manual_section)).string(),
               [&](std::ostream& out) { write_manual(out, page); });
  }
}

void print_help(const HelpArguments& options) {
  if (options.man || options.markdown) {
    const ReferencePage page = find_page(options.about);
    options.man ? write_manual(std::cout, page) : write_markdown(std::cout, page);
  } else if (options.about.empty()) {
    std::cout << overview();
  } else if (const Verb* verb = find_named(verbs(), options.about)) {
    std::cout << help_of(*verb);
  } else {
    write_text(std::cout, find_page(options.about));
  }
}

}  // namespace

Action add_help(Arguments& arguments) {
  auto options = std::make_shared<HelpArguments>();
  std::string help = "a verb, or one of these:";
  for (const Topic& topic : topics()) help += fmt::format("\n{}: {}", topic.name, topic.summary);
  arguments.optional("topic", options->about, help);
  arguments.flag("--man", options->man, "as a manual page: weft help --man sim | man -l -");
  arguments.flag("--markdown", options->markdown, "as Markdown");
  arguments.option("--man-pages DIR", options->folder, "write all manual pages to this folder");
  return [options] {
    if (options->man && options->markdown) throw Error("help: --man or --markdown, not both");
    if (!options->folder.empty())
      write_manual_pages(options->folder);
    else
      print_help(*options);
    return exit_fine;
  };
}

}  // namespace weft::cli
