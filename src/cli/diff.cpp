// SPDX-License-Identifier: Apache-2.0
// weft diff: two fabrics, expected against found, or two tables of one fabric.
#include <memory>
#include <ostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/subnet.hpp"
#include "cli/verbs.hpp"
#include "fabric/difference.hpp"
#include "fabric/short_names.hpp"
#include "fabric/without.hpp"
#include "lab/progress.hpp"
#include "lab/report/report.hpp"
#include "plan/difference/tables_difference.hpp"

namespace weft::cli {
namespace {

struct DiffArguments {
  std::string first, second, third, json, without;
};

std::string size_text(const Fabric& fabric) {
  return fmt::format("{}, {}, {}", counted(fabric.switch_count(), "switch", "switches"),
                     counted(fabric.host_count(), "host", "hosts"),
                     counted(fabric.link_count(), "link", "links"));
}

int diff_fabrics(const DiffArguments& options, std::ostream& human_output) {
  const Fabric expected = find_fabric(options.first);
  if (names_engine(options.second))
    throw Error(
        "diff: \"{}\" is a routing engine; two tables of a fabric are weft diff FABRIC {} "
        "OTHER",
        options.second, options.second);
  const Fabric found = find_fabric(options.second);
  const auto found_differences = differences(expected, found);
  human_output << fmt::format("expected {} ({})\nfound    {} ({})\n", options.first,
                              size_text(expected), options.second, size_text(found));
  write_differences(human_output, found_differences);
  if (!options.json.empty())
    write_file(options.json, [&](std::ostream& out) {
      write_differences_json(out, found_differences, options.first + ", " + options.second);
    });
  return found_differences.empty() ? exit_fine : exit_found;
}

int diff_tables(const DiffArguments& options, std::ostream& human_output) {
  const Fabric whole = find_fabric(options.first);
  const Remainder rest = without(whole, options.without);
  std::vector<std::string> notes;
  const auto read = [&](const std::string& name) {
    if (!holds_tables(name)) return find_tables(rest.fabric, name);
    NotedTables there = noted_tables_in(name, whole);
    for (const std::string& note : there.notes) notes.push_back(fmt::format("{}: {}", name, note));
    return tables_without(there.tables, whole, rest);
  };
  const TablesDifference difference = [&] {
    ProgressLine line(stderr);
    line(std::nullopt, "comparing " + options.second + " and " + options.third);
    const Tables before = read(options.second);
    return compare_tables(rest.fabric, before, read(options.third));
  }();
  print_notes(notes, human_output);
  if (!rest.note.empty()) human_output << ShortNames(whole).in(rest.note) << '\n';
  human_output << fmt::format("{} before, {} after, on {}\n", options.second, options.third,
                              rest.fabric.name());
  write_differences(human_output, with_short_names(rest.fabric), difference);
  if (!options.json.empty())
    write_file(options.json, [&](std::ostream& out) {
      write_differences_json(
          out, rest.fabric, difference,
          fmt::format("{}, {}, {}", rest.fabric.name(), options.second, options.third));
    });
  const bool can_deadlock = std::holds_alternative<MixedCycle>(difference.transition);
  return difference.changed_entries == 0 && !can_deadlock ? exit_fine : exit_found;
}

}  // namespace

Action add_diff(Arguments& arguments) {
  auto options = std::make_shared<DiffArguments>();
  arguments.required("fabric", options->first,
                     "fabric file or topology: what is expected, or what both tables are of");
  arguments.required("other", options->second,
                     "fabric file or topology that was found; or tables, by a file or a\nrouting "
                     "engine");
  arguments.optional("tables", options->third, "the tables that replace them");
  add_without(arguments, options->without);
  arguments.option("--json FILE", options->json, "write the differences to this file as JSON");
  return [options] {
    std::ostream& human_output =
        prepare_outputs({options->json}, {options->first, options->second, options->third});
    if (!options->third.empty()) return diff_tables(*options, human_output);
    if (!options->without.empty()) throw Error("diff: --without is for two tables of a fabric");
    return diff_fabrics(*options, human_output);
  };
}

}  // namespace weft::cli
