// SPDX-License-Identifier: Apache-2.0
// weft show: describes a fabric, a switch, tables or a route, or a cluster.
#include <iostream>
#include <memory>
#include <optional>

#include "base/error.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "fabric/names.hpp"
#include "fabric/route_set.hpp"
#include "lab/report/report.hpp"

namespace weft::cli {

Action add_show(Arguments& arguments) {
  struct ShowArguments {
    std::string fabric, tables, on, from, to;
  };
  auto options = std::make_shared<ShowArguments>();
  arguments.required(
      "fabric", options->fabric,
      "fabric file, or a topology such as torus:dims=4x4; or the word\ncluster, and then a "
      "cluster file or its name");
  arguments.optional("tables", options->tables, "file of tables, to be described too");
  arguments.option("--switch SWITCH", options->on, "show what is on the ports of this switch");
  arguments.option("--from HOST", options->from, "show the route of the tables from this host …");
  arguments.option("--to HOST", options->to, "… to this one");
  arguments.together("--from", "--to");
  return [options] {
    if (options->fabric == "cluster") {
      if (options->tables.empty())
        throw Error("show: which cluster? a file, or a name; weft list clusters has them");
      if (!options->on.empty() || !options->from.empty())
        throw Error("show: a cluster has no single switches and routes; show its fabric");
      write_cluster(std::cout, options->tables);
      return exit_fine;
    }
    const Fabric fabric = find_fabric(options->fabric);
    std::optional<Tables> tables;
    if (!options->tables.empty()) tables = read_tables(read_input(options->tables), fabric);
    if (!options->from.empty()) {
      if (!tables) throw Error("show: a route is part of tables: name their file too");
      const HostId a = host_called(fabric, options->from);
      const HostId b = host_called(fabric, options->to);
      std::cout << route_text(fabric, *tables, a, b) << '\n';
    } else if (!options->on.empty()) {
      const SwitchId s = switch_called(fabric, options->on);
      write_switch(std::cout, fabric, s, tables ? &*tables : nullptr);
    } else {
      write_fabric(std::cout, fabric);
      if (tables) write_tables_summary(std::cout, fabric, *tables);
    }
    return exit_fine;
  };
}

}  // namespace weft::cli
