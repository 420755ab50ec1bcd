// SPDX-License-Identifier: Apache-2.0
// weft check: any tables, also those of another program.
#include <memory>

#include "cli/findings.hpp"
#include "cli/inputs.hpp"
#include "cli/verbs.hpp"

namespace weft::cli {

Action add_check(CLI::App& app) {
  struct Options {
    std::string fabric, tables;
    FindingFiles files;
  };
  auto options = std::make_shared<Options>();
  app.add_option("fabric", options->fabric, "fabric file or topology")->required();
  app.add_option("tables", options->tables, "tables of weft, or an LFT dump of OpenSM")->required();
  app.add_option("--certificate", options->files.certificate, "write the certificate to this file");
  app.add_option("--json", options->files.json, "write the findings to this file as JSON");
  return [options] {
    const Fabric fabric = find_fabric(options->fabric);
    const Tables tables = read_tables(read_source(options->tables), fabric);
    return tell_findings(fabric, tables, options->files);
  };
}

}  // namespace weft::cli
