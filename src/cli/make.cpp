// SPDX-License-Identifier: Apache-2.0
// weft make: fabrics as files.
#include <memory>

#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"

namespace weft::cli {

Action add_make(Arguments& arguments) {
  struct MakeArguments {
    std::string fabric, out = "-", format = "weft";
  };
  auto options = std::make_shared<MakeArguments>();
  arguments.required(
      "fabric", options->fabric,
      "topology such as torus:dims=4x4, or a fabric file in any\nformat that weft reads");
  arguments.option("-o,--output FILE", options->out, "file to write; - is standard output");
  arguments.option("--format NAME", options->format, "one of weft list fabric-formats");
  return [options] {
    prepare_outputs({options->out}, {options->fabric});
    const FabricFormat& format = find_format(fabric_formats(), options->format);
    const Fabric fabric = find_fabric(options->fabric);
    write_file(options->out, [&](std::ostream& out) { format.write(out, fabric); });
    return exit_fine;
  };
}

}  // namespace weft::cli
