// SPDX-License-Identifier: Apache-2.0
// Random simulated networks.
#include "support/networks.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "plan/mcast/mcast.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::test {
namespace {

/// The same fabric with wires of any length, and of any speed with `speeds`.
Fabric rewired(const Fabric& fabric, Rng& rng, bool speeds) {
  const std::uint64_t longest = rng.below(3) * rng.below(12);
  const auto wire = [&] {
    const std::int64_t speed = speeds ? std::int64_t{1} << rng.below(4) : 8;
    const auto delay = static_cast<std::int64_t>(rng.below(longest + 1));
    return Wire{gigabits_per_second(speed), Duration{8'000 * delay}};
  };
  FabricBuilder builder(fabric.name());
  for (SwitchId s : fabric.switches()) builder.add_switch(fabric[s]);
  for (LinkId l : fabric.links()) builder.add_link({fabric[l].a, fabric[l].b, wire()});
  for (HostId h : fabric.hosts()) {
    Host host = fabric[h];
    host.wire = wire();
    builder.add_host(host);
  }
  return std::move(builder).build();
}

Fabric any_fabric(std::uint64_t seed, Rng& rng, bool speeds) {
  switch (rng.below(4)) {
    case 0:
      return rewired(random_box(seed), rng, speeds);
    case 1:
      return rewired(damaged_tree(seed), rng, speeds);
    default:
      return rewired(random_fabric(seed, 10), rng, speeds);
  }
}

void add_groups(const Fabric& fabric, Tables& tables, Rng& rng) {
  for (std::uint64_t i = 1 + rng.below(4); i > 0; --i) {
    std::set<HostId> members;
    for (std::uint64_t n = 2 + rng.below(8); n > 0; --n)
      members.insert(HostId(rng.below(fabric.host_count())));
    if (members.size() < 2) return;
    GroupRequest request{fmt::format("g{}", i), {members.begin(), members.end()}};
    if (rng.below(2) == 0) request.source = request.members[rng.below(members.size())];
    request.lane = static_cast<Lane>(rng.below(static_cast<std::uint64_t>(tables.lane_count)));
    const Grouped made =
        make_group({fabric, tables, request}, request.source ? "union" : "oriented");
    if (!std::holds_alternative<Group>(made)) continue;
    tables.groups.push_back(std::get<Group>(made));
    give_level(tables, tables.groups.back(), rng);
    if (not_certified(fabric, tables)) tables.groups.pop_back();
  }
}

/// Then switches need credits.
bool compare_queues(const Tables& tables) {
  const auto* choices = std::get_if<ChoiceTables>(&tables.paths);
  return choices != nullptr && (choices->start_rule == StartRule::queue ||
                                std::any_of(choices->phases.begin(), choices->phases.end(),
                                            [](const Phase& p) { return p.detour.has_value(); }));
}

std::string any_switches(const Tables& tables, Rng& rng, std::uint32_t packet, bool special) {
  const char* switching[] = {"wormhole", "wormhole", "cut_through", "store_and_forward"};
  const std::uint64_t kind = rng.below(4);
  const bool whole = kind >= 2 || !tables.groups.empty();  // buffers hold a packet
  const std::uint64_t times = 1 + rng.below(2) * rng.below(4);
  const std::uint64_t lanes = std::min<std::uint64_t>(
      64, static_cast<std::uint64_t>(tables.lane_count) * times + rng.below(2));
  std::uint64_t buffer = (whole ? packet : 1) + rng.below(2) * rng.below(12);
  std::string out = fmt::format(
      "iq:lanes={},switching={},route={},allocate_lane={},allocate={},cross={},link={},credit={},"
      "host_lanes={}",
      lanes, switching[kind], rng.below(3), 1 + rng.below(2), 1 + rng.below(2), rng.below(3),
      rng.below(3), rng.below(3), rng.below(2) == 0 ? "any" : "tables");
  if (special && rng.below(2) == 0)
    out += fmt::format(",priorities=yes,aging={}", rng.below(2) * rng.below(60));
  if (special && !compare_queues(tables) && rng.below(3) == 0) {
    const std::uint64_t least = kind == 3 || !tables.groups.empty() ? packet : 1;
    const std::uint64_t stop = least + rng.below(20), go = least - 1 + rng.below(stop - least + 1);
    buffer = stop + 70;  // longer than any loop
    out += fmt::format(",flow=stop_go,stop={},go={}", stop, go);
  } else if (special && kind >= 2 && rng.below(2) == 0) {
    out += ",multiplex=packet";
  } else if (rng.below(4) == 0) {
    out += ",reuse=empty";
  }
  if (lanes <= 32 && rng.below(3) == 0) out += ",control=yes";
  return out + fmt::format(",buffer={}", buffer);
}

Script any_traffic(const Fabric& fabric, const Tables& tables, Rng& rng, std::uint32_t packet) {
  Script out;
  const auto any_host = [&] { return HostId(rng.below(fabric.host_count())); };
  const HostId hot = any_host();
  const std::uint64_t hotness = rng.below(2) * rng.below(60);
  const std::uint64_t each = 3 + rng.below(12);
  const std::uint64_t window = 1 + each * packet * rng.below(8);  // from a burst to a low load
  const std::uint64_t share = rng.below(2) * rng.below(50);       // of multicast, in a hundred
  for (HostId from : fabric.hosts())
    for (std::uint64_t i = 0; i < each; ++i) {
      sim::Packet sent{.from = from, .to = rng.below(100) < hotness ? hot : any_host()};
      sent.flits = static_cast<std::uint32_t>(1 + rng.below(packet));
      sent.urgent = rng.below(4) == 0;
      sent.control = rng.below(4) == 0;
      if (!tables.groups.empty() && rng.below(100) < share) {
        sent.group = static_cast<std::uint32_t>(rng.below(tables.groups.size()));
        const Group& group = tables.groups[sent.group];
        sent.from = group.source ? *group.source : group.members[rng.below(group.members.size())];
      }
      out.push_back({rng.below(window), sent});
    }
  return out;
}

sim::Faults any_faults(const Fabric& fabric, Rng& rng) {
  sim::Faults out;
  const auto time = [&] { return rng.below(1 + rng.below(600)); };
  if (fabric.link_count() > 0)
    for (std::uint64_t i = rng.below(4); i > 0; --i)
      out.links.push_back({LinkId(rng.below(fabric.link_count())), HostId::none(), time()});
  for (std::uint64_t i = rng.below(3); i > 0; --i)
    out.links.push_back({LinkId::none(), HostId(rng.below(fabric.host_count())), time()});
  if (rng.below(3) == 0)
    out.switches.push_back({SwitchId(rng.below(fabric.switch_count())), time()});
  if (rng.below(3) == 0) out.bit_error_rate = rng.unit() * 1e-3;
  return out;
}

}  // namespace

Tables certified_tables(const Fabric& fabric, std::uint64_t seed) {
  Rng rng(seed);
  for (;;) {
    const RoutingEngineRow& row = engines()[rng.below(engines().size())];
    if (!row.promise.deadlock_free) continue;
    const bool by_service = row.name == "dor" && rng.below(2) == 0;
    Routed out = route(fabric, std::string(row.name) + (by_service ? ":lanes=service" : ""));
    if (auto* tables = std::get_if<Tables>(&out))
      return rng.below(4) == 0 ? as_source_routes(fabric, *tables) : std::move(*tables);
  }
}

RandomNetwork random_network(std::uint64_t seed, Allowed allowed) {
  Rng rng(seed);
  const Fabric fabric = any_fabric(seed, rng, allowed.speeds && rng.below(2) == 0);
  RandomNetwork out{fabric, certified_tables(fabric, rng.next()), ""};
  if (allowed.groups) add_groups(fabric, out.tables, rng);
  const auto packet = static_cast<std::uint32_t>(1 + rng.below(2) * rng.below(20));
  out.switches = any_switches(out.tables, rng, packet, allowed.special);
  out.script = any_traffic(fabric, out.tables, rng, packet);
  if (allowed.faults) out.options.faults = any_faults(fabric, rng);
  out.options.seed = seed;
  out.options.longest_packet = packet;
  return out;
}

RandomNetwork random_whole_packets(std::uint64_t seed) {
  RandomNetwork network = random_network(seed, {});
  Rng rng(seed);
  const auto upto = [&rng](std::uint64_t most) { return rng.below(most + 1); };
  const std::uint32_t longest = network.options.longest_packet;
  const auto lanes = static_cast<std::uint64_t>(network.tables.lane_count) + upto(3);
  const std::string stages = seed % 3 == 0
                                 ? fmt::format("latency={}", 2 + upto(20))
                                 : fmt::format("route={},allocate_lane={}", upto(2), 1 + upto(1));
  network.switches = fmt::format(
      "iq:lanes={},switching=cut_through,multiplex=packet,buffer={},{},credit={},host_lanes={}",
      lanes, std::max<std::uint64_t>(longest + upto(2 * longest), 12), stages, upto(3),
      upto(1) == 0 ? "any" : "tables");
  return network;
}

std::string RandomNetwork::describe() const {
  return fmt::format("{}, {}, {}, packets of {}, {} sent", fabric.name(), tables.engine, switches,
                     options.longest_packet, script.size());
}

Ran run_to_end(const RandomNetwork& random, bool check, sim::Cycle step) {
  constexpr sim::Cycle most = 3'000'000;
  sim::NetworkOptions options = random.options;
  options.check = check;
  sim::Network network(random.fabric, random.tables, sim::model_from(random.switches), options);
  Recorder recorder(network, random.script);
  Ran out;
  do {
    out.ended = network.run(recorder, std::min(step, most - network.now()) + network.now());
  } while (out.ended == sim::NetworkEnd::in_time && network.now() < most);
  out.hash = recorder.hash();
  out.totals = network.totals();
  if (out.ended == sim::NetworkEnd::deadlocked)
    out.wrong = network.explanation();
  else if (out.ended == sim::NetworkEnd::in_time)
    out.wrong = "does not end";
  else
    out.wrong = recorder.miscounted(network).value_or("");
  return out;
}

bool make_holes(RandomNetwork& network, std::uint64_t seed) {
  auto* next = std::get_if<DestinationTables>(&network.tables.paths);
  if (next == nullptr) return false;
  Rng rng(seed);
  for (int hole = 0; hole < 3; ++hole) {
    const ColumnId column(rng.below(next->size()));
    const std::size_t at = rng.below(network.fabric.switch_count());
    (*next)[column][at] = rng.below(2) == 0 ? no_port : PortNumber{1};
  }
  return true;
}

void add_group_that_is_no_tree(RandomNetwork& network, std::uint64_t seed) {
  const Fabric& fabric = network.fabric;
  Rng rng(seed);
  const auto any_port = [&](SwitchId s) {
    return static_cast<PortNumber>(1 + rng.below(std::max(fabric[s].ports, PortNumber{1})));
  };
  Group group{.name = "no tree", .members = {}};
  for (HostId h : fabric.hosts())
    if (rng.below(4) > 0) group.members.push_back(h);
  if (group.members.empty()) group.members.push_back(HostId(0));
  for (SwitchId s : fabric.switches()) {
    std::set<PortNumber> ports;
    for (std::uint64_t n = rng.below(4); n > 0; --n) ports.insert(any_port(s));
    for (HostId h : fabric.hosts_on(s))
      if (rng.below(3) > 0) ports.insert(fabric[h].port);
    if (!ports.empty()) group.out.push_back({s, {ports.begin(), ports.end()}});
  }
  if (network.switches.find("multiplex=packet") == std::string::npos && rng.below(3) == 0) {
    group.root = SwitchId(rng.below(fabric.switch_count()));
    for (SwitchId s : fabric.switches())
      if (rng.below(5) > 0) group.up.push_back({s, any_port(s)});
  }
  for (const HostId from : group.members)
    for (std::uint64_t i = rng.below(3); i > 0; --i)
      network.script.push_back(
          {rng.below(500),
           {.from = from,
            .group = static_cast<std::uint32_t>(network.tables.groups.size()),
            .flits = static_cast<std::uint32_t>(1 + rng.below(network.options.longest_packet))}});
  network.tables.groups.push_back(std::move(group));
}

FoundDeadlock run_to_deadlock(sim::Network& network, const Script& script) {
  Recorder recorder(network, script);
  EXPECT_EQ(network.run(recorder, 1'000'000), sim::NetworkEnd::deadlocked);
  return {network.explanation(), network.now()};
}

}  // namespace weft::test
