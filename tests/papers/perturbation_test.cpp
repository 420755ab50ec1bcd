// SPDX-License-Identifier: Apache-2.0
// Constants of machines: found, scaled and told apart by origin; and studies on machines whose
// constants are scaled at random.
#include "papers/perturbation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "base/message.hpp"
#include "lab/embedded.hpp"
#include "lab/report/json_rows.hpp"
#include "papers/pages.hpp"
#include "papers/runner/constants.hpp"
#include "support/files.hpp"

namespace weft::papers {
namespace {

TEST(Constants, AreScaledInTheirUnits) {
  EXPECT_EQ(scaled("1.2us", 1.5), "1.8us");
  EXPECT_EQ(scaled("29", 0.5), "15");
  EXPECT_EQ(scaled("1", 0.34), "1");  // none becomes 0
  EXPECT_EQ(scaled("0", 3), "0");
  EXPECT_EQ(scaled("4KiB", 0.5), "2048B");
  EXPECT_EQ(scaled("6Gb/s", 2), "12Gb/s");
  EXPECT_EQ(scaled("78MB/s", 0.5), "312Mb/s");
  for (const char* word : {"auto", "yes", "cut_through", "rhinet2_a", "", "mpich_gm:mhz=300"})
    EXPECT_EQ(scaled(word, 2), "") << word;
}

std::set<std::string> names_in(const Cluster& cluster) {
  std::set<std::string> out;
  for (const MachineConstant& constant : constants_of(cluster)) out.insert(constant.name);
  return out;
}

TEST(Constants, AreAllNumbersOfAMachine) {
  const auto names = names_in(find_cluster("gmqos"));
  for (const char* name : {"links.speed", "switches.route", "switches.buffer", "nic.read",
                           "nic.retry_after", "paper.capacity", "paper.library.copy"})
    EXPECT_TRUE(names.contains(name)) << name;
  for (const char* name : {"links.delay", "nic.schedule", "paper.library", "paper.irregular"})
    EXPECT_FALSE(names.contains(name)) << name;  // 0, a word, a spec, a topology
}

TEST(Constants, OriginsNameConstantsThatExist) {
  for (const Paper& paper : papers()) {
    std::set<std::string> names = names_in(find_cluster(std::string(paper.cluster)));
    for (const std::string_view other : paper.further_clusters)
      names.merge(names_in(find_cluster(std::string(other))));
    for (const auto& [name, origin] : origins_of(paper.name))
      EXPECT_TRUE(names.contains(name.substr(name.find(':') + 1))) << paper.name << ": " << name;
  }
  EXPECT_EQ(origins_of("rhinet2").at("nic.word"), ConstantOrigin::calibrated);
  EXPECT_EQ(origins_of("rhinet2").at("links.speed"), ConstantOrigin::paper);
  EXPECT_EQ(origins_of("nobody").size(), 0U);
}

TEST(Constants, ComplaintsNameTheLine) {
  const auto complaint = [](const std::string& text) {
    return test::message_of([&] { read_origins({"c.csv", text}); });
  };
  const std::string right =
      "a line is constant,origin; origins are paper, cal, method and assumption";
  EXPECT_EQ(complaint("constant,origin\nnic.post,guess\n"), "c.csv:2: " + right);
  EXPECT_EQ(complaint("nic.post\n"), "c.csv:1: " + right);
  EXPECT_EQ(complaint("nic.post,\n"), "c.csv:1: " + right);
}

TEST(Clusters, AreReadAsTheyAreWritten) {
  for (const EmbeddedFile& file : embedded_clusters()) {
    const Cluster cluster = find_cluster(std::string(file.name));
    const std::string text = to_toml(cluster);
    const Cluster again = read_cluster({"again.toml", text});
    EXPECT_EQ(to_toml(again), text);
    EXPECT_EQ(again.model, cluster.model) << file.name;
    EXPECT_EQ(again.nic, cluster.nic) << file.name;
    EXPECT_EQ(again.library, cluster.library) << file.name;
    EXPECT_EQ(again.paper, cluster.paper) << file.name;
    EXPECT_EQ(again.lanes, cluster.lanes) << file.name;
    EXPECT_EQ(again.links, cluster.links) << file.name;
    EXPECT_EQ(again.topologies, cluster.topologies) << file.name;
  }
}

TEST(Clusters, KeepWhatIsNotScaled) {
  const Cluster cluster = find_cluster("viabarrier1");
  const Cluster other = with_factors(cluster, {{"nic.post", 2.0}, {"library.check", 0.5}});
  EXPECT_EQ(Spec::parse(other.nic).values.at("post"), "7002");
  EXPECT_EQ(Spec::parse(other.library).values.at("check"), "50");
  EXPECT_EQ(Spec::parse(other.nic).values.at("process"),
            Spec::parse(cluster.nic).values.at("process"));
  EXPECT_EQ(other.model, cluster.model);
}

TEST(Clusters, StayWithinWhatIsAllowed) {
  const Cluster cluster = find_cluster("gmqos");
  const Cluster other = with_factors(cluster, {{"nic.retries", 3.0}, {"switches.most_lanes", 0.4}});
  EXPECT_EQ(Spec::parse(other.nic).values.at("retries"), "1000");  // 1000 is the most
  EXPECT_NO_THROW(read_cluster({"other.toml", to_toml(other)}));
}

class PerturbationTest : public ::testing::Test {
 protected:
  Perturbation run(const char* request, unsigned threads) const {
    return perturb(request, {.threads = threads}, {.runs = 4, .first_seed = 1, .folder = folder});
  }
  const testing::TemporaryFolder scratch{};
  const std::string folder = scratch / "machines";
};

TEST_F(PerturbationTest, CountsTheRunsInWhichClaimsHold) {
  const Perturbation found = run("viabarrier/notify", 2);
  ASSERT_EQ(found.runs.size(), 4U);
  ASSERT_EQ(found.claims.size(), 3U);
  EXPECT_EQ(found.calibrated.size(), 6U);
  EXPECT_GT(found.assumed.size(), 15U);
  for (const PerturbedClaim& claim : found.claims) {
    EXPECT_TRUE(claim.usually) << claim.id;
    EXPECT_EQ(claim.ran, 4U);
    std::size_t held = 0;
    for (const PerturbedRun& each : found.runs) held += each.verdicts.at(claim.id) ? 1 : 0;
    EXPECT_EQ(claim.held, held);
  }
  for (const PerturbedRun& each : found.runs) {
    EXPECT_EQ(each.factors.size(), found.assumed.size() + found.calibrated.size());
    EXPECT_FALSE(each.factors.contains("nic.mhz"));  // the paper's
    for (const auto& [name, factor] : each.factors) {
      EXPECT_LE(std::abs(std::log(factor)), std::log(largest_factor)) << name;
    }
  }
  EXPECT_NE(found.runs[0].factors, found.runs[1].factors);
}

/// The machines of a run are files, on which the study gives the same verdicts.
TEST_F(PerturbationTest, ItsMachinesCanBeUsedAgain) {
  const Perturbation found = run("viabarrier/notify", 1);
  const Page page =
      reproduce("viabarrier/notify", {.cluster = folder + "/3/viabarrier1.toml", .quick = true});
  for (const Comparison& answer : page.sections[0].answers)
    EXPECT_EQ(answer.holds, found.runs[2].verdicts.at(answer.stated.id)) << answer.stated.id;
}

TEST_F(PerturbationTest, IsTheSameWithAnyNumberOfThreads) {
  const auto data = [&](unsigned threads) {
    std::ostringstream out;
    write_json(out, document_of(run("viabarrier/notify", threads)));
    return out.str();
  };
  EXPECT_EQ(data(1), data(3));
}

TEST_F(PerturbationTest, NeedsClaims) {
  EXPECT_EQ(test::message_of([&] { run("ibamesh/lids", 1); }),
            "ibamesh/lids: it has no claims that could flip");
}

Perturbation example_perturbation() {
  Perturbation out{"example", "A Title", {"nic.post", "nic.poll"}, {"nic.word"}};
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    out.runs.push_back({seed, {{"nic.post", 0.5}}, {{"fig1/a", seed > 1}, {"fig1/b", true}}, 1});
  out.runs[2].problem = "fig2: a buffer is too small";
  out.claims = {{"fig1/a", "more is better", true, 3, 4, "fails where nic.post is small"},
                {"fig1/b", "all is well", true, 4, 4}};
  return out;
}

TEST(PerturbationText, SaysWhatAClaimIsAbout) {
  std::ostringstream out;
  write_perturbation(out, example_perturbation());
  const std::string text = out.str();
  EXPECT_NE(text.find("3 constants (2 assumed, 1 calibrated) multiplied by 1/3 to 3 at random, 4 "
                      "runs"),
            std::string::npos)
      << text;
  EXPECT_NE(
      text.find("      3/4  holds  fig1/a  calibration: it fails where nic.post is small; more "
                "is better\n"
                "      4/4  holds  fig1/b  the same in all runs; all is well\n"
                "  seed 3: not all could run: fig2: a buffer is too small\n"
                "\n"
                "example: 1 of 2 claims keep one verdict in 4 runs, 1 flip\n"),
      std::string::npos)
      << text;
}

TEST(PerturbationText, AsData) {
  std::ostringstream json, csv, factors;
  write_json(json, document_of(example_perturbation()));
  write_csv(csv, example_perturbation());
  write_factors_csv(factors, example_perturbation());
  const auto read = nlohmann::json::parse(json.str());
  EXPECT_EQ(read["weft"], "perturbation 1");
  EXPECT_EQ(read["claims"][0]["held"], 3);
  EXPECT_EQ(read["runs"][0]["verdicts"]["fig1/a"], false);
  EXPECT_TRUE(
      csv.str().starts_with("id,says,usually,seed,holds,revision\n"
                            "fig1/a,more is better,true,1,false,"))
      << csv.str();
  EXPECT_TRUE(factors.str().starts_with(
      "seed,constant,origin,factor,revision\n1,nic.post,assumed,0.500000,"));
}

}  // namespace
}  // namespace weft::papers
