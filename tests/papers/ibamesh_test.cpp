// SPDX-License-Identifier: Apache-2.0
// The InfiniBand mesh paper: its worked examples exactly, its deadlock, the lane settings, and the
// orderings of the study in its quick version.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "base/error.hpp"
#include "lab/report/json_rows.hpp"
#include "papers/catalog.hpp"
#include "papers/claims_and_figures.hpp"
#include "papers/ibamesh/study.hpp"
#include "papers/pages.hpp"

namespace weft::papers {
namespace {

void expect_all_hold(const std::string& request, std::size_t count) {
  const Page page = page_of(request);
  ASSERT_EQ(page.sections.size(), 1U);
  EXPECT_EQ(page.sections[0].answers.size(), count);
  EXPECT_FALSE(page.sections[0].about.empty());
  for (const Comparison& answer : page.sections[0].answers)
    EXPECT_TRUE(answer.holds) << answer.stated.id << ": paper " << answer.stated.paper << ", ours "
                              << answer.ours << ' ' << answer.because;
}

TEST(IbaMeshPaper, WorkedExamples) {
  expect_all_hold("ibamesh/lids", 3);
  expect_all_hold("ibamesh/lft", 8);
  expect_all_hold("ibamesh/mft", 9);
}

TEST(IbaMeshPaper, LaneSettingsRun) {
  for (const char* name : {"a", "b", "c", "d", "e"})
    expect_all_hold(fmt::format("ibamesh/vl-{}", name), 2);
}

TEST(IbaMeshPaper, TheSquareDeadlocksAndXyDoesNot) {
  expect_all_hold("ibamesh/deadlock", 4);
  const Section section = page_of("ibamesh/deadlock").sections[0];
  ASSERT_GT(section.notes.size(), 4U);
  EXPECT_EQ(section.notes[0],
            "N(0,0) port 1 lane 0 (to N(1,0)) waits for N(1,0) port 2 lane 0 (to N(1,1)), on the "
            "route from H(0,0) to H(1,1)");
  EXPECT_NE(section.notes[4].find("4 packets wait for each other in a circle"), std::string::npos);
}

std::map<std::string, bool> verdicts(const Page& page) {
  std::map<std::string, bool> out;
  for (const Section& section : page.sections)
    for (const Comparison& answer : section.answers) out[answer.stated.id] = answer.holds;
  return out;
}

TEST(IbaMeshPaper, OrderingsOfTheStudy) {
  const Page page = page_of("ibamesh");
  EXPECT_TRUE(page.quick);
  EXPECT_EQ(page.sections.size(), papers()[0].experiments.size());
  expect_judged_cases(page);
  expect_figures(page,
                 {"fig8", "fig9", "fig10", "fig11", "fig12", "fig13", "fig14", "fig15", "fig16"});
  auto holds = verdicts(page);
  for (const std::string name : {"one-source", "multi-source", "all-source"}) {
    EXPECT_TRUE(holds[name + "/multicast-faster"]) << name;
    EXPECT_TRUE(holds[name + "/free-unicast"]) << name;
  }
  EXPECT_TRUE(holds["one-source/grows-with-size"]);
  EXPECT_TRUE(holds["multi-source/lanes-help"]);
  EXPECT_TRUE(holds["all-source/lanes-help"]);
  EXPECT_TRUE(holds["all-source/slower"]);
  EXPECT_TRUE(holds["remarks/1"]);
  EXPECT_TRUE(holds["remarks/2/group/1/10-40"]);
  // A single multicast packet never waits for a lane; a single source's own link is its bound.
  EXPECT_FALSE(holds["one-source/free-multicast"]);
  EXPECT_FALSE(holds["remarks/2/cases/one-multi"]);
}

TEST(IbaMeshPaper, RepetitionsDrawOtherHosts) {
  for (const char* request : {"ibamesh/one-source", "ibamesh/multi-source", "ibamesh/all-source"})
    EXPECT_NE(repeated_answers(request, 0), repeated_answers(request, 1)) << request;
  EXPECT_EQ(repeated_answers("ibamesh/vl-b", 0), repeated_answers("ibamesh/vl-b", 1));
}

TEST(IbaMeshPaper, SameBytesWithAnyNumberOfThreads) {
  const auto data = [](unsigned threads) {
    std::ostringstream out;
    write_json(out,
               document_of(reproduce("ibamesh/multi-source", {.quick = true, .threads = threads})));
    return out.str();
  };
  EXPECT_EQ(data(1), data(3));
}

TEST(IbaMeshStudy, SerialisationBounds) {
  using ibamesh::Scheme;
  const Lab lab;
  const Cluster cluster = find_cluster("ibamesh");
  const ibamesh::IbameshStudy study(lab, cluster);
  const auto packets = [&](const ibamesh::TrafficCase& what, Scheme scheme) {
    return study.bound(what, scheme).packets;
  };
  EXPECT_EQ(study.fabric().host_count(), 256U);
  EXPECT_EQ(study.sizes(),
            (std::vector<std::int64_t>{32, 64, 128, 256, 512, 1024, 2048, 4096, 8192}));
  EXPECT_EQ(study.runs(ibamesh::all_source).size(), 90U);
  EXPECT_EQ(packets(ibamesh::one_source, Scheme::unicast), 255U);
  EXPECT_EQ(packets(ibamesh::one_source, Scheme::multicast), 1U);
  EXPECT_EQ(packets(ibamesh::all_source, Scheme::unicast), 1024U);
  EXPECT_EQ(packets(ibamesh::all_source, Scheme::multicast), 255U);
  EXPECT_EQ(packets(ibamesh::multi_source, Scheme::multicast), 101U);
  EXPECT_GE(packets(ibamesh::multi_source, Scheme::unicast), 163U);
}

// Links of hosts take any lane: one source has more of them than with one lane.
TEST(IbaMeshStudy, TiedLanesAreNotOneLane) {
  const Lab lab{.quick = true};
  ibamesh::IbameshStudy study(lab, find_cluster("ibamesh"));
  study.prepare(study.runs(ibamesh::one_source));
  const auto time = [&](std::size_t setting) {
    return study.microseconds({ibamesh::one_source, 32, setting, ibamesh::Scheme::unicast});
  };
  EXPECT_LT(time(2), time(0));
}

std::string complaint(std::map<std::string, std::string> paper, const char* topology) {
  Cluster cluster = find_cluster("ibamesh");
  if (paper.erase("no model") > 0) cluster.model = "";
  for (const auto& [key, value] : paper) cluster.paper[key] = value;
  cluster.topologies = {topology};
  try {
    const Lab lab;
    ibamesh::IbameshStudy(lab, cluster);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(IbaMeshStudy, WrongClustersAreRefused) {
  const char* mesh = "iba_mesh:m=4,n=4";
  EXPECT_EQ(complaint({}, mesh), "nothing");
  EXPECT_EQ(complaint({{"order", "lid"}, {"members", "other"}}, mesh), "nothing");
  EXPECT_EQ(complaint({}, "torus"), "InfiniBand mesh: the first topology must be an iba_mesh");
  EXPECT_EQ(complaint({{"no model", ""}}, mesh),
            "InfiniBand mesh: [switches] needs a model for this study");
  EXPECT_EQ(complaint({{"colour", "red"}}, mesh),
            "ibamesh: unknown parameter \"colour\"; it takes seed members order buffer");
  EXPECT_EQ(complaint({{"order", "any"}}, mesh),
            "ibamesh: order=any: it can be random, shifted, lid");
  EXPECT_EQ(complaint({{"buffer", "0"}}, mesh),
            "ibamesh: buffer=0: a whole number from 1 to 1000 is needed");
}

}  // namespace
}  // namespace weft::papers
