// SPDX-License-Identifier: Apache-2.0
// Switches as Elite's: circuits over two lanes, adaptive up-links, routes of packets' own,
// crossbars with an input for every lane, faults that stay and faults that pass. Every packet is
// reported once, nothing deadlocks, and no two circuits have a lane at a time.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/rng.hpp"
#include "plan/topo/topology.hpp"
#include "sim/network.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::sim::elite {
namespace {

/// Sends circuits and closes each some time after its data came; counts the reports.
class Ends final : public Driver {
 public:
  explicit Ends(std::uint64_t seed) : rng_(seed) {}

  void send(Network& network, Packet packet) {
    packet.tag = reports_.size();
    reports_.push_back(0);
    broken_.push_back(false);
    network.send(packet);
  }
  void timer(Network& network, HostId) override {
    while (!waiting_.empty() && waiting_.begin()->first <= network.now()) {
      const Packet packet = waiting_.begin()->second;
      waiting_.erase(waiting_.begin());
      if (reports_[packet.tag] == 0) network.close(packet.id);
    }
    if (!waiting_.empty()) network.wake(HostId(0), waiting_.begin()->first);
  }
  void filled(Network& network, const Packet& packet, HostId at, bool, unsigned) override {
    if (!broken_[packet.tag]) {
      // As many circuits end at a host as its link has lanes.
      EXPECT_LE(open_at_[at].size(), 1U);
      open_at_[at].insert(packet.tag);
    }
    waiting_.emplace(network.now() + rng_.below(60), packet);
    network.wake(HostId(0), waiting_.begin()->first);
  }
  void delivered(Network&, const Packet& packet, HostId at, unsigned hops) override {
    EXPECT_EQ(at, packet.to);
    EXPECT_FALSE(broken_[packet.tag]);
    if (packet.circuit) {
      EXPECT_EQ(open_at_[at].erase(packet.tag), 1U);
    }
    ++delivered_;
    most_hops_ = std::max(most_hops_, hops);
    ++reports_[packet.tag];
  }
  void lost(Network&, const Packet& packet, HostId, Loss) override {
    EXPECT_TRUE(broken_[packet.tag]);
    ++reports_[packet.tag];
  }
  void broken(Network&, const Packet& packet, const FaultSite&) override {
    EXPECT_FALSE(broken_[packet.tag]);
    broken_[packet.tag] = true;
    open_at_[packet.to].erase(packet.tag);
  }

  std::vector<int> reports_;  ///< by tag
  std::vector<bool> broken_;
  std::uint64_t delivered_ = 0;
  unsigned most_hops_ = 0;

 private:
  Rng rng_;
  std::multimap<Cycle, Packet> waiting_;
  std::map<HostId, std::set<std::uint64_t>> open_at_;
};

Faults any_faults(const Fabric& fabric, Rng& rng) {
  Faults out;
  const auto time = [&] { return rng.below(4000); };
  for (std::uint64_t i = rng.below(5); i > 0; --i)
    out.links.push_back({LinkId(rng.below(fabric.link_count())), HostId::none(), time()});
  if (rng.below(3) == 0)
    out.links.push_back({LinkId::none(), HostId(rng.below(fabric.host_count())), time()});
  for (LinkFault& fault : out.links)
    if (rng.below(2) == 0) fault.until = fault.at + 1 + rng.below(1000);
  if (rng.below(4) == 0)
    out.switches.push_back({SwitchId(rng.below(fabric.switch_count())), time()});
  for (std::uint64_t i = rng.below(6); i > 0; --i)
    out.glitches.push_back({LinkId(rng.below(fabric.link_count())), HostId::none(), time()});
  if (rng.below(4) == 0) out.bit_error_rate = 1e-5;
  return out;
}

TEST(Elite, CircuitsWithChoicesAndRoutesEndOnce) {
  std::uint64_t delivered = 0, lost = 0;
  const int turns = test::tries(120, 5000);
  for (int turn = 0; turn < turns; ++turn) {
    const auto seed = static_cast<std::uint64_t>(turn);
    Rng rng(seed);
    const char* const trees[] = {"tree:k=2,n=3", "tree:k=4,n=2", "tree:k=2,n=4", "tree:k=3,n=2"};
    const Fabric fabric =
        make_fabric(fmt::format("{},delay={}ns", trees[rng.below(4)], 20 * rng.below(4)));
    const Tables tables = test::routed(fabric, "nca");
    ASSERT_FALSE(test::not_certified(fabric, tables));
    NetworkOptions options{.check = true, .longest_packet = 40, .circuits = true};
    options.fault_sites = true;
    const bool faulty = rng.below(3) > 0;
    if (faulty) options.faults = any_faults(fabric, rng);
    const std::string switches = fmt::format("iq:lanes=2,buffer={},inputs={},priorities={}",
                                             2 + rng.below(20), rng.below(2) == 0 ? "port" : "lane",
                                             rng.below(2) == 0 ? "yes,aging=100" : "no");
    Network network(fabric, tables, model_from(switches), options);
    Ends ends(seed);
    const auto& routes = std::get<SourceRoutes>(tables.paths);
    for (int i = 0; i < 200; ++i) {
      Packet packet{.from = HostId(rng.below(fabric.host_count())),
                    .to = HostId(rng.below(fabric.host_count())),
                    .flits = static_cast<std::uint32_t>(2 + rng.below(39)),
                    .urgent = rng.below(4) == 0,
                    .circuit = rng.below(5) > 0};
      if (rng.below(2) == 0) {
        const auto tags = routes.route(tables.to_host[packet.to], fabric[packet.from].on);
        packet.route = network.add_route(packet.from, packet.to, *tags);
      }
      ends.send(network, packet);
    }
    ASSERT_EQ(network.run(ends, never), NetworkEnd::quiet) << seed << network.explanation();
    for (const int reports : ends.reports_) ASSERT_EQ(reports, 1) << seed;
    if (!faulty) {
      ASSERT_EQ(ends.delivered_, 200U) << seed;
    }
    delivered += ends.delivered_;
    lost += 200 - ends.delivered_;
    ASSERT_FALSE(::testing::Test::HasFailure()) << seed << " " << switches;
  }
  EXPECT_GT(delivered, static_cast<std::uint64_t>(turns) * 50);
  EXPECT_GT(lost, static_cast<std::uint64_t>(turns) / 2);
}

}  // namespace
}  // namespace weft::sim::elite
