// SPDX-License-Identifier: Apache-2.0
// weft check: any tables, also those of another program.
#include <memory>

#include "cli/findings.hpp"
#include "cli/inputs.hpp"
#include "cli/verbs.hpp"

namespace weft::cli {

Action add_check(Arguments& arguments) {
  struct Options {
    std::string fabric, tables;
    FindingFiles files;
  };
  auto options = std::make_shared<Options>();
  arguments.required("fabric", options->fabric, "fabric file or topology");
  arguments.required("tables", options->tables, "tables of weft, or an LFT dump of OpenSM");
  add_files(arguments, options->files);
  return [options] {
    const Fabric fabric = find_fabric(options->fabric);
    const Tables tables = read_tables(read_source(options->tables), fabric);
    return tell_findings(fabric, tables, options->files);
  };
}

}  // namespace weft::cli
