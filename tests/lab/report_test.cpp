// SPDX-License-Identifier: Apache-2.0
// Reports: JSON and CSV read back, tables that fit the screen, descriptions of fabrics.
#include "lab/report/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "lab/report/json_rows.hpp"
#include "lab/revision.hpp"
#include "plan/route/route.hpp"
#include "support/files.hpp"

namespace weft {
namespace {

using Fields = std::vector<std::string>;
using Write = void(std::ostream&, const Study&);

std::string text_of(Write* write, const Study& study) {
  std::ostringstream out;
  write(out, study);
  return out.str();
}

StudyRow refused_row() {
  StudyRow row;
  row.topology = "torus:dims=4x4,hosts=4";
  row.fabric = "torus:delay=0ns,dims=4x4,hosts=4";
  row.engine = "dor";
  row.switches = 16;
  row.hosts = 64;
  row.links = 32;
  row.refused = "needs coordinates; switch \"s7\" has none, and never had";
  return row;
}

StudyRow full_row() {
  StudyRow row = refused_row();
  row.engine = "dl:lanes=2";
  row.refused = {};
  row.complete = true;
  row.mean_hops = 3.625;
  row.most_hops = 5;
  row.lanes = 2;
  row.enough_lanes = false;
  row.verdict = StudyVerdict::every_choice;
  row.judged_for = "all switches";
  row.most_load = 232;
  row.mean_load = 128.5;
  row.busiest = "s15:2";
  row.bisection_share = 0.375;
  row.milliseconds = 1.5;
  return row;
}

Study example() {
  Study study;
  study.cluster.name = "Test";
  study.cluster.about = "a test";
  study.cluster.lanes = 1;
  study.throughput.seed = 7;
  study.rows = {full_row(), refused_row()};
  StudyRow cycle = full_row();
  cycle.topology = "ring";
  cycle.engine = "minhop";
  cycle.enough_lanes = true;
  cycle.verdict = StudyVerdict::cycle;
  cycle.cycle = 4;
  study.rows.push_back(cycle);
  return study;
}

/// The same with simulations at full load.
Study loaded_example() {
  Study study = example();
  study.throughput.traffic = {"uniform", "tornado"};
  study.rows[0].throughput = {{.saturation = 0.45, .accepted = 0.5, .most = 0.5},
                              {.saturation = 0.375, .accepted = 0.25, .most = 0.4}};
  study.rows[2].throughput = {{.not_measured = "64 hosts are too many"},
                              {.accepted = 0, .deadlocked = true}};
  return study;
}

/// One line of CSV, taken apart as RFC 4180 says.
Fields csv_fields(const std::string& line) {
  Fields out{""};
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      out.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += line[i];
  }
  return out;
}

TEST(StudyJson, HasEveryField) {
  const nlohmann::json document = nlohmann::json(document_of(example()));
  EXPECT_EQ(document["weft"], "study 1");
  EXPECT_EQ(document["revision"], std::string(revision()));
  EXPECT_EQ(document["cluster"], "Test");
  EXPECT_EQ(document["about"], "a test");
  EXPECT_EQ(document["switch_lanes"], 1);
  EXPECT_EQ(document["seed"], 7);
  ASSERT_EQ(document["rows"].size(), 3U);
  const nlohmann::json expected = {{"topology", "torus:dims=4x4,hosts=4"},
                                   {"fabric", "torus:delay=0ns,dims=4x4,hosts=4"},
                                   {"engine", "dl:lanes=2"},
                                   {"switches", 16},
                                   {"hosts", 64},
                                   {"links", 32},
                                   {"complete", true},
                                   {"hops_average", 3.625},
                                   {"hops_maximum", 5},
                                   {"lanes", 2},
                                   {"enough_lanes", false},
                                   {"certified", true},
                                   {"proof", "every choice"},
                                   {"judged_for", "all switches"},
                                   {"why_unknown", nullptr},
                                   {"cycle_length", 0},
                                   {"load_maximum", 232},
                                   {"load_average", 128.5},
                                   {"busiest_link", "s15:2"},
                                   {"effective_bisection", 0.375},
                                   {"milliseconds", 1.5},
                                   {"throughput", nlohmann::json::array()}};
  EXPECT_EQ(document["rows"][0], expected);
  EXPECT_EQ(document["rows"][2]["cycle_length"], 4);
  EXPECT_EQ(document["rows"][2]["proof"], "circle");
}

TEST(StudyJson, SaysWhatIsProvedAndForWhichSwitches) {
  Study study = example();
  StudyRow& row = study.rows[0];
  row.verdict = StudyVerdict::some_choice;
  row.judged_for = "switches that wait for any choice (wormhole)";
  const nlohmann::json proved = nlohmann::json(document_of(study))["rows"][0];
  EXPECT_EQ(proved["proof"], "some choice");
  EXPECT_EQ(proved["certified"], true);
  EXPECT_EQ(proved["judged_for"], "switches that wait for any choice (wormhole)");
  row.verdict = StudyVerdict::unknown;
  row.why_unknown = "nothing was found";
  const nlohmann::json unknown = nlohmann::json(document_of(study))["rows"][0];
  EXPECT_EQ(unknown["proof"], "unknown");
  EXPECT_EQ(unknown["certified"], false);
  EXPECT_EQ(unknown["why_unknown"], "nothing was found");
  row.verdict = StudyVerdict::blocked;
  EXPECT_EQ(nlohmann::json(document_of(study))["rows"][0]["proof"], "blocked");
}

TEST(StudyJson, HasThroughputsByPattern) {
  const nlohmann::json rows = nlohmann::json(document_of(loaded_example()))["rows"];
  const nlohmann::json collapsed = {{"traffic", "tornado"}, {"saturation", 0.375},
                                    {"accepted", 0.25},     {"collapses", true},
                                    {"deadlocked", false},  {"not_measured", nullptr}};
  EXPECT_EQ(rows[0]["throughput"][1], collapsed);
  EXPECT_EQ(rows[0]["throughput"][0]["collapses"], false);
  EXPECT_EQ(rows[2]["throughput"][0]["not_measured"], "64 hosts are too many");
  EXPECT_EQ(rows[2]["throughput"][0]["accepted"], nullptr);
  EXPECT_EQ(rows[2]["throughput"][1]["deadlocked"], true);
  EXPECT_EQ(rows[2]["throughput"][1]["saturation"], nullptr);
}

TEST(StudyJson, RefusedRowsSayWhyAndNothingElse) {
  const nlohmann::json row = nlohmann::json(document_of(example()))["rows"][1];
  EXPECT_EQ(row["refused"], "needs coordinates; switch \"s7\" has none, and never had");
  EXPECT_EQ(row["engine"], "dor");
  EXPECT_EQ(row.size(), 7U);
}

TEST(StudyCsv, HasTheFieldsOfTheJsonAndWhereItComesFrom) {
  const Study study = example();
  const nlohmann::json rows = nlohmann::json(document_of(study))["rows"];
  const auto lines = testing::split_lines(text_of(write_csv, study));
  ASSERT_EQ(lines.size(), 4U);
  const Fields heading = csv_fields(lines[0]);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Fields fields = csv_fields(lines[i + 1]);
    ASSERT_EQ(fields.size(), heading.size());
    for (std::size_t k = 0; k < heading.size(); ++k) {
      std::string expected;
      if (rows[i].contains(heading[k])) {
        const nlohmann::json& value = rows[i][heading[k]];
        expected = value.is_string() ? value.get<std::string>()
                   : value.is_null() ? ""
                                     : value.dump();
        if (heading[k] == "throughput") expected = "";
      }
      if (heading[k] == "seed") expected = "7";
      if (heading[k] == "revision") expected = revision();
      EXPECT_EQ(fields[k], expected) << heading[k];
    }
    for (const auto& [key, value] : rows[i].items())
      EXPECT_NE(std::find(heading.begin(), heading.end(), key), heading.end()) << key;
  }
}

