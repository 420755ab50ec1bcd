// SPDX-License-Identifier: Apache-2.0
// Flows as host programs: every flow has a sender and a receiver among the ranks of its hosts, a
// sampler looks at the NICs.
#include "lab/flows/flows.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "base/error.hpp"
#include "base/words.hpp"
#include "fabric/walk.hpp"
#include "lab/cluster/physics.hpp"
#include "lab/flows/trial.hpp"
#include "run/simulated/world.hpp"

namespace weft {
namespace {

/// Which ranks carry a flow. Flows out of one host share a port as long as it has send tokens for
/// all of them; those to the same host, of the same priority, do not: a NIC distinguishes flows
/// by their ports.
struct Ends {
  comm::Rank source = 0, target = 0;
};

struct RankPlan {
  std::vector<HostId> hosts{};  ///< that have flows, in order
  int ranks_per_host = 1;
  std::vector<Ends> ends{};
};

std::vector<int> ports_of(const FlowsPlan& plan, std::uint32_t tokens) {
  // Messages between managers wait for no flow: the first port is theirs.
  const int first = asks_managers(plan) ? 1 : 0;
  std::set<std::tuple<HostId, HostId, comm::Priority, int>> taken;
  std::map<std::tuple<HostId, comm::Priority, int>, std::uint32_t> used;  ///< tokens
  std::vector<int> ports;
  for (const FlowPlan& flow : plan.flows) {
    const auto wanted = static_cast<std::uint32_t>(flow.window);
    const auto full = [&](int port) {
      const std::uint32_t before = used[{flow.from, flow.priority, port}];
      return tokens > 0 && before > 0 && before + wanted > tokens;
    };
    int port = first;
    while (full(port) || taken.count({flow.from, flow.to, flow.priority, port}) > 0) ++port;
    taken.insert({flow.from, flow.to, flow.priority, port});
    used[{flow.from, flow.priority, port}] += wanted;
    ports.push_back(port);
  }
  return ports;
}

RankPlan rank_plan_of(const Machine& machine, const FlowsPlan& plan) {
  RankPlan ranks;
  for (const FlowPlan& flow : plan.flows) {
    if (flow.from.index() >= machine.fabric().host_count() ||
        flow.to.index() >= machine.fabric().host_count())
      throw Error("{}: the fabric has no such host", flow.name);
    if (flow.from == flow.to) throw Error("{}: a flow goes from one host to another", flow.name);
    ranks.hosts.push_back(flow.from);
    ranks.hosts.push_back(flow.to);
  }
  std::sort(ranks.hosts.begin(), ranks.hosts.end());
  ranks.hosts.erase(std::unique(ranks.hosts.begin(), ranks.hosts.end()), ranks.hosts.end());
  const std::vector<int> ports = ports_of(plan, machine.nic.send_tokens);
  ranks.ranks_per_host = *std::max_element(ports.begin(), ports.end()) + 1;
  const auto rank = [&](HostId host, int port) {
    const auto place = std::lower_bound(ranks.hosts.begin(), ranks.hosts.end(), host);
    return static_cast<comm::Rank>(place - ranks.hosts.begin()) * ranks.ranks_per_host + port;
  };
  for (std::size_t i = 0; i < plan.flows.size(); ++i)
    ranks.ends.push_back({rank(plan.flows[i].from, ports[i]), rank(plan.flows[i].to, ports[i])});
  return ranks;
}

/// The bandwidth of a link without the headers of packets, or so many per cent of it.
Bandwidth for_data(Bandwidth speed, const sim::NicModel& nic, int percent = 100) {
  const auto all = static_cast<__int128>(nic.mtu.count + nic.header.count) * 100;
  return {static_cast<std::int64_t>(static_cast<__int128>(speed.bits_per_second) * nic.mtu.count *
                                    percent / all)};
}

/// The path of packets between two hosts as the managers see it: the link of the source, then the
/// ports of switches. Nothing can be promised to a flow whose packets take different routes.
std::variant<comm::qos::Path, Refused> path_of(const Machine& machine, HostId from, HostId to,
                                               int link_percent) {
  const Fabric& fabric = machine.fabric();
  Walker walker(fabric, machine.tables());
  const Walk& walk = walker(from, to);
  if (walk.choices > 0)
    return Refused{fmt::format(
        "packets from {} to {} have no fixed path: the tables leave {} a choice", fabric[from].name,
        fabric[to].name, counted(walk.choices, "switch", "switches"))};
  if (walk.end != RouteEnd::reached)
    return Refused{
        fmt::format("the tables lead no packet from {} to {}", fabric[from].name, fabric[to].name)};
  comm::qos::Path path{static_cast<comm::qos::HostNumber>(from.index()),
                       static_cast<comm::qos::HostNumber>(to.index())};
  const auto pass = [&](std::size_t number, const Wire& wire, int percent) {
    path.ports.push_back(
        {static_cast<std::uint32_t>(number), for_data(wire.speed, machine.nic, percent)});
  };
  const std::size_t hosts = fabric.host_count();
  pass(from.index(), fabric[from].wire, 100);
  for (const Hop& hop : walk.hops)
    pass(2 * hosts + hop.channel.index(), fabric.wire(hop.channel), link_percent);
  pass(hosts + to.index(), fabric[to].wire, 100);
  return path;
}

/// What all ranks of a run share.
struct FlowRun {
  const Machine& machine;
  const FlowsPlan& plan;
  const RankPlan& ranks;
  FlowsFound& found;
  const FlowsProgress& progress;
  const std::vector<std::string>& unable;  ///< by flow: why it cannot use what it asks for

