// SPDX-License-Identifier: Apache-2.0
// Files that weft writes have the columns and keys that the reference describes, and no others.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "command.hpp"
#include "lab/report/replay_comparison.hpp"
#include "lab/report/replay_report.hpp"
#include "lab/report/result_file.hpp"
#include "papers/catalog.hpp"
#include "papers/perturbation.hpp"
#include "papers/runner/page.hpp"
#include "support/fabrics.hpp"

namespace weft::testing {
namespace {

using nlohmann::json;
using Names = std::set<std::string>;

/// A described name as an expression: capitals stand for names, which are known where any would do.
std::regex expression_of(const std::string& described) {
  static const std::map<std::string, std::string> placeholders{
      {"FIGURE_UNIT", "(one_way|latency)_us|(bandwidth|aggregate|per_source|slowest|fastest)_MB/s"},
      {"PART", "(processor|bus|nic|dma_out|dma_in|memory|pci|microcode|thread)"},
      {"COUNTER",
       "(packets_sent_again|routes_changed|doubles_dropped|packets_abandoned|traps|TLB_misses|"
       "pages_mapped)"},
      {"REASON", "[a-z ]+"},
      {"FIELD", "[a-z-]+"},
      {"CALL", "[a-z ]+"},
      {"CONSTANT", "([a-z0-9]+:)?[a-z]+[.][a-z_]+"},
      {"CLAIM", "notify/[a-z]+"},
      {"NAME", "[a-z_]+"}};
  std::string out = std::regex_replace(described, std::regex(R"([\[\].])"), R"(\$&)");
  for (const auto& [placeholder, names] : placeholders)
    if (const auto at = out.find(placeholder); at != std::string::npos)
      out.replace(at, placeholder.size(), names);
  return std::regex(out);
}

bool describes(const ResultFile& file, const std::string& name) {
  return std::any_of(file.columns.begin(), file.columns.end(), [&](const ResultColumn& column) {
    return std::regex_match(name, expression_of(column.name));
  });
}

bool has_placeholder(const std::string& name) {
  return std::regex_search(name, std::regex("[A-Z]{4}"));
}

Names columns_of(const std::string& csv) {
  Names out;
  const std::string heading = csv.substr(0, csv.find('\n'));
  for (std::size_t at = 0; at <= heading.size();) {
    const std::size_t end = std::min(heading.find(',', at), heading.size());
    out.insert(heading.substr(at, end - at));
    at = end + 1;
  }
  return out;
}

void expect_columns(const ResultFile& file, const Names& written) {
  for (const std::string& name : written)
    EXPECT_TRUE(describes(file, name)) << file.command << " does not describe " << name;
  for (const ResultColumn& column : file.columns)
    EXPECT_TRUE(has_placeholder(column.name) || written.contains(column.name))
        << file.command << " describes " << column.name;
}

/// "rows[].fabric": the place of every value.
void add_paths(const json& value, const std::string& path, Names& out) {
  if (value.is_object())
    for (const auto& [key, part] : value.items())
      add_paths(part, path.empty() ? key : path + "." + key, out);
  else if (value.is_array())
    for (const json& part : value) add_paths(part, path + "[]", out);
  else
    out.insert(path);
}

/// Every value is described: as a key, or as a column where rows are those of CSV.
void expect_keys(const ResultFile& file, const json& document, const ResultFile* rows = nullptr) {
  Names paths;
  add_paths(document, "", paths);
  EXPECT_GT(paths.size(), 3U);
  for (const std::string& path : paths) {
    const bool column = rows != nullptr && path.starts_with("rows[].") &&
                        describes(*rows, path.substr(std::string("rows[].").size()));
    EXPECT_TRUE(column || describes(file, path)) << file.command << " does not describe " << path;
  }
  for (const ResultColumn& key : file.columns) {
    const bool written = std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
      return path.starts_with(key.name) || std::regex_match(path, expression_of(key.name));
    });
    EXPECT_TRUE(written || key.name.starts_with("limits.")) << file.command << ": " << key.name;
  }
}

class ResultFiles : public Command {
 protected:
  json document(const std::string& name) const { return json::parse(read_file(path(name))); }
  Names columns(const std::string& name) const { return columns_of(read_file(path(name))); }
};

