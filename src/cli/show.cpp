// SPDX-License-Identifier: Apache-2.0
// weft show: describes a fabric, a switch, tables or a route, or a cluster; draws a fabric.
#include <iostream>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "fabric/names.hpp"
#include "fabric/route_set.hpp"
#include "fabric/without.hpp"
#include "lab/report/report.hpp"

namespace weft::cli {
namespace {

struct ShowArguments {
  std::string fabric, tables, on, from, to, out, without;
};

int show_cluster(const ShowArguments& options) {
  if (options.tables.empty())
    throw Error("show: which cluster? a file, or a name; weft list clusters has them");
  if (!options.on.empty() || !options.from.empty() || !options.out.empty())
    throw Error(
        "show: a cluster has no single switches, routes and pictures; weft show TOPOLOGY shows its "
        "fabric");
  write_cluster(std::cout, options.tables);
  return exit_fine;
}

/// Throws Error for a picture in another format than SVG or DOT.
void require_picture(const ShowArguments& options) {
  if (options.out.empty() || options.out == "-" || options.out.ends_with(".svg")) return;
  if (!options.out.ends_with(".dot"))
    throw Error("{}: a picture is x.svg, or x.dot for Graphviz", options.out);
  if (!options.tables.empty())
    throw Error("{}: a DOT file has no loads; x.svg shows them", options.out);
}

/// Draws the fabric, with the routes over its links where there are tables.
void draw_fabric(const ShowArguments& options, const Fabric& fabric, const Tables* tables,
                 std::ostream& human_output) {
  if (options.out.ends_with(".dot"))
    return write_file(options.out, [&](std::ostream& out) {
      find_format(fabric_formats(), "dot").write(out, fabric);
    });
  std::optional<LoadMap> loads;
  FabricPicture picture{fabric};
  if (tables != nullptr) {
    loads = routes_over(fabric, *tables);
    picture.loads = &*loads;
    picture.note = "routes of " + tables->engine;
    write_hot_links(human_output, fabric, *loads);
  }
  write_file(options.out, [&](std::ostream& out) { write_svg(out, picture); });
}

int show_fabric(const ShowArguments& options) {
  require_picture(options);
  std::ostream& human_output = prepare_outputs({options.out}, {options.fabric, options.tables});
  if (is_file(options.fabric) && options.fabric.ends_with(".toml") && !names_fabric(options.fabric))
    throw Error("{0}: no fabric; if it describes a cluster: weft show cluster {0}", options.fabric);
  const Fabric whole = find_fabric(options.fabric);
  const Remainder rest = without(whole, options.without);
  const Fabric& fabric = rest.fabric;
  if (!rest.note.empty()) human_output << rest.note << '\n';
  std::optional<Tables> tables;
  if (!options.tables.empty())
    tables = any_tables(whole, rest, options.tables);
  else if (!options.from.empty() && has_own_tables(options.fabric))
    tables = any_tables(whole, rest, options.fabric);
  if (!options.from.empty()) {
    if (!tables) throw Error("show: a route is part of tables: name their file too");
    const HostId a = host_called(fabric, options.from);
    const HostId b = host_called(fabric, options.to);
    const unsigned lid = further_lid_called(fabric, b, options.to);
    human_output << route_text(fabric, *tables, a, {b, lid}) << '\n';
  } else if (!options.on.empty()) {
    const SwitchId s = switch_called(fabric, options.on);
    write_switch(human_output, fabric, s, tables ? &*tables : nullptr);
  } else {
    write_fabric(human_output, fabric);
    if (tables) write_tables_summary(human_output, fabric, *tables);
  }
  if (!options.out.empty()) draw_fabric(options, fabric, tables ? &*tables : nullptr, human_output);
  return exit_fine;
}

}  // namespace

Action add_show(Arguments& arguments) {
  auto options = std::make_shared<ShowArguments>();
  arguments.required(
      "fabric", options->fabric,
      "fabric file, or a topology such as torus:dims=4x4; or the word\ncluster, and then a "
      "cluster file or its name");
  arguments.optional("tables", options->tables,
                     "file of tables, or routing engine, to be described too");
  arguments.option("--switch SWITCH", options->on, "show what is on the ports of this switch");
  arguments.option("--from HOST", options->from, "show the route of the tables from this host …");
  arguments.option("--to HOST", options->to, "… to this one");
  arguments.together("--from", "--to");
  add_without(arguments, options->without);
  arguments.option("-o,--output FILE", options->out,
                   "draw the fabric: x.svg, or x.dot for Graphviz; with tables, links\nare "
                   "coloured by the routes over them");
  return [options] {
    return options->fabric == "cluster" ? show_cluster(*options) : show_fabric(*options);
  };
}

}  // namespace weft::cli
