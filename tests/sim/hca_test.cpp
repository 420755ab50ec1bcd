// SPDX-License-Identifier: Apache-2.0
// hca: what an InfiniBand adapter does for a message takes the time of each step once, and neither
// the bus nor the reads under way keep it from filling its link.
#include <gtest/gtest.h>

#include "sim/nics/nic.hpp"
#include "support/hosts_bench.hpp"

namespace weft::sim::hca_test {
namespace {

using namespace std::chrono_literals;
using test::HostBench;
using test::HostScript;

constexpr const char* switches = "infiniband:latency=45";

/// A crossbar with such links, and hosts that begin transfers at time 0.
struct Transfers {
  Transfers(const std::string& nic, const std::string& speed, const std::vector<Transfer>& all)
      : bench(nic_from(nic), ("crossbar:hosts=2,speed=" + speed).c_str(), switches),
        script(bench, entries(all)) {
    bench.run();
  }
  static std::vector<HostScript::Entry> entries(const std::vector<Transfer>& all) {
    std::vector<HostScript::Entry> out;
    for (const Transfer& transfer : all) out.push_back({Duration(0), transfer});
    return out;
  }
  HostBench bench;
  HostScript script;
};

Transfer write(std::uint64_t bytes, std::size_t from = 0) {
  return {.move = Move::write,
          .from = HostId(from),
          .to = HostId(1 - from),
          .bytes = bytes,
          .cookie = from};
}

Duration landed(const std::string& nic, const Transfer& transfer) {
  return Transfers(nic, "200Gb/s", {transfer}).bench.log.at_landed[transfer.cookie];
}

void near(Duration measured, Duration expected) {
  EXPECT_GE(measured, expected - 6ns);
  EXPECT_LE(measured, expected + 6ns);
}

constexpr const char* bare = "hca:latency=0ns,post=0ns,bus_latency=0ns,process=0ns,packet=0ns";

TEST(Hca, AWriteTakesEveryTimeOnce) {
  const auto with = [&](const std::string& what, std::uint64_t bytes) {
    std::string spec = bare;
    const std::size_t at = spec.find(what.substr(0, what.find('=')) + "=");
    spec.replace(at, std::min(spec.find(',', at), spec.size()) - at, what);
    return landed(spec, write(bytes)) - landed(bare, write(bytes));
  };
  near(with("post=1us", 8), 1us);
  near(with("latency=1us", 8), 2us);  // out and in
  near(with("process=1us", 8), 1us);
  near(with("packet=1us", 8), 2us);       // out and in
  near(with("bus_latency=1us", 8), 1us);  // doorbell and data are posted writes
  near(with("bus_latency=1us", 201), 2us);
  near(with("bus_latency=1us", 4096), 2us);
  near(with("bus_latency=1us", 60'000), 2us);  // packets are read one behind the other
  // A read has a doorbell, is read from memory at its target and written at its source.
  Transfer read = write(4096);
  read.move = Move::read;
  near(landed("hca:bus_latency=2us", read) - landed("hca:bus_latency=1us", read), 2us);
}

TEST(Hca, ShortDataTravelWithTheDoorbell) {
  near(landed("hca", write(201)) - landed("hca", write(200)), 550ns);
  near(landed("hca:inline=0B", write(200)) - landed("hca", write(200)), 550ns);
  Transfer fetched = write(8);
  fetched.from_buffer = true;
  near(landed("hca", fetched) - landed("hca", write(8)), 550ns);
}

/// The payload rate of a link, of whose flits of 64 B a packet of 4 KiB takes 65.
double share_of_link(const std::string& nic, const std::string& speed, double gigabytes) {
  constexpr std::uint64_t size = std::uint64_t{16} << 20U;
  const Duration time = Transfers(nic, speed, {write(size)}).bench.log.at_landed[0];
  return static_cast<double>(size) / std::chrono::duration<double>(time).count() /
         (gigabytes * 1e9 * 64 / 65);
}

TEST(Hca, FillsItsLink) {
  EXPECT_GT(share_of_link("hca", "200Gb/s", 25), 0.995);
  EXPECT_GT(share_of_link("hca:bus=53GB/s", "400Gb/s", 50), 0.995);
  EXPECT_GT(share_of_link("hca:bus=106GB/s", "800Gb/s", 100), 0.99);
  EXPECT_GT(share_of_link("hca:bus=53GB/s,bus_latency=1us", "400Gb/s", 50), 0.99);
  // What is not read ahead of the link is waited for.
  EXPECT_LT(share_of_link("hca:bus=53GB/s,prefetch=8KiB", "400Gb/s", 50), 0.5);
  EXPECT_LT(share_of_link("hca:bus=13GB/s", "200Gb/s", 25), 0.54);
}

TEST(Hca, TheBusWorksInBothDirectionsAtOnce) {
  constexpr std::uint64_t size = std::uint64_t{4} << 20U;
  Transfers both("hca", "200Gb/s", {write(size, 0), write(size, 1)});
  Transfers one("hca", "200Gb/s", {write(size)});
  for (const std::uint64_t cookie : {0U, 1U})
    EXPECT_LT(both.bench.log.at_landed[cookie], one.bench.log.at_landed[0] * 101 / 100);
}

}  // namespace
}  // namespace weft::sim::hca_test
