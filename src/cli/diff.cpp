// SPDX-License-Identifier: Apache-2.0
// weft diff: two fabrics, expected against found, or two tables of one fabric.
#include <memory>
#include <ostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/page.hpp"
#include "cli/subnet.hpp"
#include "cli/verbs.hpp"
#include "fabric/difference.hpp"
#include "fabric/short_names.hpp"
#include "fabric/size_text.hpp"
#include "fabric/without.hpp"
#include "lab/page/difference_section.hpp"
#include "lab/page/fabric_section.hpp"
#include "lab/page/result_sections.hpp"
#include "lab/progress.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "plan/difference/tables_difference.hpp"

namespace weft::cli {
namespace {

struct DiffArguments {
  std::string first, second, third, json, order, without, html;
};

/// What differs, a mark for each kind, on the fabric that was expected.
std::vector<FabricMark> marks_of(const std::vector<FabricDifference>& differences) {
  std::vector<FabricMark> out;
  for (const FabricDifference& each : differences) {
    const std::string name(to_text(each.kind));
    if (out.empty() || out.back().name != name) out.push_back({.name = name});
    if (each.of_switch.valid()) out.back().switches.push_back(each.of_switch);
    if (each.of_host.valid()) out.back().hosts.push_back(each.of_host);
    if (each.of_link.valid()) out.back().links.push_back(each.of_link);
  }
  return out;
}

HtmlPage page_of(const DiffArguments& options, const Fabric& expected,
                 const std::vector<FabricDifference>& differences) {
  HtmlPage page{.title = fmt::format("{} expected, {} found", options.first, options.second)};
  page.add(result_sections(document_of(differences, page.title)));
  if (differences.empty()) page.sections.back()["note"] = "No difference.";
  page.sections.push_back(fabric_section({.fabric = expected, .marks = marks_of(differences)}));
  return page;
}

/// The change of tables, and what was noted about them.
HtmlPage page_of(const DiffArguments& options, const Fabric& fabric, const Tables& before,
                 const Tables& after, const TablesDifference& difference,
                 const std::vector<std::string>& notes) {
  HtmlPage page{.title = fmt::format("{}: {} before, {} after", fabric.name(), options.second,
                                     options.third)};
  for (const std::string& note : notes) page.specs.push_back({"note", note});
  const Checked old_checks = run_checks(fabric, before), new_checks = run_checks(fabric, after);
  const bool are_alike = before.engine == after.engine;  // OpenSM's, say: their files differ
  page.sections.push_back(
      fabric_section({.fabric = fabric,
                      .routings = {{before, &old_checks, are_alike ? options.second : ""},
                                   {after, &new_checks, are_alike ? options.third : ""}},
                      .compared = true}));
  page.add(result_sections(document_of(fabric, difference, page.title)));
  page.sections.push_back(changed_entries_section(fabric, before, after));
  return page;
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
      write_json(out, document_of(found_differences, options.first + ", " + options.second));
    });
  if (!options.html.empty())
    write_page(options.html, page_of(options, expected, found_differences));
  return found_differences.empty() ? exit_fine : exit_found;
}

/// Says so where there is none.
void write_order(const DiffArguments& options, const Fabric& fabric, const UpdateVerdict& verdict,
                 std::ostream& human_output) {
  const auto* order = std::get_if<UpdateOrder>(&verdict);
  if (order == nullptr || (order->updates.empty() && order->cycle)) {
    human_output << fmt::format("order          {} is not written: {}\n", options.order,
                                order == nullptr ? "no order is known to be safe"
                                                 : "switches have no entries of source routes");
    return;
  }
  write_file(options.order,
             [&](std::ostream& out) { write_update_order_csv(out, fabric, *order); });
}

int diff_tables(const DiffArguments& options, std::ostream& human_output) {
  const Fabric whole = find_fabric(options.first);
  const Remainder rest = without(whole, options.without);
  std::vector<std::string> notes;
  const auto in_file = [&](const std::string& name) {
    NotedTables there = noted_tables_in(name, whole);
    for (const std::string& note : there.notes) notes.push_back(fmt::format("{}: {}", name, note));
    return there.tables;
  };
  // Old tables are those of the whole fabric; a routing engine makes new ones for what is left.
  const auto old_tables = [&](const std::string& name) {
    return tables_without(holds_tables(name) ? in_file(name) : find_tables(whole, name), whole,
                          rest);
  };
  const auto new_tables = [&](const std::string& name) {
    return holds_tables(name) ? tables_without(in_file(name), whole, rest)
                              : find_tables(rest.fabric, name);
  };
  const TablesDifference difference = [&] {
    ProgressLine line(stderr);
    line(std::nullopt, "comparing " + options.second + " and " + options.third);
    const Tables before = old_tables(options.second), after = new_tables(options.third);
    TablesDifference compared = compare_tables(rest.fabric, before, after);
    if (!options.html.empty())
      write_page(options.html, page_of(options, rest.fabric, before, after, compared, notes));
    return compared;
  }();
  print_notes(notes, human_output);
  if (!rest.note.empty()) human_output << ShortNames(whole).in(rest.note) << '\n';
  human_output << fmt::format("{} before, {} after, on {}\n", options.second, options.third,
                              rest.fabric.name());
  write_differences(human_output, with_short_names(rest.fabric), difference);
  if (!options.json.empty())
    write_file(options.json, [&](std::ostream& out) {
      write_json(out, document_of(rest.fabric, difference,
                                  fmt::format("{}, {}, {}", rest.fabric.name(), options.second,
                                              options.third)));
    });
  const auto* order = std::get_if<UpdateOrder>(&difference.transition);
  if (!options.order.empty())
    write_order(options, rest.fabric, difference.transition, human_output);
  const bool any_order = order != nullptr && order->safe == SafeUpdate::in_any_order;
  const bool can_deadlock = !any_order && !std::holds_alternative<Refused>(difference.transition);
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
  arguments.option("--order FILE", options->order,
                   "write the entries to change, in a safe order, to this file as CSV");
  add_html(arguments, options->html);
  return [options] {
    require_html(options->html);
    std::ostream& human_output = prepare_outputs({options->json, options->order, options->html},
                                                 {options->first, options->second, options->third});
    if (!options->third.empty()) return diff_tables(*options, human_output);
    if (!options->without.empty()) throw Error("diff: --without is for two tables of a fabric");
    if (!options->order.empty()) throw Error("diff: --order is for two tables of a fabric");
    return diff_fabrics(*options, human_output);
  };
}

}  // namespace weft::cli
