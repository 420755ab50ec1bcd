// SPDX-License-Identifier: Apache-2.0
// The bandwidth managers at work in a simulated world.
#include <gtest/gtest.h>

#include <map>

#include "base/error.hpp"
#include "base/rng.hpp"
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
  std::uint64_t dispatched(const Flow&) const override { return 0; }
  std::map<Flow, Duration> intervals;
};

/// Hosts of `each` ranks at one switch, whose ports lead to hosts 100 and on.
Settings settings_of(PretendNics& nics, int hosts, int each = 1) {
  Settings settings;
  settings.limits = {.per_packet = 48us,
                     .peak = {682'640'000},
                     .curve = {{mb(0), mb(78)}, {mb(16), mb(65)}, {mb(80), mb(0)}}};
  settings.hosts = hosts;
  settings.route = [each](const Flow& flow) -> std::variant<Path, Refused> {
    const HostNumber source = flow.source / each, target = flow.target / each;
    return Path{source, target, {{static_cast<std::uint32_t>(target), mb(160)}}};
  };
  settings.rate_control = &nics;
  return settings;
}

TEST(QosService, PromisesAndBestEffortAsInSectionFiveSix) {
  PretendNics nics;
  const Settings settings = settings_of(nics, 4);
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

}  // namespace
}  // namespace weft::run
