// SPDX-License-Identifier: Apache-2.0
// The study of QsNet in its quick version: predictions and verdicts, the calibration, the same
// bytes with any number of threads, and wrong clusters.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "lab/report/json_rows.hpp"
#include "papers/catalog.hpp"
#include "papers/claims_and_figures.hpp"
#include "papers/pages.hpp"
#include "support/files.hpp"

namespace weft::papers {
namespace {

TEST(QsnetPaper, PredictionsAndVerdicts) {
  const Page page = reproduce("qsnet", {.quick = true, .threads = 2});
  EXPECT_EQ(page.sections.size(), 12U);
  expect_judged_cases(page);
  expect_figures(page, {"fig6a", "fig6b", "fig7a", "fig7b", "fig8"});
  expect_published_is_stated(page, stated_by("qsnet"));
  // PCI is crossed at one end or the other, and its writes are modelled like its reads; near hosts
  // have more of a hot spot; every packet of a broadcast is acknowledged by all; only the release
  // of a barrier is a broadcast.
  const std::set<std::string> misses{"fig6a/asymmetry", "fig6a/groups", "fig8/write shares",
                                     "bcast/faster", "scale/barrier"};
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers) {
      const std::string& id = answer.stated.id;
      if (answer.stated.kind == StatementKind::calibration) {
        EXPECT_LT(std::abs(answer.deviation), 0.005) << id << ' ' << answer.ours;
      } else {
        EXPECT_EQ(answer.holds, misses.count(id) == 0)
            << id << ": " << answer.ours << ' ' << answer.because;
      }
      if (answer.stated.kind == StatementKind::prediction && misses.count(id) == 0) {
        EXPECT_LT(std::abs(answer.deviation), 0.08) << id << ' ' << answer.ours;
      }
    }
  // The constants of the file follow from the six points.
  for (const auto& row : page.sections.back().sheets.front().rows)
    EXPECT_NEAR(std::get<double>(row[2]) / std::get<double>(row[1]), 1, 0.02)
        << std::get<std::string>(row[0]);
  EXPECT_EQ(summary(page).substr(0, 49), "qsnet (quick): 1 of 1 predictions within 10 %, 21");
}

TEST(QsnetPaper, RepetitionsHaveOtherFaultsOnly) {
  EXPECT_NE(repeated_answers("qsnet/fault", 0), repeated_answers("qsnet/fault", 1));
  for (const char* request : {"qsnet/fig6b", "qsnet/bcast"})
    EXPECT_EQ(repeated_answers(request, 0), repeated_answers(request, 1)) << request;
}

TEST(QsnetPaper, SameBytesWithAnyNumberOfThreads) {
  const auto data = [](const char* request, unsigned threads) {
    std::ostringstream out;
    write_json(out, document_of(reproduce(request, {.quick = true, .threads = threads})));
    return out.str();
  };
  for (const char* request : {"qsnet/fig6b", "qsnet/fault"})
    EXPECT_EQ(data(request, 1), data(request, 3));
}

TEST(QsnetPaper, WrongClustersAreRefused) {
  EXPECT_EQ(complaint_of("qsnet/fig6b", "ibamesh"),
            "InfiniBand mesh: the study needs a switch model, a nic and a library");
  EXPECT_EQ(complaint_of("qsnet/fig6b", "viabarrier1"),
            "VIA barrier, cluster 1: the study is one of Elans, not of via");
  const testing::TemporaryFolder folder;
  const std::string path = folder / "cluster.toml";
  const auto complaint_with = [&](const std::string& dimension, const std::string& library) {
    std::ofstream(path) << "name = \"Mine\"\ntopologies = [\"tree:k=4,n=" << dimension
                        << "\"]\nengines = [\"nca\"]\n[switches]\nmodel = "
                           "\"iq:flit=2B,lanes=2,buffer=128\"\n[hosts.nic]\nname = \"elan\"\n"
                           "[hosts.library]\nname = \""
                        << library << "\"\n";
    return complaint_of("qsnet/fig6b", path);
  };
  EXPECT_EQ(complaint_with("2", "mvich"), "Mine: the study is one of mpich_qsnet, not of mvich");
  EXPECT_EQ(complaint_with("1", "mpich_qsnet"), "Mine: the study needs 16 hosts or more");
}

}  // namespace
}  // namespace weft::papers
