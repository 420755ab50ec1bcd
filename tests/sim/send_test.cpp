// SPDX-License-Identifier: Apache-2.0
// A packet that is sent by its fields may leave its NIC without having been in a queue: it comes
// and goes like one that is sent as a Packet, which never does.
#include <gtest/gtest.h>

#include <tuple>
#include <vector>

#include "base/rng.hpp"
#include "plan/topo/topology.hpp"
#include "sim/network.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft::sim {
namespace {

enum class SentAs { fields, packet };

/// Hosts send up to three packets when they are woken, and one when they have got one: at any time,
/// also twice in a cycle.
class Bursts final : public Driver {
 public:
  Bursts(const Fabric& fabric, std::uint32_t longest, SentAs as)
      : hosts_(fabric.host_count()), longest_(longest), as_(as) {
    for (HostId host : fabric.hosts()) rng_.push_back(Rng(host.index()));
  }
  void send(Network& network, HostId from) {
    Rng& rng = rng_[from];
    const HostId to(rng.below(hosts_));
    const auto flits = static_cast<std::uint32_t>(1 + rng.below(longest_));
    if (as_ == SentAs::fields)
      network.send(from, to, flits, false, network.now());
    else
      network.send({.from = from, .to = to, .flits = flits});
  }
  void timer(Network& network, HostId host) override {
    const std::uint64_t packets = rng_[host].below(4);
    for (std::uint64_t i = 0; i < packets; ++i) send(network, host);
    network.wake(host, network.now() + 1 + rng_[host].below(40));
  }
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override {
    ends.emplace_back(network.now(), packet.from, at, packet.created, packet.injected, hops);
    if (rng_[at].below(2) == 0) send(network, at);
  }
  void lost(Network&, const Packet&, HostId, Loss) override { FAIL() << "nothing is lost"; }

  std::vector<std::tuple<Cycle, HostId, HostId, Cycle, Cycle, unsigned>> ends;

 private:
  std::size_t hosts_;
  std::uint32_t longest_;
  SentAs as_;
  IdVector<HostId, Rng> rng_;
};

struct SentOver {
  const char *fabric, *engine, *switches;
  std::uint32_t longest;
};

class Send : public testing::TestWithParam<SentOver> {};

TEST_P(Send, ByFieldsIsAsAPacket) {
  const auto& [name, engine, switches, longest] = GetParam();
  const Fabric fabric = make_fabric(name);
  const Tables tables = test::routed(fabric, engine);
  const NetworkOptions options{.longest_packet = longest};
  Network one(fabric, tables, model_from(switches), options);
  Network other(fabric, tables, model_from(switches), options);
  Bursts fields(fabric, longest, SentAs::fields), packets(fabric, longest, SentAs::packet);
  for (HostId host : fabric.hosts())
    for (auto [network, driver] : {std::pair{&one, &fields}, std::pair{&other, &packets}}) {
      network->wake(host, host.index() % 3);
      driver->send(*network, host);
      driver->send(*network, host);
    }
  for (const Cycle until : {1U, 2U, 700U, 701U, 1500U}) {
    ASSERT_EQ(one.run(fields, until), NetworkEnd::in_time);
    ASSERT_EQ(other.run(packets, until), NetworkEnd::in_time);
    ASSERT_EQ(fields.ends, packets.ends) << until;
    EXPECT_EQ(one.totals().sent, other.totals().sent) << until;
    EXPECT_EQ(one.totals().waiting, other.totals().waiting) << until;
    EXPECT_EQ(one.totals().flit_hops, other.totals().flit_hops) << until;
    EXPECT_EQ(one.totals().flits_injected, other.totals().flits_injected) << until;
    for (HostId host : fabric.hosts()) {
      fields.send(one, host);
      packets.send(other, host);
    }
  }
  EXPECT_GT(fields.ends.size(), 500U);
}

INSTANTIATE_TEST_SUITE_P(
    All, Send,
    testing::Values(SentOver{"mesh:dims=4x4", "dor", "iq:lanes=2", 1},
                    SentOver{"mesh:dims=4x4", "dor", "iq", 5},
                    SentOver{"tree:k=2,n=3", "nca", "iq", 1},
                    SentOver{"tree:k=2,n=3", "nca", "iq:buffer=2", 3},
                    SentOver{"dragonfly:a=4,p=2,h=2", "dfsssp", "iq:buffer=5", 1},
                    SentOver{"clos3:radix=8", "dmodk", "iq:link=4", 1},
                    SentOver{"tree:k=2,n=3", "dmodk",
                             "iq:lanes=2,buffer=32,switching=cut_through,multiplex=packet", 16},
                    SentOver{"mesh:dims=4x4", "dor", "iq:flow=stop_go,buffer=32", 5}));

}  // namespace
}  // namespace weft::sim
