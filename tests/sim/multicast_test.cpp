// SPDX-License-Identifier: Apache-2.0
// Multicast in the flit simulator: everyone to everyone arrives, whatever the lanes and what they
// take turns by.
#include <gtest/gtest.h>

#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "sim/network.hpp"
#include "support/groups.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

class Counter : public Driver {
 public:
  void timer(Network&, HostId) override {}
  void delivered(Network&, const Packet&, HostId, unsigned) override { ++arrived; }
  void lost(Network&, const Packet&, HostId, Loss) override { ++gone; }
  std::size_t arrived = 0, gone = 0;
};

Tables with_groups(const Fabric& fabric) {
  Tables tables = test::routed(fabric, "xy");
  test::add_groups_of_all(fabric, tables);
  return tables;
}

TEST(Multicast, EveryoneToEveryoneArrives) {
  // With two lanes of packets, copies once waited for lanes whose holders waited for their in-port.
  const Fabric fabric = make_fabric("iba_mesh:m=4,n=4");
  const Tables tables = with_groups(fabric);
  for (const char* multiplex : {"packet", "flit"})
    for (int lanes = 1; lanes <= 4; ++lanes)
      for (std::uint32_t flits : {1U, 2U, 8U}) {
        const std::string spec = fmt::format(
            "iq:switching=cut_through,multiplex={},lanes={},buffer={}", multiplex, lanes, flits);
        Network network(fabric, tables, model_from(spec), {.check = true, .longest_packet = flits});
        for (HostId from : fabric.hosts())
          network.send(
              {.from = from, .group = static_cast<std::uint32_t>(from.index()), .flits = flits});
        Counter counter;
        EXPECT_EQ(network.run(counter, 100'000), NetworkEnd::quiet) << spec;
        EXPECT_EQ(counter.arrived, fabric.host_count() * (fabric.host_count() - 1)) << spec;
        EXPECT_EQ(counter.gone, 0U) << spec;
      }
}

/// Two senders' packets on two lanes of one link: the crossbar takes their flits in turn, as it
/// does for those to one host, so that the later one is not kept waiting for all of the earlier
/// one.
TEST(Multicast, CopiesOfTwoSendersTakeTurns) {
  const Fabric fabric = make_fabric("crossbar:hosts=4");
  Tables tables = test::routed(fabric, "minhop");
  for (const std::size_t from : {0U, 1U}) {
    const GroupRequest request{fabric[HostId(from)].name, {HostId(2), HostId(3)}, HostId(from), 0};
    tables.groups.push_back(std::get<Group>(make_group({fabric, tables, request}, "union")));
  }
  Network network(fabric, tables, model_from("iq:lanes=2,buffer=64"), {.longest_packet = 64});
  for (const std::uint32_t from : {0U, 1U})
    network.send({.from = HostId(from), .group = from, .flits = 64});
  class Times final : public Counter {
   public:
    void delivered(Network& at, const Packet&, HostId, unsigned) override {
      times.push_back(at.now());
    }
    std::vector<Cycle> times;
  } driver;
  EXPECT_EQ(network.run(driver, 10'000), NetworkEnd::quiet);
  ASSERT_EQ(driver.times.size(), 4U);
  EXPECT_GT(driver.times.front() + 8, driver.times.back());
}

}  // namespace
}  // namespace weft::sim
