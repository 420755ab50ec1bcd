// SPDX-License-Identifier: Apache-2.0
// weft export: a fabric for other programs.
#include <memory>
#include <ostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/verbs.hpp"
#include "fabric/without.hpp"
#include "plan/export/slurm.hpp"

namespace weft::cli {
namespace {

/// Whether YAML is wanted, by the option or by the end of the file's name.
bool wants_yaml(const std::string& format, const std::string& path) {
  if (format == "conf" || format == "yaml") return format == "yaml";
  if (!format.empty())
    throw Error("export: there is no format \"{}\"; Slurm's topology is conf or yaml", format);
  return path.ends_with(".yaml") || path.ends_with(".yml");
}

}  // namespace

Action add_export(Arguments& arguments) {
  struct ExportArguments {
    std::string program, fabric, out = "-", format, without;
  };
  auto options = std::make_shared<ExportArguments>();
  arguments.required("program", options->program, "slurm: its topology.conf or topology.yaml");
  arguments.required("fabric", options->fabric, "fabric file, or a topology such as clos3:radix=8");
  arguments.option("-o,--output FILE", options->out, "file to write; - is standard output");
  arguments.option("--format NAME", options->format,
                   "conf or yaml; otherwise by the end of the file's name, or conf");
  add_without(arguments, options->without);
  return [options] {
    if (options->program != "slurm")
      throw Error(
          "export: weft writes no files for \"{}\"; it does for slurm (weft make writes "
          "fabrics, weft route tables)",
          options->program);
    std::ostream& human_output = prepare_outputs({options->out}, {options->fabric});
    const bool yaml = wants_yaml(options->format, options->out);
    const Fabric fabric = without(find_fabric(options->fabric), options->without).fabric;
    if (fabric.host_count() == 0) throw Error("{}: the fabric has no hosts", options->fabric);
    const SlurmTopology topology = slurm_topology(fabric);
    write_file(options->out, [&](std::ostream& out) {
      yaml ? write_topology_yaml(out, topology) : write_topology_conf(out, topology);
    });
    if (options->out != "-")
      for (const std::string& note : topology.notes) human_output << note << '\n';
    return exit_fine;
  };
}

}  // namespace weft::cli