TEST_F(ResultFiles, OfStudiesAndChecks) {
  ASSERT_EQ(run("weft study --topologies ring rhinet2_a --engines minhop dor --throughput uniform "
                "--csv s.csv --json "
                "s.json")
                .status,
            0);
  expect_columns(study_csv_file(), columns("s.csv"));
  const ResultFile rows = study_csv_file();
  expect_keys(study_json_file(), document("s.json"), &rows);
  ASSERT_EQ(run("weft route ring minhop -o ring.tables > /dev/null; sed 's/^to h3: ./to h3: -/' "
                "ring.tables > lost.tables; weft check ring lost.tables --json f.json")
                .status,
            1);
  const json reach = document("f.json")["findings"][0]["items"][0];
  EXPECT_EQ(reach["cause"], "no entry");
  EXPECT_EQ(reach["switches"], json::array({"s0"}));
  EXPECT_EQ(reach["hosts"], json::array({"h3"}));
  EXPECT_EQ(document("f.json")["findings"][3]["check"], "shifts");
  EXPECT_EQ(document("f.json")["findings"][3]["items"].size(), 5U);
  run("weft check ring ring.tables --without link=s0:1 --json n.json");
  EXPECT_EQ(document("n.json")["notes"].size(), 1U);
  json both = document("f.json");
  both["notes"] = document("n.json")["notes"];
  expect_keys(findings_json_file(), both);
}

TEST_F(ResultFiles, OfFailuresAndDifferences) {
  ASSERT_EQ(run("weft study clos2:leaves=2,spines=1 --engines minhop dor --failures 1 --csv s.csv "
                "--json s.json")
                .status,
            0);
  expect_columns(failures_csv_file(), columns("s.csv"));
  const ResultFile rows = failures_csv_file();
  expect_keys(failures_json_file(), document("s.json"), &rows);
  ASSERT_EQ(run("weft make ring:switches=6 --without link=s0:1 -o f.toml").status, 0);
  ASSERT_EQ(run("weft diff ring:switches=6 f.toml --json f.json").status, 1);
  expect_keys(fabric_difference_file(), document("f.json"));
  ASSERT_EQ(run("weft diff ring:switches=6 updown:root=s0 updown:root=s3 --json t.json "
                "--order o.csv")
                .status,
            1);
  expect_keys(tables_difference_file(), document("t.json"));
  expect_columns(update_order_file(), columns("o.csv"));
}

TEST_F(ResultFiles, OfSimulations) {
  ASSERT_EQ(run("weft sim mesh:dims=2x2 xy --urgent 0.2 --switch iq:priorities=yes --warmup 100 "
                "--cycles 500 --faults link=s0:1@300 --csv s.csv --json s.json --links l.csv")
                .status,
            0);
  expect_columns(simulations_csv_file(), columns("s.csv"));
  const ResultFile rows = simulations_csv_file();
  expect_keys(simulations_json_file(), document("s.json"), &rows);
  expect_columns(links_csv_file(), columns("l.csv"));
}

TEST_F(ResultFiles, OfPrograms) {
  const std::string run_on = "weft run --topology crossbar:hosts=4 --engine minhop ";
  ASSERT_EQ(run(run_on + "pingpong:iterations=10 --csv p.csv --by-rank r.csv --trace t.json "
                         "--json p.json")
                .status,
            0);
  expect_columns(program_csv_file(), columns("p.csv"));
  expect_columns(ranks_csv_file(), columns("r.csv"));
  expect_keys(timeline_file(), document("t.json"));
  ASSERT_EQ(run(run_on + "orphan --json o.json").status, 4);
  ASSERT_EQ(
      run(run_on + "'barrier:algorithm=[shio,dissemination],iterations=2' --json b.json").status,
      0);
  json both = document("p.json");
  both["rows"].push_back(document("o.json")["rows"][0]);
  both["fastest"] = document("b.json")["fastest"];
  const ResultFile rows = program_csv_file();
  expect_keys(program_json_file(), both, &rows);
  ASSERT_EQ(run("weft run --cluster qsnet elan_ping:iterations=2 --csv e.csv").status, 0);
  expect_columns(program_csv_file(), columns("e.csv"));
}

TEST_F(ResultFiles, OfFlows) {
  write("flows.toml",
        "cluster = \"gmqos\"\nlength = \"2ms\"\nbin = \"1ms\"\n[[flow]]\nfrom = 0\nto = 1\n"
        "promise = \"20MB/s\"\n");
  ASSERT_EQ(run("weft qos flows.toml --rate-control no --csv f.csv --json f.json").status, 0);
  expect_columns(flows_csv_file(), columns("f.csv"));
  expect_keys(flows_json_file(), document("f.json"));
}

TEST_F(ResultFiles, OfTraces) {
  copy_recorded("npb/is.S.16.trace.zst", "is.zst");
  ASSERT_EQ(run("weft trace show is.zst --json t.json").status, 0);
  expect_keys(trace_json_file(), document("t.json"));
}

