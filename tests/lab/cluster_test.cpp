// SPDX-License-Identifier: Apache-2.0
// Cluster files: what they say, every complaint with its line, and the embedded ones.
#include "lab/cluster/cluster.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/error.hpp"
#include "lab/embedded.hpp"
#include "lab/study/study.hpp"
#include "support/fabrics.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft {
namespace {

Cluster read(const std::string& text) { return read_cluster({"c.toml", text}); }

std::string complaint(const std::string& text) {
  try {
    read(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

const std::string lists = "topologies = [\"ring\"]\nengines = [\"dl\", \"updown\"]\n";

TEST(Cluster, SaysWhatItIs) {
  const Cluster cluster = read("name = \"n\"\nabout = \"a\"\n" + lists +
                               "[links]\nspeed = \"6Gb/s\"\ndelay = \"5ns\"\n"
                               "[switches]\nlanes = 3\nmodel = \"iq\"\n"
                               "[hosts]\nnic = \"hca:bus=8GB/s\"\n"
                               "[paper]\norder = \"random\"\nseed = 7\nshared = true\n");
  EXPECT_EQ(cluster.name, "n");
  EXPECT_EQ(cluster.about, "a");
  EXPECT_EQ(cluster.topologies, std::vector<std::string>{"ring"});
  EXPECT_EQ(cluster.engines, (std::vector<std::string>{"dl", "updown"}));
  EXPECT_EQ(cluster.links.speed, "6Gb/s");
  EXPECT_EQ(cluster.links.delay, "5ns");
  EXPECT_EQ(cluster.lanes, 3);
  EXPECT_EQ(cluster.model, "iq:most_lanes=3");
  EXPECT_EQ(cluster.nic, "hca:bus=8GB/s");
  const std::map<std::string, std::string> paper{
      {"order", "random"}, {"seed", "7"}, {"shared", "yes"}};
  EXPECT_EQ(cluster.paper, paper);
}

TEST(Cluster, SpecsMayHaveALineForEachParameter) {
  const Cluster cluster = read(lists +
                               "[hosts.nic]\nname = \"via\"\nmhz = 700  # MHz\nrdma_read = true\n"
                               "[hosts.library]\nname = \"mvich\"\ncopy = \"1GB/s\"\n");
  EXPECT_EQ(cluster.nic, "via:mhz=700,rdma_read=yes");
  EXPECT_EQ(cluster.library, "mvich:copy=1GB/s");
}

TEST(Cluster, OverheadIsThatOfBothSides) {
  EXPECT_EQ(read(lists + "[hosts]\noverhead = \"600ns\"\n").nic, "loggp:o_r=600ns,o_s=600ns");
}

TEST(Cluster, SwitchesAreAModel) {
  const Cluster cluster =
      read(lists + "[switches]\nlatency = \"90ns\"\nbuffer = \"32KiB\"\nlanes = 8\n");
  EXPECT_EQ(cluster.model, "infiniband:buffer=32KiB,latency=90ns,most_lanes=8");
  EXPECT_EQ(with_most_lanes("dfsssp", 8), "dfsssp:lanes=8");
  EXPECT_EQ(with_most_lanes("dfsssp:lanes=12", 8), "dfsssp:lanes=12");
  EXPECT_EQ(with_most_lanes("nue", 8), "nue");
  EXPECT_EQ(with_most_lanes("updown", 8), "updown");
}

TEST(Cluster, NeedsOnlyItsLists) {
  const Cluster cluster = read(lists);
  EXPECT_EQ(cluster.name, "c.toml");
  EXPECT_EQ(cluster.about, "");
  EXPECT_EQ(cluster.lanes, most_lanes);
}

TEST(Cluster, ComplaintsNameTheLine) {
  EXPECT_EQ(complaint(""), "c.toml: topologies is missing: a list of texts, [\"…\", \"…\"]");
  EXPECT_EQ(complaint("topologies = [\"ring\"]"),
            "c.toml: engines is missing: a list of texts, [\"…\", \"…\"]");
  EXPECT_EQ(
      complaint(lists + "colour = 1\n"),
      "c.toml:3: unknown key colour; there are: name about topologies engines links switches hosts "
      "paper");
  EXPECT_EQ(complaint(lists + "[links]\nlength = 1\n"),
            "c.toml:4: unknown key length; there are: speed delay host_delay global_delay");
  EXPECT_EQ(complaint(lists + "[switches]\nports = 8\n"),
            "c.toml:4: unknown key ports; there are: lanes latency buffer model");
  EXPECT_EQ(complaint(lists + "[switches]\nlatency = \"soon\"\n"),
            "c.toml:4: latency: infiniband: latency=soon: \"soon\" is not a delay: write a number "
            "and one "
            "of s, ms, us, ns, ps, cycles");
  EXPECT_EQ(complaint(lists + "[switches]\nmodel = \"iq:buffer=9\"\nbuffer = \"4KiB\"\n"),
            "c.toml:5: buffer is given in model, too");
  EXPECT_EQ(complaint(lists + "[switches]\nmodel = \"oq\"\n"),
            "c.toml:4: model: no switch is called \"oq\"; there are: iq infiniband");
  EXPECT_EQ(complaint(lists + "[hosts]\ncolour = 3\n"),
            "c.toml:4: unknown key colour; there are: nic overhead library");
  EXPECT_EQ(
      complaint(lists + "[hosts]\noverhead = \"long\"\n"),
      "c.toml:4: overhead: \"long\" is not a duration: write a number and one of s, ms, us, ns, "
      "ps");
  EXPECT_EQ(complaint(lists + "[hosts]\nnic = \"hca\"\noverhead = \"1us\"\n"),
            "c.toml:5: overhead is for the NIC loggp; hca has its own parameters");
  EXPECT_EQ(complaint(lists + "[hosts]\nlibrary = \"lam\"\n"),
            "c.toml:4: library: no library is called \"lam\"; there are: none mvich mpich_gm "
            "mpich_score tports "
            "mpich_qsnet ucx");
  EXPECT_EQ(complaint(lists + "[hosts.nic]\nmhz = 700\n"),
            "c.toml:3: nic needs a name: name = \"…\"");
  EXPECT_EQ(
      complaint(lists + "[hosts]\nnic = \"hca:post=fast\"\n"),
      "c.toml:4: nic: hca: post=fast: \"fast\" is not a duration: write a number and one of s, ms, "
      "us, ns, ps");
  EXPECT_EQ(complaint(lists + "[paper]\nsize = 1.5\n"),
            "c.toml:4: size is a text in quotes, a whole number, true or false");
  EXPECT_EQ(complaint("topologies = []\nengines = [\"dl\"]"),
            "c.toml:1: topologies is a list of texts, [\"…\", \"…\"]");
  EXPECT_EQ(complaint("topologies = [\"ring\"]\nengines = [\"dl\", 3]"),
            "c.toml:2: engines is a list of texts, [\"…\", \"…\"]");
  EXPECT_EQ(complaint("topologies = [\"ring\"]\nengines = \"dl\""),
            "c.toml:2: engines is a list of texts, [\"…\", \"…\"]");
  EXPECT_EQ(complaint("name = 3\n" + lists), "c.toml:1: name is a text in quotes");
  EXPECT_EQ(complaint("links = 3\n" + lists), "c.toml:1: links is a table: [links]");
  EXPECT_EQ(complaint(lists + "[switches]\nlanes = 0\n"),
            "c.toml:4: lanes is a whole number from 1 to 64");
  EXPECT_EQ(complaint(lists + "[switches]\nlanes = \"8\"\n"),
            "c.toml:4: lanes is a whole number from 1 to 64");
  EXPECT_EQ(complaint(lists + "[links]\nspeed = \"0Gb/s\"\n"),
            "c.toml:4: speed: a link needs a speed above zero");
  EXPECT_TRUE(complaint(lists + "[links]\nspeed = \"fast\"\n").starts_with("c.toml:4: speed: "));
  EXPECT_TRUE(complaint(lists + "[links]\ndelay = \"6\"\n").starts_with("c.toml:4: delay: "));
  EXPECT_TRUE(complaint(lists + "name = \n").starts_with("c.toml:3: "));
}

TEST(Cluster, AFabricIsNoCluster) {
  EXPECT_EQ(complaint("weft = \"fabric 1\"\nswitches = []\n"),
            "c.toml:1: this is a fabric, not a cluster; to study it: --topologies c.toml");
}

TEST(Cluster, HostileFilesAreRefused) {
  std::string dots = "a";
  for (int i = 0; i < 100'000; ++i) dots += ".a";
  EXPECT_EQ(complaint("\n" + dots + " = 1\n"),
            "c.toml:2: a key has more than 16 parts; make it shorter");
  EXPECT_TRUE(complaint("a = " + std::string(100'000, '[')).starts_with("c.toml:1: "));
}

TEST(Cluster, PathsAreRelativeToTheFile) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder / "net.toml") << "weft = \"fabric 1\"\nswitches = [\"s\"]\n"
                                        "hosts = [[\"a\", \"s\"], [\"b\", \"s\"]]\nlinks = []\n";
  std::ofstream(folder / "c.toml") << "topologies = [\"net.toml\", \"ring\"]\nengines = [\"dl\"]\n";
  const Cluster cluster = find_cluster(folder / "c.toml");
  EXPECT_EQ(cluster.topologies, (std::vector<std::string>{folder / "net.toml", "ring"}));
  EXPECT_EQ(find_fabric(cluster.topologies[0], cluster.links).host_count(), 2U);
}

TEST(Cluster, GivesItsLinksToTopologiesThatNameNone) {
  Cluster cluster = read(lists);
  cluster.links.speed = "100Gb/s";
  cluster.links.delay = "5ns";
  const Wire given = find_fabric("ring", cluster.links)[LinkId(0)].wire;
  EXPECT_EQ(given, (Wire{gigabits_per_second(100), Duration(5000)}));
  EXPECT_EQ(find_fabric("ring:speed=1Gb/s", cluster.links)[LinkId(0)].wire.speed,
            gigabits_per_second(1));
  EXPECT_EQ(find_fabric("ring")[LinkId(0)].wire, Wire{});
}

TEST(EmbeddedClusters, AreTheFilesOfTheSourceTree) {
  const auto files = testing::files_below("clusters", {".toml"});
  const auto embedded = embedded_clusters();
  ASSERT_EQ(embedded.size(), files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    EXPECT_EQ(embedded[i].name, files[i].stem().string());
    EXPECT_EQ(embedded[i].text, testing::read_file(weft::testing::source_dir() / files[i]));
  }
}

TEST(EmbeddedClusters, CanBeStudied) {
  for (const EmbeddedFile& file : embedded_clusters()) {
    const Cluster cluster = find_cluster(std::string(file.name));
    EXPECT_FALSE(cluster.about.empty()) << file.name;
    std::size_t hosts = 0;
    for (const std::string& topology : cluster.topologies)
      hosts = std::max(hosts, find_fabric(topology).host_count());
    EXPECT_GT(hosts, 0U) << file.name;
    if (hosts > static_cast<std::size_t>(test::tries(500, 20'000))) continue;
    const Study study = run_study(cluster, {.seed = 1}, [](double, const std::string&) {});
    EXPECT_EQ(study.rows.size(), cluster.topologies.size() * cluster.engines.size());
    for (const StudyRow& row : study.rows)
      EXPECT_TRUE(row.refused || row.complete) << row.topology << ' ' << row.engine;
  }
}

}  // namespace
}  // namespace weft
