// SPDX-License-Identifier: Apache-2.0
// Hosts that can hold a few packets: their links stand still while they are full, nothing is lost,
// and sources learn when their packets have left.
#include <gtest/gtest.h>

#include <map>

#include "base/message.hpp"
#include "plan/topo/topology.hpp"
#include "sim/network.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

/// Sends packets at once; a host needs `each` cycles for a packet, one after another.
class SlowHosts final : public Driver {
 public:
  SlowHosts(Network& network, Cycle each) : network_(network), each_(each) {}
  void send(HostId from, HostId to, std::uint32_t flits) {
    network_.send({.from = from, .to = to, .flits = flits, .tag = sent_++});
  }
  void delivered(Network& network, const Packet& packet, HostId at, unsigned) override {
    EXPECT_TRUE(departed_.count(packet.tag)) << "a packet came that had not left";
    ended_.push_back(network.now());
    Host& host = hosts_[at];
    most_held_ = std::max(most_held_, ++host.held);
    if (host.held == 1) network.wake(at, network.now() + each_);
  }
  void timer(Network& network, HostId at) override {
    network.release_buffer(at);
    if (--hosts_[at].held > 0) network.wake(at, network.now() + each_);
  }
  void lost(Network&, const Packet&, HostId, Loss) override { ADD_FAILURE() << "lost"; }
  void departed(Network& network, const Packet& packet) override {
    EXPECT_TRUE(departed_.emplace(packet.tag, network.now()).second) << "left twice";
  }

  Network& network_;
  Cycle each_;
  std::uint64_t sent_ = 0;
  std::uint32_t most_held_ = 0;
  std::vector<Cycle> ended_;
  std::map<std::uint64_t, Cycle> departed_;

 private:
  struct Host {
    std::uint32_t held = 0;
  };
  std::map<HostId, Host> hosts_;
};

TEST(ReceiveBuffers, HoldBackWhatTheHostCannotTake) {
  for (const char* flow : {"credit", "stop_go"})
    for (const bool check : {false, true})  // the fast path, and the full one
      for (const std::uint32_t buffers : {2U, 3U, 7U}) {
        const Fabric fabric = make_fabric("mesh:dims=3,hosts=2");
        const Tables tables = test::routed(fabric, "minhop");
        Network network(
            fabric, tables, model_from(fmt::format("iq:flow={},buffer=16,lanes=2", flow)),
            {.check = check, .longest_packet = 64, .receive_buffers = buffers, .departures = true});
        SlowHosts hosts(network, 500);
        for (int i = 0; i < 40; ++i)
          for (const std::size_t from : {1U, 2U, 4U}) hosts.send(HostId(from), HostId(0), 64);
        EXPECT_EQ(network.run(hosts, never), NetworkEnd::quiet);
        EXPECT_EQ(hosts.ended_.size(), 120U);
        EXPECT_EQ(hosts.departed_.size(), 120U);
        EXPECT_LE(hosts.most_held_, buffers);
        EXPECT_GE(hosts.most_held_, buffers - 1);
        // The host is never idle: its time is that of all packets.
        EXPECT_NEAR(static_cast<double>(hosts.ended_.back()), 500.0 * (120 - buffers), 700);
      }
}

TEST(ReceiveBuffers, AFullHostIsNoDeadlock) {
  const Fabric fabric = make_fabric("mesh:dims=2,hosts=2");
  const Tables tables = test::routed(fabric, "minhop");
  Network network(fabric, tables, model_from("iq:buffer=4"),
                  {.longest_packet = 64, .receive_buffers = 1, .departures = true});
  SlowHosts hosts(network, 100'000);
  for (int i = 0; i < 4; ++i) hosts.send(HostId(2), HostId(0), 64);
  EXPECT_EQ(network.run(hosts, never), NetworkEnd::quiet);
  EXPECT_EQ(hosts.ended_.size(), 4U);
}

TEST(ReceiveBuffers, AreAtLeastOneForEveryLane) {
  const Fabric fabric = make_fabric("crossbar:hosts=2");
  const Tables tables = test::routed(fabric, "minhop");
  EXPECT_EQ(test::message_of(
                [&] { Network(fabric, tables, model_from("iq:lanes=4"), {.receive_buffers = 3}); }),
            "a host with 3 receive buffers cannot have links of 4 lanes");
}

}  // namespace
}  // namespace weft::sim
