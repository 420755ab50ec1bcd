// SPDX-License-Identifier: Apache-2.0
// weft route: tables from an engine, checked.
#include "plan/route/route.hpp"

#include <cmath>
#include <memory>
#include <ostream>

#include "cli/arguments/inputs.hpp"
#include "cli/export_tables.hpp"
#include "cli/findings.hpp"
#include "cli/page.hpp"
#include "cli/subnet.hpp"
#include "cli/verbs.hpp"
#include "fabric/without.hpp"
#include "lab/cluster/memory.hpp"
#include "lab/progress.hpp"
#include "lab/report/report.hpp"
#include "plan/repair/sticky.hpp"

namespace weft::cli {
namespace {

struct RouteArguments {
  std::string fabric, engine, without, sticky;
  TablesFile out;
  bool source_routes = false;
  FindingFiles files;
};

/// Throws Error for options that do not go together.
void require_sticky(const RouteArguments& options) {
  if (options.sticky.empty()) return;
  if (!names_engine(options.engine))
    throw Error(
        "route: --sticky keeps what works of old tables, and an engine routes where that fails; {} "
        "is no engine",
        options.engine);
  if (names_engine(options.sticky))
    throw Error("route: --sticky takes old tables, a file or a folder; {} is a routing engine",
                options.sticky);
  if (options.source_routes)
    throw Error("route: --sticky keeps entries of switches, and --source-routes has none");
}

/// "kept 99.7 % of 1234 entries: 37 changed, 35 had to".
std::string describe(const StickyTables& sticky) {
  const auto percent = [](std::uint64_t part, std::uint64_t whole) {
    // Rounded down: 100 % means all.
    return whole == 0
               ? 100
               : std::floor(1000 * static_cast<double>(part) / static_cast<double>(whole)) / 10;
  };
  std::string out = fmt::format("kept {:.1f} % of {} entries: {} changed, {} had to",
                                percent(sticky.entries - sticky.changed, sticky.entries),
                                sticky.entries, sticky.changed, sticky.fewest);
  if (sticky.changed_levels > 0)
    out += fmt::format("; {} of hosts {} another service level",
                       counted(sticky.changed_levels, "pair", "pairs"),
                       sticky.changed_levels == 1 ? "has" : "have");
  return out;
}

/// New tables: those of the engine, or what is left of the old ones, repaired.
/// Adds what is noted about that.
Routed make_tables(const RouteArguments& options, const Fabric& whole, const Remainder& rest,
                   std::vector<std::string>& notes, std::ostream& human_output) {
  if (!options.sticky.empty()) {
    NotedTables old = noted_tables_in(options.sticky, whole);
    print_notes(old.notes, human_output);
    notes.insert(notes.end(), old.notes.begin(), old.notes.end());
    auto made = sticky_tables(rest.fabric, tables_without(old.tables, whole, rest));
    if (auto* sticky = std::get_if<StickyTables>(&made)) {
      notes.push_back(describe(*sticky));
      human_output << notes.back() << '\n';
      return std::move(sticky->tables);
    }
    notes.push_back(fmt::format("nothing is kept of {}: {}; routed anew", options.sticky,
                                std::get<Refused>(made).why));
    human_output << notes.back() << '\n';
  }
  ProgressLine line(stderr);
  line(std::nullopt, "routing " + rest.fabric.name());
  return route(rest.fabric, options.engine);
}

}  // namespace

Action add_route(Arguments& arguments) {
  auto options = std::make_shared<RouteArguments>();
  arguments.required("fabric", options->fabric,
                     "fabric file, or a topology such as torus:dims=4x4");
  arguments.required("engine", options->engine,
                     "routing engine such as dl:lanes=2; weft list engines");
  add_tables_file(arguments, options->out);
  arguments.flag("--source-routes", options->source_routes,
                 "write them as a list of ports per pair");
  arguments.option("--sticky OLD", options->sticky,
                   "keep what works of these tables (a file or folder, for the whole\nfabric): few "
                   "entries change; the engine routes if that fails");
  add_without(arguments, options->without);
  add_files(arguments, options->files);
  return [options] {
    std::ostream& human_output = prepare_outputs(
        {options->out.path, options->files.certificate, options->files.json, options->files.html},
        {options->fabric, options->engine, options->sticky});
    require_sticky(*options);
    require_html(options->files.html);
    find_format(tables_formats(), options->out.format);  // throws before the work
    const Fabric whole = find_fabric(options->fabric);
    const Remainder rest = without(whole, options->without);
    const Fabric& fabric = rest.fabric;
    require_memory(fabric);
    if (!rest.note.empty()) human_output << rest.note << '\n';
    std::vector<std::string> notes;
    if (!rest.note.empty()) notes.push_back(rest.note);
    Routed routed = make_tables(*options, whole, rest, notes, human_output);
    if (const auto* refused = std::get_if<Refused>(&routed)) {
      human_output << fmt::format("{}: {}\n", Spec::parse(options->engine).name, refused->why);
      return exit_found;
    }
    auto& tables = std::get<Tables>(routed);
    if (options->source_routes) tables = as_source_routes(fabric, tables);
    require_lanes(tables, options->files);
    const std::string note = write_tables(options->out, fabric, tables);
    human_output << fmt::format(
        "{} on {}: {}, {}\n", tables.engine, fabric.name(),
        counted(column_count(tables), "destination column", "destination columns"),
        counted(static_cast<std::size_t>(tables.lane_count), "lane", "lanes"));
    const int code = print_findings(fabric, tables, options->files, human_output, notes);
    human_output << note;
    return code;
  };
}

}  // namespace weft::cli
