// SPDX-License-Identifier: Apache-2.0
// Scenario files: what they say, every complaint with its line, and the embedded ones.
#include "lab/flows/scenario.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "lab/cluster/cluster.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Scenario scenario_of(const std::string& text) { return read_scenario({"s.toml", text}); }

/// The complaint about the file, or about its hosts on a crossbar of four.
std::string scenario_complaint(const std::string& text) {
  try {
    plan_of(scenario_of(text), find_fabric("crossbar:hosts=4"));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

const std::string ends = "[[flow]]\nfrom = \"h0\"\nto = \"h1\"\n";

TEST(Scenario, SaysWhatItIs) {
  const Scenario scenario = scenario_of(
      "about = \"a\"\ncluster = \"gmqos\"\npolicy = \"max-min\"\ncapacity = \"78MB/s\"\n"
      "link_percent = 50\nbin = \"20ms\"\nlength = \"2s\"\n" +
      ends +
      "name = \"video\"\npromise = \"40MB/s\"\nmessage = \"4KiB\"\nstart = \"1s\"\nstop = "
      "\"1500ms\"\npriority = \"high\"\nwindow = 8\n[[flow]]\nfrom = 3\nto = 2\n");
  EXPECT_EQ(scenario.about, "a");
  EXPECT_EQ(scenario.cluster, "gmqos");
  EXPECT_EQ(scenario.policy, comm::qos::Policy::max_min);
  EXPECT_EQ(scenario.capacity, bandwidth_from("78MB/s"));
  EXPECT_EQ(scenario.bin, milliseconds(20));
  EXPECT_EQ(scenario.length, seconds(2));
  const FlowsPlan plan = plan_of(scenario, find_fabric("crossbar:hosts=4"));
  ASSERT_EQ(plan.flows.size(), 2U);
  EXPECT_EQ(plan.policy, comm::qos::Policy::max_min);
  EXPECT_EQ(plan.bin, milliseconds(20));
  EXPECT_EQ(plan.link_percent, 50);
  const FlowPlan& video = plan.flows[0];
  EXPECT_EQ(video.name, "video");
  EXPECT_EQ(video.from, HostId(0));
  EXPECT_EQ(video.to, HostId(1));
  EXPECT_EQ(video.service, FlowService::promised);
  EXPECT_EQ(video.bandwidth, bandwidth_from("40MB/s"));
  EXPECT_EQ(video.message, Bytes{4096});
  EXPECT_EQ(video.start, seconds(1));
  EXPECT_EQ(video.stop, milliseconds(1500));
  EXPECT_EQ(video.priority, comm::Priority::high);
  EXPECT_EQ(video.window, 8);
  const FlowPlan& other = plan.flows[1];
  EXPECT_EQ(other.name, "flow 2");
  EXPECT_EQ(other.from, HostId(3));
  EXPECT_EQ(other.service, FlowService::best_effort);
  EXPECT_EQ(other.start, Duration{0});
  EXPECT_EQ(other.stop, seconds(2));
}

TEST(Scenario, EveryServiceHasItsKey) {
  const auto service = [](const std::string& line) {
    return scenario_of("length = \"1s\"\n" + ends + line).flows[0].plan;
  };
  EXPECT_EQ(service("").service, FlowService::best_effort);
  EXPECT_EQ(service("best_effort = true").service, FlowService::best_effort);
  EXPECT_EQ(service("free = true").service, FlowService::free);
  EXPECT_EQ(service("promise = \"1MB/s\"").service, FlowService::promised);
  EXPECT_EQ(service("interval = \"250us\"").service, FlowService::paced);
  EXPECT_EQ(service("interval = \"250us\"").interval, duration_from("250us"));
}

TEST(Scenario, TimesFollowFromTheFlows) {
  const Scenario scenario =
      scenario_of(ends + "stop = \"700ms\"\n" + ends + "start = \"1s\"\nstop = \"3s\"\n");
  EXPECT_EQ(scenario.length, seconds(3));
  EXPECT_EQ(scenario.bin, milliseconds(20));
  EXPECT_EQ(scenario_of(ends + "stop = \"1ms\"\n").bin, duration_from("5us"));
  EXPECT_EQ(scenario_of(ends + "stop = \"3ps\"\n").bin, Duration(1));
}

TEST(Scenario, ComplaintsNameTheLine) {
  const auto complaint = [](const std::string& lines) {
    return scenario_complaint("length = \"1s\"\n" + ends + lines);
  };
  EXPECT_EQ(scenario_complaint(""), "s.toml: there are no flows; each is a table: [[flow]]");
  EXPECT_EQ(scenario_complaint("flow = []\n"),
            "s.toml:1: flow is a list of tables, each of them [[flow]]");
  EXPECT_EQ(scenario_complaint("[flow]\nfrom = 1\n"),
            "s.toml:1: flow is a list of tables, each of them [[flow]]");
  EXPECT_EQ(scenario_complaint("colour = 1\n"),
            "s.toml:1: unknown key colour; there are: about cluster policy capacity link_percent "
            "bin length flow");
  EXPECT_EQ(complaint("rate = 4\n"),
            "s.toml:5: unknown key rate; there are: name from to promise best_effort interval free "
            "message start stop priority window");
  EXPECT_EQ(complaint("name = \"\"\n"), "s.toml:5: name is one line of 1 to 60 characters");
  EXPECT_EQ(complaint("name = \"a\\nb\"\n"), "s.toml:5: name is one line of 1 to 60 characters");
  EXPECT_EQ(complaint(ends + "name = \"flow 1\"\n"),
            "s.toml:8: two flows are called \"flow 1\"; the other is in line 2");
  EXPECT_EQ(complaint("message = \"0B\"\n"), "s.toml:5: message: a message has 1B to 64MiB");
  EXPECT_EQ(complaint("window = 0\n"), "s.toml:5: window is a whole number from 1 to 1024");
  EXPECT_EQ(complaint("priority = \"urgent\"\n"), "s.toml:5: priority is \"low\" or \"high\"");
  EXPECT_EQ(scenario_complaint("policy = \"fair\"\n" + ends),
            "s.toml:1: policy: the policy \"fair\" is neither equal nor max-min");
  EXPECT_EQ(scenario_complaint("capacity = \"0MB/s\"\n" + ends),
            "s.toml:1: capacity: it must be more than nothing");
  EXPECT_EQ(scenario_complaint("link_percent = 101\n" + ends),
            "s.toml:1: link_percent is a whole number from 1 to 100");
  EXPECT_EQ(scenario_complaint("bin = \"1ps\"\nlength = \"1s\"\n" + ends),
            "s.toml:1: bin: 1000000000000 bins for each of 1 flow are too many; 10000000 are "
            "possible");
}

TEST(Scenario, ServicesAreOneAndMoreThanNothing) {
  const auto complaint = [](const std::string& lines) {
    return scenario_complaint("length = \"1s\"\n" + ends + lines);
  };
  EXPECT_EQ(complaint("promise = \"0MB/s\"\n"), "s.toml:5: promise: it must be more than nothing");
  EXPECT_EQ(complaint("promise = \"40\"\n"),
            "s.toml:5: promise: \"40\" is not a speed: write a number and one of Tb/s, Gb/s, "
            "Mb/s, kb/s, b/s, TB/s, GB/s, MB/s, kB/s, B/s");
  EXPECT_EQ(complaint("promise = 40\n"), "s.toml:5: promise is a text in quotes");
  EXPECT_EQ(complaint("interval = \"0us\"\n"), "s.toml:5: interval: it must be more than nothing");
  EXPECT_EQ(complaint("best_effort = true\npromise = \"1MB/s\"\n"),
            "s.toml:5: a flow has one service: promise or best_effort, not both");
  EXPECT_EQ(complaint("free = false\n"), "s.toml:5: free is true, or left out");
  EXPECT_EQ(complaint("free = 1\n"), "s.toml:5: free is true or false");
}

TEST(Scenario, HostsMustBeThere) {
  const auto complaint = [](const std::string& lines) {
    return scenario_complaint("length = \"1s\"\n[[flow]]\n" + lines);
  };
  EXPECT_EQ(complaint("to = \"h1\"\n"),
            "s.toml:2: from is missing: a host by its name, from = \"h0\", or number");
  EXPECT_EQ(complaint("from = \"h0\"\nto = -1\n"),
            "s.toml:4: to is a host: its name in quotes, or its number from 0 on");
  EXPECT_EQ(complaint("from = \"h0\"\nto = \"h9\"\n"),
            "s.toml:4: the fabric has no host \"h9\"; its hosts are \"h0\" to \"h3\"");
  EXPECT_EQ(complaint("from = 4\nto = \"h0\"\n"),
            "s.toml:3: the fabric has no host 4; they are numbered from 0 to 3");
  EXPECT_EQ(complaint("from = 2\nto = \"h2\"\n"),
            "s.toml:4: \"flow 1\" goes from h2 to itself; a flow needs two hosts");
}

TEST(Scenario, TimesMustFit) {
  EXPECT_EQ(
      scenario_complaint(ends),
      "s.toml:1: \"flow 1\" never stops: it needs a stop = \"2s\", or the scenario a length = "
      "\"2s\" above its flows");
  EXPECT_EQ(scenario_complaint(ends + "start = \"2s\"\nstop = \"1s\"\n"),
            "s.toml:5: \"flow 1\" starts at 2s, which must be before it stops, at 1s");
  EXPECT_EQ(scenario_complaint("length = \"2s\"\n" + ends + "start = \"2s\"\n"),
            "s.toml:2: \"flow 1\" starts at 2s, which must be before it stops, at 2s");
  EXPECT_EQ(scenario_complaint("length = \"2s\"\n" + ends + "stop = \"3s\"\n"),
            "s.toml:5: \"flow 1\" stops at 3s, after the scenario's length of 2s");
  EXPECT_EQ(scenario_complaint("length = \"0s\"\n" + ends),
            "s.toml:1: length: it must be more than nothing");
}

TEST(Scenario, OtherFilesAreRecognised) {
  EXPECT_EQ(scenario_complaint("weft = \"fabric 1\"\n"),
            "s.toml:1: this is a fabric, not a scenario; to run one on it: --topology");
  EXPECT_EQ(scenario_complaint("topologies = [\"ring\"]\n"),
            "s.toml:1: this is a cluster, not a scenario; to run one on it: --cluster");
}

TEST(Scenario, ClustersAreFoundBesideIt) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder / "c.toml") << "topologies = [\"ring\"]\nengines = [\"dl\"]\n";
  std::ofstream(folder / "s.toml") << "cluster = \"c.toml\"\n" << ends << "stop = \"1s\"\n";
  EXPECT_EQ(find_scenario(folder / "s.toml").cluster, folder / "c.toml");
}

TEST(Scenario, UnknownNamesAreReported) {
  const auto complaint = [](const std::string& name) -> std::string {
    try {
      find_scenario(name);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_EQ(complaint("nowhere.toml"), "nowhere.toml: there is no such file");
  EXPECT_TRUE(complaint("premum").starts_with(
      "\"premum\" is neither a scenario file nor one that weft brings along; those are: premium"));
}

TEST(EmbeddedScenarios, AreTheFilesOfTheSourceTree) {
  const auto files = testing::files_below("scenarios", {".toml"});
  const auto embedded = embedded_scenarios();
  ASSERT_EQ(embedded.size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(embedded[i].name, files[i].stem().string());
    EXPECT_EQ(embedded[i].text, testing::read_file(weft::testing::source_dir() / files[i]));
    const Scenario scenario = find_scenario(std::string(embedded[i].name));
    const Cluster cluster = find_cluster(scenario.cluster);
    EXPECT_FALSE(scenario.about.empty());
    EXPECT_FALSE(
        plan_of(scenario, find_fabric(cluster.topologies[0], cluster.links)).flows.empty());
  }
}

}  // namespace
}  // namespace weft
