// SPDX-License-Identifier: Apache-2.0
// Results of simulations as human-readable text, JSON and CSV.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "lab/revision.hpp"
#include "lab/simulate/result_row.hpp"
#include "support/files.hpp"
#include "sweep_support.hpp"

namespace weft::testing {
namespace {

template <class Write, class Subject>
std::string text(Write write, const Subject& subject) {
  std::ostringstream out;
  write(out, subject);
  return out.str();
}
std::string report(const SimulationResult& result) {
  return text(write_simulation, SweepRow{result});
}
std::string csv(const std::vector<SweepRow>& rows) {
  return text([](std::ostream& out, const auto& r) { write_csv(out, r); }, rows);
}
std::string table(const std::vector<SweepRow>& rows) {
  return text([](std::ostream& out, const auto& r) { write_table(out, r); }, rows);
}

SimulationResult example() {
  SimulationResult out;
  out.spec = sweep_of("0.2", "iq:lanes=4").simulation;
  out.offered = 0.2001, out.accepted = 0.19996, out.least_host = 0.18, out.median_host = 0.2,
  out.most_host = 0.22;
  out.link_p10 = 0.05, out.link_p50 = 0.11, out.link_p90 = 0.2;
  out.worst_host = "h7", out.worst_offered = 0.21, out.worst_accepted = 0.18;
  out.mean = 12.345, out.half_width = 0.05, out.network_mean = 11.5;
  out.p50 = 12, out.p95 = 20, out.p99 = 25, out.p999 = 31, out.most = 44;
  out.hops = 3.5, out.mean_link = 0.1, out.most_link = 0.25, out.busiest = "s0:1 > s1:2";
  out.warmup = 1000, out.measured = 5000, out.cycles = 6100, out.packets = 12345;
  out.sent = 100, out.delivered = 90, out.lost = 3, out.inside = 7, out.cycle_ns = 8;
  out.lost_why = {{"link_down", 2}, {"no_route", 1}};
  return out;
}

TEST(SimulationReport, HumanReadableBlock) {
  EXPECT_EQ(
      report(example()),
      "ring, dor, switch iq:lanes=4, traffic uniform, packet 1, load 0.2\n"
      "steady     with losses: 0.2000 of 0.2001 flits per host and cycle arrive; 0.1800 to 0.2200 "
      "from "
      "single hosts\n"
      "worst      0.1800 of 0.2100 flits per cycle arrive from host h7\n"
      "latency    12.35 ± 0.05 cycles on average, 11.50 of them in the network\n"
      "           p50 12, p95 20, p99 25, p99.9 31, at most 44\n"
      "hops       3.50 switches on average\n"
      "links      0.1000 flits per cycle on average, 0.2500 on the busiest, s0:1 > s1:2\n"
      "packets    12345 measured; 100 sent, 90 delivered, 3 lost (link_down 2, no_route 1), 7 "
      "inside\n"
      "time       6100 cycles of 8 ns: 1000 of warm-up, 5000 measured\n");
}

/// All hosts together are counted in flits, single ones in whole packets.
TEST(SimulationReport, BlockSaysWhyTheMeanIsOutsideTheRangeOfHosts) {
  SimulationResult result = example();
  const auto says_why = [&] {
    return report(result).find(" hosts, counted in whole") != std::string::npos;
  };
  EXPECT_FALSE(says_why());
  result.lost = 0;
  result.least_host = result.most_host = result.accepted + 0.00004;  // prints alike
  EXPECT_FALSE(says_why());
  result.least_host = result.most_host = 0;
  EXPECT_TRUE(says_why());
  result.least_host = result.most_host = 0.3;
  EXPECT_TRUE(says_why());
}

TEST(SimulationReport, BlockOfATraceHasNeitherLoadNorInterval) {
  SimulationResult result = example();
  result.spec.traffic = "file:path=trace.csv";
  result.outcome = SimulationOutcome::complete;
  result.worst_host = "";
  result.half_width = std::numeric_limits<double>::quiet_NaN();
  result.lost = 0;
  const std::string out = report(result);
  EXPECT_TRUE(out.starts_with(
      "ring, dor, switch iq:lanes=4, traffic file:path=trace.csv, packet 1\ncomplete   0.2000 of "))
      << out;
  EXPECT_NE(out.find("\nlatency    12.35 cycles on average, 11.50 of"), std::string::npos) << out;
  EXPECT_EQ(out.find("worst"), std::string::npos) << out;
}

TEST(SimulationReport, BlockExplainsADeadlock) {
  SimulationResult result = example();
  result.outcome = SimulationOutcome::deadlocked;
  result.explanation = "packet 1 waits\npacket 2 waits";
  result.spec.seed = "7";
  const std::string out = report(result);
  EXPECT_TRUE(
      out.starts_with("ring, dor, switch iq:lanes=4, traffic uniform, packet 1, load 0.2, seed "
                      "7\ndeadlocked with losses: 0.2"))
      << out;
  EXPECT_TRUE(out.ends_with(" measured\npacket 1 waits\npacket 2 waits\n")) << out;
  result.packets = 0;
  EXPECT_NE(
      report(result).find("\ndeadlocked before anything was measured\npackets    0 measured;"),
      std::string::npos);
}

TEST(SimulationReport, TableHasTheValuesThatDiffer) {
  std::vector<SweepRow> rows{{example()}, {example()}};
  rows[1].result.spec.load = "0.25";
  rows[1].result.spec.traffic = "transpose";
  rows[1].result.half_width = std::numeric_limits<double>::quiet_NaN();
  rows[1].result.lost = 0;
  rows[1].result.lost_why.clear();
  EXPECT_EQ(table(rows),
            "ring, dor, switch iq:lanes=4, packet 1\n\n"
            "  traffic    load  outcome  accepted  latency  +/-  p99  max    link  busiest      "
            "lost\n"
            "  uniform     0.2  steady     0.2000     12.3  0.1   25   44  0.2500  s0:1 > s1:2  3 "
            "(link_down 2, no_route 1)\n"
            "  transpose  0.25  steady     0.2000     12.3    -   25   44  0.2500  s0:1 > s1:2  "
            "0\n");
  EXPECT_EQ(table({}), "");
}

TEST(SimulationReport, WithoutMeasuredPacketsThereIsNoLatency) {
  SimulationResult result = example();
  result.packets = 0;
  EXPECT_NE(table({{result}}).find("  0.2000        -    -    -    -  0.2500"), std::string::npos)
      << table({{result}});
  EXPECT_NE(csv({{result}}).find(",0.18,0.2,0.22,h7,0.21,0.18,,,,,,,,,,0.1,0.05,0.11,0.2,0.25,"),
            std::string::npos);
  EXPECT_NE(
      report(result).find("\nlatency    most packets that were sent in the measured time have not "
                          "arrived\nlinks"),
      std::string::npos);
  EXPECT_EQ(result_from(row_of(result)).packets, 0U);
}

TEST(SimulationReport, WithoutPacketsNoneIsSaidToBeUnderWay) {
  SimulationResult result = example();
  result.packets = 0;
  result.offered = 0;
  EXPECT_NE(report(result).find("\nlatency    no packet was created in the measured time\nlinks"),
            std::string::npos);
}

TEST(SimulationReport, TableOfSaturationHasALineACombination) {
  SweepSpec request = saturation_of("iq:lanes=[0,1,2]", "0.1");
  request.simulation.seed = "2";
  const std::string out = table(run_pretended(request, pretend));
  EXPECT_TRUE(
      out.starts_with("ring, dor, traffic uniform, packet 1, warmup 1024, cycles 2048, seed 2\n"))
      << out;
  std::string lines;
  for (const std::string& line : split_lines(out))
    if (line.starts_with("  iq:")) lines += line.substr(0, 39) + "\n";
  EXPECT_EQ(lines,
            "  iq:lanes=0   0.1  saturated    0.0000\n"
            "  iq:lanes=1   0.2  steady       0.2000\n"
            "  iq:lanes=2   0.4  steady       0.4000\n");
}

/// The notes under the table of a search for saturation.
std::string notes(const std::string& switches, const std::string& resolution) {
  const std::string out = table(run_pretended(saturation_of(switches, resolution), pretend));
  return out.substr(out.rfind("\n\n") + 2);
}

TEST(SimulationReport, NotesSayWhyASearchForSaturationEnded) {
  EXPECT_EQ(notes("iq:lanes=1", "0.05"),
            "steady up to this load, and not at the next, 0.05 higher (--resolution)\n");
  EXPECT_EQ(notes("iq:lanes=5", "0.3"),
            "steady up to load 0.9, the highest tried: no saturation was found\n");
  EXPECT_EQ(notes("iq:lanes=0", "0.25"),
            "steady at no load, not even at 0.25, the lowest tried; a finer --resolution tries "
            "lower ones\n");
  EXPECT_EQ(notes("iq:lanes=[0,1,2,5]", "0.1"),
            "2 of 4 combinations: steady up to this load, and not at the next, 0.1 higher "
            "(--resolution)\n"
            "1 of 4 combinations: steady up to load 1, the highest tried: no saturation was found\n"
            "1 of 4 combinations: steady at no load, not even at 0.1, the lowest tried; a finer "
            "--resolution tries lower ones\n");
  std::vector<SweepRow> rows = run_pretended(saturation_of("iq:lanes=1", "0.05"), pretend);
  for (SweepRow& row : rows) row.short_of_resolution = true;
  EXPECT_TRUE(table(rows).ends_with(
      " (--resolution)\nsimulations are shorter than this resolution needs, to limit their work; "
      "--cycles makes them longer\n"))
      << table(rows);
}

TEST(SimulationReport, TableExplainsTheFirstDeadlock) {
  SweepSpec request = sweep_of("[0.2,0.3,0.4]", "iq:lanes=3");
  request.simulation.tables = "minhop";
  const std::string out = table(run_pretended(request, pretend));
  EXPECT_TRUE(
      out.ends_with("\n\n2 points end in deadlock; the first: load 0.3\n"
                    "packet 1 waits for packet 2\npacket 2 waits for packet 1\n"))
      << out;
}

TEST(SimulationReport, CsvHasEveryFieldOfEveryRow) {
  const auto lines = split_lines(csv({{example()}, {example(), "0.3"}}));
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0],
            "fabric,tables,switch,traffic,packet,load,source,reply,window,ack,urgent,faults,"
            "without,warmup,"
            "cycles,seed,"
            "outcome,offered,accepted,accepted_least,accepted_median,accepted_most,worst_host,"
            "worst_host_offered,"
            "worst_host_accepted,latency_mean,latency_half_width,"
            "network_latency_mean,latency_p50,latency_p95,latency_p99,latency_p999,latency_maximum,"
            "hops_mean,link_use_mean,link_use_p10,link_use_p50,link_use_p90,link_use_maximum,"
            "busiest_link,warmup_cycles,measured_cycles,"
            "simulated_cycles,measured_packets,packets_sent,packets_delivered,packets_lost,"
            "packets_inside,flit_hops,cycle_ns,lost_why,saturation,command,revision");
  EXPECT_EQ(
      lines[1],
      "ring,dor,iq:lanes=4,uniform,1,0.2,bernoulli,0,0,1,0,,,auto,auto,1,steady,0.2001,0."
      "19996,0.18,0.2,0.22,"
      "h7,0.21,0.18,12.345,0.05,11.5,12.0,20.0,25.0,31.0,44.0,3.5,0.1,0.05,0.11,0.2,0.25,s0:1 > "
      "s1:2,1000,5000,6100,"
      "12345,100,90,3,7,0,8.0,link_down 2; no_route 1,,"
      "weft sim ring dor --switch iq:lanes=4 --load 0.2," +
          std::string(revision()));
  EXPECT_NE(lines[2].find("no_route 1,0.3,weft sim"), std::string::npos);
}

