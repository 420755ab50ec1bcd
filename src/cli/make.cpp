// SPDX-License-Identifier: Apache-2.0
// weft make: fabrics as files.
#include <filesystem>
#include <memory>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "fabric/without.hpp"

namespace weft::cli {
namespace {

/// "dot" for x.dot; "weft" for names that say nothing.
std::string format_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  for (const FabricFormat& format : fabric_formats())
    if (ending == "." + std::string(format.name)) return std::string(format.name);
  return "weft";
}

}  // namespace

Action add_make(Arguments& arguments) {
  struct MakeArguments {
    std::string fabric, out = "-", format, without;
  };
  auto options = std::make_shared<MakeArguments>();
  arguments.required(
      "fabric", options->fabric,
      "topology such as torus:dims=4x4, or a fabric file in any\nformat that weft reads");
  arguments.option("-o,--output FILE", options->out, "file to write; - is standard output");
  arguments.option("--format NAME", options->format,
                   "one of weft list fabric-formats; otherwise by the end of the name\n(.dot, "
                   ".graphml, .anynet, .ibnetdiscover), or weft's own");
  add_without(arguments, options->without);
  return [options] {
    prepare_outputs({options->out}, {options->fabric});
    if (options->out.ends_with(".svg"))
      throw Error("{}: weft show {} -o {} draws it", options->out, options->fabric, options->out);
    const std::string name = options->format.empty() ? format_of(options->out) : options->format;
    const FabricFormat& format = find_format(fabric_formats(), name);
    const Fabric fabric = without(find_fabric(options->fabric), options->without).fabric;
    write_file(options->out, [&](std::ostream& out) { format.write(out, fabric); });
    return exit_fine;
  };
}

}  // namespace weft::cli
