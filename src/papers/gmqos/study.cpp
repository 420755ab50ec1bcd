// SPDX-License-Identifier: Apache-2.0
// The machines of the study of rate control, its flows, and what is measured once.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "fabric/builder.hpp"
#include "lab/cluster/waiting.hpp"
#include "lab/parallel.hpp"
#include "lab/program/experiment.hpp"
#include "papers/gmqos/experiments.hpp"
#include "sim/nics/nic.hpp"

namespace weft::papers::gmqos {
namespace {

std::string nic_spec(const Cluster& cluster, Schedule schedule) {
  if (cluster.nic.empty() || cluster.model.empty())
    throw Error("{}: the study needs a switch model and a nic", cluster.name);
  Spec spec = Spec::parse(cluster.nic);
  if (spec.name != "gm")
    throw Error("{}: the study is one of GM's NIC, not of {}", cluster.name, spec.name);
  spec.values["schedule"] = schedule == Schedule::by_rate     ? "rate"
                            : schedule == Schedule::by_packet ? "packet"
                                                              : "message";
  return spec.text();
}

FlowPlan flow_between(const std::string& name, std::size_t from, std::size_t to,
                      FlowService service) {
  FlowPlan plan;
  plan.name = name;
  plan.from = HostId(from);
  plan.to = HostId(to);
  plan.service = service;
  return plan;
}

}  // namespace

std::span<const Param> study_params() {
  static constexpr std::array rows{
      Param{"capacity", BandwidthText{}, "78MB/s", "what the managers hand out for a host in all"},
      Param{"library", FreeText{}, "mpich_gm", "that MPI programs use"},
      Param{"slow_links", BandwidthText{}, "160Mb/s",
            "figures 2.4 and 3.2: links that are slower than NICs"},
      Param{"cascade", BandwidthText{}, "480Mb/s", "figure 1.3: the link between the two switches"},
      Param{"fat_tree", FreeText{}, "clos2:leaves=8,spines=8,hosts=8", "for promises"},
      Param{"irregular", FreeText{}, "rhinet2_a", "for promises"},
      Param{"flows", Whole{1, 10'000}, "200", "random ones, for promises"},
      Param{"seeds", Whole{1, 100}, "3", "of random flows"},
  };
  return rows;
}

Declared GmqosStudy::declared() const {
  return with_params({{"switches", rated_.switches.spec}, {"nic", rated_.nic.spec}}, params_,
                     study_params());
}

GmqosStudy::GmqosStudy(const Lab& lab)
    : lab_(lab),
      cluster_(find_cluster(lab.cluster)),
      params_({"gmqos", cluster_.paper}, study_params()),
      rated_(machine(Schedule::by_rate, {})),
      stock_(machine(Schedule::by_packet, {})) {
  if (rated_.fabric().host_count() < 4)
    throw Error("{}: the study needs 4 hosts or more", cluster_.name);
}

Machine GmqosStudy::machine(Schedule schedule, const std::string& topology) const {
  const std::string nic = nic_spec(cluster_, schedule);
  const std::string& fabric = topology.empty() ? cluster_.topologies.front() : topology;
  const SharedNetwork network = networks_({fabric, cluster_.engines.front(), cluster_.links});
  return {network, settled(sim::model_from(cluster_.model), *network), sim::nic_from(nic), {}};
}

Machine GmqosStudy::cascade(Schedule schedule, const std::vector<int>& hosts) const {
  const Wire usual = rated_.fabric()[HostId(0)].wire;
  const Wire between{params_.bandwidth("cascade"), usual.delay};
  FabricBuilder builder("cascade");
  const SwitchId first = builder.add_switch({.name = "S1", .ports = 16});
  const SwitchId second = builder.add_switch({.name = "S2", .ports = 16});
  builder.connect(first, second, between);
  for (std::size_t on = 0; on < hosts.size(); ++on)
    for (int i = 0; i < hosts[on]; ++i)
      builder.add_host({.name = fmt::format("H{}", builder.host_count() + 1),
                        .on = on == 0 ? first : second,
                        .wire = usual});
  Fabric fabric = std::move(builder).build();
  Tables tables = find_tables(fabric, cluster_.engines.front());
  // A port that is faster than the next needs room for what arrives until its stop takes effect.
  Spec switches = Spec::parse(cluster_.model);
  switches.values["buffer"] = "16";
  const auto network =
      std::make_shared<const ResolvedNetwork>(std::move(fabric), std::move(tables));
  return {network,
          settled(sim::model_from(switches.text()), *network),
          sim::nic_from(nic_spec(cluster_, schedule)),
          {}};
}

Machine GmqosStudy::mpi() const {
  Machine out = machine(Schedule::by_rate);
  out.library = comm::library_from(params_.text("library"));
  return out;
}

const Peak& GmqosStudy::peak() const {
  if (!peak_) peak_ = measure_peak(rated_);
  return *peak_;
}

std::vector<comm::qos::CurvePoint> GmqosStudy::trade(const std::vector<std::int64_t>& ticks) const {
  std::vector<std::pair<std::int64_t, comm::qos::CurvePoint*>> missing;
  for (const std::int64_t each : ticks)
    if (const auto [place, added] = trade_.try_emplace(each); added)
      missing.emplace_back(each, &place->second);
  const Peak most = peak();
  in_parallel(missing.size(), lab_.threads, [&](std::size_t i) {
    *missing[i].second = measure_trade(rated_, tick() * missing[i].first, most);
  });
  std::vector<comm::qos::CurvePoint> out;
  for (const std::int64_t each : ticks) out.push_back(trade_.at(each));
  return out;
}

const comm::qos::Limits& GmqosStudy::limits() const {
  if (limits_) return *limits_;
  std::vector<std::int64_t> ticks;
  for (const Duration interval : trade_intervals(rated_, peak()))
    ticks.push_back(interval / tick());
  limits_ = limits_from(peak(), trade(ticks), params_.bandwidth("capacity"));
  return *limits_;
}

std::vector<double> GmqosStudy::achieved(const Machine& machine,
                                         std::vector<FlowPlan> flows) const {
  const Milliseconds warm_up(quick() ? 20 : 50), end(quick() ? 100 : 550);
  for (FlowPlan& flow : flows) flow.stop = end;
  FlowsPlan plan;
  plan.flows = std::move(flows);
  const FlowsFound found = run_flows(machine, plan);
  std::vector<double> out;
  for (std::size_t i = 0; i < found.flows.size(); ++i)
    out.push_back(sent_between(found, i, warm_up, end));
  return out;
}

FlowPlan free_flow(const std::string& name, std::size_t from, std::size_t to) {
  return flow_between(name, from, to, FlowService::free);
}

FlowPlan paced_flow(const std::string& name, std::size_t from, std::size_t to, Duration interval) {
  FlowPlan plan = flow_between(name, from, to, FlowService::paced);
  plan.interval = interval;
  return plan;
}

FlowPlan promised_flow(const std::string& name, std::size_t from, std::size_t to,
                       double megabytes) {
  FlowPlan plan = flow_between(name, from, to, FlowService::promised);
  plan.bandwidth = from_megabytes(megabytes);
  return plan;
}

FlowPlan best_effort_flow(const std::string& name, std::size_t from, std::size_t to) {
  return flow_between(name, from, to, FlowService::best_effort);
}

Bandwidth from_megabytes(double per_second) {
  return {static_cast<std::int64_t>(std::llround(per_second * 8e6))};
}

Duration interval_for(const Machine& machine, double megabytes) {
  return machine.nic.mtu / from_megabytes(megabytes);
}

double off_ratio(const std::vector<double>& achieved, const std::vector<double>& intervals) {
  invariant(achieved.size() == intervals.size(), "every flow has an interval");
  double worst = 0;
  for (std::size_t i = 1; i < achieved.size(); ++i) {
    const double ratio = achieved[i] * intervals[i] / (achieved[0] * intervals[0]);
    worst = std::max(worst, std::abs(ratio - 1));
  }
  return worst;
}

}  // namespace weft::papers::gmqos
