// SPDX-License-Identifier: Apache-2.0
// The pages of the program and of its verbs, made from what they declare of their arguments.
#include <fmt/format.h>

#include <algorithm>

#include "cli/reference/topics.hpp"

namespace weft::cli {
namespace {

ReferenceSection section_of_exit_codes() {
  ReferenceSection section{.title = "Exit status", .table = {{"code", "meaning"}, {}}};
  for (const ExitCode& code : exit_codes)
    section.table.lines.push_back({std::to_string(code.code), std::string(code.meaning)});
  return section;
}

/// "weft route fabric engine [options]".
std::string synopsis_of(const Verb& verb, const Takes& known) {
  std::string out = fmt::format("weft {}", verb.name);
  for (const Takes::Positional& place : known.places)
    out += place.required ? " " + place.name
                          : fmt::format(" [{}{}]", place.name, place.many ? " ..." : "");
  return out + " [options]";
}

ReferenceTable arguments_of(const Takes& known) {
  ReferenceTable table{{"argument", "default", "meaning"}, {}};
  for (const Takes::Positional& place : known.places)
    table.lines.push_back({place.name, place.fallback, place.help});
  return table;
}

/// "-o, --output FILE".
ReferenceTable options_of(const Takes& known) {
  ReferenceTable table{{"option", "default", "meaning"}, {}};
  for (const Takes::Option& option : known.options)
    table.lines.push_back(
        {fmt::format("{}{}{}{}", fmt::join(option.names, ", "), option.value.empty() ? "" : " ",
                     option.value, option.many ? " ..." : ""),
         option.fallback, option.help});
  return table;
}

/// weft verify shares its page with the program weft-verify, which does the same alone.
ReferenceSection section_of_verifier() {
  return {.title = "The program weft-verify",
          .about =
              "verifies the same and shares no code with weft. It reads weft's own text only, with "
              "all ports written, as weft make and weft route write it. Its exit status is 0 where "
              "the certificate holds, 1 where it does not, 2 for wrong input. With --help or "
              "--version alone it prints its help or version.",
          .syntax = "weft-verify FABRIC TABLES CERTIFICATE"};
}

ReferenceSection see_also(const std::string& but) {
  std::string names;
  const auto add = [&](const std::string& name, int manual) {
    if (name != but) names += fmt::format("{}{}({})", names.empty() ? "" : ", ", name, manual);
  };
  add("weft", 1);
  for (const Verb& verb : verbs()) add(fmt::format("weft-{}", verb.name), 1);
  for (const Topic& topic : topics()) add(fmt::format("weft-{}", topic.name), topic.manual_section);
  return {.title = "See also", .about = names};
}

}  // namespace

ReferencePage page_of(const Verb& verb) {
  const Takes known = takes(verb);
  ReferencePage page{fmt::format("weft-{}", verb.name), 1, std::string(verb.summary)};
  page.sections.push_back({.title = "Synopsis", .syntax = synopsis_of(verb, known)});
  if (!known.places.empty())
    page.sections.push_back({.title = "Arguments", .table = arguments_of(known)});
  page.sections.push_back({.title = "Options", .table = options_of(known)});
  if (verb.name == "verify") page.sections.push_back(section_of_verifier());
  page.sections.push_back(section_of_exit_codes());
  page.sections.push_back({.title = "Example", .syntax = std::string(verb.example)});
  page.sections.push_back(see_also(page.name));
  return page;
}

ReferencePage page_of_program() {
  ReferencePage page{"weft", 1, "laboratory for cluster interconnects"};
  page.sections.push_back(
      {.title = "Synopsis", .syntax = "weft VERB ...\nweft --help\nweft --version"});
  page.sections.push_back(
      {.title = "Description",
       .about = "Describes or imports a fabric, routes it, proves it free of deadlock or names "
                "the dependency cycle, simulates it flit by flit, and runs communication "
                "programs on it in virtual time. A file name - means standard input or "
                "output. weft help VERB prints the options of a verb, weft list KIND NAME the "
                "parameters of an entry of a catalogue."});
  ReferenceSection list{.title = "Verbs", .table = {{"verb", "meaning"}, {}}};
  for (const Verb& verb : verbs())
    list.table.lines.push_back({std::string(verb.name), std::string(verb.summary)});
  page.sections.push_back(std::move(list));
  page.sections.push_back(section_of_exit_codes());
  page.sections.push_back({.title = "Example",
                           .syntax = "weft make torus:dims=4x4,hosts=2 -o torus.toml\n"
                                     "weft route torus.toml dor -o torus.tables\n"
                                     "weft sim torus.toml torus.tables --load 0.3"});
  page.sections.push_back(see_also(page.name));
  return page;
}

std::vector<ReferenceSection> option_sections() {
  std::vector<ReferenceSection> out;
  for (const Verb& verb : verbs()) {
    const Takes known = takes(verb);
    out.push_back({.title = fmt::format("weft {}", verb.name),
                   .about = std::string(verb.summary),
                   .syntax = synopsis_of(verb, known),
                   .table = arguments_of(known)});
    out.push_back({.title = "", .table = options_of(known)});
  }
  out.push_back(section_of_exit_codes());
  return out;
}

std::vector<ReferencePage> manual_pages() {
  std::vector<ReferencePage> out{page_of_program()};
  for (const Verb& verb : verbs()) out.push_back(page_of(verb));
  for (const Topic& topic : topics()) out.push_back(page_of(topic));
  return out;
}

}  // namespace weft::cli
