// SPDX-License-Identifier: Apache-2.0
// weft export: a fabric, or its tables, for other programs.
#include <memory>
#include <ostream>

#include "base/error.hpp"
#include "base/files.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/export_opensm.hpp"
#include "cli/verbs.hpp"
#include "fabric/infiniband/adaptive_export.hpp"
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

/// Groups of ports, as ibdiagnet dumps them.
int export_far(const ExportRequest& request) {
  const std::string out = request.out.empty() ? "-" : request.out;
  std::ostream& human_output = prepare_outputs({out}, {request.fabric, request.tables});
  const Fabric whole = find_fabric(request.fabric);
  const Remainder rest = without(whole, request.without);
  const Tables tables = any_tables(whole, rest, request.tables);
  const auto switches = infiniband::adaptive_switches(rest.fabric, tables);
  write_file(out, [&](std::ostream& stream) { infiniband::write_adaptive(stream, switches); });
  if (tables.lane_count > 1)
    human_output << "service levels, which lanes follow from, are in no such file\n";
  if (!tables.groups.empty()) human_output << "multicast groups are in no such file\n";
  return exit_fine;
}

int export_slurm(const ExportRequest& request, const std::string& format) {
  const std::string out = request.out.empty() ? "-" : request.out;
  std::ostream& human_output = prepare_outputs({out}, {request.fabric});
  const bool yaml = wants_yaml(format, out);
  const Fabric fabric = without(find_fabric(request.fabric), request.without).fabric;
  if (fabric.host_count() == 0) throw Error("{}: the fabric has no hosts", request.fabric);
  const SlurmTopology topology = slurm_topology(fabric);
  write_file(out, [&](std::ostream& stream) {
    yaml ? write_topology_yaml(stream, topology) : write_topology_conf(stream, topology);
  });
  if (out != "-")
    for (const std::string& note : topology.notes) human_output << note << '\n';
  return exit_fine;
}

}  // namespace

Action add_export(Arguments& arguments) {
  struct ExportArguments {
    ExportRequest request;
    std::string program, format;
  };
  auto options = std::make_shared<ExportArguments>();
  arguments.required("program", options->program,
                     "slurm: its topology.conf or topology.yaml; opensm: a folder with\n"
                     "tables, LIDs, service levels and settings; far: groups of ports and\n"
                     "adaptive tables, as ibdiagnet2.far");
  arguments.required("fabric", options->request.fabric,
                     "fabric file, or a topology such as clos3:radix=8");
  arguments.optional("tables", options->request.tables,
                     "for opensm and far: a file or folder of tables, or a routing engine");
  arguments.option("-o,--output FILE", options->request.out,
                   "file to write; - is standard output; for opensm a folder");
  arguments.option("--format NAME", options->format,
                   "for slurm: conf or yaml; otherwise by the end of the file's name, or\nconf");
  arguments.flag("--unsafe", options->request.unsafe,
                 "for opensm: write the folder even if tables that are free of deadlock\ncan "
                 "deadlock as OpenSM would load them");
  add_without(arguments, options->request.without);
  return [options] {
    const ExportRequest& request = options->request;
    if (options->program == "opensm") {
      if (request.tables.empty())
        throw Error("export: tables are needed: weft export opensm {} TABLES -o FOLDER",
                    request.fabric);
      if (!options->format.empty())
        throw Error("export: --format is for slurm; for opensm there is one folder");
      return export_opensm(request, prepare_outputs({}, {}));
    }
    if (options->program == "far") {
      if (request.tables.empty())
        throw Error("export: tables are needed: weft export far {} TABLES -o ibdiagnet2.far",
                    request.fabric);
      if (!options->format.empty() || request.unsafe)
        throw Error("export: --format is for slurm, --unsafe for opensm");
      return export_far(request);
    }
    if (options->program != "slurm")
      throw Error(
          "export: weft writes no files for \"{}\"; it does for slurm, opensm and far (weft make "
          "writes fabrics, weft route tables)",
          options->program);
    if (!request.tables.empty() || request.unsafe)
      throw Error("export: slurm takes a fabric alone, without tables");
    return export_slurm(request, options->format);
  };
}

}  // namespace weft::cli
