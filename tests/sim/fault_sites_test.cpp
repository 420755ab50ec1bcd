// SPDX-License-Identifier: Apache-2.0
// Where packets break: the link or the switch at fault, and how far from the source it was noticed.
#include <gtest/gtest.h>

#include <map>

#include "plan/topo/topology.hpp"
#include "support/fabrics.hpp"
#include "support/networks.hpp"
#include "support/routes.hpp"

namespace weft::sim::fault_sites {
namespace {

using test::Recorder;
using test::Script;

/// Keeps the fault sites of packets that break, by the packet's place in the script.
class Witness final : public Recorder {
 public:
  using Recorder::Recorder;
  void broken(Network&, const Packet& packet, const FaultSite& site) override {
    EXPECT_FALSE(ended_.count(packet.tag)) << "reported after its end";
    sites_[packet.tag].push_back(site);
  }
  void lost(Network& network, const Packet& packet, HostId at, Loss why) override {
    EXPECT_TRUE(sites_.count(packet.tag)) << "lost, and nobody knows where";
    if (packet.group == no_group) ended_[packet.tag] = true;
    Recorder::lost(network, packet, at, why);
  }
  std::map<std::uint64_t, std::vector<FaultSite>> sites_;

 private:
  std::map<std::uint64_t, bool> ended_;
};

/// Four switches in a row, a host on each: ports 1 and 2 along the row (of s0 and s3 only one).
struct Row {
  Fabric fabric = test::from_links(4, {{0, 1}, {1, 2}, {2, 3}});
  Tables tables = test::routed(fabric, "minhop");

