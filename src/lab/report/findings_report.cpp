// SPDX-License-Identifier: Apache-2.0
// Findings of checks as text and as JSON.
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/report/colours.hpp"
#include "lab/report/report.hpp"
#include "lab/report/result_file.hpp"
#include "lab/revision.hpp"

namespace weft {
namespace {

const char* word(Verdict verdict) {
  switch (verdict) {
    case Verdict::fine:
      return "ok";
    case Verdict::bad:
      return "BAD";
    case Verdict::unknown:
      return "?";
    case Verdict::measured:
      return "";
  }
  return "";
}

nlohmann::ordered_json to_json(const FindingItem& item) {
  nlohmann::ordered_json out;
  for (const auto& each : item)
    std::visit([&](const auto& value) { out[each.first] = value; }, each.second);
  return out;
}

nlohmann::ordered_json to_json(const std::vector<FindingItem>& items) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const FindingItem& item : items) out.push_back(to_json(item));
  return out;
}

}  // namespace

void write_findings(std::ostream& out, const std::vector<Finding>& findings) {
  for (const Finding& finding : findings) {
    const std::string verdict = fmt::format("{:<4}", word(finding.verdict));
    const bool measured = finding.verdict == Verdict::measured;
    const VerdictColour colour =
        finding.verdict == Verdict::fine ? VerdictColour::good : VerdictColour::bad;
    out << fmt::format("{:<10} {}{}\n", finding.check,
                       measured ? verdict : coloured(out, colour, verdict), finding.summary);
    if (finding.verdict == Verdict::bad || finding.verdict == Verdict::unknown)
      for (const std::string& line : finding.details) out << fmt::format("{:15}{}\n", "", line);
    for (const std::string& line : finding.hot_links) out << fmt::format("{:15}{}\n", "", line);
  }
}

ResultFile findings_json_file() {
  return {
      "weft route --json FILE, weft check --json FILE, weft mcast --json FILE", "one document",
      json_keys(
          "findings 1",
          {{"subject", "name of the fabric, and the engine of the tables"},
           {"notes[]",
            "what is to be known about the fabric and its tables: what is odd, what is left out"},
           {"findings[].check", "reach, hops, load, …: weft list checks"},
           {"findings[].verdict", "ok, BAD, measured, or ? (cannot be judged)"},
           {"findings[].summary", "a line for reading"},
           {"findings[].details[]",
            "further lines: groups of pairs that are not reached, steps "
            "of a dependency cycle, packets that block each other (24 lines at most)"},
           {"findings[].numbers.NAME", "the numbers of the summary: pairs, reached, …"},
           {"findings[].items[].NAME",
            "reach: groups of lost pairs, the 100 largest (cause, pairs, "
            "port); load, shifts and matchings with --top: the busiest "
            "links (from, port, to, to_port, routes, times_mean, shift); deadlock: all packets of "
            "a "
            "counterexample (from, to, or group)"},
           {"findings[].items[].NAME[]",
            "reach: names of the switches and hosts of a group; deadlock: lanes "
            "that a packet holds, and all that it may take next (holds, wants)"}})};
}

nlohmann::ordered_json document_of(const std::vector<Finding>& findings, const std::string& subject,
                                   const std::vector<std::string>& notes) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Finding& finding : findings)
    rows.push_back(
        {{"check", std::string(finding.check)},
         {"verdict", finding.verdict == Verdict::measured ? "measured" : word(finding.verdict)},
         {"summary", finding.summary},
         {"details", finding.details},
         {"numbers", finding.numbers},
         {"items", to_json(finding.items)}});
  nlohmann::ordered_json document{{"weft", "findings 1"},
                                  {"revision", std::string(revision())},
                                  {"subject", subject},
                                  {"notes", notes},
                                  {"findings", rows}};
  return document;
}

}  // namespace weft