  HostId host(comm::Rank rank) const {
    return ranks.hosts[static_cast<std::size_t>(rank / ranks.ranks_per_host)];
  }
  int link_percent() const {
    return plan.link_percent > 0 ? plan.link_percent : usual_link_percent(machine);
  }
  comm::qos::Settings settings() const {
    return {.limits = plan.limits,
            .hosts = static_cast<int>(machine.fabric().host_count()),
            .policy = plan.policy,
            .route =
                [this](const comm::Flow& flow) {
                  return path_of(machine, host(flow.source), host(flow.target), link_percent());
                },
            .names = {.host =
                          [this](comm::qos::HostNumber number) {
                            return machine.fabric()[HostId(static_cast<std::size_t>(number))].name;
                          },
                      .port = [this](std::uint32_t number) { return port_name(number); }}};
  }

  /// As path_of() numbers them.
  std::string port_name(std::size_t number) const {
    const Fabric& fabric = machine.fabric();
    const std::size_t hosts = fabric.host_count();
    if (number < hosts) return "the link from " + fabric[HostId(number)].name;
    if (number < 2 * hosts) return "the link to " + fabric[HostId(number - hosts)].name;
    const ChannelId channel(number - 2 * hosts);
    return fmt::format("{} port {} ({} % of it)", fabric[fabric.from(channel)].name,
                       fabric.out_port(channel), link_percent());
  }

