// SPDX-License-Identifier: Apache-2.0
// Sections of pages, and reading pages again.
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.hpp"
#include "base/message.hpp"
#include "lab/page/html_page.hpp"
#include "lab/page/result_sections.hpp"
#include "lab/page/timeline_section.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::string html_of(const HtmlPage& page) {
  std::ostringstream out;
  write_html(out, page);
  return out.str();
}

TEST(Pages, TheirDataCanBeReadAgain) {
  for (const std::size_t size : {10U, 1'000'000U}) {  // plain, and compressed
    HtmlPage page{.title = "</script><b>&", .command = "weft x"};
    page.sections.push_back({{"id", "a"}, {"kind", "rows"}, {"text", std::string(size, 'x')}});
    const Json data = page_data(html_of(page), "x.html");
    EXPECT_EQ(data["title"], page.title);
    EXPECT_EQ(data["made"]["command"], "weft x");
    EXPECT_EQ(data["sections"][0], page.sections[0]);
  }
  EXPECT_EQ(test::message_of([] { page_data("<html></html>", "x.html"); }),
            "x.html: a page, but none of weft: there are no data in it");
  const std::string whole = html_of({.title = "t"});
  EXPECT_EQ(
      test::message_of([&] { page_data(whole.substr(0, whole.find("\"title\"")), "x.html"); }),
      "x.html: the page ends in the middle");
}

/// The section of this title; null: there is none.
Json section_called(const std::vector<PageSection>& sections, const std::string& title) {
  for (const PageSection& section : sections)
    if (section["title"] == title) return section;
  return {};
}

TEST(ResultSections, ShowRowsWithinRows) {
  const Json document{
      {"weft", "findings 1"},
      {"findings",
       {{{"check", "reach"}, {"verdict", "ok"}, {"items", Json::array()}},
        {{"check", "load"}, {"verdict", "measured"}, {"items", {{{"from", "s0"}, {"port", 1}}}}}}}};
  const auto sections = result_sections(document);
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0]["rows"].size(), 2U);
  const Json links = section_called(sections, "lost pairs, blocked packets and busiest links");
  EXPECT_EQ(links["columns"][0]["name"], "check");
  EXPECT_EQ(links["rows"], (Json{{"load", "s0", 1}}));
}

TEST(ResultSections, ShowWhatADocumentItselfSays) {
  const Json document{{"weft", "tables difference 1"},
                      {"revision", "x"},
                      {"entries", 4},
                      {"by_switch", Json::array()},
                      {"transition", {{"verdict", "rounds"}, {"rounds", 2}}}};
  const auto sections = result_sections(document);
  ASSERT_EQ(sections.size(), 1U);  // lists without rows are left out
  EXPECT_EQ(sections[0]["rows"], (Json{{4, "rounds", 2}}));
  EXPECT_EQ(sections[0]["columns"][1]["name"], "transition.verdict");
}

TEST(ResultSections, OfSweepsOfReplaysHaveARowForEachJob) {
  const Json job{{"trace", "a"}, {"time_us", 4.0}, {"ideal_us", 1.0}};
  const Json document{{"weft", "replays 1"},
                      {"rows",
                       {{{"spec", {{"engine", "dor"}, {"traces", Json::array({"a"})}}},
                         {"outcome", "finished"},
                         {"jobs", Json::array({job})}},
                        {{"spec", {{"engine", "dl"}, {"traces", Json::array({"a"})}}},
                         {"outcome", "refused"},
                         {"jobs", Json::array()}}}}};
  const auto sections = result_sections(document);
  ASSERT_EQ(sections.size(), 1U);
  ASSERT_EQ(sections[0]["rows"].size(), 2U);
  std::vector<std::string> names;
  for (const Json& column : sections[0]["columns"]) names.push_back(column["name"]);
  const auto cell = [&](std::size_t row, const char* name) {
    const auto found = std::find(names.begin(), names.end(), name);
    return sections[0]["rows"][row][static_cast<std::size_t>(found - names.begin())];
  };
  EXPECT_EQ(cell(0, "time_us"), 4.0);
  EXPECT_EQ(cell(0, "ideal_%"), 25.0);
  EXPECT_EQ(cell(0, "engine"), "dor");
  EXPECT_EQ(cell(1, "engine"), "dl");
  EXPECT_EQ(cell(1, "outcome"), "refused");
  EXPECT_EQ(cell(1, "trace"), "a");
  EXPECT_EQ(names.front(), "engine");           // what tells points apart is seen first
  EXPECT_FALSE(sections[0].contains("chart"));  // along the only trace
}

