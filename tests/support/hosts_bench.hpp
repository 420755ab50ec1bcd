// SPDX-License-Identifier: Apache-2.0
// A bench of hosts with their NICs: transfers that begin at given times, and their outcomes.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <vector>

#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"
#include "sim/hosts/staged_hosts.hpp"

namespace weft::test {

/// Records the events of every transfer with their times.
struct HostLog : sim::HostUser {
  void posted(std::uint64_t cookie) override { at_posted[cookie] = hosts->kernel().now(); }
  void sent(std::uint64_t cookie) override { at_sent[cookie] = hosts->kernel().now(); }
  sim::TransferStatus admit(std::uint64_t) override { return answer; }
  void landed(std::uint64_t cookie, HostId) override {
    at_landed[cookie] = hosts->kernel().now();
    order.push_back(cookie);
  }
  void finished(std::uint64_t cookie, sim::TransferStatus outcome) override {
    at_finished[cookie] = hosts->kernel().now();
    outcomes[cookie] = outcome;
  }
  void settle() override {}

  sim::HostModel* hosts = nullptr;
  sim::TransferStatus answer = sim::TransferStatus::ok;
  std::map<std::uint64_t, Duration> at_posted, at_sent, at_landed, at_finished;
  std::map<std::uint64_t, sim::TransferStatus> outcomes;
  std::vector<std::uint64_t> order;
};

struct HostBench {
  explicit HostBench(sim::NicModel nic, const char* topology = "crossbar:hosts=3",
                     const char* switches = "iq:buffer=16", const sim::HostOptions& options = {})
      : model(std::move(nic)),
        fabric(make_fabric(topology)),
        tables(std::get<Tables>(route(fabric, "updown"))),
        switch_model(sim::model_from(switches)),
        nodes(model.make_hosts(model, {fabric, tables, switch_model, options})),
        hosts(*nodes) {
    log.hosts = &hosts;
  }
  void run() { EXPECT_EQ(hosts.run(log), sim::NetworkEnd::quiet); }
  /// A part of a NIC that is described by stages.
  const sim::Resource& part(HostId host, sim::Part part) const {
    return dynamic_cast<const sim::StagedHosts&>(hosts).part(host, part);
  }

  sim::NicModel model;
  Fabric fabric;
  Tables tables;
  sim::SwitchModel switch_model;
  HostLog log;
  std::unique_ptr<sim::HostModel> nodes;
  sim::HostModel& hosts;
};

/// Begins transfers at given times.
struct HostScript : sim::Kernel::Handler {
  struct Entry {
    Duration at;
    sim::Transfer transfer;
  };
  HostScript(HostBench& of, std::vector<Entry> all) : bench(of), entries(std::move(all)) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      bench.hosts.kernel().at(entries[i].at, *this, i);
  }
  void fire(std::uint64_t i) override { bench.hosts.begin(entries[i].transfer); }
  HostBench& bench;
  std::vector<Entry> entries;
};

}  // namespace weft::test