  comm::Flow name(std::size_t flow) const {
    return {ranks.ends[flow].source, ranks.ends[flow].target, plan.flows[flow].priority};
  }
};

/// Sends messages until the flow's time is over.
comm::Task send_messages(comm::Endpoint& ep, const FlowRun& run, std::size_t index) {
  const FlowPlan& plan = run.plan.flows[index];
  const comm::Rank to = run.ranks.ends[index].target;
  const auto tag = static_cast<comm::Tag>(index);
  const std::vector<std::byte> data(static_cast<std::size_t>(plan.message.count));
  std::vector<comm::LastOp> under_way(static_cast<std::size_t>(plan.window));
  Duration next = ep.now();
  for (std::size_t i = 0; std::max(ep.now(), next) < plan.stop; ++i) {
    if (ep.now() < next) co_await ep.sleep(next - ep.now());
    next += plan.every;
    comm::LastOp& op = under_way[i % under_way.size()];
    if (op.get() != nullptr) co_await *op.get();
    op.make([&] { return ep.send(to, tag, data, plan.priority); });
  }
  for (comm::LastOp& op : under_way)
    if (op.get() != nullptr) co_await *op.get();
}

std::int64_t packets_of(const FlowPlan& flow, Bytes mtu) {
  return (flow.message.count + mtu.count - 1) / mtu.count;
}

/// The bandwidth that managers must reserve for a flow whose messages do not fill their packets:
/// managers count full packets.
Bandwidth raw_bandwidth(const FlowPlan& flow, const sim::NicModel& nic) {
  const auto raw = static_cast<__int128>(flow.bandwidth.bits_per_second) * nic.mtu.count *
                   packets_of(flow, nic.mtu) / flow.message.count;
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return {raw < most ? static_cast<std::int64_t>(raw) : most};
}

/// Sets the interval of a paced flow, or asks the managers for its service and keeps their answer.
comm::Task request_service(comm::Endpoint& ep, const FlowRun& run, std::size_t index,
                           comm::qos::Service* service) {
  const FlowPlan& plan = run.plan.flows[index];
  FlowFound& found = run.found.flows[index];
  if (plan.service == FlowService::paced) {
    auto* const rates = ep.capability<comm::RateControl>();
    if (rates == nullptr) throw Error("{}: the NIC has no rate control", plan.name);
    rates->set_interval(run.name(index), plan.interval);
  }
  if (!asks_managers(plan.service)) co_return;
  const Bandwidth raw = raw_bandwidth(plan, run.machine.nic);
  comm::qos::Answer answer;
  if (!run.unable[index].empty())
    answer.why = run.unable[index];
  else if (plan.service == FlowService::promised)
    answer = co_await service->reserve(run.name(index), raw);
  else
    answer = co_await service->best_effort(run.name(index));
  found.granted = answer.granted;
  found.why = answer.why;
  if (!found.granted && run.unable[index].empty() && raw != plan.bandwidth &&
      plan.service == FlowService::promised)
    found.why += fmt::format(" (messages of {} do not fill their packets: {} of data take {})",
                             to_text(plan.message), comm::qos::in_bytes(plan.bandwidth),
                             comm::qos::in_bytes(raw));
}

comm::Task send_flow(comm::Endpoint& ep, const FlowRun& run, std::size_t index,
                     comm::qos::Service* service) {
  const FlowPlan& plan = run.plan.flows[index];
  FlowFound& found = run.found.flows[index];
  co_await ep.sleep(plan.start);
  co_await request_service(ep, run, index, service);
  found.began = ep.now();
  if (found.granted) co_await send_messages(ep, run, index);
  found.ended = ep.now();
  // An empty message ends the receiver.
  co_await ep.send(run.ranks.ends[index].target, static_cast<comm::Tag>(index), {}, plan.priority);
  if (asks_managers(plan.service) && found.granted) co_await service->release(run.name(index));
}

comm::Task receive_flow(comm::Endpoint& ep, const FlowRun& run, std::size_t index) {
  const FlowPlan& plan = run.plan.flows[index];
  FlowFound& found = run.found.flows[index];
  const comm::Rank from = run.ranks.ends[index].source;
  const auto tag = static_cast<comm::Tag>(index);
  std::vector<std::byte> memory(static_cast<std::size_t>(plan.message.count));
  // As many receive tokens as messages may be under way.
  std::vector<comm::LastOp> posted(static_cast<std::size_t>(plan.window) + 1);
  for (comm::LastOp& op : posted) op.make([&] { return ep.recv(from, tag, memory); });
  for (std::size_t i = 0;; ++i) {
    comm::LastOp& op = posted[i % posted.size()];
    const comm::Result result = co_await *op.get();
    if (!result.ok()) throw Error("{}: {}", plan.name, to_text(result.status));
    if (result.bytes == 0) break;
    found.bytes += result.bytes;
    op.make([&] { return ep.recv(from, tag, memory); });
  }
}

/// Samples every flow's NIC at the end of every bin, until the last flow's time is over.
comm::Task sample(comm::Endpoint& ep, const FlowRun& run, sim::HostModel& hosts,
                  const std::vector<sim::FlowKey>& keys) {
  Duration end{0};
  for (const FlowPlan& flow : run.plan.flows) end = std::max(end, flow.stop);
  std::vector<std::uint64_t> before(keys.size());
  for (Duration at{0}; at < end; at += run.plan.bin) {
    co_await ep.sleep(run.plan.bin);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      const std::uint64_t now = hosts.dispatched(keys[i]);
      run.found.flows[i].packets.push_back(now - before[i]);
      run.found.flows[i].interval.push_back(hosts.interval(keys[i]));
      before[i] = now;
    }
    if (run.progress)
      run.progress(static_cast<double>(at.count()) / static_cast<double>(end.count()));
  }
}

double packet_bytes(const FlowPlan& flow, Bytes mtu) {
  return static_cast<double>(flow.message.count) / static_cast<double>(packets_of(flow, mtu));
}

void check(const Machine& machine, const FlowsPlan& plan) {
  if (plan.flows.empty()) throw Error("there are no flows");
  if (plan.link_percent < 0 || plan.link_percent > 100)
    throw Error("{} % of a link: from 1 to 100 can be handed out", plan.link_percent);
  if (plan.bin.count() < 1) throw Error("bandwidth over time needs bins of some length");
  if (machine.nic.schedule == sim::Schedule::as_posted)
    throw Error("{}: this NIC does not tell flows apart; gm does", machine.nic.spec);
  constexpr std::int64_t most = std::int64_t{1} << 30U;
  std::int64_t under_way = 0;
  for (const FlowPlan& flow : plan.flows) {
    if (flow.message.count < 1) throw Error("{}: a message has a byte or more", flow.name);
    if (flow.window < 1) throw Error("{}: a window has a message or more", flow.name);
    if (flow.message.count > (most - under_way) / flow.window)
      throw Error("{}: {} messages of {} under way, and those of other flows, are more than 1GiB",
                  flow.name, flow.window, to_text(flow.message));
    under_way += flow.message.count * flow.window;
  }
}

/// Runs flows, of which some are known to be unable to use what they ask for; none if empty.
FlowsFound run_tried_flows(const Machine& machine, const FlowsPlan& plan,
                           std::vector<std::string> unable, const FlowsProgress& progress) {
  unable.resize(plan.flows.size());
  const RankPlan ranks = rank_plan_of(machine, plan);
  FlowsFound found;
  found.bin = plan.bin;
  for (const FlowPlan& flow : plan.flows) {
    found.flows.emplace_back();
    found.flows.back().packet_bytes = packet_bytes(flow, machine.nic.mtu);
  }
  const FlowRun run{machine, plan, ranks, found, progress, unable};
  const bool managed = asks_managers(plan);
  run::WorldOptions options;
  options.hosts = ranks.hosts;
  options.ranks_per_host = ranks.ranks_per_host;
  options.library = machine.library;
  run::World world(machine.fabric(), machine.tables(), machine.switches, machine.nic, options);
  std::vector<sim::FlowKey> keys;
  for (std::size_t i = 0; i < plan.flows.size(); ++i) keys.push_back(world.flow_key(run.name(i)));
  const auto program = [&](comm::Endpoint& ep) -> comm::Task {
    comm::Team everyone(ep);
    std::unique_ptr<comm::qos::Service> service;
    if (managed) service = std::make_unique<comm::qos::Service>(everyone, run.settings());
    std::vector<comm::Task> tasks;
    for (std::size_t i = 0; i < plan.flows.size(); ++i) {
      if (ranks.ends[i].source == ep.rank()) tasks.push_back(send_flow(ep, run, i, service.get()));
      if (ranks.ends[i].target == ep.rank()) tasks.push_back(receive_flow(ep, run, i));
    }
    if (ep.rank() == 0) tasks.push_back(sample(ep, run, world.hosts(), keys));
    for (comm::Task& task : tasks) task.start(ep.ready());
    for (comm::Task& task : tasks) co_await task;
    if (managed) co_await service->close();
  };
  const run::WorldResult outcome = world.run(program);
  if (outcome.ended == run::WorldEnd::deadlocked)
    found.deadlock = world.hosts().network().explanation();
  else if (outcome.ended != run::WorldEnd::finished)
    throw Error("the flows did not end: {} operations wait for nothing", outcome.pending.size());
  found.time = outcome.time;
  found.packets = world.hosts().network().totals().sent;
  found.flit_hops = world.hosts().network().totals().flit_hops;
  return found;
}

}  // namespace

int usual_link_percent(const Machine& machine) {
  const std::uint32_t longest = longest_packet(machine.nic, machine.switches);
  const Bytes buffer = figures_of(machine.fabric(), machine.switches, longest).buffer;
  return buffer.count < 2 * (machine.nic.mtu.count + machine.nic.header.count) ? 40 : 60;
}

FlowsFound run_flows(const Machine& machine, const FlowsPlan& plan, const FlowsProgress& progress) {
  check(machine, plan);
  const auto tried = [&](const FlowsPlan& trial) {
    return run_tried_flows(machine, trial, {}, {});
  };
  return run_tried_flows(machine, plan, inabilities(machine, plan, tried), progress);
}

double sent_between(const FlowsFound& found, std::size_t flow, Duration from, Duration to) {
  const FlowFound& of = found.flows[flow];
  std::uint64_t packets = 0;
  for (auto bin = static_cast<std::size_t>(from / found.bin);
       bin < static_cast<std::size_t>(to / found.bin) && bin < of.packets.size(); ++bin)
    packets += of.packets[bin];
  const double seconds = static_cast<double>((to - from).count()) * 1e-12;
  return static_cast<double>(packets) * of.packet_bytes / seconds / 1e6;
}

}  // namespace weft
