// SPDX-License-Identifier: Apache-2.0
// weft mcast: multicast groups in tables.
#include "plan/mcast/mcast.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/findings.hpp"
#include "cli/verbs.hpp"
#include "fabric/names.hpp"
#include "lab/report/report.hpp"

namespace weft::cli {
namespace {

void print_group(std::ostream& out, const Fabric& fabric, const Group& group) {
  out << fmt::format("group {}: {}{}\n", group.name,
                     counted(group.members.size(), "member", "members"),
                     group.source ? " from " + fabric[*group.source].name : "");
  if (group.root)
    out << fmt::format("  up to {} from {}\n", fabric[*group.root].name,
                       counted(group.up.size(), "switch", "switches"));
  for (const PortSet& set : group.out) {
    std::string ports;
    for (PortNumber port : set.ports) ports += fmt::format(" {}", port);
    out << fmt::format("  {}:{}\n", fabric[set.on].name, ports);
  }
}

}  // namespace

Action add_mcast(Arguments& arguments) {
  struct McastArguments {
    std::string fabric, tables, scheme, name = "g", source, out;
    std::vector<std::string> members;
    std::uint64_t lane = 0;
    FindingFiles files;
  };
  auto options = std::make_shared<McastArguments>();
  arguments.required("fabric", options->fabric,
                     "fabric file, or a topology such as torus:dims=4x4");
  arguments.required("tables", options->tables, "file of the tables that the group is added to");
  arguments.required("scheme", options->scheme, "one of weft list groups");
  arguments.repeated("--members HOSTS", options->members,
                     "of the group: h0,h3,h7 or a range, h0..h63");
  arguments.option("--source HOST", options->source,
                   "the only sender; without it, any member sends");
  arguments.option("--name NAME", options->name,
                   "what the group is called; replaces one of that name");
  arguments.option("--lane LANE", options->lane, "that its packets travel on");
  arguments.option("-o,--output FILE", options->out,
                   "write the tables with the group to this file");
  add_files(arguments, options->files);
  return [options] {
    std::ostream& human_output = prepare_outputs(
        {options->out, options->files.certificate, options->files.json, options->files.html},
        {options->fabric, options->tables});
    if (options->members.empty())
      throw Error("mcast: a group has members: name them with --members");
    const Fabric fabric = find_fabric(options->fabric);
    Tables tables = read_tables(read_input(options->tables), fabric);
    GroupRequest request{options->name,
                         hosts_named(fabric, options->members),
                         {},
                         static_cast<Lane>(std::min<std::uint64_t>(options->lane, 255))};
    if (fabric.find_host(options->name))
      throw Error("mcast: a host is called {}, too: a group needs another name", options->name);
    if (!options->source.empty()) request.source = host_called(fabric, options->source);
    std::erase_if(tables.groups, [&](const Group& group) { return group.name == request.name; });
    const Grouped made = make_group({fabric, tables, request}, options->scheme);
    if (const auto* refused = std::get_if<Refused>(&made)) {
      std::cout << fmt::format("{}: {}\n", options->scheme, refused->why);
      return exit_found;
    }
    tables.groups.push_back(std::get<Group>(made));
    if (!options->out.empty())
      write_file(options->out, [&](std::ostream& out) {
        find_format(tables_formats(), "weft").write(out, fabric, tables);
      });
    print_group(human_output, fabric, tables.groups.back());
    return print_findings(fabric, tables, options->files, human_output);
  };
}

}  // namespace weft::cli
