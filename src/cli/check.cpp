// SPDX-License-Identifier: Apache-2.0
// weft check: checks any tables, also those of another program.
#include <filesystem>
#include <memory>

#include "cli/arguments/inputs.hpp"
#include "cli/findings.hpp"
#include "cli/subnet.hpp"
#include "cli/verbs.hpp"

namespace weft::cli {
namespace {

int check_folder(const std::string& folder, const FindingFiles& files, std::ostream& human_output) {
  if (!std::filesystem::is_directory(folder))
    throw Error("tables are needed: weft check {} TABLES, or a folder with both", folder);
  const infiniband::Subnet subnet = read_subnet(folder);
  print_gaps(subnet, human_output);
  if (!subnet.tables) throw Error("{}: there are no forwarding tables to check", folder);
  return print_findings(subnet.fabric, *subnet.tables, files, human_output);
}

}  // namespace

Action add_check(Arguments& arguments) {
  struct CheckArguments {
    std::string fabric, tables;
    FindingFiles files;
  };
  auto options = std::make_shared<CheckArguments>();
  arguments.required("fabric", options->fabric,
                     "fabric file, a topology such as torus:dims=4x4, or a folder with\nthe dumps "
                     "of a subnet (weft help import)");
  arguments.optional("tables", options->tables,
                     "their file: weft's own, an LFT dump or .fdbs; a folder has its own");
  add_files(arguments, options->files);
  return [options] {
    std::ostream& human_output = prepare_outputs({options->files.certificate, options->files.json},
                                                 {options->fabric, options->tables});
    if (options->tables.empty()) return check_folder(options->fabric, options->files, human_output);
    const Fabric fabric = find_fabric(options->fabric);
    const Tables tables = read_tables(read_input(options->tables), fabric);
    return print_findings(fabric, tables, options->files, human_output);
  };
}

}  // namespace weft::cli