  /// The fault sites of packets of 16 flits from h0 to h3, sent at once and at cycle 80.
  std::map<std::uint64_t, std::vector<FaultSite>> with(const Faults& faults) const {
    NetworkOptions options{.faults = faults, .check = true, .longest_packet = 16};
    options.fault_sites = true;
    Network network(fabric, tables, model_from("iq:lanes=2,buffer=4"), options);
    Packet packet{.from = HostId(0), .to = HostId(3), .flits = 16};
    Witness witness(network, {{0, packet}, {80, packet}});
    EXPECT_EQ(network.run(witness, never), NetworkEnd::quiet);
    EXPECT_FALSE(witness.miscounted(network));
    for (const auto& end : witness.ends()) {
      EXPECT_EQ(witness.sites_[end.packet.tag].size(), end.why ? 1U : 0U);
      if (end.why) {
        EXPECT_EQ(witness.sites_[end.packet.tag].front().why, *end.why);
      }
    }
    return witness.sites_;
  }
  ChannelId channel(std::size_t from, std::size_t to) const {
    for (const ChannelId c : fabric.out(SwitchId(from)))
      if (fabric.to(c) == SwitchId(to)) return c;
    return ChannelId::none();
  }
};

TEST(FaultSites, ALinkThatFailsIsNoticedByTheSwitchBeforeIt) {
  const Row row;
  for (Cycle at = 0; at < 70; ++at)
    for (std::size_t from = 0; from < 3; ++from) {
      Faults faults;
      faults.links.push_back({link_of(row.channel(from, from + 1)), HostId::none(), at});
      for (const auto& [tag, sites] : row.with(faults))
        for (const FaultSite& site : sites)
          EXPECT_EQ(site, (FaultSite{.why = Loss::link_down,
                                     .channel = row.channel(from, from + 1),
                                     .hops = static_cast<unsigned>(from)}))
              << at;
    }
}

TEST(FaultSites, LinksOfHostsHaveTheirNames) {
  const Row row;
  for (Cycle at = 0; at < 70; ++at) {
    Faults faults;
    faults.links = {{LinkId::none(), HostId(0), at}};
    for (const auto& [tag, sites] : row.with(faults))
      for (const FaultSite& site : sites)
        EXPECT_EQ(site, (FaultSite{.why = Loss::link_down, .host = HostId(0), .hops = 0}));
    faults.links = {{LinkId::none(), HostId(3), at}};
    for (const auto& [tag, sites] : row.with(faults))
      for (const FaultSite& site : sites)
        EXPECT_EQ(site, (FaultSite{.why = Loss::link_down, .host = HostId(3), .hops = 3}));
  }
}

TEST(FaultSites, ASwitchThatFailsIsNoticedByTheOneBeforeIt) {
  const Row row;
  int inside = 0;
  for (Cycle at = 0; at < 70; ++at) {
    Faults faults;
    faults.switches = {{SwitchId(2), at}};
    for (const auto& [tag, sites] : row.with(faults))
      for (const FaultSite& site : sites) {
        EXPECT_EQ(site.hops, 1U) << at;
        if (site.why == Loss::link_down) {  // it came to s1 later, or was on the link
          EXPECT_EQ(site.channel, row.channel(1, 2));
        } else {
          EXPECT_EQ(site.on, SwitchId(2));
          ++inside;
        }
      }
  }
  EXPECT_GT(inside, 15);
}

TEST(FaultSites, DamageIsNoticedByTheOtherEnd) {
  const Row row;
  NetworkOptions options{.check = true, .longest_packet = 16, .fault_sites = true};
  options.faults.bit_error_rate = 1e-4;
  Network network(row.fabric, row.tables, model_from("iq"), options);
  Script script;
  for (Cycle at = 0; at < 40'000; at += 20)
    script.push_back({at, {.from = HostId(0), .to = HostId(3), .flits = 16}});
  Witness witness(network, script);
  EXPECT_EQ(network.run(witness, never), NetworkEnd::quiet);
  std::map<unsigned, int> by_hops;
  for (const auto& [tag, sites] : witness.sites_) {
    ASSERT_EQ(sites.size(), 1U);
    const unsigned hops = sites.front().hops;
    ++by_hops[hops];
    EXPECT_EQ(sites.front().why, Loss::corrupted);
    if (hops == 0 || hops == 4) {
      EXPECT_EQ(sites.front().host, HostId(hops == 0 ? 0 : 3));
    } else {
      EXPECT_EQ(sites.front().channel, row.channel(hops - 1, hops));
    }
  }
  EXPECT_EQ(witness.sites_.size(), witness.lost_count());
  // A link damages a tenth of them; the first one sees all, the last those that are left.
  ASSERT_EQ(by_hops.size(), 5U);
  EXPECT_NEAR(by_hops[0], 2000 * 0.0973, 60);
  EXPECT_NEAR(by_hops[4], 2000 * 0.0973 * 0.664, 60);
}

TEST(FaultSites, WhereTablesHaveNoRoute) {
  Row row;
  std::get<DestinationTables>(row.tables.paths)[row.tables.to_host[HostId(3)]][2] = no_port;
  for (const auto& [tag, sites] : row.with({}))
    for (const FaultSite& site : sites)
      EXPECT_EQ(site, (FaultSite{.why = Loss::no_route, .on = SwitchId(2), .hops = 2}));
}

/// Of dead links that a switch might have chosen, one is named.
TEST(FaultSites, AllLinksOfAChoiceAreDead) {
  const Fabric fabric = make_fabric("tree:k=2,n=2");
  const Tables tables = test::routed(fabric, "nca");
  NetworkOptions options{.check = true, .fault_sites = true};
  options.faults = faults_from(fabric, "link=s0:3@0;link=s0:4@0");
  Network network(fabric, tables, model_from("iq"), options);
  Witness witness(network, {{5, {.from = HostId(0), .to = HostId(2)}}});
  EXPECT_EQ(network.run(witness, never), NetworkEnd::quiet);
  ASSERT_EQ(witness.sites_[0].size(), 1U);
  const FaultSite site = witness.sites_[0].front();
  ASSERT_TRUE(site.channel.valid());
  EXPECT_EQ(fabric.from(site.channel), fabric[HostId(0)].on);
  EXPECT_GE(fabric.out_port(site.channel), 3);
  EXPECT_EQ(site.hops, 0U);
}

TEST(FaultSites, EveryLossHasAPlace) {
  std::size_t lost = 0, groups = 0;
  for (int turn = 0; turn < test::tries(150, 5000); ++turn) {
    // In network 1331 a link fails behind the last flit of a multicast packet, whose end arrives
    // before the link is empty.
    const auto seed = static_cast<std::uint64_t>(turn == 0 ? 1331 : turn);
    test::RandomNetwork random =
        test::random_network(seed, {.speeds = true, .groups = true, .faults = true});
    random.options.fault_sites = random.options.check = true;
    Network network(random.fabric, random.tables, model_from(random.switches), random.options);
    Witness witness(network, random.script);
    ASSERT_EQ(network.run(witness, never), NetworkEnd::quiet) << random.describe();
    ASSERT_FALSE(HasFailure()) << random.describe();
    for (const auto& end : witness.ends()) {
      const auto sites = witness.sites_.find(end.packet.tag);
      if (!end.why) {
        ASSERT_TRUE(sites == witness.sites_.end() || end.packet.group != no_group)
            << random.describe();
        continue;
      }
      ++lost;
      groups += end.packet.group == no_group ? 0 : 1;
      ASSERT_TRUE(sites != witness.sites_.end()) << random.describe();
      if (end.packet.group != no_group) continue;
      ASSERT_EQ(sites->second.size(), 1U) << random.describe();
      const FaultSite& site = sites->second.front();
      ASSERT_EQ(
          (site.channel.valid() ? 1 : 0) + (site.host.valid() ? 1 : 0) + (site.on.valid() ? 1 : 0),
          1)
          << random.describe();
      if (site.why == Loss::corrupted && site.host.valid() && end.packet.from != end.packet.to) {
        ASSERT_EQ(site.hops == 0, site.host == end.packet.from) << random.describe();
      }
    }
  }
  EXPECT_GT(lost, 500U);
  EXPECT_GT(groups, 20U);
}

}  // namespace
}  // namespace weft::sim::fault_sites
