// SPDX-License-Identifier: Apache-2.0
// The lane settings of figure 6, each run on a small mesh; and the deadlock of figures 1 and 2.
#include <map>
#include <set>

#include "papers/ibamesh/experiments.hpp"
#include "papers/runner/expected.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "plan/verify/verify_text.hpp"

namespace weft::papers::ibamesh {
namespace {

constexpr std::int64_t packet_size = 256;

/// Every host to every other, or to all of them at once.
std::vector<BurstPacket> everyone_to_everyone(const Fabric& fabric, Scheme scheme) {
  std::vector<BurstPacket> out;
  for (HostId from : fabric.hosts()) {
    if (scheme == Scheme::multicast)
      out.push_back({from, {}, static_cast<std::uint32_t>(from.index())});
    else
      for (HostId to : fabric.hosts())
        if (to != from) out.push_back({from, to});
  }
  return out;
}

void add_groups(const Fabric& fabric, Tables& tables) {
  std::vector<HostId> everyone;
  for (HostId h : fabric.hosts()) everyone.push_back(h);
  for (HostId from : fabric.hosts()) {
    const GroupRequest request{fabric[from].name, everyone, from, 0};
    tables.groups.push_back(std::get<Group>(make_group({fabric, tables, request}, "union")));
  }
}

/// "E 0 1, N 0 1, W 0 1, S 0 1": the lanes that flits took, by direction.
std::string lanes_used(const Fabric& fabric, const BurstResult& result) {
  std::map<PortNumber, std::set<int>> used;
  for (const LaneFlits& use : result.lanes) used[fabric.out_port(use.channel)].insert(use.lane);
  std::string out;
  for (const auto& [port, lanes] : used)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", std::string_view(" ENWS")[port],
                       fmt::join(lanes, " "));
  return out;
}

bool certified(const Fabric& fabric, const Tables& tables) {
  const DeadlockVerdict verdict = deadlock(fabric, tables);
  const auto* certificate = std::get_if<Certificate>(&verdict);
  return certificate != nullptr && !verify(fabric, tables, *certificate);
}

/// Four hosts on the corners of a square, and a message from each to the opposite corner.
struct Square {
  Fabric fabric = make_fabric("iba_mesh:m=2,n=2");
  std::vector<BurstPacket> messages{};

  Square() {
    for (const auto& [from, to] : {std::pair{"H(0,0)", "H(1,1)"},
                                   {"H(1,0)", "H(0,1)"},
                                   {"H(1,1)", "H(0,0)"},
                                   {"H(0,1)", "H(1,0)"}})
      messages.push_back({*fabric.find_host(from), *fabric.find_host(to)});
  }

  /// Routes that all turn left. XY turns right on two of the four routes: there, y goes first.
  Tables turning_left() const {
    constexpr PortNumber north = 2, south = 4;
    Tables tables = xy_tables(fabric);
    auto& next = std::get<DestinationTables>(tables.paths);
    const auto at = [&](const char* name) { return switch_named(fabric, name).index(); };
    next[tables.to_host[*fabric.find_host("H(0,1)")]][at("N(1,0)")] = north;
    next[tables.to_host[*fabric.find_host("H(1,0)")]][at("N(0,1)")] = south;
    tables.engine = "";
    return tables;
  }
};

}  // namespace

Section lane_setting(const IbameshContext& context, std::string_view name) {
  const auto setting = std::find_if(lane_settings.begin(), lane_settings.end(),
                                    [&](const LaneSetting& one) { return one.name == name; });
  const std::string id = fmt::format("vl-{}", name);
  Answers answers(context.stated, id);
  const Fabric fabric = find_fabric("iba_mesh:m=4,n=4", context.study.cluster().links);
  Tables tables = tables_for(fabric, *setting);
  add_groups(fabric, tables);
  const std::string switches = switches_for(context.study.cluster(), *setting, packet_size);
  const auto run = [&](Scheme scheme) {
    return run_burst(
        {fabric, tables, switches, Bytes{packet_size}, everyone_to_everyone(fabric, scheme)});
  };
  const BurstResult unicast = run(Scheme::unicast), multicast = run(Scheme::multicast);
  answers.exact("lanes", lanes_used(fabric, unicast));
  const std::uint64_t due = fabric.host_count() * (fabric.host_count() - 1);
  answers.claim(
      "runs", certified(fabric, tables) && unicast.deliveries == due && multicast.deliveries == due,
      fmt::format("certified free of deadlock; everyone to everyone on 4x4: {} packets and "
                  "{} multicast copies of {} B arrive, in {} and {}",
                  unicast.deliveries, multicast.deliveries, packet_size,
                  weft::to_text(unicast.time), weft::to_text(multicast.time)));
  return {.id = id, .about = {}, .answers = std::move(answers).done()};
}

Section deadlocks(const IbameshContext& context) {
  Answers answers(context.stated, "deadlock");
  Section section{.id = "deadlock", .about = {}};
  const Square square;
  const std::string switches = switches_for(context.study.cluster(), lane_settings[0], packet_size);
  const auto run = [&](const Tables& tables) {
    return run_burst({square.fabric, tables, switches, Bytes{packet_size}, square.messages});
  };
  const Tables left = square.turning_left();
  const DeadlockVerdict verdict = deadlock(square.fabric, left);
  const auto* cycle = std::get_if<weft::DependencyCycle>(&verdict);
  answers.claim("cycle", cycle != nullptr,
                cycle == nullptr ? "no cycle is found"
                                 : fmt::format("{} channels wait for each other in a circle",
                                               cycle->waits.size()));
  if (cycle != nullptr)
    for (const std::string& wait : cycle->describe(square.fabric)) section.notes.push_back(wait);
  const BurstResult stuck = run(left);
  answers.claim("happens", !stuck.deadlock.empty(),
                fmt::format("simulated, {} of 4 messages arrive", stuck.deliveries));
  section.notes.push_back(stuck.deadlock);
  const Tables xy = xy_tables(square.fabric);
  answers.claim("xy", certified(square.fabric, xy), "a certificate is found and verified");
  const BurstResult free = run(xy);
  answers.claim("xy-runs", free.deadlock.empty() && free.deliveries == square.messages.size(),
                fmt::format("simulated, {} of 4 messages arrive in {}", free.deliveries,
                            weft::to_text(free.time)));
  section.answers = std::move(answers).done();
  return section;
}

}  // namespace weft::papers::ibamesh