TEST(SimulationReport, WhatWasNotMeasuredIsEmpty) {
  SimulationResult result = example();
  result.mean = std::numeric_limits<double>::infinity();
  EXPECT_NE(csv({{result}}).find(",0.21,0.18,,0.05,"), std::string::npos);
  std::ostringstream json;
  write_json(json, document_of({{result}}));
  const auto document = nlohmann::json::parse(json.str());
  EXPECT_EQ(document["weft"], "simulations 1");
  EXPECT_TRUE(document["rows"][0]["latency_mean"].is_null());
  EXPECT_EQ(document["rows"][0]["lost_why"]["link_down"], 2);
  EXPECT_EQ(document["rows"][0]["revision"], std::string(revision()));
  EXPECT_EQ(document["rows"][0]["explanation"], "");
}

TEST(SimulationReport, LatenciesByPriorityWhereThereAreTwo) {
  std::vector<SweepRow> rows{{example()}, {example()}};
  SimulationResult& mixed = rows[1].result;
  mixed.spec.urgent = "0.1";
  mixed.urgent = {45, 9.5, 9, 10, 11, 12, 13};
  mixed.normal = {12300, 12.5, 12, 20, 26, 31, 44};
  EXPECT_EQ(report(example()).find("urgent"), std::string::npos);
  EXPECT_NE(report(mixed).find(
                "at most 44\n"
                "urgent     9.50 cycles on average; p50 9, p95 10, p99 11, p99.9 12, at most "
                "13\n"
                "normal     12.50 cycles on average; p50 12, p95 20, p99 26, p99.9 31, at "
                "most 44\nhops"),
            std::string::npos)
      << report(mixed);
  const std::string shown = table(rows);
  EXPECT_NE(shown.find("  max  urgent  p99  normal  p99    link"), std::string::npos) << shown;
  EXPECT_NE(shown.find("   44       -    -       -    -  0.2500"), std::string::npos) << shown;
  EXPECT_NE(shown.find("   44     9.5   11    12.5   26  0.2500"), std::string::npos) << shown;
  const auto lines = split_lines(csv(rows));
  EXPECT_NE(
      lines[0].find(",cycle_ns,urgent_packets,urgent_latency_mean,urgent_latency_p50,"
                    "urgent_latency_p95,urgent_latency_p99,urgent_latency_p999,"
                    "urgent_latency_maximum,normal_packets,normal_latency_mean,normal_latency_p50,"
                    "normal_latency_p95,normal_latency_p99,normal_latency_p999,"
                    "normal_latency_maximum,lost_why,"),
      std::string::npos)
      << lines[0];
  EXPECT_NE(lines[1].find(",8.0,,,,,,,,,,,,,,,link_down"), std::string::npos) << lines[1];
  EXPECT_NE(lines[2].find(",8.0,45,9.5,9.0,10.0,11.0,12.0,13.0,12300,12.5,12.0,20.0,26.0,31.0,44.0,"
                          "link_down"),
            std::string::npos)
      << lines[2];
  EXPECT_EQ(row_of(result_from(row_of(mixed))), row_of(mixed));
  mixed.normal = {};
  EXPECT_TRUE(row_of(mixed)["normal_latency_mean"].is_null());
  EXPECT_EQ(row_of(result_from(row_of(mixed))), row_of(mixed));
}

