// SPDX-License-Identifier: Apache-2.0
// weft check: checks any tables, also those of another program.
#include <memory>

#include "cli/arguments/inputs.hpp"
#include "cli/findings.hpp"
#include "cli/verbs.hpp"

namespace weft::cli {

Action add_check(Arguments& arguments) {
  struct CheckArguments {
    std::string fabric, tables;
    FindingFiles files;
  };
  auto options = std::make_shared<CheckArguments>();
  arguments.required("fabric", options->fabric,
                     "fabric file, or a topology such as torus:dims=4x4");
  arguments.required("tables", options->tables, "their file, of weft or OpenSM (LFT dump)");
  add_files(arguments, options->files);
  return [options] {
    std::ostream& human_output = prepare_outputs({options->files.certificate, options->files.json},
                                                 {options->fabric, options->tables});
    const Fabric fabric = find_fabric(options->fabric);
    const Tables tables = read_tables(read_input(options->tables), fabric);
    return print_findings(fabric, tables, options->files, human_output);
  };
}

}  // namespace weft::cli