TEST_F(ResultFiles, OfReplays) {
  copy_recorded("npb/is.S.16.trace.zst", "is.zst");
  ASSERT_EQ(run("weft replay is.zst --topology mesh:dims=4x4,hosts=1 --engine xy --csv r.csv "
                "--json r.json --by-rank b.csv --links l.csv --trace t.json")
                .status,
            0);
  expect_columns(replay_csv_file(), columns("r.csv"));
  expect_columns(replay_ranks_csv_file(), columns("b.csv"));
  expect_columns(link_times_csv_file(), columns("l.csv"));
  expect_keys(timeline_file(), document("t.json"));
  json replay = document("r.json");
  replay["spec"] = "";  // has the fields of the command
  json& job = replay["jobs"][0];
  const json ranks = job["by_rank"];
  job.erase("by_rank");
  replay["rows"] = {job};
  job = {{"by_rank", ranks}};
  const ResultFile rows = replay_csv_file();
  expect_keys(replay_json_file(), replay, &rows);
}

TEST_F(ResultFiles, OfSweepsOfReplays) {
  copy_recorded("npb/is.S.16.trace.zst", "is.zst");
  ASSERT_EQ(run("weft replay is.zst --topology 'crossbar:hosts=[8,16]' --engine minhop --quick "
                "--csv s.csv")
                .status,
            0);
  expect_columns(replay_csv_file(), columns("s.csv"));
}

TEST_F(ResultFiles, OfComparisons) {
  copy_recorded("npb/is.S.16.trace.zst", "is.zst");
  const std::string replay =
      "weft replay --quick is.zst --topology crossbar:hosts=16 --engine minhop ";
  ASSERT_EQ(run(replay + "--json a.json && " + replay +
                "--scale 2 --json b.json && weft compare "
                "a.json b.json --csv c.csv")
                .status,
            0);
  expect_columns(comparison_csv_file(), columns("c.csv"));
}

TEST_F(ResultFiles, OfPapers) {
  ASSERT_EQ(run("weft reproduce ibamesh/lft --csv a.csv --json page.json").status, 0);
  expect_columns(papers::answers_csv_file(), columns("a.csv"));
  json page = document("page.json");
  page.erase("declared");  // has other keys in every paper, and sheets have other columns
  for (json& section : page["sections"]) section.erase("sheets");
  ResultFile file = papers::page_json_file();
  std::erase_if(file.columns, [](const ResultColumn& column) {
    return column.name.starts_with("declared") || column.name.ends_with("KEY") ||
           column.name.find("sheets") != std::string::npos || column.name.ends_with("notes[]") ||
           column.name.ends_with("figures[]");
  });
  for (const ResultColumn& column : papers::answers_csv_file().columns)
    if (page["sections"][0]["answers"][0].contains(column.name))
      file.columns.push_back({"sections[].answers[]." + column.name, ""});
  expect_keys(file, page);
}

TEST_F(ResultFiles, OfAllPapers) {
  if (test::tries(1, 2) < 2) GTEST_SKIP() << "half a minute of simulations";
  const auto result = run("weft reproduce all --quick --html all.html -o d");
  ASSERT_EQ(result.status, 0) << result.err;
  std::string summaries = "\n";
  for (const papers::Paper& paper : papers::papers()) {
    const json page = document(fmt::format("d/{}/page.json", paper.name));
    summaries += page["summary"].get<std::string>() + "\n";
  }
  EXPECT_TRUE(result.out.ends_with(summaries)) << result.out;
  EXPECT_LT(std::filesystem::file_size(path("all.html")), 5'000'000U);
}

TEST_F(ResultFiles, OfPerturbedPapers) {
  ASSERT_EQ(
      run("weft reproduce viabarrier/notify --perturb 1 --csv p.csv --json p.json -o d").status, 0);
  expect_columns(papers::perturbation_csv_file(), columns("p.csv"));
  expect_columns(papers::perturbation_factors_file(), columns("d/factors.csv"));
  expect_keys(papers::perturbation_json_file(), document("p.json"));
}

TEST(ResultFileTest, CheckCanFail) {
  const ResultFile file{"", "", {{"a_us", ""}, {"PART_use", ""}, {"b[].c", ""}}};
  EXPECT_TRUE(describes(file, "a_us"));
  EXPECT_TRUE(describes(file, "nic_use"));
  EXPECT_TRUE(describes(file, "b[].c"));
  EXPECT_FALSE(describes(file, "b[]xc"));
  EXPECT_FALSE(describes(file, "a"));
  EXPECT_FALSE(describes(file, "disk_use"));
  Names paths;
  add_paths(json::parse(R"({"a": 1, "b": [{"c": 2}], "d": []})"), "", paths);
  EXPECT_EQ(paths, (Names{"a", "b[].c"}));
  EXPECT_EQ(columns_of("a,b\n1,2\n"), (Names{"a", "b"}));
}

}  // namespace
}  // namespace weft::testing