TEST(SimulationReport, SaysWhenBuffersStillFilled) {
  SimulationResult result = example();
  result.outcome = SimulationOutcome::steady;
  result.lost = 0;
  result.packets = 5000;
  result.offered = 0.8;
  result.accepted = 0.75;
  const std::string note =
      "\n           buffers still filled while it was measured: a longer --warmup tells more\n";
  EXPECT_NE(report(result).find(note), std::string::npos);
  result.accepted = 0.77;
  EXPECT_EQ(report(result).find(note), std::string::npos);
}

TEST(SimulationReport, Links) {
  SimulationResult result = example();
  result.links = {{"s0:1", "s1:2", -1, 0.25}, {"s0:1", "s1:2", 0, 0.125}, {"H(0,0)", "s0:3", 0, 1}};
  const std::string origin =
      fmt::format("weft sim ring dor --switch iq:lanes=4 --load 0.2,{}\n", revision());
  EXPECT_EQ(text(write_links_csv, result),
            "from,to,lane,use,command,revision\ns0:1,s1:2,all,0.25," + origin +
                "s0:1,s1:2,0,0.125," + origin + "\"H(0,0)\",s0:3,0,1," + origin);
}

TEST(SimulationReport, CommandsAreQuotedForTheShell) {
  SimulationSpec simulation;
  simulation.fabric = "my net's.toml";
  simulation.tables = "dor";
  simulation.packet = "1*0.8+16*0.2";
  simulation.faults = "link=s0:1@5;link=h5@0";
  EXPECT_EQ(command_of(simulation),
            "weft sim 'my net'\\''s.toml' dor --packet '1*0.8+16*0.2' --faults "
            "'link=s0:1@5;link=h5@0'");
}

}  // namespace
}  // namespace weft::testing
