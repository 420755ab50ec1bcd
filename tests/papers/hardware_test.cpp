// SPDX-License-Identifier: Apache-2.0
// Published measurements of machines: calibrated points come out, the cluster files follow from
// them, LogGP rows alone set up machines, and the summary counts as it did.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/error.hpp"
#include "lab/cluster/machine.hpp"
#include "lab/report/json_rows.hpp"
#include "papers/catalog.hpp"
#include "papers/claims_and_figures.hpp"
#include "papers/hardware/experiments.hpp"
#include "papers/pages.hpp"
#include "support/files.hpp"
#include "support/paths.hpp"

namespace weft::papers {
namespace {

/// The quick page, made once for all tests: it lacks collectives that take long.
const Page& whole_page() {
  static const Page page = reproduce("hardware", {.quick = true, .threads = 2});
  return page;
}

const Section& section_of(const Page& page, std::string_view id) {
  for (const Section& section : page.sections)
    if (section.id == id) return section;
  throw Error("no section {}", id);
}

TEST(HardwarePaper, CalibratedPointsComeOut) {
  int calibrated = 0;
  for (const auto& [id, answer] : answers(whole_page())) {
    if (answer.stated.kind != StatementKind::calibration) continue;
    ++calibrated;
    EXPECT_LT(std::abs(answer.deviation), 0.01) << id << ' ' << answer.ours;
  }
  EXPECT_EQ(calibrated, 22);
}

// Of HBv3, HC44rs, Alps within a rack and Dane 8 B, 4 MiB and osu_bw; LogGP rows otherwise.
TEST(HardwarePaper, NothingElseIsCalibrated) {
  for (const Stated& stated : stated_by("hardware")) {
    if (stated.kind != StatementKind::calibration || stated.id.starts_with("fit/")) continue;
    const std::string what = stated.id.substr(stated.id.find('/') + 1);
    const std::string machine = stated.id.substr(0, stated.id.find('/'));
    const bool own = machine == "azure_hbv3" || machine == "azure_hc44rs" ||
                     machine == "alps2022" || machine == "dane";
    EXPECT_TRUE(own ? what == "8B" || what == "4MiB" || what == "osu_bw" : what == "8B")
        << stated.id;
    EXPECT_TRUE(own || stated.says.find("LogGP") != std::string::npos) << stated.id;
  }
}

TEST(HardwarePaper, ConstantsOfTheFilesFollowFromTheirPoints) {
  const Section& fit = section_of(whole_page(), "fit");
  EXPECT_EQ(fit.sheets.at(0).rows.size(), 17U);
  for (const auto& row : fit.sheets.at(0).rows)
    EXPECT_NEAR(std::get<double>(row[4]) / std::get<double>(row[3]), 1, 0.01)
        << std::get<std::string>(row[0]) << ' ' << std::get<std::string>(row[1]);
  for (const Comparison& answer : fit.answers)
    EXPECT_TRUE(answer.holds) << answer.stated.id << ' ' << answer.because;
}

// The ends of the curves follow from L and G; between them LogGP has no step to DMA.
TEST(HardwarePaper, LogGpRowsAloneMeetTheEndsOfTheCurves) {
  auto found = answers(whole_page());
  for (const std::string machine : {"loggp/azure_hbv2-", "loggp/azure_hc44rs-"}) {
    EXPECT_LT(std::abs(found[machine + "8B"].deviation), 0.03);
    EXPECT_LT(std::abs(found[machine + "1MiB"].deviation), 0.10);
    EXPECT_LT(std::abs(found[machine + "4MiB"].deviation), 0.02);
    EXPECT_LT(found[machine + "1KiB"].deviation, -0.25);
    EXPECT_LT(found[machine + "8KiB"].deviation, -0.25);
  }
}

TEST(HardwarePaper, SummaryCounts) {
  const Section& section = section_of(whole_page(), "summary");
  std::ostringstream counts;
  for (const auto& row : section.sheets.at(0).rows)
    counts << std::get<std::string>(row[0]) << ": " << std::get<std::string>(row[1]) << ", "
           << std::get<std::string>(row[2]) << '\n';
  EXPECT_EQ(counts.str(),
            "azure_hbv3: 2 of 2, 2 of 2\n"
            "azure_hbv2: 0 of 2, 2 of 3\n"
            "azure_hc44rs: 1 of 2, 1 of 2\n"
            "deep_est: 1 of 2, 2 of 3\n"
            "alps2022: 0 of 2, 1 of 2\n"
            "alps2022_far: 2 of 3, 3 of 3\n"
            "lassen: 0 of 3, 0 of 3\n"
            "olivia: 0 of 3, 1 of 3\n"
            "piz_daint: 2 of 2, 1 of 3\n"
            "dane: 2 of 2, 0 of 2\n"
            "aws_hpc6a: 0 of 3, 0 of 3\n");
  EXPECT_EQ(section.notes.at(0),
            "all sizes within their limits: 1 of 11 machines; the others, and why:");
  auto found = answers(whole_page());
  const auto held = [&](const char* id) {
    return fmt::format("{} of {}", found[id].held, found[id].cases);
  };
  EXPECT_EQ(held("summary/latency"), "3 of 11");
  EXPECT_EQ(held("summary/bandwidth"), "2 of 11");
  EXPECT_EQ(held("summary/dissemination"), "9 of 11");
  EXPECT_EQ(
      summary(whole_page()),
      "hardware (quick): 29 of 86 predictions within 10 %, 0 of 0 claims hold, worst +225.6 % "
      "(aws_hpc6a/64KiB); 4 derived, 0 worked examples, 2 checks, 22 cal, 8 ours (5 FAIL)");
}

// Steps of short messages follow from the calibrated hosts; of long vectors sums and protocols do
// not.
TEST(HardwarePaper, CollectivesOfShortMessagesAreNearOnSlingshotAndHdr) {
  auto found = answers(whole_page());
  for (const char* id : {"lumi_g/allreduce-32B-8", "lumi_g/allreduce-32B-32",
                         "leonardo/allreduce-32B-512", "marenostrum5/allgather-256B-32"})
    EXPECT_LT(std::abs(found[id].deviation), 0.15) << id;
  EXPECT_NEAR(5 * found["lumi_g/allreduce-step"].value, found["lumi_g/allreduce-32B-32"].value,
              1e-9);
  EXPECT_LT(found["lumi_g/allreduce-512KiB-32"].deviation, -0.5);
  EXPECT_GT(found["marenostrum5/allgather-8MiB-32"].deviation, 0.5);
}

TEST(HardwarePaper, QuickPagesLeaveOutLargeCollectives) {
  auto found = answers(whole_page());
  EXPECT_FALSE(found.contains("leonardo/allgather-16KiB-2048"));
  EXPECT_FALSE(found.contains("leonardo/allgather-step"));
  EXPECT_TRUE(found.contains("leonardo/allreduce-16KiB-512"));
}

TEST(HardwarePaper, EveryMachineIsDrawn) {
  std::vector<std::string> names;
  for (const hardware::PublishedMachine& machine : hardware::machines)
    names.emplace_back(machine.name);
  expect_figures(whole_page(), names);
  expect_published_is_stated(whole_page(), stated_by("hardware"));
}

// A sheet becomes objects of JSON, whose keys are its columns.
TEST(HardwarePaper, ColumnsHaveNamesOfTheirOwn) {
  for (const Section& section : whole_page().sections)
    for (const Sheet& sheet : section.sheets) {
      const std::set<std::string> names(sheet.columns.begin(), sheet.columns.end());
      EXPECT_EQ(names.size(), sheet.columns.size()) << sheet.name;
    }
}

TEST(HardwarePaper, NeitherVariantExplainsAllMachines) {
  auto found = answers(whole_page());
  EXPECT_TRUE(found["missing/netgauge"].holds);
  EXPECT_TRUE(found["missing/osu"].holds);
  EXPECT_FALSE(found["missing/dma"].holds);
  EXPECT_FALSE(found["missing/copy"].holds);
}

// Where a file says "as" another, it has its numbers.
TEST(HardwarePaper, ClusterFilesAreInRangeAndAgree) {
  using hardware::machines;
  for (const hardware::PublishedMachine& machine : machines) {
    const std::string name(machine.cluster);
    const Cluster file = find_cluster(name);
    const Fabric fabric = find_fabric(file.topologies.at(machine.topology), file.links);
    const double speed = static_cast<double>(fabric[HostId(0)].wire.speed.bits_per_second) / 1e9;
    EXPECT_TRUE(speed >= 80 && speed <= 200) << name << ' ' << speed;
    EXPECT_LE(fabric[HostId(0)].wire.delay, Delay(std::chrono::nanoseconds(10))) << name;
    const Machine made =
        make_machine({.cluster = name, .topology = file.topologies.at(machine.topology)});
    EXPECT_TRUE(made.switches.latency.has_value()) << name;
    EXPECT_GE(made.library.eager.count, 8 << 10) << name;
    EXPECT_LE(made.library.eager.count, 256 << 10) << name;
    EXPECT_GT(made.library.rendezvous, std::chrono::microseconds(1)) << name;
    EXPECT_LT(made.library.rendezvous, std::chrono::microseconds(10)) << name;
  }
  const auto value = [](const char* cluster, bool library, const char* key) {
    const Cluster file = find_cluster(cluster);
    return Spec::parse(library ? file.library : file.nic).values.at(key);
  };
  EXPECT_EQ(find_cluster("lassen").nic, find_cluster("azure_hc44rs").nic);
  EXPECT_EQ(find_cluster("lassen").library, find_cluster("azure_hc44rs").library);
  EXPECT_EQ(find_cluster("olivia").nic, find_cluster("alps2022").nic);
  EXPECT_EQ(find_cluster("olivia").library, find_cluster("alps2022").library);
  for (const char* name : {"lumi_g", "archer2"}) {
    EXPECT_EQ(find_cluster(name).nic, find_cluster("alps2022").nic);
    EXPECT_EQ(find_cluster(name).library, find_cluster("alps2022").library);
  }
  EXPECT_EQ(find_cluster("leonardo").nic, find_cluster("azure_hbv3").nic);
  for (const char* name : {"leonardo", "marenostrum5"})
    EXPECT_EQ(find_cluster(name).library, find_cluster("azure_hbv3").library);
  EXPECT_EQ(value("deep_est", false, "latency"), value("azure_hc44rs", false, "latency"));
  EXPECT_EQ(value("azure_hbv2", true, "rendezvous"), value("azure_hc44rs", true, "rendezvous"));
  for (const char* name : {"deep_est", "piz_daint", "dane", "aws_hpc6a"})
    EXPECT_EQ(value(name, true, "rendezvous"), value("azure_hbv3", true, "rendezvous")) << name;
  for (const hardware::PublishedMachine& machine : machines) {
    if (machine.cluster == "aws_hpc6a") continue;
    const std::string name(machine.cluster);
    EXPECT_EQ(value(name.c_str(), false, "bus_latency"), "550ns") << name;
    EXPECT_EQ(value(name.c_str(), true, "touch"), "100ns") << name;
  }
}

TEST(HardwarePaper, SameBytesWithAnyNumberOfThreads) {
  const auto data = [](unsigned threads) {
    std::ostringstream out;
    write_json(out, document_of(reproduce("hardware/azure_hbv2", {.threads = threads})));
    return out.str();
  };
  EXPECT_EQ(data(1), data(3));
}

// A folder with the cluster files, of which one is another.
TEST(HardwarePaper, WrongFilesAmongTheClustersAreRefused) {
  const auto complaint_with = [](const std::string& cluster, const std::string& text,
                                 const std::string& experiment = "dane") {
    const testing::TemporaryFolder folder;
    for (const auto& file : testing::files_below("clusters", {".toml"}))
      std::filesystem::copy_file(testing::source_dir() / file, folder / file.filename().string());
    std::ofstream(folder / (cluster + ".toml")) << text;
    return complaint_of("hardware/" + experiment, folder / "azure_hbv3.toml");
  };
  const std::string name = "name = \"mine\"\nengines = [\"minhop\"]\n";
  const std::string hosts = "[hosts]\nnic = \"hca\"\nlibrary = \"ucx\"\n";
  const std::string one = "topologies = [\"crossbar:hosts=2\"]\n";
  EXPECT_EQ(complaint_with("lassen", name + one), "mine: the study needs a nic and a library");
  EXPECT_EQ(complaint_with("alps2022", name + one + hosts),
            "mine: alps2022_far needs 2 topologies");
  EXPECT_EQ(complaint_with("dane", name + "topologies = [\"crossbar:hosts=1\"]\n" + hosts),
            "mine: a pair needs two hosts");
  EXPECT_EQ(complaint_with("archer2", name + one + hosts, "archer2"),
            "mine: archer2 needs 8 hosts");
}

TEST(HardwarePaper, WrongClustersAndNamesAreRefused) {
  EXPECT_EQ(complaint_of("hardware/dane", "ibamesh"),
            "ibamesh: the study has a cluster file for each machine: name the first, azure_hbv3, "
            "beside them");
  EXPECT_TRUE(complaint_of("hardware/frontier", "azure_hbv3")
                  .starts_with("no experiment of hardware is called \"frontier\"; there are: "
                               "azure_hbv3 azure_hbv2 azure_hc44rs deep_est alps2022 "))
      << complaint_of("hardware/frontier", "azure_hbv3");
}

}  // namespace
}  // namespace weft::papers
