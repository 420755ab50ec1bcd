// SPDX-License-Identifier: Apache-2.0
// weft route: tables from an engine, checked.
#include "plan/route/route.hpp"

#include <memory>
#include <ostream>

#include "cli/arguments/inputs.hpp"
#include "cli/export_tables.hpp"
#include "cli/findings.hpp"
#include "cli/verbs.hpp"
#include "fabric/without.hpp"
#include "lab/cluster/memory.hpp"
#include "lab/progress.hpp"
#include "lab/report/report.hpp"

namespace weft::cli {

Action add_route(Arguments& arguments) {
  struct RouteArguments {
    std::string fabric, engine, without;
    TablesFile out;
    bool source_routes = false;
    FindingFiles files;
  };
  auto options = std::make_shared<RouteArguments>();
  arguments.required("fabric", options->fabric,
                     "fabric file, or a topology such as torus:dims=4x4");
  arguments.required("engine", options->engine,
                     "routing engine such as dl:lanes=2; weft list engines");
  add_tables_file(arguments, options->out);
  arguments.flag("--source-routes", options->source_routes,
                 "write them as a list of ports per pair");
  add_without(arguments, options->without);
  add_files(arguments, options->files);
  return [options] {
    std::ostream& human_output =
        prepare_outputs({options->out.path, options->files.certificate, options->files.json},
                        {options->fabric, options->engine});
    find_format(tables_formats(), options->out.format);  // throws before the work
    const Remainder rest = without(find_fabric(options->fabric), options->without);
    const Fabric& fabric = rest.fabric;
    require_memory(fabric);
    Routed routed = [&] {
      ProgressLine line(stderr);
      line(std::nullopt, "routing " + fabric.name());
      return route(fabric, options->engine);
    }();
    if (const auto* refused = std::get_if<Refused>(&routed)) {
      human_output << fmt::format("{}: {}\n", Spec::parse(options->engine).name, refused->why);
      return exit_found;
    }
    auto& tables = std::get<Tables>(routed);
    if (options->source_routes) tables = as_source_routes(fabric, tables);
    const std::string note = write_tables(options->out, fabric, tables);
    if (!rest.note.empty()) human_output << rest.note << '\n';
    human_output << fmt::format(
        "{} on {}: {}, {}\n", tables.engine, fabric.name(),
        counted(column_count(tables), "destination column", "destination columns"),
        counted(static_cast<std::size_t>(tables.lane_count), "lane", "lanes"));
    const int code = print_findings(fabric, tables, options->files, human_output);
    human_output << note;
    return code;
  };
}

}  // namespace weft::cli
