// SPDX-License-Identifier: Apache-2.0
// Bursts: times against closed forms, copies of multicast, deadlocks, wrong input.
#include "papers/runner/burst.hpp"

#include <gtest/gtest.h>

#include "lab/parallel.hpp"
#include "plan/mcast/mcast.hpp"
#include "plan/topo/topology.hpp"
#include "support/routes.hpp"

namespace weft::papers {
namespace {

const std::string cut_through = "iq:flit=32B,switching=cut_through,multiplex=packet,buffer=8";
constexpr Bytes size{256};  // eight flits

HostId host(const Fabric& fabric, const char* name) { return fabric.find_host(name).value(); }

TEST(Burst, OnePacketTakesItsHopsAndItself) {
  const Fabric fabric = make_fabric("iba_mesh:m=4,n=4,speed=8Gb/s");
  const Tables tables = test::routed(fabric, "xy");
  const auto time = [&](const char* from, const char* to) {
    return run_burst({fabric, tables, cut_through, size, {{host(fabric, from), host(fabric, to)}}});
  };
  const BurstResult near = time("H(0,0)", "H(0,1)"), far = time("H(0,0)", "H(3,3)");
  EXPECT_EQ(near.packet, Duration(8 * 32'000));
  EXPECT_EQ(near.deliveries, 1U);
  EXPECT_EQ(near.flit_hops, 8U * 2);
  EXPECT_EQ(far.flit_hops, 8U * 7);
  // Five switches more at five cycles of 32 ns each.
  EXPECT_EQ(far.time - near.time, Duration(5 * 5 * 32'000));
  EXPECT_TRUE(near.deadlock.empty());
}

TEST(Burst, PacketsOfAHostFollowEachOther) {
  const Fabric fabric = make_fabric("iba_mesh:m=2,n=1,speed=8Gb/s");
  const Tables tables = test::routed(fabric, "xy");
  const std::string ample = "iq:flit=32B,switching=cut_through,buffer=64";
  std::vector<BurstPacket> packets(1, {HostId(0), HostId(1)});
  const Duration one = run_burst({fabric, tables, ample, size, packets}).time;
  packets.resize(10, packets[0]);
  const BurstResult ten = run_burst({fabric, tables, ample, size, packets});
  // Between two packets of a lane the second one's head is routed and gets its next lane.
  EXPECT_EQ(ten.time - one, (ten.packet + Duration(2 * 32'000)) * 9);
  ASSERT_EQ(ten.lanes.size(), 1U);
  EXPECT_EQ(ten.lanes[0].flits, 80U);
  EXPECT_EQ(ten.lanes[0].lane, 0);
}

TEST(Burst, CopiesCountAsDeliveries) {
  const Fabric fabric = make_fabric("iba_mesh:m=4,n=4");
  Tables tables = test::routed(fabric, "xy");
  std::vector<HostId> everyone;
  for (HostId h : fabric.hosts()) everyone.push_back(h);
  const GroupRequest request{"g", everyone, HostId(0), 0};
  tables.groups.push_back(std::get<Group>(make_group({fabric, tables, request}, "union")));
  const BurstResult result =
      run_burst({fabric, tables, cut_through, size, {{HostId(0), HostId::none(), 0}}});
  EXPECT_EQ(result.deliveries, fabric.host_count() - 1);
  EXPECT_EQ(result.lanes.size(), fabric.switch_count() - 1);
}

TEST(Burst, ADeadlockIsReported) {
  const Fabric fabric = make_fabric("ring:switches=4");
  const Tables tables = test::routed(fabric, "minhop:select=low_port");
  std::vector<BurstPacket> packets;
  for (HostId h : fabric.hosts())
    packets.push_back({h, HostId((h.index() + 2) % fabric.host_count())});
  const BurstResult result = run_burst({fabric, tables, cut_through, size, packets});
  EXPECT_LT(result.deliveries, packets.size());
  EXPECT_NE(result.deadlock.find("wait for each other in a circle"), std::string::npos);
}

std::string complaint(const Burst& burst) {
  try {
    run_burst(burst);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Burst, WrongInputIsReported) {
  const Fabric fabric = make_fabric("ring:switches=4");
  Tables tables = test::routed(fabric, "updown");
  const std::vector<BurstPacket> packets{{HostId(0), HostId(1)}};
  EXPECT_EQ(complaint({fabric, tables, "oq", size, packets}),
            "no switch is called \"oq\"; there are: iq infiniband");
  for (ColumnId column : std::get<DestinationTables>(tables.paths).ids())
    std::get<DestinationTables>(tables.paths)[column][0] = no_port;
  EXPECT_TRUE(complaint({fabric, tables, cut_through, size, packets})
                  .starts_with("a packet of a burst is lost: "));
}

TEST(Parallel, EverythingIsDoneOnce) {
  for (std::size_t threads : {0U, 1U, 2U, 7U}) {
    std::vector<int> done(100, 0);
    in_parallel(done.size(), threads, [&](std::size_t i) { ++done[i]; });
    EXPECT_EQ(done, std::vector<int>(100, 1));
  }
}

TEST(Parallel, TheFirstProblemIsReported) {
  for (std::size_t threads : {1U, 4U}) {
    try {
      in_parallel(100, threads, [](std::size_t i) {
        if (i == 3 || i > 4) throw Error("{} is wrong", i);
      });
      FAIL();
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), "3 is wrong");
    }
  }
}

}  // namespace
}  // namespace weft::papers