TEST(StudyCsv, HasThroughputsInOneField) {
  const auto lines = testing::split_lines(text_of(write_csv, loaded_example()));
  const Fields heading = csv_fields(lines[0]);
  const auto field = [&](std::size_t line, const char* column) {
    const auto at = std::find(heading.begin(), heading.end(), column) - heading.begin();
    return csv_fields(lines[line]).at(static_cast<std::size_t>(at));
  };
  EXPECT_EQ(field(1, "throughput"), "uniform=0.5 tornado=0.25");
  EXPECT_EQ(field(1, "saturation"), "uniform=0.45 tornado=0.375");
  EXPECT_EQ(field(1, "collapses"), "tornado");
  EXPECT_EQ(field(1, "not_measured"), "");
  EXPECT_EQ(field(3, "throughput"), "tornado=0.0");
  EXPECT_EQ(field(3, "saturation"), "");
  EXPECT_EQ(field(3, "not_measured"), "uniform: 64 hosts are too many");
}

TEST(StudyTable, HasAThroughputForEachPattern) {
  const std::string text = text_of(write_table, loaded_example());
  EXPECT_NE(text.find("  load  uniform  full load  tornado  full load\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("   232    0.450      0.500    0.375  0.250 (*)\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("   232        -          -        -  deadlocks\n"), std::string::npos)
      << text;
}

TEST(StudyTable, SaysWhatItsSignsMeanAndWhySomethingIsMissing) {
  Study study = loaded_example();
  study.rows[0].milliseconds = {};
  study.rows[2].verdict = StudyVerdict::unknown;
  study.rows[2].why_unknown = "nothing was found";
  study.rows[2].judged_for = "all switches";
  const std::string text = text_of(write_table, study);
  EXPECT_TRUE(text.ends_with(
      "\n\nuniform, tornado: the highest load that is carried steadily; full load: what is "
      "accepted when hosts offer all that their\n"
      "                  links take (flits per host and cycle, packets of 8 flits; switch "
      "infiniband)\n"
      "(!) more lanes than the 1 of this cluster's switches\n"
      "- time: tables of a file are not computed\n"
      "(*) congestion collapse: less is accepted at full load than below saturation\n"
      "not known: minhop on ring: nothing was found; judged for all switches\n"
      "- uniform on ring, minhop: 64 hosts are too many\n"
      "- where packets deadlock at full load, no load is called steady\n"))
      << text;
}

TEST(StudyTable, IsReadAtAGlance) {
  EXPECT_EQ(
      text_of(write_table, example()),
      "Test: a test\n\n"
      "  engine      hops  max  lanes  deadlock     eff. bisection     time  load  busiest link\n\n"
      "torus:dims=4x4,hosts=4 (16 switches, 64 hosts, 32 links)\n"
      "  dl:lanes=2  3.63    5  2 (!)  certificate          37.5 %  1.50 ms   232  s15:2\n"
      "  dor         refused: needs coordinates; switch \"s7\" has none, and never had\n\n"
      "ring (16 switches, 64 hosts, 32 links)\n"
      "  minhop      3.63    5      2  CYCLE of 4           37.5 %  1.50 ms   232  s15:2\n\n"
      "(!) more lanes than the 1 of this cluster's switches\n");
}

TEST(StudyTable, FitsInto120Columns) {
  Study study = example();
  study.rows[1].refused = std::string("far ") + std::string(200, 'x') + " too long " +
                          "for one line because it goes on and on and on and on and on and on and "
                          "on and on and on";
  study.rows[0].engine = "updown:root=central,tree=dfs";
  study.rows[0].milliseconds = 3'600'000;
  study.rows[0].most_load = 4'000'000'000;
  const std::string text = text_of(write_table, study);
  EXPECT_NE(text.find("  3600.0 s  4000000000  s15:2\n"), std::string::npos) << text;
  for (const std::string& line : testing::split_lines(text))
    EXPECT_TRUE(line.size() <= 120 || line.find("xxx") != std::string::npos) << line;
}

TEST(StudyTable, SaysThatPairsAreLost) {
  Study study = example();
  study.rows[0].complete = false;
  EXPECT_NE(text_of(write_table, study).find("  certificate, loses pairs  "), std::string::npos);
}

TEST(Findings, AreTextAndJson) {
  const std::vector<Finding> findings{
      {"reach", Verdict::fine, "all 4 pairs", {"detail of no interest"}, {{"pairs", 4}}},
      {"hops", Verdict::measured, "1.00 on average", {}, {{"mean", 1.0}}},
      {"deadlock", Verdict::bad, "can deadlock", {"a waits for b", "b waits for a"}, {}}};
  std::ostringstream out;
  write_findings(out, findings);
  EXPECT_EQ(out.str(),
            "reach      ok  all 4 pairs\n"
            "hops           1.00 on average\n"
            "deadlock   BAD can deadlock\n"
            "               a waits for b\n"
            "               b waits for a\n");
  std::ostringstream json;
  write_json(json, document_of(findings, "ring, dl", {"a slow cable"}));
  const nlohmann::json document = nlohmann::json::parse(json.str());
  EXPECT_EQ(document["weft"], "findings 1");
  EXPECT_EQ(document["revision"], std::string(revision()));
  EXPECT_EQ(document["subject"], "ring, dl");
  EXPECT_EQ(document["notes"], (nlohmann::json{"a slow cable"}));
  ASSERT_EQ(document["findings"].size(), 3U);
  EXPECT_EQ(document["findings"][0]["verdict"], "ok");
  EXPECT_EQ(document["findings"][0]["numbers"]["pairs"], 4);
  EXPECT_EQ(document["findings"][1]["verdict"], "measured");
  EXPECT_EQ(document["findings"][2]["verdict"], "BAD");
  EXPECT_EQ(document["findings"][2]["check"], "deadlock");
  EXPECT_EQ(document["findings"][2]["details"], (nlohmann::json{"a waits for b", "b waits for a"}));
}

std::string description(const std::string& spec) {
  std::ostringstream out;
  write_fabric(out, find_fabric(spec));
  return out.str();
}

TEST(FabricReport, ReportsSizesAndDistances) {
  EXPECT_EQ(description("crossbar:hosts=1"),
            "crossbar:hosts=1\n"
            "  size       1 switch, 1 host, 0 links between switches, connected\n"
            "  links      0 on every switch\n"
            "  hosts      1 on every switch\n"
            "  wires      -\n"
            "  distance   1.00 switches between hosts on average, 1 at most\n"
            "  bisection  0 links\n");
  EXPECT_EQ(description("mesh:dims=2x3,delay=5ns"),
            "mesh:delay=5ns,dims=2x3\n"
            "  size       6 switches, 6 hosts, 7 links between switches, connected\n"
            "  links      3 on 2 switches, 2 on 4\n"
            "  hosts      1 on every switch\n"
            "  wires      7 of 8Gb/s and 5ns\n"
            "  distance   2.39 switches between hosts on average, 4 at most\n"
            "  bisection  3 links\n");
}

TEST(FabricReport, LargeFabricsAreSampled) {
  const std::string text = description("ring:switches=10000");
  EXPECT_NE(text.find("(seen from 4001 switches)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  bisection  not searched for in more than 4096 switches\n"),
            std::string::npos);
}

TEST(FabricReport, ReportsNextHops) {
  const Fabric fabric = find_fabric("ring:switches=4,hosts=2");
  const auto tables = std::get<Tables>(route(fabric, "updown"));
  std::ostringstream out;
  write_switch(out, fabric, SwitchId(0), &tables);
  EXPECT_EQ(out.str(),
            "s0 at (0)\n"
            "  port 1   s1 port 2, 8Gb/s, the next hop to 2 hosts\n"
            "  port 2   s3 port 1, 8Gb/s, the next hop to 4 hosts\n"
            "  port 3   host h0\n"
            "  port 4   host h1\n");
  std::ostringstream summary;
  write_tables_summary(summary, fabric, as_source_routes(fabric, tables));
  EXPECT_EQ(summary.str(),
            "tables of updown\n  form       source routes, 8 columns\n  lanes      1\n");
}

}  // namespace
}  // namespace weft
