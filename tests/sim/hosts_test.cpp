// SPDX-License-Identifier: Apache-2.0
// Hosts and NICs: a transfer takes the sum of its stages, parts are contended for, windows bound
// what is under way, and transfers between two hosts land in order.
#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "sim/hosts/staged_hosts.hpp"
#include "sim/nics/nic.hpp"
#include "support/hosts_bench.hpp"

namespace weft::sim::hosts_test {
namespace {

using namespace std::chrono_literals;
using test::HostBench;
using test::HostLog;
using test::HostScript;

/// A NIC in which every stage takes a time of its own, so that sums show which were passed.
NicModel plain() {
  NicModel model;
  TransferStages path;
  path.post = {{Part::processor, 1us}};
  path.submit = {{Part::bus, 2us}, {Part::latency, 4us}};
  path.packet_out = {{Part::dma_out, 8us}};
  path.packet_in = {{Part::dma_in, 16us}};
  path.deliver = {{Part::nic, 32us}};
  path.ack_out = {{Part::nic, 64us}};
  path.ack_in = {{Part::processor, 128us}};
  for (auto& paths : model.paths) paths = {path};
  model.mtu = Bytes{64};
  model.header = Bytes{8};
  model.ack = Bytes{8};
  return model;
}

/// 40 bytes from host 0 to host 1.
Transfer one(Move move) {
  return {.move = move, .from = HostId(0), .to = HostId(1), .bytes = 40, .cookie = 1};
}

/// The time of a packet with this many flits through the crossbar.
Duration crossing(int flits) { return Duration(8ns) * (flits + 6); }

void near(Duration measured, Duration expected) {
  EXPECT_GT(measured, expected - 60ns);
  EXPECT_LT(measured, expected + 60ns);
}

TEST(Hosts, ALostPacketIsSentAgainAsOftenAsTheModelSays) {
  HostOptions options;
  options.network.faults.links = {{.host = HostId(1), .at = 0}};
  HostBench bench(nic_from("hca:retries=2,retry_after=20us"), "crossbar:hosts=3", "iq:buffer=16",
                  options);
  const HostScript script(bench, {{Duration(0), one(Move::write)}});
  bench.run();
  EXPECT_EQ(bench.log.outcomes[1], TransferStatus::lost);
  EXPECT_GT(bench.log.at_finished[1], Duration(40us));
  EXPECT_LT(bench.log.at_finished[1], Duration(60us));
}

TEST(Hosts, AWriteTakesTheSumOfItsStages) {
  HostBench bench(plain());
  const HostScript script(bench, {{Duration(10us), one(Move::write)}});
  bench.run();
  HostLog& log = bench.log;
  EXPECT_EQ(log.at_posted[1], Duration(11us));
  EXPECT_EQ(log.at_sent[1], Duration(25us));
  near(log.at_landed[1], Duration(25us + 48us) + crossing(6));
  near(log.at_finished[1], log.at_landed[1] + Duration(192us) + crossing(1));
  EXPECT_EQ(log.outcomes[1], TransferStatus::ok);
}

TEST(Hosts, AReadComesBackWithItsData) {
  HostBench bench(plain());
  const HostScript script(bench, {{Duration(0), one(Move::read)}});
  bench.run();
  // There: 15 us and 48 us; back without the processor: 14 us and 48 us.
  near(bench.log.at_landed[1], Duration(125us) + crossing(1) + crossing(6));
  EXPECT_EQ(bench.log.at_finished[1], bench.log.at_landed[1]);
}

TEST(Hosts, ARefusalComesBackAlsoWithoutAcknowledgments) {
  for (const Move move : {Move::write, Move::read}) {
    NicModel model = plain();
    model.acknowledge = Acknowledge::never;
    HostBench bench(model);
    bench.log.answer = TransferStatus::refused;
    const HostScript script(bench, {{Duration(0), one(move)}});
    bench.run();
    EXPECT_EQ(bench.log.outcomes[1], TransferStatus::refused);
    EXPECT_TRUE(bench.log.order.empty());
    EXPECT_GT(bench.log.at_finished[1], Duration(250us));
  }
}

TEST(Hosts, TwoWritesContendForTheSamePart) {
  HostBench bench(plain());
  const HostScript script(
      bench,
      {{Duration(0), {.move = Move::write, .from = HostId(0), .to = HostId(1), .cookie = 1}},
       {Duration(0), {.move = Move::write, .from = HostId(0), .to = HostId(2), .cookie = 2}}});
  bench.run();
  EXPECT_EQ(bench.log.at_posted[2], Duration(2us));
  EXPECT_EQ(bench.log.at_sent[1], Duration(15us));
  EXPECT_EQ(bench.log.at_sent[2], Duration(23us));  // behind the first at the DMA engine
  EXPECT_EQ(bench.part(HostId(0), Part::dma_out).busy(), Duration(16us));
  EXPECT_EQ(bench.part(HostId(0), Part::dma_out).served(), 2U);
  EXPECT_EQ(bench.hosts.processor(HostId(0), 0).busy(), Duration(2us + 256us));
}

TEST(Hosts, AWindowOfOnePacketWaitsForEachAcknowledgment) {
  NicModel model = plain();
  for (auto& paths : model.paths) {
    paths[0].packet_out = {{Part::dma_out, 1us}};
    paths[0].packet_in = {{Part::dma_in, 1us}};
    paths[0].deliver = {};
    paths[0].ack_out = {{Part::nic, 1us}};
    paths[0].ack_in = {{Part::nic, 1us}};
  }
  const auto time = [&](std::uint32_t window) {
    model.acknowledge = Acknowledge::packet;
    model.window = window;
    HostBench bench(model);
    const HostScript script(bench, {{Duration(0),
                                     {.move = Move::write,
                                      .from = HostId(0),
                                      .to = HostId(1),
                                      .bytes = 64 * 100,
                                      .cookie = 1}}});
    bench.run();
    EXPECT_EQ(bench.log.outcomes[1], TransferStatus::ok);
    return bench.log.at_finished[1];
  };
  // A round trip: packet in, acknowledgment out and in, and the network; DMA out overlaps.
  const Duration round = Duration(3us) + crossing(9) + crossing(1);
  EXPECT_GT(time(1), 100 * round - Duration(5us));
  EXPECT_LT(time(1), 100 * round + Duration(25us));
  EXPECT_LT(time(2), Duration(190us));
  EXPECT_LT(time(0), Duration(115us));  // one DMA after the other
}

TEST(Hosts, TransfersBetweenTwoHostsLandInTheOrderTheyWereBegun) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    NicModel model = plain();
    for (auto& paths : model.paths) {
      paths[0] = {};
      paths.insert(paths.begin(), TransferStages{.up_to = 100});
      paths[1].submit = {{Part::latency, 3us}};  // long ones begin later
    }
    HostBench bench(model, "torus:dims=3x3", "iq:buffer=16,lanes=4");
    Rng rng(seed);
    std::vector<HostScript::Entry> entries;
    for (std::uint64_t i = 0; i < 300; ++i)
      entries.push_back({Duration(static_cast<std::int64_t>(i / 5) * 1000),
                         {.move = rng.below(2) == 0 ? Move::write : Move::message,
                          .from = HostId(rng.below(3)),
                          .to = HostId(4 + rng.below(3)),
                          .bytes = rng.below(3) == 0 ? rng.below(3000) : rng.below(20),
                          .cookie = i}});
    const HostScript script(bench, entries);
    bench.run();
    ASSERT_EQ(bench.log.order.size(), 300U);
    std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> last;
    for (const std::uint64_t cookie : bench.log.order) {
      const Transfer& transfer = entries[cookie].transfer;
      std::uint64_t& before = last[{transfer.from.index(), transfer.to.index()}];
      EXPECT_GE(cookie, before);
      before = cookie;
    }
  }
}