TEST(ResultSections, HaveListsOfWordsButNoNumbersOverTime) {
  const Json document{
      {"weft", "flows 1"},
      {"flows", {{{"name", "f"}, {"why", {"a", "b"}}, {"by_bin", {nullptr, 1.5}}}}}};
  const auto sections = result_sections(document);
  EXPECT_EQ(sections[0]["columns"].size(), 2U);
  EXPECT_EQ(sections[0]["rows"][0], (Json{"f", "a\nb"}));
}

TEST(ResultSections, OfCriticalPathsBeginWithTheLongest) {
  const Json document{{"weft", "replay 1"},
                      {"jobs", Json::array()},
                      {"critical_path",
                       {{"compute_us", 5.0},
                        {"messages_us", 5.0},
                        {"pairs",
                         {{{"from", 0}, {"to", 1}, {"time_us", 1.0}},
                          {{"from", 1}, {"to", 2}, {"time_us", 4.0}}}}}}};
  const Json pairs = section_called(result_sections(document), "messages on the critical path");
  EXPECT_EQ(pairs["rows"], (Json{{1, 2, 4.0, 40.0}, {0, 1, 1.0, 10.0}}));
}

TEST(ResultSections, OfReplaysWithoutACriticalPathHaveNone) {
  const Json document{{"weft", "replay 1"}, {"jobs", Json::array()}, {"critical_path", Json()}};
  EXPECT_EQ(result_sections(document).size(), 1U);
}

TEST(TimelineSections, ShowWhatHasNotEnded) {
  const std::vector<run::OperationRecord> records{{.rank = 0,
                                                   .kind = comm::OpKind::recv,
                                                   .status = comm::Status::pending,
                                                   .completed = comm::Time(4'000'000)}};
  EXPECT_EQ(timeline_section({.records = records})["kinds"], (Json{"recv, not ended"}));
}

TEST(TimelineSections, SayWhatTheyLeaveOut) {
  const std::vector<run::OperationRecord> records{
      {.rank = 1, .posted = comm::Time(2'000'000), .completed = comm::Time(3'000'000)},
      {.rank = 0, .posted = comm::Time(1'000'000), .completed = comm::Time(4'000'000)}};
  PageTimeline timeline{
      .records = records,
      .ranks = {{"rank 0", "h0"}, {"rank 1", "h1"}},
      .calls = {{1, trace::CallKind::barrier, comm::Time(1'000'000), comm::Time(3'000'000)},
                {0, trace::CallKind::bcast, comm::Time(9'000'000), comm::Time(9'500'000)}},
      .timed = TimedSection{comm::Time(1'000'000), comm::Time(4'000'000)}};
  const PageSection all = timeline_section(timeline);
  EXPECT_FALSE(all.contains("left_out"));
  EXPECT_EQ(all["ops"]["rank"], (Json{0, 1}));  // as they were posted
  EXPECT_EQ(all["calls"]["names"], (Json{"barrier", "bcast"}));
  EXPECT_EQ(all["timed"]["end"], 4.0);
  timeline.left_out = 1'000'000;
  timeline.from = comm::Time(500'000);
  const PageSection some = timeline_section(timeline);
  EXPECT_EQ(some["left_out"],
            "1000002 operations from 0.5 us on: the first 2, until 2 us, are here; --from begins "
            "the time line later");
  EXPECT_EQ(some["calls"]["names"], (Json{"barrier"}));
}

}  // namespace
}  // namespace weft
