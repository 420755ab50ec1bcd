// SPDX-License-Identifier: Apache-2.0
// The bandwidth managers at work in a simulated world.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "base/rng.hpp"
#include "comm/qos/attributes.hpp"
#include "comm/qos/service.hpp"
#include "support/worlds.hpp"

namespace weft::run {
namespace {

using namespace comm;
using namespace comm::qos;
using test::Machine;
using namespace std::chrono_literals;

constexpr Bandwidth mb(std::int64_t megabytes) { return {megabytes * 8'000'000}; }

/// The NICs of all hosts, which only remember.
class PretendNics final : public RateControl {
 public:
  void set_interval(const Flow& flow, Duration interval) override { intervals[flow] = interval; }
  void set_leased(const Flow& flow, Duration interval) override { intervals[flow] = interval; }
  void set_lease(Time) override {}
  void stop_others(std::span<const Flow>) override {}
  std::uint64_t dispatched(const Flow&) const override { return 0; }
  std::map<Flow, Duration> intervals;
};

/// At one switch, whose ports are numbered as the hosts they lead to.
struct ManagedHosts {
  int count = 0;
  int ranks_each = 1;
  RateControl* nics = nullptr;  ///< none: those of the machine
  Duration lease = usual_lease;
};

Settings settings_of(const ManagedHosts& hosts) {
  const auto route = [each = hosts.ranks_each](const Flow& flow) -> std::variant<Path, Refused> {
    const HostNumber source = flow.source / each, target = flow.target / each;
    return Path{source, target, {{static_cast<std::uint32_t>(target), mb(160)}}};
  };
  return {.limits = {.per_packet = 48us,
                     .peak = {682'640'000},
                     .curve = {{mb(0), mb(78)}, {mb(16), mb(65)}, {mb(80), mb(0)}}},
          .hosts = hosts.count,
          .route = route,
          .lease = hosts.lease,
          .rate_control = hosts.nics};
}

/// Hosts whose NICs hold packets back.
Machine with_rate_control(int hosts) {
  return Machine(
      fmt::format("crossbar:hosts={},speed=1.28Gb/s", hosts), "updown",
      "gm:schedule=rate,mhz=33,tick=500ns,mtu=4KiB,dma=2us,read=101.63MB/s,write=101.63MB/s",
      "iq:flit=32B,flow=stop_go,buffer=8");
}

TEST(QosService, PromisesAndBestEffortAsInSectionFiveSix) {
  PretendNics nics;
  const Settings settings = settings_of({.count = 4, .nics = &nics});
  const auto interval = [&](std::int64_t rate) { return interval_of(settings.limits, {rate}); };
  Machine("crossbar:hosts=4").finish([&](Endpoint& ep) -> Task {
    Team everyone(ep);
    Service service(everyone, settings);
    if (ep.rank() == 0) {
      const Flow free{0, 1}, first{0, 2}, second{0, 3};
      EXPECT_TRUE((co_await service.best_effort(free)).granted);
      EXPECT_EQ(nics.intervals[free], Duration(48us));  // alone: at peak rate
      const Answer answer = co_await service.reserve(first, mb(40));
      EXPECT_TRUE(answer.granted);
      EXPECT_EQ(answer.interval, interval(mb(40).bits_per_second));
      EXPECT_EQ(nics.intervals[free], interval(mb(38).bits_per_second));
      EXPECT_TRUE((co_await service.reserve(second, mb(20))).granted);
      EXPECT_EQ(nics.intervals[free], interval(mb(18).bits_per_second));
      const Answer refused = co_await service.reserve(second, mb(39));
      EXPECT_FALSE(refused.granted);
      EXPECT_EQ(refused.why,
                "host 0 sends 40MB/s and receives 0B/s; 39MB/s more exceed its 78MB/s by 1MB/s");
      EXPECT_TRUE((co_await service.release(first)).granted);
      EXPECT_TRUE((co_await service.release(second)).granted);
      EXPECT_EQ(nics.intervals[first], Duration(0));
    }
    co_await service.close();
    EXPECT_EQ((nics.intervals[{0, 1}]), Duration(48us));
  });
}

TEST(QosService, RefusesInWords) {
  PretendNics nics;
  const Settings settings = settings_of({.count = 2, .ranks_each = 2, .nics = &nics});
  const WorldOptions options{.ranks_per_host = 2};
  const auto program = [&](Endpoint& ep) -> Task {
    Team everyone(ep);
    Service service(everyone, settings);
    if (ep.rank() == 1) {  // not the one with the manager
      const auto why = [&](Flow flow, Bandwidth bandwidth) -> TaskOf<std::string> {
        co_return (co_await service.reserve(flow, bandwidth)).why;
      };
      EXPECT_EQ(co_await why({1, 9}, mb(1)), "flow 1->9: there is no rank 9, only 0 to 3");
      EXPECT_EQ(co_await why({-1, 2}, mb(1)), "flow -1->2: there is no rank -1, only 0 to 3");
      EXPECT_EQ(co_await why({0, 2}, mb(1)),
                "flow 0->2 belongs to rank 0: rank 1 cannot change it");
      EXPECT_EQ(co_await why({1, 1}, mb(1)), "flow 1->1 goes to itself");
      EXPECT_EQ(co_await why({1, 0}, mb(1)), "flow 1->0 stays in host 0: no NIC holds it back");
      EXPECT_EQ(co_await why({1, 2}, mb(0)),
                "0B/s cannot be promised: it must be more than nothing");
      EXPECT_EQ((co_await service.release({1, 2})).why,
                "flow 1->2 has nothing to release: neither a promise nor best effort");
      EXPECT_TRUE(nics.intervals.empty());
      EXPECT_EQ(co_await why({1, 2}, mb(1)), "");
    }
    co_await service.close();
  };
  Machine("crossbar:hosts=2").finish(program, options);
}

TEST(QosService, WhatRoutingRejectsIsRefused) {
  PretendNics nics;
  Settings settings = settings_of({.count = 2, .nics = &nics});
  settings.route = [](const Flow& flow) -> std::variant<Path, Refused> {
    if (flow.source == 0) return Refused{"the routes are adaptive: no path is fixed"};
    throw Error("host {} is in no table", flow.source);
  };
  Machine("crossbar:hosts=2").finish([&](Endpoint& ep) -> Task {
    Team everyone(ep);
    Service service(everyone, settings);
    const Flow flow{ep.rank(), 1 - ep.rank()};
    EXPECT_EQ(
        (co_await service.best_effort(flow)).why,
        ep.rank() == 0 ? "the routes are adaptive: no path is fixed" : "host 1 is in no table");
    co_await service.close();
  });
  EXPECT_TRUE(nics.intervals.empty());
}

TEST(QosService, NeedsRateControlAndEveryone) {
  const Settings settings = settings_of({.count = 2});
  Machine("crossbar:hosts=2").finish([&](Endpoint& ep) -> Task {
    Team everyone(ep);
    Service service(everyone, settings);
    const Flow flow{ep.rank(), 1 - ep.rank()};
    EXPECT_EQ((co_await service.reserve(flow, mb(1))).why, "the NIC has no rate control");
    co_await service.close();
    const std::vector<Rank> backwards{1, 0}, alone{ep.rank()};
    Team other = everyone.part(backwards), self = everyone.part(alone);
    const auto rejection = [](Team& team, const Settings& with) -> std::string {
      try {
        Service service(team, with);
      } catch (const Error& error) {
        return error.what();
      }
      return "";
    };
    const char* const everyone_needed =
        "qos: the managers serve all ranks: make them of the team of everyone";
    EXPECT_EQ(rejection(other, settings), everyone_needed);
    EXPECT_EQ(rejection(self, settings), everyone_needed);
    EXPECT_EQ(rejection(everyone, {.limits = settings.limits, .hosts = 2}),
              ep.rank() == 0 ? "qos: the master does not know how flows are routed" : "");
    EXPECT_EQ(rejection(everyone, {.limits = settings.limits}),
              ep.rank() == 0 ? "qos: 0 hosts: there is nothing to manage" : "");
  });
}

/// Everyone asks at once, again and again; messages of programs are under way as well.
TEST(QosService, ServesManyAtOnce) {
  PretendNics nics;
  const Settings settings = settings_of({.count = 6, .ranks_each = 3, .nics = &nics});
  const WorldOptions options{.ranks_per_host = 3};
  int granted = 0, refused = 0;
  const auto program = [&](Endpoint& ep) -> Task {
    Team everyone(ep);
    Service service(everyone, settings);
    Rng rng(static_cast<std::uint64_t>(ep.rank() + 1));
    const auto other = [&] {
      return static_cast<Rank>((ep.rank() + 3 + static_cast<int>(rng.below(12))) % ep.size());
    };
    for (int turn = 0; turn < 12; ++turn) {
      const Flow flow{ep.rank(), other(), rng.below(2) == 0 ? Priority::low : Priority::high};
      const auto choice = rng.below(3);
      if (choice == 0) {
        const auto wanted = static_cast<std::int64_t>(1 + rng.below(40));
        ++((co_await service.reserve(flow, mb(wanted))).granted ? granted : refused);
      } else if (choice == 1) {
        EXPECT_TRUE((co_await service.best_effort(flow)).granted);
      } else {
        const bool had = nics.intervals.contains(flow) && nics.intervals[flow] != Duration{0};
        EXPECT_EQ((co_await service.release(flow)).granted, had);
      }
    }
    co_await service.close();
  };
  Machine("crossbar:hosts=6").finish(program, options);
  EXPECT_GE(granted, 15);
  EXPECT_GT(refused, 10);
  std::map<int, std::int64_t> outgoing;
  for (const auto& [flow, interval] : nics.intervals)
    if (interval.count() > 0) outgoing[flow.source / 3] += 32'766'720'000 / interval.count();
  for (const auto& [host, rate] : outgoing) EXPECT_LE(rate, 624'000) << host;  // 78 MB/s, in kb/s
}

/// Sends 64 KiB messages as fast as they go, then an empty one.
Task stream(Endpoint& ep, Rank to, Time until) {
  std::vector<std::byte> data(65'536);
  while (ep.now() < until) co_await ep.send(to, 1, data);
  co_await ep.send(to, 2, std::span<const std::byte>());
}

TEST(QosService, ANicWithRateControlKeepsWhatWasPromised) {
  const Settings settings = settings_of({.count = 4});
  const Machine machine = with_rate_control(4);
  const auto program = [&](Endpoint& ep) -> Task {
    Team everyone(ep);
    Service service(everyone, settings);
    if (ep.rank() == 0) {
      const Flow promised{0, 1}, free{0, 2};
      EXPECT_TRUE((co_await service.reserve(promised, mb(20))).granted);
      EXPECT_TRUE((co_await service.best_effort(free)).granted);
      const Time begin = ep.now();
      Task first = stream(ep, 1, begin + 50ms), second = stream(ep, 2, begin + 50ms);
      first.start(ep.ready());
      second.start(ep.ready());
      RateControl& nic = *ep.capability<RateControl>();
      co_await ep.sleep(50ms);
      const auto megabytes_per_second = [&](const Flow& flow) {
        return static_cast<double>(nic.dispatched(flow)) * 4096 / 50e3;
      };
      EXPECT_NEAR(megabytes_per_second(promised), 20, 0.4);
      EXPECT_GT(megabytes_per_second(free), 45);  // with a pause after each message
      EXPECT_LT(megabytes_per_second(free), 58.1);
      co_await first;
      co_await second;
    } else if (ep.rank() < 3) {
      std::vector<std::byte> into(65'536);
      for (Result result{.tag = 1}; result.tag == 1;) result = co_await ep.recv(0, any_tag, into);
    }
    co_await service.close();
  };
  machine.finish(program);
}

/// The master's own host makes room.
TEST(QosService, AnswersAtOnce) {
  PretendNics nics;
  const Settings settings = settings_of({.count = 3, .nics = &nics});
  Machine("crossbar:hosts=3").finish([&](Endpoint& ep) -> Task {
    Team everyone(ep);
    Service service(everyone, settings);
    if (ep.rank() == 0) {
      EXPECT_TRUE((co_await service.best_effort({0, 1})).granted);
    }
    co_await ep.sleep(1ms);
    if (ep.rank() == 2) {
      EXPECT_TRUE((co_await service.reserve({2, 1}, mb(40))).granted);
    }
    EXPECT_LT(ep.now(), 2ms);
    co_await service.close();
  });
}

/// A host dies; its place becomes free, requests elsewhere do not wait, and all others can close.
TEST(QosService, OutlivesAHostThatDies) {
  PretendNics nics;
  const Settings settings =
      settings_of({.count = 4, .ranks_each = 2, .nics = &nics, .lease = 30ms});
  // The rank with the manager; rank 3 lives on.
  const WorldOptions options{.ranks_per_host = 2, .departures = {{.rank = 2, .at = 10ms}}};
  const auto program = [&](Endpoint& ep) -> Task {
    Team everyone(ep);
    Service service(everyone, settings);
    if (ep.rank() == 2) {
      EXPECT_TRUE((co_await service.best_effort({2, 0})).granted);
      co_await ep.sleep(1s);
    } else if (ep.rank() == 4) {
      co_await ep.sleep(12ms);
      EXPECT_TRUE((co_await service.reserve({4, 6}, mb(20))).granted);
      EXPECT_LT(ep.now(), 13ms);
      EXPECT_TRUE((co_await service.reserve({4, 0}, mb(50))).granted);
      EXPECT_GT(ep.now(), 30ms);
      EXPECT_LT(ep.now(), 30ms * 3 / 2);
    } else if (ep.rank() == 3) {
      co_await ep.sleep(20ms);
      EXPECT_EQ((co_await service.best_effort({3, 0})).why,
                "the manager at rank 2 does not answer: peer gone");
    }
    co_await service.close();
    EXPECT_LT(ep.now(), 60ms);
  };
  Machine("crossbar:hosts=4").finish(program, options);
}

TEST(QosService, ClosesWithoutTheMaster) {
  PretendNics nics;
  const Settings settings = settings_of({.count = 3, .nics = &nics, .lease = 30ms});
  const WorldOptions options{.departures = {{.rank = 0, .at = 10ms}}};
  const auto program = [&](Endpoint& ep) -> Task {
    Team everyone(ep);
    Service service(everyone, settings);
    co_await ep.sleep(Duration(ep.rank() == 0 ? 1s : 12ms));
    EXPECT_EQ((co_await service.reserve({ep.rank(), 3 - ep.rank()}, mb(20))).why,
              "the master has not been heard for 30ms");
    co_await service.close();
    EXPECT_LT(ep.now(), 90ms);
  };
  Machine("crossbar:hosts=3").finish(program, options);
}

/// The NIC of a host stops the flows of a manager that has died, whatever its programs still send.
TEST(QosService, ANicStopsTheFlowsOfADeadManager) {
  const Settings settings = settings_of({.count = 2, .ranks_each = 2, .lease = 30ms});
  const WorldOptions options{.ranks_per_host = 2, .departures = {{.rank = 2, .at = 10ms}}};
  const Machine machine = with_rate_control(2);
  std::uint64_t sent_early = 0, sent_late = 0;
  const auto program = [&](Endpoint& ep) -> Task {
    Team everyone(ep);
    Service service(everyone, settings);
    if (ep.rank() == 3) {
      const Flow flow{3, 1};
      EXPECT_TRUE((co_await service.reserve(flow, mb(20))).granted);
      Task sending = stream(ep, 1, Duration(200ms));
      sending.start(ep.ready());
      RateControl& nic = *ep.capability<RateControl>();
      co_await ep.sleep(30ms - ep.now());
      sent_early = nic.dispatched(flow);
      co_await ep.sleep(60ms - ep.now());
      sent_late = nic.dispatched(flow) - sent_early;
      nic.set_interval(flow, Duration(0));  // so that the rest is soon gone
      co_await sending;
    } else if (ep.rank() == 1) {
      std::vector<std::byte> into(65'536);
      for (Result result{.tag = 1}; result.tag == 1;) result = co_await ep.recv(3, any_tag, into);
    } else if (ep.rank() == 2) {
      co_await ep.sleep(1s);
    }
    co_await service.close();
  };
  machine.finish(program, options);
  EXPECT_NEAR(static_cast<double>(sent_early) * 4096 / 30e3, 20, 2);
  EXPECT_LE(sent_late, 10U);  // 3 ms worth: its last lease began a little after the start
}

TEST(QosAttributes, AreMappedToThePacketsTheyNeed) {
  const MessageFraming plain{.most = mb(50)};
  EXPECT_EQ(raw_bandwidth(plain, mb(40), Bytes{65'536}), mb(40));
  EXPECT_EQ(raw_bandwidth(plain, mb(40), Bytes{2048}), mb(80));  // half of each packet is lost
  const MessageFraming with_header{.header = Bytes{64}, .most = mb(50)};
  EXPECT_EQ(raw_bandwidth(with_header, mb(16), Bytes{65'536}), mb(17));
  EXPECT_EQ(raw_bandwidth(plain, mb(1), Bytes{3}).bits_per_second, 10'922'666'667);
}

TEST(QosAttributes, AreSetAndGotAsThoseOfCommunicators) {
  PretendNics nics;
  const Settings settings = settings_of({.count = 4, .nics = &nics});
  Machine("crossbar:hosts=4").finish([&](Endpoint& ep) -> Task {
    Team everyone(ep);
    Service service(everyone, settings);
    QosKey qos(service, {.most = mb(50)});
    const std::vector<Rank> members{2, 0, 3};
    if (ep.rank() == 1) {
      everyone.skip();
    } else {
      Team team = everyone.part(members);
      if (ep.rank() == 0) {  // 1 in the team
        EXPECT_EQ(qos.get(team, 2), nullptr);
        EXPECT_TRUE((co_await qos.set(team, {.peer = 2, .bandwidth = mb(40)})).granted);
        EXPECT_EQ((nics.intervals[{0, 3}]), interval_of(settings.limits, mb(40)));
        EXPECT_EQ(qos.get(team, 2)->has, mb(40));
        EXPECT_EQ(qos.get(team, 2)->interval, interval_of(settings.limits, mb(40)));
        EXPECT_TRUE(qos.get(team, 2)->granted);
        EXPECT_EQ(qos.get(everyone, 3), nullptr);
        co_await qos.set(team, {.peer = 2, .bandwidth = mb(51)});
        EXPECT_EQ(qos.get(team, 2)->why,
                  "51MB/s cannot be promised: the library carries 50MB/s at most");
        EXPECT_EQ(qos.get(team, 2)->has, mb(40));
        const Quality other{.peer = 0, .bandwidth = mb(45), .priority = Priority::high};
        EXPECT_EQ((co_await qos.set(team, other)).why,
                  "host 0 sends 40MB/s and receives 0B/s; 45MB/s more exceed its 78MB/s by 7MB/s");
        EXPECT_FALSE(qos.get(team, 0, Priority::high)->granted);
        EXPECT_EQ(qos.get(team, 0), nullptr);
        EXPECT_EQ((co_await qos.set(team, {.peer = 3})).why, "there is no rank 3 in a team of 3");
        for (const Rank nobody : {-2, -1, 3}) EXPECT_EQ(qos.get(team, nobody), nullptr);
        EXPECT_EQ((co_await qos.set(team, {.peer = 0, .bandwidth = {-8}})).why,
                  "-1B/s cannot be promised: it must be more than nothing");
        EXPECT_EQ((co_await qos.set(team, {.peer = 0, .bandwidth = {8}, .message = {0}})).why,
                  "messages of 0 bytes cannot be");
        // The same flow through another team.
        EXPECT_TRUE((co_await qos.set(everyone, {.peer = 3, .bandwidth = mb(30)})).granted);
        EXPECT_EQ(qos.get(team, 2), nullptr);
        EXPECT_TRUE((co_await qos.set(everyone, {.peer = 3})).granted);
        EXPECT_EQ(qos.get(everyone, 3), nullptr);
        EXPECT_EQ((co_await qos.set(everyone, {.peer = 3})).why,
                  "flow 0->3 has nothing to release: neither a promise nor best effort");
      }
    }
    co_await service.close();
  });
}

}  // namespace
}  // namespace weft::run