TEST(Hosts, APartThatStreamsWorksWhileThePacketPassesTheLink) {
  NicModel model;
  TransferStages path;
  const Bandwidth slow = gigabits_per_second(4);  // half as fast as the link
  path.packet_out = {NicStage::streaming(Part::bus, Duration{0}, slow)};
  path.packet_in = {NicStage::streaming(Part::bus, Duration{0}, slow)};
  for (auto& paths : model.paths) paths = {path};
  model.mtu = Bytes{1024};
  HostBench bench(model);
  const Transfer transfer{
      .move = Move::write, .from = HostId(0), .to = HostId(1), .bytes = 1024, .cookie = 1};
  const HostScript script(bench, {{Duration(0), transfer}});
  bench.run();
  // 2.048 us on either bus and 1.024 us on the link: its last flit leaves with the first bus's, and
  // the second bus has begun with its first one.
  EXPECT_EQ(bench.log.at_sent[1], Duration(1024ns));
  near(bench.log.at_landed[1], Duration(2048ns + 1024ns));
  EXPECT_EQ(bench.part(HostId(0), Part::bus).busy(), Duration(2048ns));
  EXPECT_EQ(bench.part(HostId(1), Part::bus).busy(), Duration(2048ns));
}

TEST(Hosts, AcknowledgmentsHaveLanesOfTheirOwn) {
  HostBench bench(plain(), "mesh:dims=2x2", "iq:buffer=16,control=yes");
  const HostScript script(bench, {{Duration(0), one(Move::write)}});
  bench.run();
  const auto flits = [&](Lane lane) {
    std::uint64_t sum = 0;
    for (const LaneUse& use : bench.hosts.network().lane_use())
      if (use.channel.valid() && use.lane == lane) sum += use.flits;
    return sum;
  };
  EXPECT_EQ(flits(0), 6U);  // 40 bytes and a header
  EXPECT_EQ(flits(1), 1U);  // its acknowledgment
}

