// SPDX-License-Identifier: Apache-2.0
// weft route: tables from an engine, checked.
#include "plan/route/route.hpp"

#include <iostream>
#include <memory>

#include "base/files.hpp"
#include "cli/findings.hpp"
#include "cli/inputs.hpp"
#include "cli/verbs.hpp"

namespace weft::cli {

Action add_route(CLI::App& app) {
  struct Options {
    std::string fabric, engine, out, format = "weft";
    bool source_routes = false;
    FindingFiles files;
  };
  auto options = std::make_shared<Options>();
  app.add_option("fabric", options->fabric, "fabric file or topology")->required();
  app.add_option("engine", options->engine, "routing engine such as dl:lanes=2")->required();
  app.add_option("-o,--output", options->out, "write the tables to this file");
  app.add_option("--format", options->format, "one of weft list tables-formats")
      ->capture_default_str();
  app.add_flag("--source-routes", options->source_routes, "write them as a list of ports per pair");
  app.add_option("--certificate", options->files.certificate, "write the certificate to this file");
  app.add_option("--json", options->files.json, "write the findings to this file as JSON");
  return [options] {
    const TablesFormat& format = find_format(tables_formats(), options->format);
    const Fabric fabric = find_fabric(options->fabric);
    Routed routed = route(fabric, options->engine);
    if (const auto* refused = std::get_if<Refused>(&routed)) {
      std::cout << fmt::format("{}: {}\n", Spec::parse(options->engine).name, refused->why);
      return exit_found;
    }
    auto& tables = std::get<Tables>(routed);
    if (options->source_routes) tables = as_source_routes(fabric, tables);
    if (!options->out.empty())
      write_file(options->out, [&](std::ostream& out) { format.write(out, fabric, tables); });
    // Tables on standard output are for another program; so are they alone there.
    if (options->out == "-") return exit_fine;
    std::cout << fmt::format(
        "{} on {}: {}, {}\n", tables.engine, fabric.name(),
        counted(column_count(tables), "destination column", "destination columns"),
        counted(static_cast<std::size_t>(tables.lane_count), "lane", "lanes"));
    return tell_findings(fabric, tables, options->files);
  };
}

}  // namespace weft::cli
