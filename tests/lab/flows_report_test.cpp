// SPDX-License-Identifier: Apache-2.0
// Reports of scenarios: rates against promises, by flow and between changes, as text and data.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "support/files.hpp"

namespace weft {
namespace {

using std::chrono::milliseconds;

constexpr Duration ten(milliseconds(10));

struct Made {
  std::string name;
  FlowService service = FlowService::best_effort;
  int start = 0, stop = 100;                ///< bins
  std::vector<std::uint64_t> packets = {};  ///< by bin; the last value repeats
  double due = 0;                           ///< MB/s
};

/// 100 bins of 10 ms; packets of 4000 bytes, so that one per bin is 0.4 MB/s.
ScenarioResult result_of(const std::vector<Made>& flows) {
  ScenarioResult out;
  out.spec = {"my.toml", "gmqos", "crossbar:hosts=16", "updown", "iq", "gm:schedule=rate", "equal"};
  out.limited = true;
  out.plan.limits = {duration_from("48us"),
                     bandwidth_from("80MB/s"),
                     {{{0}, bandwidth_from("75MB/s")}, {bandwidth_from("75MB/s"), {0}}}};
  out.plan.link_percent = 40;
  out.found.bin = ten;
  out.scenario.length = 100 * ten;
  for (const Made& flow : flows) {
    ScenarioFlow& asked = out.scenario.flows.emplace_back();
    asked.plan.name = flow.name;
    asked.plan.service = flow.service;
    asked.plan.start = flow.start * ten;
    asked.plan.stop = flow.stop * ten;
    if (flow.service == FlowService::promised)
      asked.plan.bandwidth = {static_cast<std::int64_t>(flow.due * 8e6)};
    out.plan.flows.push_back(asked.plan);
    out.hosts.push_back({"h0", "h1"});
    FlowFound& found = out.found.flows.emplace_back();
    found.began = asked.plan.start;
    found.ended = asked.plan.stop;
    found.packet_bytes = 4000;
    for (int bin = 0; bin < 100; ++bin) {
      const bool there = bin >= flow.start && bin < flow.stop;
      const auto at = std::min(static_cast<std::size_t>(bin - flow.start), flow.packets.size() - 1);
      found.packets.push_back(there ? flow.packets[at] : 0);
      found.interval.emplace_back(flow.due > 0 ? static_cast<std::int64_t>(4000 / flow.due * 1e6)
                                               : 0);
    }
  }
  return out;
}

std::string flows_text(const ScenarioResult& result) {
  std::ostringstream out;
  write_flows(out, result);
  return out.str();
}

ScenarioResult three_flows() {
  return result_of({{"rest", FlowService::best_effort, 0, 100, {150}, 60},
                    {"video", FlowService::promised, 20, 80, {50}, 20},
                    {"wild", FlowService::free, 50, 80, {10}, 0}});
}

TEST(FlowRates, AreOverWholeBinsOfAFlowsTime) {
  ScenarioResult result = three_flows();
  result.found.flows[1].began = 20 * ten + Duration(1);
  const auto rate = rate_of(result, 1);
  ASSERT_TRUE(rate);
  EXPECT_EQ(rate->from, 21 * ten);
  EXPECT_EQ(rate->to, 80 * ten);
  EXPECT_DOUBLE_EQ(rate->measured, 20);
  EXPECT_DOUBLE_EQ(*rate->promised, 20);
  EXPECT_NEAR(*rate_of(result, 0)->promised, 60, 1e-3);
  EXPECT_FALSE(rate_of(result, 2)->promised);
  EXPECT_FALSE(rate_between(result, 1, 0 * ten, 20 * ten));
  EXPECT_FALSE(rate_between(result, 1, 30 * ten + Duration(1), 31 * ten));
}

TEST(FlowRates, ChangesAreWhenFlowsStartAndStop) {
  ScenarioResult result = three_flows();
  EXPECT_EQ(changes_of(result),
            (std::vector<Duration>{0 * ten, 20 * ten, 50 * ten, 80 * ten, 100 * ten}));
  result.found.flows[2].granted = false;
  EXPECT_EQ(changes_of(result), (std::vector<Duration>{0 * ten, 20 * ten, 80 * ten, 100 * ten}));
}

TEST(FlowRates, TheWorstPromiseMayBeBetweenChanges) {
  std::vector<std::uint64_t> packets(30, 50);
  packets.push_back(48);  // from bin 50 on, when "other" starts
  const ScenarioResult result = result_of({{"video", FlowService::promised, 20, 80, packets, 20},
                                           {"other", FlowService::best_effort, 50, 100, {10}, 4}});
  const auto worst = worst_promise(result);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->rate.from, 50 * ten);
  EXPECT_EQ(worst->rate.to, 80 * ten);
  EXPECT_NEAR(worst->rate.ratio(), 0.96, 1e-9);
  EXPECT_FALSE(worst->kept);
}

TEST(FlowRates, APacketBreaksNoPromise) {
  const auto kept = [](std::vector<std::uint64_t> packets) {
    const auto worst =
        worst_promise(result_of({{"slow", FlowService::promised, 0, 10, std::move(packets), 0.4}}));
    return worst && worst->kept;
  };
  EXPECT_TRUE(kept({1}));
  EXPECT_TRUE(kept({0, 1}));
  EXPECT_FALSE(kept({0, 0, 1}));
}

TEST(FlowRates, WithoutPromisesThereIsNoWorst) {
  EXPECT_FALSE(worst_promise(result_of({{"rest", FlowService::best_effort, 0, 100, {50}, 20}})));
  ScenarioResult refused = three_flows();
  refused.found.flows[1].granted = false;
  EXPECT_FALSE(worst_promise(refused));
}

TEST(FlowsReport, SaysWhatWasPromisedAndWhatCame) {
  EXPECT_EQ(
      flows_text(three_flows()),
      "my.toml on gmqos: crossbar:hosts=16, updown, switch iq, nic gm:schedule=rate, policy "
      "equal\n"
      "limits      a flow alone 80.00 MB/s, a packet every 48us; handed out: 75.00 MB/s of a "
      "host (measured), 40 % of links\n"
      "            between switches\n"
      "\n"
      "  flow   from > to  asked        answer     promised  achieved  ratio\n"
      "  rest   h0 > h1    best effort  granted       60.00     60.00  1.000\n"
      "  video  h0 > h1    20.00 MB/s   granted       20.00     20.00  1.000\n"
      "  wild   h0 > h1    free         not asked                4.00\n"
      "\n"
      "  MB/s           rest  video  wild\n"
      "  0 to 0.2 s    60.00\n"
      "  0.2 to 0.5 s  60.00  20.00\n"
      "  0.5 to 0.8 s  60.00  20.00  4.00\n"
      "  0.8 to 1 s    60.00\n"
      "\n"
      "worst       1.000 of what was promised: video got 20.00 of 20.00 MB/s, 0.2 to 0.8 s\n");
}

TEST(FlowsReport, ReportsRefusalsAndBrokenPromises) {
  ScenarioResult result = three_flows();
  result.found.flows[1].granted = false;
  result.found.flows[1].why = "host h0 has 5MB/s left";
  EXPECT_NE(flows_text(result).find("\nvideo was refused: host h0 has 5MB/s left\n"),
            std::string::npos)
      << flows_text(result);
  const ScenarioResult broken = result_of({{"a", FlowService::promised, 0, 100, {40}, 20}});
  EXPECT_TRUE(flows_text(broken).ends_with(
      "worst       0.800 of what was promised: a got 16.00 of 20.00 MB/s, 0 to 1 s: NOT KEPT\n"))
      << flows_text(broken);
}

TEST(FlowsReport, WithoutRateControlNothingIsPromised) {
  ScenarioResult result = result_of({{"a", FlowService::promised, 0, 100, {40}, 20}});
  result.controlled = result.limited = false;
  result.spec.rate_control = "no";
  result.plan.flows[0].service = FlowService::free;
  EXPECT_EQ(flows_text(result),
            "my.toml on gmqos: crossbar:hosts=16, updown, switch iq, nic gm:schedule=rate, no rate "
            "control\n"
            "\n"
            "  flow  from > to  asked       answer     wanted  achieved  ratio\n"
            "  a     h0 > h1    20.00 MB/s  not asked   20.00     16.00  0.800\n"
            "\n"
            "  MB/s          a\n"
            "  0 to 1 s  16.00\n"
            "\n"
            "worst       0.800 of what was asked for: a got 16.00 of 20.00 MB/s, 0 to 1 s\n");
}

TEST(FlowsReport, ManyFlowsAreSummedUp) {
  std::vector<Made> flows;
  for (int i = 0; i < 40; ++i)
    flows.push_back({"f" + std::to_string(i), FlowService::promised, i, 100, {5}, 2});
  const std::string text = flows_text(result_of(flows));
  EXPECT_NE(text.find("  time            flows   MB/s  worst ratio\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  and 16 more: --csv has them\n"), std::string::npos) << text;
}

TEST(FlowsReport, TimesOfLessThanABinAreLeftOut) {
  ScenarioResult result = three_flows();
  for (const std::size_t i : {1U, 2U}) result.scenario.flows[i].plan.stop = 80 * ten + Duration(7);
  result.scenario.flows[2].plan.start = 80 * ten + Duration(1);
  const std::string text = flows_text(result);
  EXPECT_EQ(text.find("0.8 to 0.8 s"), std::string::npos) << text;
  EXPECT_NE(text.find("  0.2 to 0.8 s  60.00  20.00\n  0.8 to 1 s    60.00\n"), std::string::npos)
      << text;
}

TEST(FlowsReport, CsvHasARowForEachBinAndFlow) {
  std::ostringstream out;
  write_csv(out, three_flows());
  const auto lines = testing::split_lines(out.str());
  ASSERT_EQ(lines.size(), 1U + 3 * 100);
  EXPECT_EQ(lines[0],
            "time_us,flow,from,to,service,answer,promised_MBps,measured_MBps,command,revision");
  EXPECT_TRUE(lines[1].starts_with("0,rest,h0,h1,best effort,granted,60.00")) << lines[1];
  EXPECT_TRUE(lines[2].starts_with("0,video,h0,h1,promised,granted,,0.0000,weft qos my.toml"))
      << lines[2];
  EXPECT_TRUE(lines[1 + 3 * 20 + 1].starts_with(
      "200000,video,h0,h1,promised,granted,20.0000,20.0000,weft qos my.toml --cluster gmqos "))
      << lines[1 + 3 * 20 + 1];
}

TEST(FlowsReport, JsonHasItAll) {
  std::ostringstream out;
  write_json(out, document_of(three_flows()));
  const auto json = nlohmann::json::parse(out.str());
  EXPECT_EQ(json["weft"], "flows 1");
  EXPECT_EQ(json["run"]["cluster"], "gmqos");
  EXPECT_EQ(json["limits"]["peak_MBps"], 80);
  EXPECT_EQ(json["limits"]["link_percent"], 40);
  EXPECT_EQ(json["bin_us"], 10'000);
  ASSERT_EQ(json["flows"].size(), 3U);
  EXPECT_EQ(json["flows"][1]["promised_MBps"], 20);
  EXPECT_EQ(json["flows"][1]["measured_by_bin_MBps"].size(), 100U);
  EXPECT_TRUE(json["flows"][1]["promised_by_bin_MBps"][0].is_null());
  EXPECT_EQ(json["flows"][1]["promised_by_bin_MBps"][20], 20);
  EXPECT_EQ(json["worst"]["flow"], "video");
  EXPECT_EQ(json["worst"]["kept"], true);
}

TEST(FlowsReport, PlotHasTwoLinesForEachFlow) {
  std::ostringstream out;
  write_svg(out, chart_of(three_flows()));
  const std::string text = out.str();
  const auto count = [&](const std::string& what) {
    int found = 0;
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; ++at) ++found;
    return found;
  };
  EXPECT_EQ(count("class=\"line\""), 3 + 3);
  EXPECT_EQ(count("class=\"line dashed\""), 2);
  EXPECT_EQ(count("bandwidth over time"), 2);
}

}  // namespace
}  // namespace weft
