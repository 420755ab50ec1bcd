// SPDX-License-Identifier: Apache-2.0
// A study of failures as a table, as JSON and as CSV.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/report/columns.hpp"
#include "lab/report/report.hpp"
#include "lab/report/result_file.hpp"
#include "lab/revision.hpp"

namespace weft {
namespace {

using FailureJson = nlohmann::ordered_json;

const Cells failure_heading{"without", "hosts gone", "pairs lost", "eff. bisection",
                            "hops",    "max",        "deadlock",   "entries changed"};

std::string failure_name(const FailureRow& row) {
  if (row.failed.empty()) return "(nothing)";
  return row.failed + (row.rerouted == Rerouted::everything ? " *" : "");
}

Cells failure_cells(const FailureRow& row, bool levels_unknown) {
  if (row.refused) return {failure_name(row)};
  return {failure_name(row),
          fmt::format("{}", row.hosts_gone),
          fmt::format("{}", row.pairs_lost),
          fmt::format("{:.1f} %", 100 * row.bisection_share),
          fmt::format("{:.2f}", row.mean_hops + 1e-9),
          fmt::format("{}", row.most_hops),
          row.certified    ? "certificate"
          : levels_unknown ? "no levels"
                           : "CYCLE",
          row.failed.empty() ? "" : fmt::format("{}", row.changed_entries)};
}

/// "2 failures lose pairs of hosts, none can deadlock".
std::string failure_summary(const FailureGroup& group) {
  const auto count = [&](auto test) {
    return std::count_if(group.rows.begin(), group.rows.end(), test);
  };
  const auto some = [](std::ptrdiff_t n) { return n == 0 ? "none" : fmt::format("{}", n); };
  const auto refused = count([](const FailureRow& row) { return row.refused.has_value(); });
  const auto losing =
      count([&](const FailureRow& row) { return row.pairs_lost > group.whole.pairs_lost; });
  const auto stuck = count([](const FailureRow& row) { return !row.refused && !row.certified; });
  return fmt::format(
      "of {}, {} cut remaining hosts off from each other, {} {}{}",
      counted(group.rows.size(), "failure", "failures"), some(losing), some(stuck),
      group.levels_unknown && stuck > 0 ? "cannot be judged without levels" : "can deadlock",
      refused == 0 ? "" : fmt::format(", {} leave no tables", refused));
}

void write_failure_group(std::ostream& out, const FailureGroup& group, std::uint64_t top) {
  out << fmt::format(
      "\n{} ({}, {}, {}), {}\n", group.topology, counted(group.switches, "switch", "switches"),
      counted(group.hosts, "host", "hosts"), counted(group.links, "link", "links"), group.engine);
  if (group.whole.refused) {
    out << wrapped("  refused:", *group.whole.refused) << '\n';
    return;
  }
  const std::size_t shown = std::min<std::size_t>(top, group.rows.size());
  Columns columns{{true, false, false, false, false, false, true, false}};
  columns.fit(failure_heading);
  columns.fit(failure_cells(group.whole, group.levels_unknown));
  for (std::size_t i = 0; i < shown; ++i)
    if (!group.rows[i].refused) columns.fit(failure_cells(group.rows[i], group.levels_unknown));
  out << columns.text(failure_heading) << '\n'
      << columns.text(failure_cells(group.whole, group.levels_unknown)) << '\n';
  for (std::size_t i = 0; i < shown; ++i) {
    const FailureRow& row = group.rows[i];
    out << (row.refused ? wrapped(fmt::format("  {:<{}} ", failure_name(row), columns.width[0]),
                                  "refused: " + *row.refused)
                        : columns.text(failure_cells(row, group.levels_unknown)))
        << '\n';
  }
  if (shown < group.rows.size()) out << fmt::format("  … and {} more\n", group.rows.size() - shown);
  out << failure_summary(group) << '\n';
  if (!group.left_out.empty()) out << "left out: " << group.left_out << '\n';
}

FailureJson failure_json(const FailureGroup& group, const FailureRow& row) {
  FailureJson out{{"topology", group.topology},
                  {"fabric", group.fabric},
                  {"engine", group.engine},
                  {"without", row.failed},
                  {"rerouted", row.rerouted == Rerouted::nothing      ? "nothing"
                               : row.rerouted == Rerouted::everything ? "everything"
                                                                      : "broken"}};
  if (row.refused) {
    out["refused"] = *row.refused;
    return out;
  }
  out["hosts_gone"] = row.hosts_gone;
  out["pairs_lost"] = row.pairs_lost;
  out["effective_bisection"] = row.bisection_share;
  out["hops_average"] = row.mean_hops;
  out["hops_maximum"] = row.most_hops;
  out["certified"] = row.certified;
  out["entries_changed"] = row.changed_entries;
  return out;
}

template <class Visit>
void for_each_failure(const FailureStudy& study, Visit visit) {
  for (const FailureGroup& group : study.groups) {
    visit(failure_json(group, group.whole), group);
    for (const FailureRow& row : group.rows) visit(failure_json(group, row), group);
  }
}

}  // namespace

void write_table(std::ostream& out, const FailureStudy& study, std::uint64_t top) {
  out << study.cluster.name << (study.plan.at_once == 1 ? ": single failures" : ": double failures")
      << ", the worst first\n";
  for (const FailureGroup& group : study.groups) write_failure_group(out, group, top);
  const auto any = [&](Rerouted rerouted) {
    return std::any_of(study.groups.begin(), study.groups.end(), [&](const FailureGroup& group) {
      return std::any_of(group.rows.begin(), group.rows.end(),
                         [&](const FailureRow& row) { return row.rerouted == rerouted; });
    });
  };
  out << '\n';
  if (any(Rerouted::broken))
    out << "Only broken routes are moved, as a subnet manager may do: to shortest detours that "
           "close no cycle.\n";
  if (any(Rerouted::everything)) out << "* the engine routes everything anew.\n";
  if (any(Rerouted::nothing))
    out << "Tables of a file with several lanes, or unknown ones, are not repaired: they stay as "
           "they "
           "are.\n";
}

nlohmann::ordered_json document_of(const FailureStudy& study) {
  FailureJson rows = FailureJson::array();
  for_each_failure(study,
                   [&](const FailureJson& row, const FailureGroup&) { rows.push_back(row); });
  FailureJson document{{"weft", "failures 1"},
                       {"revision", std::string(revision())},
                       {"cluster", study.cluster.name},
                       {"failures", study.plan.at_once},
                       {"seed", study.plan.seed},
                       {"without", study.cluster.without},
                       {"rows", rows}};
  return document;
}

ResultFile failures_csv_file() {
  return {"weft study --failures N --csv FILE",
          "a row for each failure, topology and routing engine; the first is the unbroken fabric",
          {{"topology", "topology or fabric file, as given"},
           {"fabric", "name of the fabric"},
           {"engine", "routing engine with its parameters, or file of tables"},
           {"without", "what has failed, as --without takes it; empty: nothing"},
           {"rerouted", "broken: only broken routes; everything: by the engine, anew; nothing"},
           {"hosts_gone", "hosts on switches that failed"},
           {"pairs_lost", "ordered pairs of other hosts that no route joins any more"},
           {"effective_bisection",
            "share of its link's bandwidth that a host gets in a random matching, 0 to 1, mean"},
           {"hops_average", "switches on a route, mean over all ordered pairs of hosts"},
           {"hops_maximum", "switches on the longest route"},
           {"certified", "whether the tables are free of deadlock"},
           {"entries_changed", "table entries of remaining switches that differ from before"},
           {"refused", "why the engine cannot route what remains; other columns are then empty"},
           {"matchings", "random ones, of the effective bisection"},
           {"seed", "of the sample and of the random matchings"},
           {"revision", "of weft"}}};
}

ResultFile failures_json_file() {
  return {"weft study --failures N --json FILE", "one document",
          json_keys("failures 1", {{"cluster", "name of the cluster"},
                                   {"failures", "links or switches that fail at once"},
                                   {"seed", "of the sample and of the random matchings"},
                                   {"without", "what was taken out of every fabric before"},
                                   {"rows[]", "keys as the columns of CSV"}})};
}

void write_csv(std::ostream& out, const FailureStudy& study) {
  const FailureJson keys = failure_json({}, {});
  out << csv_heading(failures_csv_file()) << '\n';
  for_each_failure(study, [&](const FailureJson& row, const FailureGroup& group) {
    for (const auto& [key, unused] : keys.items()) {
      if (row.contains(key))
        out << (row[key].is_string() ? csv_field(row[key].get<std::string>()) : row[key].dump());
      out << ',';
    }
    out << (row.contains("refused") ? csv_field(row["refused"].get<std::string>()) : "") << ','
        << group.matchings << ',' << study.plan.seed << ',' << revision() << '\n';
  });
}

}  // namespace weft
