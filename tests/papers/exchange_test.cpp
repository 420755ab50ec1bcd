// SPDX-License-Identifier: Apache-2.0
// Exchanges: the bandwidth of writes that wait for their acknowledgments, and of those that do not.
#include "papers/rhinet2/exchange.hpp"

#include <gtest/gtest.h>

#include "base/message.hpp"
#include "plan/route/route.hpp"
#include "plan/topo/topology.hpp"

namespace weft::papers::rhinet2 {
namespace {

using namespace std::chrono_literals;

struct Pair {
  Fabric fabric = make_fabric("crossbar:hosts=4,speed=8Gb/s");
  Tables tables = std::get<Tables>(route(fabric, "updown"));

  ExchangeSetup exchange(std::vector<ExchangeFlow> flows) const {
    return {.fabric = fabric,
            .tables = tables,
            .switches = "iq:buffer=4KiB",
            .nic = "martini:pio=0B,pci=500MB/s,mtu=1000B",
            .flows = std::move(flows),
            .size = Bytes{1000},
            .warm_up = 100us,
            .measured = 1ms};
  }
};

TEST(ExchangeSetup, WithoutWaitingTheBusIsTheLimit) {
  const Pair pair;
  ExchangeSetup exchange = pair.exchange({{HostId(0), HostId(1)}});
  const double waiting = run_exchange(exchange).mean();
  exchange.window = 16;
  EXPECT_NEAR(run_exchange(exchange).mean(), 500, 1);
  EXPECT_LT(waiting, 300);
}

TEST(ExchangeSetup, MessagesWaitForThoseOfTheirPartner) {
  const Pair pair;
  ExchangeSetup exchange = pair.exchange({{HostId(0), HostId(1)}, {HostId(1), HostId(0)}});
  exchange.library = comm::library_from("mpich_score:packet=1000B");
  const double usual = run_exchange(exchange).mean();
  EXPECT_GT(usual, 0);
  // A message takes the processor 4 us longer at each end.
  exchange.library = comm::library_from("mpich_score:packet=1000B,mpi_send=5.5us,mpi_recv=5.5us");
  EXPECT_NEAR(1000 / run_exchange(exchange).mean(), 1000 / usual + 8, 0.5);
}

TEST(ExchangeSetup, AHostThatSendsAndReceivesSharesItsBus) {
  const Pair pair;
  ExchangeSetup exchange = pair.exchange({{HostId(0), HostId(1)}, {HostId(1), HostId(0)}});
  exchange.window = 16;
  const ExchangeResult both = run_exchange(exchange);
  EXPECT_NEAR(both.mean(), 250, 5);
  EXPECT_LE(both.least(), both.mean());
  EXPECT_LE(both.mean(), both.most());
  EXPECT_GT(both.flit_hops, 0U);
}

TEST(ExchangeSetup, BadInput) {
  const Pair pair;
  EXPECT_EQ(test::message_of([&] { run_exchange(pair.exchange({})); }),
            "exchange: it needs a flow, a byte and a window of at least one write");
  EXPECT_EQ(test::message_of([&] {
              run_exchange(pair.exchange({{HostId(0), HostId(1)}, {HostId(0), HostId(2)}}));
            }),
            "exchange: host \"h0\" is the source of two flows");
}

}  // namespace
}  // namespace weft::papers::rhinet2
