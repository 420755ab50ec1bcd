// SPDX-License-Identifier: Apache-2.0
// Traffic matrices: all forms of files mean the same, destinations and loads follow the numbers,
// and the errors of wrong files.
#include "sim/workload/traffic_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/message.hpp"
#include "plan/topo/topology.hpp"

namespace weft::test {
namespace {

using sim::TrafficMatrix;
using Numbers = std::map<std::pair<std::size_t, std::size_t>, double>;

const Fabric& four_hosts() {
  static const Fabric fabric = make_fabric("mesh:dims=2x2");
  return fabric;
}

TrafficMatrix read_matrix_text(const std::string& text, const std::string& unit = "weights",
                               const Fabric& fabric = four_hosts()) {
  return sim::read_matrix({"m.csv", text}, fabric, {unit, Bytes{8}, Duration(8000)});
}

/// As shares of the largest number.
Numbers numbers_of(const TrafficMatrix& matrix) {
  Numbers out;
  for (const auto& [from, to, weight] : matrix.entries)
    out[{from.index(), to.index()}] =
        std::round(static_cast<double>(weight) / static_cast<double>(sim::largest_weight) * 1e6) /
        1e6;
  return out;
}

TEST(TrafficMatrix, DenseAndSparseFormsMeanTheSame) {
  const Numbers right{{{0, 1}, 0.5}, {{0, 3}, 1}, {{2, 0}, 0.25}};
  for (const char* text : {
           "0,2,0,4\n0,0,0,0\n1,0,0,0\n0,0,0,0\n",
           "# rows are sources\r\n\r\n0, 2 ,0,4\r\n,,,\r\n1,0,0,0\r\n0,0,0,0",
           "h0,h1,h2,h3\n0,2,0,4\n0,0,0,0\n1,0,0,0\n0,0,0,0\n",
           ",h0,h1,h2,h3\nh0,0,2,0,4\nh1,0,0,0,0\nh2,1,0,0,0\nh3,0,0,0,0\n",
           "host,h3,h2,h1,h0\nh2,0,0,0,1\nh0,4,0,2,0\nh1,0,0,0,0\nh3,0,0,0,0\n",
           "h0,0,2,0,4\nh2,1,0,0,0\nh1,0,0,0,0\nh3,0,0,0,0\n",
           "src,dst,weight\nh2,h0,1\nh0,h3,4\nh0,h1,2\n",
           "from,to,w\n0,1,2\n0,3,4\n\"h2\",0,1\n",
           "h0,h1,1.5\nh2,h0,1e0\nh0,h3,4\nh0,h1,0.5\n",
       })
    EXPECT_EQ(numbers_of(read_matrix_text(text)), right) << text;
  const Fabric two = make_fabric("mesh:dims=2");
  EXPECT_EQ(numbers_of(read_matrix_text("h0,h1,2\n", "weights", two)), (Numbers{{{0, 1}, 1}}));
  EXPECT_EQ(numbers_of(read_matrix_text("h0,0,2\nh1,1,0\n", "weights", two)),
            (Numbers{{{0, 1}, 1}, {{1, 0}, 0.5}}));
  const TrafficMatrix part = read_matrix_text(",h1,h3\nh1,0,7\nh3,0,0\n");
  EXPECT_EQ(numbers_of(part), (Numbers{{{1, 3}, 1}}));
}

/// A flit of 8 bytes in 8 ns is 8 Gb/s.
TEST(TrafficMatrix, RatesInAllUnits) {
  for (const auto& [unit, text] : std::map<std::string, std::string>{{"Gb/s", "h0,h1,2"},
                                                                     {"MB/s", "h0,h1,250"},
                                                                     {"flits", "h0,h1,0.25"},
                                                                     {"Mb/s", "h0,h1,2Gb/s"}}) {
    const TrafficMatrix matrix = read_matrix_text(text, unit);
    EXPECT_NEAR(matrix.flits_per_cycle, 0.25, 1e-12) << unit;
    const auto loads = loads_of(matrix, four_hosts(), Chance(Chance::one), 3);
    EXPECT_NEAR(loads[HostId(0)].value(), 0.75, 1e-12) << unit;
    EXPECT_EQ(loads[HostId(1)].parts(), 0U) << unit;
    EXPECT_EQ(message_of([&] { loads_of(matrix, four_hosts(), Chance(Chance::one), 5); }),
              "host h0 is to send 1.25 flits per cycle; a host sends one at most");
  }
}

TEST(TrafficMatrix, TheBusiestHostOffersTheLoad) {
  const TrafficMatrix matrix = read_matrix_text("h0,h1,3\nh0,h2,1\nh1,h2,2\nh3,h0,1\n");
  const auto loads = loads_of(matrix, four_hosts(), chance_from("0.4"), 1);
  const double expected[] = {0.4, 0.2, 0, 0.1};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(loads[HostId(i)].value(), expected[i], 1e-9);
}

TEST(TrafficMatrix, DestinationsAreDrawnByTheRow) {
  const auto pattern = matrix_pattern(read_matrix_text("h0,h1,5\nh0,h2,3\nh0,h3,2\nh3,h0,1\n"), 4);
  Rng rng(1);
  constexpr int draws = 100'000;
  std::map<std::size_t, int> counts;
  for (int i = 0; i < draws; ++i) ++counts[pattern->next(HostId(0), rng).index()];
  const std::map<std::size_t, double> shares{{1, 0.5}, {2, 0.3}, {3, 0.2}};
  ASSERT_EQ(counts.size(), shares.size());
  for (const auto& [to, share] : shares)
    EXPECT_NEAR(counts[to], share * draws, 4 * std::sqrt(share * (1 - share) * draws)) << to;
  EXPECT_EQ(pattern->next(HostId(3), rng), HostId(0));
  EXPECT_FALSE(pattern->next(HostId(1), rng).valid());
  EXPECT_FALSE(pattern->ends());
}

TEST(TrafficMatrix, WrongFiles) {
  const auto wrong = [](const std::string& text, const std::string& unit = "weights") {
    return message_of([&] { read_matrix_text(text, unit); });
  };
  EXPECT_EQ(wrong(""), "m.csv: the matrix is empty");
  EXPECT_EQ(wrong("h0,h1,h2,h3\n"), "m.csv: the matrix is empty");
  EXPECT_EQ(wrong("0,0,0,0\n0,0,0,0\n0,0,0,0\n0,0,0,0\n"),
            "m.csv: all numbers are 0: nobody sends anything");
  EXPECT_EQ(wrong("1,2\n3,4\n"),
            "m.csv:1: 2 fields; a row has one for each of the 4 hosts (and its host's name before "
            "them), a sparse line has three: from,to,rate");
  EXPECT_EQ(wrong("1,2,3,4\n1,2,3\n"), "m.csv:2: 3 numbers; this matrix has 4 columns");
  EXPECT_EQ(wrong("1,2,3,4\n1,2,3,4\n1,2,3,4\n"),
            "m.csv: 3 rows for 4 columns: a matrix has as many rows as columns");
  EXPECT_EQ(wrong("1,2,3,4\n1,2,3,4\n1,2,3,4\n1,2,3,4\n1,2,3,4\n"),
            "m.csv:5: one row too many: the matrix has 4 columns");
  EXPECT_EQ(wrong("1,2,3,4\n1,-2,3,4\n"), "m.csv:2: column 2: -2 is below 0");
  EXPECT_EQ(wrong("1,2,3,4\n1,2,x,4\n"), "m.csv:2: column 3: \"x\" is no number");
  EXPECT_EQ(wrong("1,2,3,4\n1,2,x,4\n", "Gb/s"),
            "m.csv:2: column 3: \"x\" is no number, and no rate such as 2.5Gb/s");
  EXPECT_EQ(wrong("h0,h1,2Gb/s\n"),
            "m.csv:1: column 3: \"2Gb/s\" is a rate, where the matrix has weights; with unit=Gb/s "
            "it has rates");
  EXPECT_EQ(
      wrong("h0,h9,1\n"),
      "m.csv:1: column 2: the fabric has no host \"h9\"; its hosts are \"h0\" to \"h3\", or 0 "
      "to 3");
  EXPECT_EQ(
      wrong(",h0,h1,h2,h7\nh0,0,0,0,1\n"),
      "m.csv:1: column 5: the fabric has no host \"h7\"; its hosts are \"h0\" to \"h3\", or 0 "
      "to 3");
  EXPECT_EQ(wrong(",h0,h1,h1\nh0,0,0,1\n"), "m.csv:1: column 4: host h1 is there twice");
  EXPECT_EQ(wrong(",h0,h1\nh0,0,1\nh0,0,1\n"), "m.csv:3: host h0 has a row already");
  EXPECT_EQ(wrong("from,to,rate\nh0,h1\n"), "m.csv:2: 2 fields; a line has three: from,to,rate");
  EXPECT_EQ(wrong("h0,h1,1e300\nh0,\"h1,1\n"), "m.csv:2: a double quote is not closed");
  EXPECT_EQ(wrong("h0,h1,1\n\"h0\" h1,1\n"), "m.csv:2: a comma is needed behind a double quote");
  EXPECT_EQ(wrong("h0,h1,1e308\nh0,h1,1e308\n"), "m.csv: the sum of a pair is too large");
}

}  // namespace
}  // namespace weft::test
