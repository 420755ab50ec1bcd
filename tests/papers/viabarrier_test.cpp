// SPDX-License-Identifier: Apache-2.0
// The VIA barrier paper in its quick version: predictions and verdicts, the calibration, and wrong
// clusters.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <sstream>

#include "base/error.hpp"
#include "lab/report/json_rows.hpp"
#include "papers/catalog.hpp"
#include "papers/claims_and_figures.hpp"
#include "papers/pages.hpp"
#include "support/files.hpp"

namespace weft::papers {
namespace {

TEST(ViaBarrierPaper, PredictionsAndVerdicts) {
  const Page page = page_of("viabarrier");
  auto found = answers(page);
  EXPECT_EQ(page.sections.size(), 9U);
  for (const auto& [id, answer] : found) {
    if (answer.stated.kind == StatementKind::calibration) {
      EXPECT_LT(std::abs(answer.deviation), 0.005) << id << ' ' << answer.ours;
    }
    // One digit in the paper; a host over a power of two is a tie with the next one; and from 2 to
    // 4 hosts the advantage grows in microseconds, but not in percent.
    const bool misses =
        id == "fig4a/saved" || id == "fig6/grows" || id.starts_with("fig5/above-next");
    if (answer.stated.kind != StatementKind::calibration) {
      EXPECT_EQ(answer.holds, !misses) << id << ": " << answer.ours << ' ' << answer.because;
    }
  }
  EXPECT_LT(std::abs(found["fig4a/saved"].deviation), 0.12);
  EXPECT_LT(std::abs(found["fig4b/send-recv-16"].deviation), 0.03);
  EXPECT_LT(std::abs(found["fig4b/rdma-16"].deviation), 0.03);
  EXPECT_TRUE(
      summary(page).starts_with("viabarrier (quick): 4 of 5 predictions within 10 %, 15 of 18 "));
  expect_judged_cases(page);
  EXPECT_EQ(found["fig5/above-next-2"].held, 21U);
  EXPECT_EQ(found["fig5/above-next-2"].cases, 22U);
}

TEST(ViaBarrierPaper, Figures) {
  const Page page = page_of("viabarrier");
  expect_figures(page, {"fig4a", "fig4b", "fig4c", "fig5", "fig6"});
  expect_published_is_stated(page, stated_by("viabarrier"));
  EXPECT_EQ(published_in(page, "fig4a"), (std::multiset<double>{31.88, 45.14}));
  EXPECT_EQ(published_in(page, "fig4b"), (std::multiset<double>{29, 39.4, 40.5, 56.3}));
  EXPECT_EQ(published_in(page, "fig5"),
            (std::multiset<double>{29, 31.88, 39.4, 40.5, 45.14, 56.3}));
  EXPECT_EQ(published_in(page, "fig6"), (std::multiset<double>{65, 193}));
}

TEST(ViaBarrierPaper, TheIterationsOfThePaperAreDeclaredBesideThoseMeasured) {
  const Page page = page_of("viabarrier/fig4a");
  const Declared wanted{{"iterations", "40"}, {"measured", "40"}};
  for (const auto& each : wanted)
    EXPECT_NE(std::find(page.declared.begin(), page.declared.end(), each), page.declared.end());
}

TEST(ViaBarrierPaper, TheConstantsOfTheFilesFollowFromFivePoints) {
  const Page page = reproduce("viabarrier/fit", {.quick = true, .threads = 2});
  for (const auto& row : page.sections.at(0).sheets.at(0).rows)
    EXPECT_NEAR(std::get<double>(row[2]) / std::get<double>(row[1]), 1, 0.02)
        << std::get<std::string>(row[0]);
}

TEST(ViaBarrierPaper, SameBytesWithAnyNumberOfThreads) {
  const auto data = [](unsigned threads) {
    std::ostringstream out;
    write_json(out,
               document_of(reproduce("viabarrier/fig4b", {.quick = true, .threads = threads})));
    return out.str();
  };
  EXPECT_EQ(data(1), data(3));
}

TEST(ViaBarrierPaper, WrongClustersAreRefused) {
  EXPECT_EQ(complaint_of("viabarrier/fig4a", "ibamesh"),
            "ibamesh: the study has three clusters, whose names end in 1, 2 and 3: name the first");
  const testing::TemporaryFolder folder;
  std::string path;
  for (const char* name : {"bare3.toml", "bare2.toml", "bare1.toml"}) {
    path = folder / name;
    std::ofstream(path) << "name = \"Bare\"\ntopologies = [\"crossbar\"]\nengines = [\"updown\"]\n";
  }
  EXPECT_EQ(complaint_of("viabarrier/fig4a", path),
            "Bare: the study needs a switch model, a nic and a library");
}

}  // namespace
}  // namespace weft::papers
