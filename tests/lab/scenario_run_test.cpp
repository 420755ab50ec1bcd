// SPDX-License-Identifier: Apache-2.0
// Scenarios run: promises kept with rate control, not without it; what cannot be run is reported.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "base/error.hpp"
#include "lab/flows/experiment.hpp"
#include "support/files.hpp"

namespace weft {
namespace {

class ScenarioRuns : public ::testing::Test {
 protected:
  ScenarioRuns() {
    std::ofstream(path_) << "capacity = \"70MB/s\"\nbin = \"5ms\"\nlength = \"200ms\"\n"
                            "[[flow]]\nname = \"rest\"\nfrom = 0\nto = 1\n"
                            "[[flow]]\nname = \"video\"\nfrom = 0\nto = 2\npromise = \"50MB/s\"\n"
                            "start = \"50ms\"\nstop = \"150ms\"\n"
                            "[[flow]]\nname = \"more\"\nfrom = 0\nto = 3\npromise = \"30MB/s\"\n"
                            "start = \"60ms\"\n";
  }

  ScenarioSpec run(const std::string& rate_control = "yes") const {
    ScenarioSpec out;
    out.scenario = path_;
    out.cluster = "gmqos";
    out.rate_control = rate_control;
    return out;
  }
  static std::string complaint(const ScenarioSpec& run) {
    try {
      run_scenario(run);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  }

  testing::TemporaryFolder folder_;
  std::string path_ = folder_ / "s.toml";
};

TEST_F(ScenarioRuns, PromisesAreKept) {
  const ScenarioResult result = run_scenario(run());
  EXPECT_TRUE(result.found.flows[0].granted);
  EXPECT_TRUE(result.found.flows[1].granted);
  EXPECT_FALSE(result.found.flows[2].granted);
  EXPECT_FALSE(result.found.flows[2].why.empty());
  EXPECT_FALSE(rate_of(result, 2));
  const auto worst = worst_promise(result);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->flow, 1U);
  EXPECT_TRUE(worst->kept) << worst->rate.ratio();
  const auto beside =
      rate_between(result, 0, std::chrono::milliseconds(60), std::chrono::milliseconds(150));
  ASSERT_TRUE(beside && beside->promised);
  EXPECT_NEAR(*beside->promised, 20, 0.1);
  EXPECT_NEAR(beside->ratio(), 1, 0.03);
  EXPECT_TRUE(command_of(result.spec)
                  .starts_with("weft qos " + path_ +
                               " --cluster gmqos --topology crossbar:hosts=16 --engine updown"));
}

TEST_F(ScenarioRuns, WithoutRateControlEveryoneGetsTheSame) {
  std::vector<double> shares;
  const ScenarioResult result =
      run_scenario(run("no"), [&](double share, const std::string&) { shares.push_back(share); });
  EXPECT_EQ(shares.size(), 40U);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()) && shares.front() == 0 &&
              shares.back() < 1);
  EXPECT_TRUE(result.found.flows[2].granted);
  EXPECT_NE(result.spec.nic.find("schedule=packet"), std::string::npos) << result.spec.nic;
  const auto worst = worst_promise(result);
  ASSERT_TRUE(worst);
  EXPECT_FALSE(worst->kept);
  const auto rest =
      rate_between(result, 0, std::chrono::milliseconds(60), std::chrono::milliseconds(150));
  const auto video =
      rate_between(result, 1, std::chrono::milliseconds(60), std::chrono::milliseconds(150));
  EXPECT_NEAR(rest->measured / video->measured, 1, 0.02);
  EXPECT_FALSE(rest->promised);
}

TEST_F(ScenarioRuns, WhatCannotBeRunIsReported) {
  ScenarioSpec wrong = run();
  wrong.cluster = "";
  EXPECT_EQ(complaint(wrong), path_ + ": it names no cluster to run on: give one with --cluster");
  wrong = run("maybe");
  EXPECT_EQ(complaint(wrong), "rate-control=maybe: it is yes or no");
  wrong = run();
  wrong.policy = "fair";
  EXPECT_EQ(complaint(wrong), "policy=fair: the policy \"fair\" is neither equal nor max-min");
  wrong = run();
  wrong.nic = "hca";
  EXPECT_EQ(complaint(wrong),
            "hca: this NIC does not tell flows apart; one that does is needed: --nic gm");
  wrong = run();
  wrong.topology = "crossbar:hosts=3";
  EXPECT_EQ(complaint(wrong),
            path_ + ":18: the fabric has no host 3; they are numbered from 0 to 2");
}

}  // namespace
}  // namespace weft
