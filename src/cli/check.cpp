// SPDX-License-Identifier: Apache-2.0
// weft check: checks any tables, also those of another program.
#include <filesystem>
#include <memory>

#include "cli/arguments/inputs.hpp"
#include "cli/findings.hpp"
#include "cli/subnet.hpp"
#include "cli/verbs.hpp"
#include "fabric/short_names.hpp"
#include "fabric/slow_links.hpp"
#include "fabric/without.hpp"

namespace weft::cli {
namespace {

/// What is to be checked, and what was noted about it.
struct TablesToCheck {
  Fabric fabric;
  Tables tables;
  std::vector<std::string> notes;
};

/// The fabric and tables of a folder with dumps.
TablesToCheck find_both(const std::string& folder, std::ostream& human_output) {
  if (!std::filesystem::exists(folder) && !names_fabric(folder))
    throw Error("{}: there is no such file or folder", folder);
  if (!std::filesystem::is_directory(folder))
    throw Error("tables are needed: weft check {} TABLES, or a folder with both", folder);
  infiniband::Subnet subnet = read_subnet(folder);
  print_gaps(subnet, human_output);
  if (!subnet.tables) throw Error("{}: there are no forwarding tables to check", folder);
  std::vector<std::string> notes = subnet.notes;
  for (const std::string& gap : subnet.missing) notes.push_back("missing: " + gap);
  return {std::move(subnet.fabric), std::move(*subnet.tables), std::move(notes)};
}

TablesToCheck find_both(const std::string& fabric_name, const std::string& tables,
                        std::ostream& human_output) {
  Fabric fabric = find_fabric(fabric_name);
  NotedTables read = noted_tables_in(tables, fabric);
  print_notes(read.notes, human_output);
  return {std::move(fabric), std::move(read.tables), std::move(read.notes)};
}

}  // namespace

Action add_check(Arguments& arguments) {
  struct CheckArguments {
    std::string fabric, tables, without;
    FindingFiles files;
  };
  auto options = std::make_shared<CheckArguments>();
  arguments.required("fabric", options->fabric,
                     "fabric file, a topology such as torus:dims=4x4, or a folder with\nthe dumps "
                     "of a subnet (weft help import)");
  arguments.optional(
      "tables", options->tables,
      "their file: weft's own, an LFT dump, .fdbs or .far (adaptive); a\nfolder has its own");
  add_without(arguments, options->without);
  options->files.top = 5;
  add_files(arguments, options->files);
  return [options] {
    std::ostream& human_output =
        prepare_outputs({options->files.certificate, options->files.json, options->files.html},
                        {options->fabric, options->tables});
    auto [fabric, tables, notes] = options->tables.empty()
                                       ? find_both(options->fabric, human_output)
                                       : find_both(options->fabric, options->tables, human_output);
    for (const std::string& slow : slow_links(fabric)) {
      print_notes({slow}, human_output);
      notes.push_back(slow);
    }
    if (options->without.empty())
      return print_findings(fabric, tables, options->files, human_output, notes);
    const Remainder rest = without(fabric, options->without);
    notes.push_back(rest.note);
    human_output << ShortNames(fabric).in(rest.note) << '\n';
    return print_findings(rest.fabric, tables_without(tables, fabric, rest), options->files,
                          human_output, notes);
  };
}

}  // namespace weft::cli
