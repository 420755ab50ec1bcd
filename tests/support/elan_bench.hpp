// SPDX-License-Identifier: Apache-2.0
// A bench of Elans: a quaternary tree of Elites with a process on every host, and the outcomes of
// their operations.
#pragma once
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "sim/elan/elans.hpp"
#include "sim/nics/nic.hpp"
#include "support/elite.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::test {

class ElanBench : public sim::HostUser, public sim::ElanUser, private sim::Kernel::Handler {
 public:
  explicit ElanBench(const std::string& topology = "tree:k=4,n=2,speed=3.2Gb/s",
                     const std::string& nic = "elan", const sim::HostOptions& options = {},
                     const std::string& switches_spec = elite,
                     const std::vector<std::vector<HostId>>& groups = {})
      : model(sim::nic_from(nic)),
        fabric(make_fabric(topology)),
        tables(with_groups(fabric, groups)),
        switches(sim::model_from(switches_spec)),
        hosts(model.make_hosts(model, {fabric, tables, switches, options})),
        elans(*hosts->capability<sim::Elans>()) {
    elans.listen(*this);
    for (const HostId host : fabric.hosts())
      contexts.push_back(
          elans.memory_of(host).attach(static_cast<sim::elan::Process>(host.index())));
  }

  sim::elan::ProcessLocation place(std::size_t host) const {
    return {HostId(host), contexts[host]};
  }
  /// Memory of a host's process, open to all others.
  sim::elan::MemoryBlock block(std::size_t host, sim::elan::MemoryKind store, std::size_t bytes,
                               sim::elan::AccessRights rights = sim::elan::AccessRights::both) {
    auto& memory = elans.memory_of(HostId(host));
    const auto block = memory.allocate(contexts[host], store, bytes);
    std::vector<sim::elan::Process> all;
    for (std::size_t i = 0; i < contexts.size(); ++i)
      all.push_back(static_cast<sim::elan::Process>(i));
    memory.open(contexts[host], block.elan, bytes, rights, all);
    return block;
  }
  sim::elan::DmaDescriptor dma(std::size_t from, std::size_t to, sim::elan::Address source,
                               sim::elan::Address target, std::uint64_t bytes) {
    sim::elan::DmaDescriptor dma;
    dma.by = static_cast<sim::elan::Process>(from);
    dma.at = dma.from = place(from);
    dma.to = place(to);
    dma.source = source;
    dma.target = target;
    dma.bytes = bytes;
    dma.cookie = ++cookies;
    return dma;
  }
  sim::elan::BroadcastDescriptor broadcast(std::size_t from, std::uint32_t group,
                                           sim::elan::Address source, sim::elan::Address target,
                                           std::uint64_t bytes) {
    sim::elan::BroadcastDescriptor out;
    out.by = static_cast<sim::elan::Process>(from);
    out.from = place(from);
    out.group = group;
    for (const HostId host : tables.groups[group].members)
      out.contexts.push_back(contexts[host.index()]);
    out.source = source;
    out.target = target;
    out.bytes = bytes;
    out.cookie = ++cookies;
    return out;
  }
  /// A DMA of no bytes sets an event.
  void set_event(std::size_t by, std::size_t of, sim::elan::Address event, std::uint64_t cookie) {
    sim::elan::DmaDescriptor dma;
    dma.by = static_cast<sim::elan::Process>(by);
    dma.at = dma.from = place(by);
    dma.to = place(of);
    dma.target_event = event;
    dma.cookie = cookie;
    elans.start(dma);
  }
  void start_at(Duration time, const sim::elan::DmaDescriptor& dma) {
    plan.push_back(dma);
    elans.kernel().at(time, *this, plan.size() - 1);
  }
  void run() {
    EXPECT_EQ(elans.run(*this), sim::NetworkEnd::quiet) << elans.network().explanation();
  }
  Duration now() { return elans.kernel().now(); }

  // HostUser.
  void posted(std::uint64_t) override {}
  void sent(std::uint64_t) override {}
  sim::TransferStatus admit(std::uint64_t) override { return answer; }
  void landed(std::uint64_t cookie, HostId at) override { landings.push_back({cookie, at, now()}); }
  void finished(std::uint64_t cookie, sim::TransferStatus outcome) override {
    EXPECT_TRUE(outcomes.emplace(cookie, outcome).second) << "ended twice";
    ended[cookie] = now();
  }
  void settle() override {}
  // ElanUser.
  void done(std::uint64_t cookie, sim::TransferStatus outcome,
            const std::optional<sim::elan::Trap>& trap) override {
    EXPECT_TRUE(outcomes.emplace(cookie, outcome).second) << "ended twice";
    ended[cookie] = now();
    order.push_back(cookie);
    if (trap) traps[cookie] = *trap;
    if (on_done) on_done(cookie);
  }
  void event(const sim::elan::ProcessLocation& of, sim::elan::Address event,
             std::uint64_t count) override {
    events.push_back({of, event, count, now()});
    if (on_event) on_event(of, event, count);
  }
  void written(HostId host, std::span<const std::byte> memory) override {
    if (on_written) on_written(host, memory);
  }

  struct Landing {
    std::uint64_t cookie;
    HostId at;
    Duration time;
  };
  struct Event {
    sim::elan::ProcessLocation of;
    sim::elan::Address event;
    std::uint64_t count;
    Duration time;
  };
  sim::NicModel model;
  Fabric fabric;
  Tables tables;
  sim::SwitchModel switches;
  std::unique_ptr<sim::HostModel> hosts;
  sim::Elans& elans;
  std::vector<sim::elan::Context> contexts;
  std::uint64_t cookies = 0;
  sim::TransferStatus answer = sim::TransferStatus::ok;
  std::map<std::uint64_t, sim::TransferStatus> outcomes;
  std::map<std::uint64_t, Duration> ended;
  std::map<std::uint64_t, sim::elan::Trap> traps;
  std::vector<std::uint64_t> order;
  std::vector<Landing> landings;
  std::vector<Event> events;
  std::function<void(std::uint64_t)> on_done;
  std::function<void(const sim::elan::ProcessLocation&, sim::elan::Address, std::uint64_t)>
      on_event;
  std::function<void(HostId, std::span<const std::byte>)> on_written;

 private:
  static Tables with_groups(const Fabric& fabric, const std::vector<std::vector<HostId>>& groups) {
    Tables tables = routed(fabric, "nca");
    for (const auto& members : groups) {
      const GroupRequest request{fmt::format("g{}", tables.groups.size()), members, {}, 0};
      tables.groups.push_back(std::get<Group>(make_group({fabric, tables, request}, "rooted")));
    }
    return tables;
  }
  void fire(std::uint64_t what) override { elans.start(plan[what]); }
  std::vector<sim::elan::DmaDescriptor> plan;
};

}  // namespace weft::test
