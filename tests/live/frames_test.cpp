// SPDX-License-Identifier: Apache-2.0
// What the plugin and weft say to each other survives the way; what breaks off is noticed.
#include "live/frames.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

namespace weft::live::test {
namespace {

SubnetTables example() {
  SubnetTables out;
  for (unsigned i = 0; i < 3; ++i) {
    SwitchTables& at = out.switches.emplace_back();
    at.guid = 0x1000 + i;
    at.ports = i;
    at.port_by_lid.assign(100 * i, static_cast<std::uint8_t>(i));
    at.lanes.resize((i + 1) * (i + 1));
  }
  set_lane(out.adapters, 5, 7);
  set_lane(out.adapters, 4, 3);
  out.levels = {{1, 2, 3}, {}, {4}};
  out.row = {SubnetTables::unknown, 0, 2};
  out.source = {0, 1, 2};
  return out;
}

TEST(Frames, HoldTables) {
  const SubnetTables before = example();
  const Frame frame = frame_of(before);
  EXPECT_EQ(frame.kind, FrameKind::tables);
  const SubnetTables after = subnet_tables(frame.bytes);
  ASSERT_EQ(after.switches.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(after.switches[i].guid, before.switches[i].guid);
    EXPECT_EQ(after.switches[i].ports, before.switches[i].ports);
    EXPECT_EQ(after.switches[i].port_by_lid, before.switches[i].port_by_lid);
    EXPECT_EQ(after.switches[i].lanes, before.switches[i].lanes);
  }
  EXPECT_EQ(after.adapters, (LaneTable{0, 0, 0x37, 0, 0, 0, 0, 0}));
  EXPECT_EQ(after.levels, before.levels);
  EXPECT_EQ(after.row, before.row);
  EXPECT_EQ(after.source, before.source);
}

TEST(Frames, HoldQuestionsAndTrees) {
  const RouteRequest route = route_request(frame_of(RouteRequest{8, {0, 3}, "Switch"}).bytes);
  EXPECT_EQ(route.lanes, 8U);
  EXPECT_EQ(route.multicast_levels, (std::vector<std::uint8_t>{0, 3}));
  EXPECT_EQ(route.subnet, "Switch");
  const TreeRequest tree = tree_request(frame_of(TreeRequest{0xC001, {1}, {7, 9}}).bytes);
  EXPECT_EQ(tree.lid, 0xC001);
  EXPECT_EQ(tree.members, (std::vector<std::uint64_t>{7, 9}));
  GroupPorts ports{42, {}};
  ports.ports.set(0).set(200);
  const TreeTables both = tree_tables(frame_of(TreeTables{ports}).bytes);
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].guid, 42U);
  EXPECT_EQ(both[0].ports, ports.ports);
}

TEST(Frames, NoticeWhatIsTooShortOrTooLong) {
  const std::string bytes = frame_of(example()).bytes;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(subnet_tables(bytes.substr(0, size)), std::runtime_error) << size;
  EXPECT_THROW(subnet_tables(bytes + 'x'), std::runtime_error);
  std::string huge = bytes;
  huge[7] = '\x7F';  // the number of switches
  EXPECT_THROW(subnet_tables(huge), std::runtime_error);
}

TEST(Frames, GoThroughASocketWhole) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string text(10'000'000, 'w');
  std::thread sender([&] {
    EXPECT_TRUE(send(ends[0], {FrameKind::note, text}));
    EXPECT_TRUE(send(ends[0], {FrameKind::refused, ""}));
    EXPECT_EQ(::write(ends[0], "cut", 3), 3);
    close(ends[0]);
  });
  Frame frame;
  ASSERT_TRUE(receive(ends[1], frame));
  EXPECT_EQ(frame.kind, FrameKind::note);
  EXPECT_EQ(frame.bytes, text);
  ASSERT_TRUE(receive(ends[1], frame));
  EXPECT_EQ(frame.kind, FrameKind::refused);
  EXPECT_FALSE(receive(ends[1], frame));
  sender.join();
  EXPECT_FALSE(send(ends[1], {FrameKind::note, text}));  // and no signal ends this test
  close(ends[1]);
}

}  // namespace
}  // namespace weft::live::test
