// SPDX-License-Identifier: Apache-2.0
// weft route: tables from an engine, checked.
#include "plan/route/route.hpp"

#include <memory>
#include <ostream>

#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/findings.hpp"
#include "cli/verbs.hpp"
#include "lab/cluster/memory.hpp"
#include "lab/progress.hpp"
#include "lab/report/report.hpp"

namespace weft::cli {

Action add_route(Arguments& arguments) {
  struct RouteArguments {
    std::string fabric, engine, out, format = "weft";
    bool source_routes = false;
    FindingFiles files;
  };
  auto options = std::make_shared<RouteArguments>();
  arguments.required("fabric", options->fabric,
                     "fabric file, or a topology such as torus:dims=4x4");
  arguments.required("engine", options->engine,
                     "routing engine such as dl:lanes=2; weft list engines");
  arguments.option("-o,--output FILE", options->out, "write the tables to this file");
  arguments.option("--format NAME", options->format, "one of weft list tables-formats");
  arguments.flag("--source-routes", options->source_routes,
                 "write them as a list of ports per pair");
  add_files(arguments, options->files);
  return [options] {
    std::ostream& human_output =
        prepare_outputs({options->out, options->files.certificate, options->files.json},
                        {options->fabric, options->engine});
    const TablesFormat& format = find_format(tables_formats(), options->format);
    const Fabric fabric = find_fabric(options->fabric);
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
    if (!options->out.empty())
      write_file(options->out, [&](std::ostream& out) { format.write(out, fabric, tables); });
    human_output << fmt::format(
        "{} on {}: {}, {}\n", tables.engine, fabric.name(),
        counted(column_count(tables), "destination column", "destination columns"),
        counted(static_cast<std::size_t>(tables.lane_count), "lane", "lanes"));
    const int code = print_findings(fabric, tables, options->files, human_output);
    if (!options->out.empty() && format.name != "weft" && tables.lane_count > 1)
      human_output << fmt::format(
          "{} has no lanes: the format {} cannot say which of the {} a packet takes\n",
          options->out, format.name, tables.lane_count);
    return code;
  };
}

}  // namespace weft::cli