TEST(Nics, MartiniHasPacketsOfSeventeenToTwoHundredTwentyNineFlits) {
  const NicModel model = nic_from("martini");
  for (const auto& [bytes, flits] : std::map<std::uint64_t, std::uint64_t>{
           {8, 17}, {96, 17}, {512, 69}, {1792, 229}, {1793, 229 + 17}}) {
    HostBench bench(model, "mesh:dims=2x2", "iq:buffer=4KiB,control=yes");
    const HostScript script(
        bench,
        {{Duration(0),
          {.move = Move::write, .from = HostId(0), .to = HostId(1), .bytes = bytes, .cookie = 1}}});
    bench.run();
    std::uint64_t data = 0, control = 0;
    for (const LaneUse& use : bench.hosts.network().lane_use())
      if (use.channel.valid()) (use.lane == 0 ? data : control) += use.flits;
    EXPECT_EQ(data, flits) << bytes;
    EXPECT_EQ(control, bytes > 1792 ? 34U : 17U) << bytes;
  }
}

TEST(Nics, MartiniWritesShortDataWordByWordAndFetchesLongOnes) {
  const auto posted = [](const char* spec, std::uint64_t bytes) {
    HostBench bench(nic_from(spec), "crossbar:hosts=3", "iq:buffer=4KiB");
    Transfer transfer = one(Move::write);
    transfer.bytes = bytes;
    const HostScript script(bench, {{Duration(0), transfer}});
    bench.run();
    return bench.log.at_posted[1];
  };
  const char* spec = "martini:post=1us,word=50ns,command=700ns";
  near(posted(spec, 8), Duration(1050ns));
  near(posted(spec, 512), Duration(1us + 64 * 50ns));
  EXPECT_EQ(posted(spec, 513), Duration(700ns));
  EXPECT_EQ(posted("martini:command=700ns,pio=0B", 8), Duration(700ns));
}

TEST(Nics, AWrongSpecSaysWhatWouldBeRight) {
  const auto rejection = [](const char* spec) -> std::string {
    try {
      nic_from(spec);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(rejection("nonsense").find("no NIC model is called \"nonsense\"; there are: hca"),
            std::string::npos);
  EXPECT_EQ(rejection("hca:mtu=0B"), "hca: mtu=0B: a packet carries a byte or more");
  EXPECT_EQ(rejection("martini:mtu=0B"), "martini: mtu=0B: a packet carries a byte or more");
  EXPECT_EQ(rejection("martini:word=0ns"), "martini: word=0ns: writing a word takes some time");
  EXPECT_EQ(rejection("elan:page=0B"), "elan: page=0B: 8KiB, 16KiB, 32KiB or 64KiB are possible");
  EXPECT_EQ(rejection("elan:memory=64KiB"), "elan: memory=64KiB: an Elan needs 1MiB or more");
  EXPECT_NE(rejection("hca:post=fast").find("post"), std::string::npos);
}

TEST(Nics, EveryModelOfTheCatalogueServesEveryMove) {
  for (const NicRow& row : nics()) {
    NicModel model = nic_from(row.name);
    for (const Move move : {Move::message, Move::write, Move::notice, Move::read, Move::event}) {
      const bool known =
          model.has_processor || !model.paths[static_cast<std::size_t>(move)].empty();
      if (move >= Move::read && !known) continue;
      for (const std::uint64_t bytes : {0U, 1U, 1000U, 100'000U})
        for (const std::size_t to : {1U, 0U}) {
          HostBench bench(model);
          const HostScript script(bench, {{Duration(0),
                                           {.move = move,
                                            .from = HostId(0),
                                            .to = HostId(to),
                                            .bytes = move == Move::event ? 0 : bytes,
                                            .cookie = 1}}});
          bench.run();
          EXPECT_EQ(bench.log.outcomes[1], TransferStatus::ok) << row.name;
          EXPECT_EQ(bench.log.order.size(), 1U);
        }
    }
  }
}

}  // namespace
}  // namespace weft::sim::hosts_test
