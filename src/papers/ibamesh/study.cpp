// SPDX-License-Identifier: Apache-2.0
// Running the study: who sends what to whom over which lanes.
#include "papers/ibamesh/study.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "papers/ibamesh/experiments.hpp"
#include "plan/mcast/mcast.hpp"

namespace weft::papers::ibamesh {
namespace {

std::vector<HostId> shuffled_hosts(const Fabric& fabric, std::uint64_t seed) {
  std::vector<HostId> out;
  for (HostId h : fabric.hosts()) out.push_back(h);
  Rng rng(seed);
  rng.shuffle(out);
  return out;
}

/// The paper's sizes, 32 B to 8 KB.
std::vector<std::int64_t> packet_sizes(bool quick) {
  if (quick) return {32, 256, 2048};
  std::vector<std::int64_t> out;
  for (std::int64_t size = 32; size <= 8192; size *= 2) out.push_back(size);
  return out;
}

/// A quick study is one of 64 hosts at most.
Fabric study_fabric(const Lab& lab, const Cluster& cluster) {
  if (Spec::parse(cluster.topologies.front()).name != "iba_mesh")
    throw Error("{}: the first topology must be an iba_mesh", cluster.name);
  Fabric out = find_fabric(cluster.topologies.front(), cluster.links);
  if (!lab.quick || out.host_count() <= 64) return out;
  return find_fabric("iba_mesh:m=8,n=8", cluster.links);
}

std::size_t share(std::size_t count, int percent) {
  const double exact = static_cast<double>(count) * percent / 100;
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::lround(exact)));
}

}  // namespace

