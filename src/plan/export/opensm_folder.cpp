// SPDX-License-Identifier: Apache-2.0
// Puts the files for OpenSM together.
#include "plan/export/opensm_folder.hpp"

#include <algorithm>
#include <ostream>

#include "base/catalog.hpp"
#include "fabric/format/addresses.hpp"
#include "fabric/format/format.hpp"
#include "fabric/format/parsing/text.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/export/answering_switches.hpp"
#include "plan/export/opensm_policy.hpp"

namespace weft {
namespace {

std::optional<Refused> unfit(const Fabric& fabric) {
  for (SwitchId s : fabric.switches()) {
    if (fabric[s].ports > 254)
      return Refused{fmt::format("switch \"{}\" has {} ports; InfiniBand allows 254",
                                 fabric[s].name, fabric[s].ports)};
    if (fabric[s].lid == 0)
      return Refused{fmt::format("{} hosts and switches need LIDs; InfiniBand has 49151",
                                 fabric.host_count() + fabric.switch_count())};
  }
  for (HostId h : fabric.hosts())
    if (fabric[h].lmc != fabric[HostId(0)].lmc)
      return Refused{
          fmt::format("host \"{}\" has {} LIDs and \"{}\" has {}; OpenSM gives all ports as many",
                      fabric[HostId(0)].name, 1U << fabric[HostId(0)].lmc, fabric[h].name,
                      1U << fabric[h].lmc)};
  return std::nullopt;
}

/// Finds the tree, and a lane of its own for it where it would break a proof.
void plan_multicast(OpensmPlan& plan) {
  plan.multicast_lane = plan.lane_of.front();
  plan.tree = tree_towards(plan.fabric, SwitchId(0));
  const GroupLane lane{plan.multicast_lane, {}};
  if (!std::holds_alternative<Certificate>(deadlock(plan.fabric, plan.tables))) return;
  if (auto tree = safe_tree(plan.fabric, plan.tables, {&lane, 1})) {
    plan.tree = std::move(*tree);
  } else if (plan.lane_count() < usual_lanes && plan.lane_of.size() < most_service_levels) {
    plan.multicast_lane = static_cast<Lane>(plan.lane_count());
    plan.multicast_level = static_cast<unsigned>(plan.lane_of.size());
  }
}

/// OpenSM compares GUIDs as texts, and wants an empty line after every record.
void write_guid2lid(std::ostream& stream, const Fabric& fabric) {
  Printer out(stream);
  const auto write = [&](Guid guid, unsigned first, unsigned last) {
    out.print("0x{:016x} 0x{:04x} 0x{:04x}\n\n", guid, first, last);
  };
  for (HostId h : fabric.hosts())
    write(fabric[h].port_guid, fabric[h].lid, fabric[h].lid + (1U << fabric[h].lmc) - 1);
  for (SwitchId s : fabric.switches()) write(fabric[s].guid, fabric[s].lid, fabric[s].lid);
}

/// The same lanes for all kinds of ports, with equal shares of the links.
void write_lane_settings(Printer& out, const OpensmPlan& plan) {
  std::vector<int> lanes(most_service_levels, plan.lane_of.front());
  std::copy(plan.lane_of.begin(), plan.lane_of.end(), lanes.begin());
  if (plan.multicast_level > 0) lanes[plan.multicast_level] = plan.multicast_lane;
  std::vector<std::string> none, even;
  for (int lane = 0; lane < plan.lane_count(); ++lane) {
    none.push_back(fmt::format("{}:0", lane));
    even.push_back(fmt::format("{}:64", lane));
  }
  out.put("qos TRUE\n");
  for (const char* ports : {"qos", "qos_ca", "qos_swe", "qos_sw0", "qos_rtr"})
    out.print(
        "{0}_max_vls {1}\n{0}_high_limit 0\n{0}_vlarb_high {2}\n{0}_vlarb_low {3}\n"
        "{0}_sl2vl {4}\n",
        ports, plan.lane_count(), fmt::join(none, ","), fmt::join(even, ","),
        fmt::join(lanes, ","));
}

void write_settings(std::ostream& stream, const OpensmPlan& plan, const std::string& place) {
  Printer out(stream);
  out.print("# Settings of OpenSM for the tables of {}, written by weft.\n",
            one_line(plan.tables.engine));
  out.print(
      "routing_engine file,no_fallback\nlfts_file {0}/lfts.dump\n"
      "lid_matrix_dump_file {0}/lid-matrix.dump\nlmc {1}\n",
      place, plan.fabric.host_count() == 0 ? 0 : plan.fabric[HostId(0)].lmc);
  if (!plan.uses_lanes()) return;
  out.print("qos_policy_file {}/qos-policy.conf\n", place);
  if (plan.multicast_level > 0) out.print("partition_config_file {}/partitions.conf\n", place);
  write_lane_settings(out, plan);
}

}  // namespace

int OpensmPlan::lane_count() const {
  const auto& lanes = lane_of;
  return std::max<int>(*std::max_element(lanes.begin(), lanes.end()), multicast_lane) + 1;
}

std::variant<OpensmPlan, Refused> plan_opensm(const Fabric& fabric, const Tables& tables) {
  const auto refused = [&](const Refused& why) {
    return Refused{fmt::format("{}: {}", tables.engine, why.why)};
  };
  Fabric addressed = with_addresses(fabric);
  if (const auto why = unfit(addressed)) return refused(*why);
  auto levels = pair_levels(addressed, tables);
  if (const auto* why = std::get_if<Refused>(&levels)) return refused(*why);
  auto lanes = lanes_of_levels(addressed, tables, std::get<PairLevels>(levels));
  if (const auto* why = std::get_if<Refused>(&lanes)) return refused(*why);
  Tables complete = with_answering_switches(addressed, tables);
  OpensmPlan plan{std::move(addressed),
                  std::move(complete),
                  std::get<PairLevels>(std::move(levels)),
                  std::get<std::vector<Lane>>(std::move(lanes)),
                  {}};
  plan.tables.groups.clear();  // OpenSM makes its own
  plan_multicast(plan);
  return plan;
}

std::vector<OpensmFile> opensm_files(const OpensmPlan& plan, const std::string& place) {
  std::vector<OpensmFile> out{
      {"opensm.conf",
       [&plan, place](std::ostream& stream) { write_settings(stream, plan, place); }},
      {"lfts.dump",
       [&plan](std::ostream& stream) {
         find_row(tables_formats(), "format", "opensm").write(stream, plan.fabric, plan.tables);
       }},
      {"lid-matrix.dump",
       [&plan](std::ostream& stream) { write_lid_matrix(stream, plan.fabric, plan.tree); }},
      {"guid2lid", [&plan](std::ostream& stream) { write_guid2lid(stream, plan.fabric); }}};
  if (plan.uses_lanes())
    out.push_back({"qos-policy.conf", [&plan](std::ostream& stream) {
                     write_policy(stream, plan.fabric, plan.levels);
                   }});
  if (plan.multicast_level > 0)
    out.push_back({"partitions.conf", [&plan](std::ostream& stream) {
                     stream << fmt::format("Default=0x7fff, ipoib, sl={} : ALL=full ;\n",
                                           plan.multicast_level);
                   }});
  return out;
}

const std::vector<std::string>& opensm_file_names() {
  static const std::vector<std::string> names{"opensm.conf", "lfts.dump",       "lid-matrix.dump",
                                              "guid2lid",    "qos-policy.conf", "partitions.conf",
                                              "guid2mkey",   "neighbors"};
  return names;
}

}  // namespace weft
