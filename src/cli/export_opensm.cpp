// SPDX-License-Identifier: Apache-2.0
// Writes the folder for OpenSM, reads it back and prints the verdict on what was read.
#include "cli/export_opensm.hpp"

#include <ostream>

#include "base/files.hpp"
#include "base/words.hpp"
#include "cli/arguments/inputs.hpp"
#include "cli/export_tables.hpp"
#include "cli/findings.hpp"
#include "cli/folder_draft.hpp"
#include "cli/subnet.hpp"
#include "fabric/without.hpp"
#include "lab/progress.hpp"
#include "plan/export/opensm_folder.hpp"

namespace weft::cli {
namespace {

namespace fs = std::filesystem;

/// The place of the folder, where it can be written.
fs::path place_of(const ExportRequest& request) {
  if (request.out.empty() || request.out == "-")
    throw Error("export: a folder is written for opensm: name it with -o FOLDER");
  fs::path place = folder_place(request.out);
  if (place.string().find_first_of("#\"'\n") != std::string::npos)
    throw Error("{}: OpenSM's settings cannot hold a path with #, quotes or line ends",
                place.string());
  for (const std::string& input : {request.fabric, request.tables})
    if (std::error_code problem; fs::equivalent(place, input, problem))
      throw Error("{}: this folder is read as well: what is written needs one of its own",
                  request.out);
  require_replaceable(place, opensm_file_names());
  return place;
}

bool has_addresses(const Fabric& fabric) {
  for (HostId h : fabric.hosts())
    if (fabric[h].port_guid == 0 || fabric[h].lid == 0) return false;
  return true;
}

OpensmPlan planned(const Fabric& fabric, const Tables& tables) {
  ProgressLine line(stderr);
  line(std::nullopt, "planning " + fabric.name());
  auto plan = plan_opensm(fabric, tables);
  if (const auto* refused = std::get_if<Refused>(&plan))
    throw RefusedError("{}; nothing is written", refused->why);
  return std::get<OpensmPlan>(std::move(plan));
}

void print_plan(const OpensmPlan& plan, const Fabric& fabric, const Tables& tables,
                std::ostream& human_output) {
  const auto lanes = static_cast<std::size_t>(plan.lane_count());
  human_output << fmt::format("{} on {} for OpenSM: {}{}\n", tables.engine, fabric.name(),
                              counted(plan.lane_of.size(), "service level", "service levels"),
                              lanes > 1 ? fmt::format(", {} lanes", lanes) : "");
  std::vector<std::string> notes;
  if (!has_addresses(fabric))
    notes.emplace_back(
        "the fabric has no GUIDs and LIDs of its own; these are as weft make --format "
        "ibnetdiscover gives them");
  if (!tables.groups.empty())
    notes.emplace_back("multicast groups are not written: OpenSM makes its own, along one tree");
  if (plan.multicast_level > 0)
    notes.push_back(
        fmt::format("multicast has lane {} and service level {} to itself: on the others it could "
                    "deadlock with unicast",
                    plan.multicast_lane, plan.multicast_level));
  print_notes(notes, human_output);
}

std::string quoted(const std::string& path) {
  return path.find(' ') == std::string::npos ? path : "'" + path + "'";
}

}  // namespace

int export_opensm(const ExportRequest& request, std::ostream& human_output) {
  const fs::path place = place_of(request);
  const Fabric whole = find_fabric(request.fabric);
  const Remainder rest = without(whole, request.without);
  const Fabric& fabric = rest.fabric;
  if (fabric.host_count() == 0) throw Error("{}: the fabric has no hosts", request.fabric);
  const Tables tables = any_tables(whole, rest, with_most_lanes(request.tables, usual_lanes));
  const OpensmPlan plan = planned(fabric, tables);

  FolderDraft draft(place);
  const std::vector<OpensmFile> files = opensm_files(plan, place.string());
  for (const OpensmFile& file : files) write_file((draft.path() / file.name).string(), file.write);
  const Tables held = infiniband::import_folder(draft.path().string(), plan.fabric).tables.value();
  if (loses_proof(plan.fabric, plan.tables, held) && !request.unsafe)
    throw RefusedError(
        "{} is not written: {} is free of deadlock, and what OpenSM would load is not; --unsafe "
        "writes it anyway",
        request.out, tables.engine);

  if (!rest.note.empty()) human_output << rest.note << '\n';
  print_plan(plan, fabric, tables, human_output);
  const GroupLane lane{plan.multicast_lane, {}};
  const int code = print_findings(
      plan.fabric, with_groups(held, plan.fabric, plan.tree, {&lane, 1}), {}, human_output);
  draft.replace();
  for (const OpensmFile& file : files)
    human_output << fmt::format("wrote {}\n", (fs::path(request.out) / file.name).string());
  human_output << fmt::format("load them: OSM_CACHE_DIR={0} opensm -F {0}/opensm.conf\n",
                              quoted(place.string()));
  return code;
}

}  // namespace weft::cli
