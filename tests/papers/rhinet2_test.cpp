// SPDX-License-Identifier: Apache-2.0
// The RHiNET-2 paper: what is exact in it, the calibration of its cluster file, barriers against a
// closed form, and the quick version of the study.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/message.hpp"
#include "papers/catalog.hpp"
#include "papers/pages.hpp"
#include "papers/rhinet2/experiments.hpp"

namespace weft::papers {
namespace {

TEST(Rhinet2Paper, HopsAndBisectionsAreAsPrinted) {
  for (const char* table : {"rhinet2/table1", "rhinet2/table3"})
    for (const auto& [id, answer] : answers(page_of(table))) EXPECT_TRUE(answer.holds) << id;
}

/// T = 2.887 us x steps + 0.7 us x links on the deepest chain.
TEST(Rhinet2Paper, NumericalOrdersTakeTheirChainOfMessages) {
  const auto found = answers(page_of("rhinet2/table11"));
  const auto closed = [](int steps, int links) { return 2.887 * steps + 0.7 * links; };
  EXPECT_NEAR(found.at("table11/Clos 16/SHIO").value, closed(8, 4), 0.1);
  EXPECT_NEAR(found.at("table11/fat tree 6/SHIO").value, closed(8, 4), 0.1);
  EXPECT_NEAR(found.at("table11/mesh 4x2/SHIO").value, closed(10, 4), 0.1);
}

TEST(Rhinet2Paper, TheQuickStudyAnswersEverything) {
  const Page page = page_of("rhinet2");
  const auto found = answers(page);
  EXPECT_EQ(found.size(), stated_by("rhinet2").size());
  std::size_t calibrated = 0;
  for (const auto& [id, answer] : found) {
    if (answer.stated.kind != StatementKind::calibration) continue;
    ++calibrated;
    EXPECT_LT(std::abs(answer.deviation), 0.01) << id;
  }
  EXPECT_EQ(calibrated, 4U);
  for (const char* id : {"table9/order", "table11/order", "table12/switches", "fig6/linear",
                         "fig10/no-distance", "fig9/Clos"})
    EXPECT_TRUE(found.at(id).holds) << id << ": " << found.at(id).because;
  for (const auto& [id, answer] : found) {  // barriers, but for prefix routing
    const bool barrier = id.starts_with("table") && !id.starts_with("table12") &&
                         answer.stated.kind == StatementKind::prediction;
    if (barrier && id.find("prefix") == std::string::npos) {
      EXPECT_LT(std::abs(answer.deviation), 0.12) << id;
    }
  }
  // The surrogate is called one wherever it appears.
  for (const auto& [id, answer] : found) EXPECT_EQ(id.find("/B/"), std::string::npos) << id;
}

TEST(Rhinet2Paper, SameBytesWithAnyNumberOfThreads) {
  const auto written = [](unsigned threads) {
    std::ostringstream out;
    write_page(out, reproduce("rhinet2/table13", {.quick = true, .threads = threads}));
    return out.str();
  };
  EXPECT_EQ(written(1), written(3));
}

TEST(Rhinet2Study, TrafficOf32Hosts) {
  const Lab lab{.quick = true};
  const Cluster cluster = find_cluster("rhinet2");
  const rhinet2::Rhinet2Study study(lab, cluster);
  const Fabric& mesh = study.machine("mesh 32", "dor").fabric();
  EXPECT_EQ(rhinet2::traffic(mesh, "bit-reversal").size(), 24U);  // 8 hosts are their own mirror
  EXPECT_EQ(rhinet2::traffic(mesh, "complement").front(), std::pair(HostId(0), HostId(31)));
  const auto transpose = rhinet2::traffic(mesh, "transpose");
  EXPECT_EQ(transpose.size(), 32U);                           // no host is left out
  EXPECT_EQ(transpose[1], std::pair(HostId(1), HostId(31)));  // (0,0) to (3,3)
  EXPECT_EQ(transpose[6], std::pair(HostId(6), HostId(24)));  // (3,0) to (0,3), the diagonal
  EXPECT_EQ(rhinet2::traffic(mesh, "pair 3").front(), std::pair(HostId(0), HostId(4)));
}

TEST(Rhinet2Study, WrongClustersAreRefused) {
  const Lab lab{.quick = true};
  Cluster cluster = find_cluster("rhinet2");
  cluster.nic.clear();
  EXPECT_EQ(test::message_of([&] { rhinet2::Rhinet2Study(lab, cluster); }),
            "RHiNET-2: [switches] needs a model and [hosts] a nic for this study");
  cluster = find_cluster("rhinet2");
  cluster.paper["orders"] = "5";
  EXPECT_EQ(test::message_of([&] { rhinet2::Rhinet2Study(lab, cluster); }),
            "rhinet2: orders=5: a whole number from 10 to 1000000 is needed");
}

}  // namespace
}  // namespace weft::papers
