// SPDX-License-Identifier: Apache-2.0
// Programs on networks that lose packets: what is lost is sent again; what cannot arrive is
// reported.
#include <gtest/gtest.h>

#include "support/worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using test::Machine;
using namespace std::chrono_literals;

TEST(Faults, BitErrorsOnlyCostTime) {
  const Machine machine("torus:dims=3x3");
  WorldOptions options;
  const auto time = [&] {
    std::uint64_t sum = 0;
    const WorldResult outcome = machine.finish(
        [&](Endpoint& ep) -> Task {
          std::vector<std::byte> data(3000), into(3000);
          for (int i = 0; i < 5; ++i) {
            const Rank next = (ep.rank() + 4) % ep.size(), before = (ep.rank() + 5) % ep.size();
            data.assign(data.size(), static_cast<std::byte>(ep.rank()));
            Op sent = ep.send(next, i, data);
            EXPECT_TRUE((co_await ep.recv(before, i, into)).ok());
            EXPECT_EQ(into.back(), static_cast<std::byte>(before));
            EXPECT_TRUE((co_await sent).ok());
            ++sum;
          }
        },
        options);
    EXPECT_EQ(sum, 45U);
    return outcome.time;
  };
  const Time clean = time();
  options.network.faults.bit_error_rate = 1e-5;
  EXPECT_GT(time(), clean + Time(20us));
}

TEST(Faults, WhoCannotBeReachedIsGone) {
  const Machine machine("crossbar:hosts=3", "updown", "hca:mtu=256B,retries=2");
  WorldOptions options;
  const auto cut_at = 1000U;  // cycles of 8 ns
  options.network.faults.links = {{LinkId::none(), HostId(1), cut_at}};
  std::vector<Status> ends;
  machine.finish(
      [&](Endpoint& ep) -> Task {
        std::vector<std::byte> data(100'000);
        if (ep.rank() == 1) co_await ep.sleep(1ms);
        if (ep.rank() != 0) co_return;
        Op receive = ep.recv(1, 0, data);
        receive.within(2ms);
        Op long_send = ep.send(1, 0, data), put = ep.put(1, {1, 0}, data);
        ends.push_back((co_await put).status);
        ends.push_back((co_await ep.get(1, {1, 0}, data)).status);
        ends.push_back((co_await ep.send(1, 0, data)).status);
        EXPECT_TRUE((co_await ep.send(2, 0, std::span(data).first(9))).ok());
        ends.push_back((co_await receive).status);
      },
      options);
  EXPECT_EQ(ends, (std::vector<Status>{Status::peer_gone, Status::peer_gone, Status::peer_gone,
                                       Status::timed_out}));
}

TEST(Faults, ADeadlockOfTheNetworkIsReported) {
  const Machine machine("ring:switches=6,hosts=1", "minhop", "hca:mtu=4KiB,eager=1MiB",
                        "iq:buffer=4,lanes=1");
  const WorldResult outcome = machine.run([](Endpoint& ep) -> Task {
    std::vector<std::byte> data(60'000), into(60'000);
    Op sent = ep.send((ep.rank() + 2) % ep.size(), 0, data);
    co_await ep.recv((ep.rank() + 4) % ep.size(), 0, into);
  });
  EXPECT_EQ(outcome.ended, WorldEnd::deadlocked);
  EXPECT_NE(outcome.explanation.find("in a circle"), std::string::npos) << outcome.explanation;
  EXPECT_NE(outcome.explanation.find("rank 0 waits since"), std::string::npos);
}

}  // namespace
}  // namespace weft::run
