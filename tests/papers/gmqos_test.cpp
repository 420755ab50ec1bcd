// SPDX-License-Identifier: Apache-2.0
// The study of rate control in its quick version: predictions and verdicts, the same bytes with any
// number of threads, and wrong clusters.
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

TEST(GmqosPaper, PredictionsAndVerdicts) {
  const Page page = reproduce("gmqos", {.quick = true, .threads = 2});
  EXPECT_EQ(page.sections.size(), 18U);
  // The last packet of a message, which is not full, costs more here; links of wormhole networks
  // cannot be filled; a flow that has most of a host cannot burst by much; where twice as much
  // comes in as goes out, turning round still costs time; and copies of one processor are shared by
  // message.
  const std::set<std::string> misses{
      "fig5.1/average",  "fig5.1/worst",  "fig5.2/average",   "promises/whole links", "fig1.3/both",
      "fig2.4/restored", "fig5.10/ratio", "sec3.2.1/coarser", "fig5.4/receiving",
  };
  std::map<std::string, Comparison> found;
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers) {
      const std::string& id = answer.stated.id;
      found[id] = answer;
      const bool number = answer.stated.kind == StatementKind::prediction ||
                          answer.stated.kind == StatementKind::calibration;
      if (number) {
        EXPECT_LT(std::abs(answer.deviation), 0.05) << id << ' ' << answer.ours;
      } else {
        EXPECT_EQ(answer.holds, misses.count(id) == 0) << id << ": " << answer.because;
      }
    }
  // T is measured; the other calibration points follow from the cluster file.
  EXPECT_EQ(found["fig5.3/T"].value, 96);
  for (const char* id : {"fig5.4/out", "fig5.5/2T", "fig5.9/bandwidth", "fig5.11/beside 40"})
    EXPECT_LT(std::abs(found[id].deviation), 0.005) << id;
  EXPECT_TRUE(
      summary(page).starts_with("gmqos (quick): 4 of 4 predictions within 10 %, 23 of 32 "));
  expect_judged_cases(page);
  EXPECT_EQ(found["fig5.10/ratio"].cases, 8U);

  std::vector<std::string> figures;
  for (int i = 1; i <= 12; ++i) figures.push_back("fig5." + std::to_string(i));
  expect_figures(page, figures);
  EXPECT_EQ(published_in(page, "fig5.4"), (std::multiset<double>{16.37, 65}));
  EXPECT_EQ(published_in(page, "fig5.5"), (std::multiset<double>{24.96, 40.91, 40.91, 56.88}));
  EXPECT_EQ(published_in(page, "fig5.6"), (std::multiset<double>{20.5, 20.5, 39.81}));
  EXPECT_EQ(published_in(page, "fig5.7"), (std::multiset<double>{8.52, 75.91}));
  EXPECT_EQ(published_in(page, "fig5.8"), (std::multiset<double>{16.37, 32.5, 32.5}));
  EXPECT_EQ(published_in(page, "fig5.9").count(50), 6U);
  EXPECT_EQ(published_in(page, "fig5.11").count(4.7), 1U);
}

TEST(GmqosPaper, SameBytesWithAnyNumberOfThreads) {
  const auto data = [](unsigned threads) {
    std::ostringstream out;
    write_json(out, document_of(reproduce("gmqos/fig5.3", {.quick = true, .threads = threads})));
    return out.str();
  };
  EXPECT_EQ(data(1), data(3));
}

TEST(GmqosPaper, WrongClustersAreRefused) {
  const testing::TemporaryFolder folder;
  const std::string path = folder / "cluster.toml";
  std::ofstream(path) << "name = \"Bare\"\ntopologies = [\"crossbar\"]\nengines = [\"updown\"]\n";
  EXPECT_EQ(complaint_of("gmqos/fig5.5", path), "Bare: the study needs a switch model and a nic");
  const auto complaint_with = [&](const std::string& hosts, const std::string& nic) {
    std::ofstream(path) << "name = \"Mine\"\ntopologies = [\"crossbar:hosts=" << hosts
                        << "\"]\nengines = [\"updown\"]\n[switches]\nmodel = "
                           "\"iq:flit=32B,flow=stop_go,buffer=8\"\n[hosts.nic]\nname = \""
                        << nic << "\"\n";
    return complaint_of("gmqos/fig5.5", path);
  };
  EXPECT_EQ(complaint_with("16", "via"), "Mine: the study is one of GM's NIC, not of via");
  EXPECT_EQ(complaint_with("3", "gm"), "Mine: the study needs 4 hosts or more");
}

}  // namespace
}  // namespace weft::papers