std::vector<Param> study_params() {
  return {
      {"seed", Whole{0, 1'000'000'000}, "1", "of the shuffle that draws sources and members"},
      {"members", OneOf{"same", "other"}, "same",
       "same: the first of the shuffle that draws the sources; other: of another"},
      {"order", OneOf{"random", "shifted", "lid"}, "random",
       "of a unicast source's destinations: random, shifted (by LID from its own on and round), "
       "lid"},
      {"buffer", Whole{1, 1000}, "1", "packets that a lane of an input port holds"},
  };
}

std::string to_text(Scheme scheme) { return scheme == Scheme::unicast ? "unicast" : "multicast"; }

std::string to_text(const TrafficCase& what) {
  const std::string sources =
      what.sources == 0 ? "1 source" : fmt::format("{} % of the hosts as sources", what.sources);
  return fmt::format("{}, group of {} %", sources, what.group);
}

std::string switches_for(const Cluster& cluster, const LaneSetting& setting, std::size_t buffer) {
  Spec spec = Spec::parse(cluster.model);
  spec.values["lanes"] = fmt::format("{}", setting.lanes);
  spec.values["buffer"] = fmt::format("{}B", buffer);
  return spec.text();
}

Tables tables_for(const Fabric& fabric, const LaneSetting& setting) {
  Tables tables = xy_tables(fabric);
  if (!setting.tied) return tables;
  constexpr std::size_t directions = 4;  // ports 1 to 4: east, north, west, south
  constexpr std::array<Lane, directions> of_two{0, 0, 1, 1}, of_four{0, 1, 2, 3};
  tables.lane_count = setting.lanes;
  TurnLanes lanes(fabric, LaneOp::set(0), LaneOp::set(0));
  for (SwitchId s : fabric.switches())
    for (PortNumber in = 0; in <= fabric[s].ports; ++in)
      for (std::size_t d = 0; d < directions; ++d)
        lanes.at(s, in, static_cast<PortNumber>(d + 1)) =
            LaneOp::set(setting.lanes == 2 ? of_two[d] : of_four[d]);
  tables.lanes = std::move(lanes);
  return tables;
}

IbameshStudy::IbameshStudy(const Lab& lab, Cluster cluster)
    : lab_(lab),
      cluster_(std::move(cluster)),
      params_(Spec{"ibamesh", cluster_.paper}, study_params()),
      seed_(lab.seed_from(params_.whole<std::uint64_t>("seed"))),
      buffer_(params_.whole<std::size_t>("buffer")),
      fabric_(study_fabric(lab, cluster_)),
      sizes_(packet_sizes(lab.quick)),
      source_order_(shuffled_hosts(fabric_, seed_)),
      member_order_(params_.is("members", "same") ? source_order_
                                                  : shuffled_hosts(fabric_, seed_ + 1)) {
  if (cluster_.model.empty())
    throw Error("{}: [switches] needs a model for this study", cluster_.name);
}

std::vector<MulticastRun> IbameshStudy::runs(const TrafficCase& what) const {
  std::vector<MulticastRun> out;
  for (const std::int64_t size : sizes_)
    for (std::size_t setting = 0; setting < lane_settings.size(); ++setting)
      for (const Scheme scheme : {Scheme::unicast, Scheme::multicast})
        out.push_back({what, size, setting, scheme});
  return out;
}

std::vector<HostId> IbameshStudy::sources(const TrafficCase& what) const {
  const std::size_t count = what.sources == 0 ? 1 : share(source_order_.size(), what.sources);
  return {source_order_.begin(), source_order_.begin() + static_cast<std::ptrdiff_t>(count)};
}

std::vector<HostId> IbameshStudy::members(const TrafficCase& what) const {
  const std::size_t count = share(member_order_.size(), what.group);
  std::vector<HostId> out(member_order_.begin(),
                          member_order_.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(out.begin(), out.end(),
            [&](HostId a, HostId b) { return fabric_[a].lid < fabric_[b].lid; });
  return out;
}

std::vector<HostId> IbameshStudy::destinations(HostId from, const TrafficCase& what) const {
  std::vector<HostId> out = members(what);
  std::erase(out, from);
  if (params_.is("order", "shifted")) {
    const auto behind = std::find_if(out.begin(), out.end(),
                                     [&](HostId h) { return fabric_[h].lid > fabric_[from].lid; });
    std::rotate(out.begin(), behind, out.end());
  } else if (params_.is("order", "random")) {
    Rng rng(seed_ + from.index());
    rng.shuffle(out);
  }
  return out;
}

std::vector<BurstPacket> IbameshStudy::packets(const MulticastRun& run) const {
  std::vector<BurstPacket> out;
  std::uint32_t group = 0;
  for (const HostId from : sources(run.what)) {
    if (run.scheme == Scheme::multicast) {
      out.push_back({from, {}, group++});
      continue;
    }
    for (const HostId to : destinations(from, run.what)) out.push_back({from, to});
  }
  return out;
}

/// By multicast, tables with a group for every source: one MLID per (source, group), as the union
/// of routes needs. Unicast has tables without groups, over which the simulator moves packets as a
/// whole.
const Tables& IbameshStudy::tables(const MulticastRun& run) const {
  const bool grouped = run.scheme == Scheme::multicast;
  const std::pair key{grouped ? std::optional(run.what) : std::nullopt, run.setting};
  if (const auto kept = tables_.find(key); kept != tables_.end()) return *kept->second;
  Tables tables = tables_for(fabric_, lane_settings[run.setting]);
  if (grouped)
    for (const HostId from : sources(run.what)) {
      GroupRequest request{fabric_[from].name, members(run.what), from, 0};
      Grouped made = make_group({fabric_, tables, request}, "union");
      tables.groups.push_back(std::get<Group>(std::move(made)));
    }
  return *tables_.emplace(key, std::make_unique<const Tables>(std::move(tables))).first->second;
}

/// About how many flits cross how many switches, to run the longest first and to predict the end.
std::uint64_t IbameshStudy::work(const MulticastRun& run) const {
  const std::uint64_t senders = sources(run.what).size(), receivers = members(run.what).size();
  const std::uint64_t hops = run.scheme == Scheme::unicast ? 12 : 2;
  constexpr std::uint64_t overhead = 256;
  return senders * receivers * hops * (static_cast<std::uint64_t>(run.size) + overhead);
}

void IbameshStudy::prepare(const std::vector<MulticastRun>& runs) {
  for (const MulticastRun& run : runs) tables(run);  // kept before threads begin
  results_.add(lab_, runs,
               {.simulate =
                    [this](const MulticastRun& run) {
                      const std::size_t room = buffer_ * static_cast<std::size_t>(run.size);
                      BurstResult result =
                          run_burst({fabric_, tables(run),
                                     switches_for(cluster_, lane_settings[run.setting], room),
                                     Bytes{run.size}, packets(run)});
                      invariant(result.deadlock.empty(), "XY routes deadlock");
                      return result;
                    },
                .label = [](const MulticastRun& run) { return to_text(run.what); },
                .work = [this](const MulticastRun& run) { return work(run); }});
}

Declared IbameshStudy::declared() const {
  return with_params({{"mesh", fabric_.name()}, {"switches", cluster_.model}}, params_,
                     study_params());
}

double IbameshStudy::microseconds(const MulticastRun& run) const {
  constexpr double picoseconds = 1e6;
  return static_cast<double>(at(run).time.count()) / picoseconds;
}

double IbameshStudy::speed_up(MulticastRun run) const {
  run.scheme = Scheme::unicast;
  const double unicast = microseconds(run);
  run.scheme = Scheme::multicast;
  return unicast / microseconds(run);
}

std::string IbameshStudy::spec(const MulticastRun& run) const {
  const std::size_t room = buffer_ * static_cast<std::size_t>(run.size);
  return fmt::format("{} {} {}", fabric_.name(), run.scheme == Scheme::unicast ? "xy" : "xy+union",
                     switches_for(cluster_, lane_settings[run.setting], room));
}

}  // namespace weft::papers::ibamesh
