// SPDX-License-Identifier: Apache-2.0
// Results as human-readable text, and as JSON and CSV for programs.
#pragma once
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/words.hpp"
#include "fabric/difference.hpp"
#include "lab/draw/fabric_picture.hpp"
#include "lab/flows/experiment.hpp"
#include "lab/program/experiment.hpp"
#include "lab/report/chart.hpp"
#include "lab/simulate/sweep.hpp"
#include "lab/study/failures.hpp"
#include "lab/study/study.hpp"
#include "plan/check/check.hpp"
#include "plan/difference/tables_difference.hpp"
#include "trace/summary.hpp"

namespace weft {

/// The words after `first` on lines of 120 columns, all of them starting where `first` ends.
std::string wrapped(const std::string& first, const std::string& words);
/// The text, in quotes where CSV needs them.
std::string csv_field(const std::string& text);

void write_table(std::ostream& out, const Study& study);
nlohmann::ordered_json document_of(const Study& study);
void write_csv(std::ostream& out, const Study& study);
/// Effective bisection and load of the engines side by side.
BarChart chart_of(const Study& study);

/// The worst failures of every engine, at most `top` of each.
void write_table(std::ostream& out, const FailureStudy& study, std::uint64_t top);
nlohmann::ordered_json document_of(const FailureStudy& study);
void write_csv(std::ostream& out, const FailureStudy& study);

/// A simulation in a few lines; with several seeds, what all of them gave.
void write_simulation(std::ostream& out, const SweepRow& row);
/// A line per point, with the values that differ in front; for saturation a line per combination.
void write_table(std::ostream& out, const std::vector<SweepRow>& rows);
nlohmann::ordered_json document_of(const std::vector<SweepRow>& rows);
void write_csv(std::ostream& out, const std::vector<SweepRow>& rows);
/// Load curves: latency and accepted load over offered load, a line for each combination of
/// the other values; bars where the load is the same everywhere.
AnyChart chart_of(const std::vector<SweepRow>& rows);
/// Whether the load differs.
bool has_curves(const std::vector<SweepRow>& rows);
/// How latencies, throughputs of hosts and uses of links are spread, over the load.
ChartSheet distributions_chart(const std::vector<SweepRow>& rows);
/// A histogram of latencies and the use of links; the result has both.
ChartSheet chart_of(const SweepRow& row);
/// Use of every link and lane.
void write_links_csv(std::ostream& out, const SimulationResult& result);
/// Write a heading, and then, while a simulation runs, a line of CSV for each (sim::PacketTrace).
std::function<void(const sim::Network&, const sim::TracedPacket&)> packet_writer(std::ostream& out);
std::function<void(const sim::Network&, const sim::TracedFlit&)> flit_writer(std::ostream& out);

/// A run of a host program in a few lines, and as data.
void write_program(std::ostream& out, const ProgramResult& result);
nlohmann::ordered_json document_of(const std::vector<ProgramResult>& results);
void write_csv(std::ostream& out, const std::vector<ProgramResult>& results);
/// "finished", or why it did not end so.
std::string outcome_of(const ProgramResult& result);
/// A sweep: a line per run, with the values that differ in front; then, where algorithms are
/// compared, the fastest by size and ranks.
void write_table(std::ostream& out, const std::vector<ProgramResult>& results);
/// Times over sizes, a line for each algorithm and a chart for each number of ranks; bars
/// where no algorithms are compared.
AnyChart chart_of(const std::vector<ProgramResult>& results);
/// Times of iterations by rank.
ChartSheet chart_of(const ProgramResult& result);
/// A row for each rank.
void write_ranks_csv(std::ostream& out, const ProgramResult& result);

/// What every flow of a scenario was promised and got, in all and between changes.
void write_flows(std::ostream& out, const ScenarioResult& result);
/// The same over time: a row for each bin and flow.
nlohmann::ordered_json document_of(const ScenarioResult& result);
void write_csv(std::ostream& out, const ScenarioResult& result);
Chart chart_of(const ScenarioResult& result);

/// What a trace of a program amounts to, and as data; `source` is its file.
void write_trace_summary(std::ostream& out, const std::string& source,
                         const trace::TraceSummary& summary);
nlohmann::ordered_json document_of(const std::string& source, const trace::TraceSummary& summary);

/// The figures that follow from a cluster file: times of a hop and between hosts, buffers, rates.
void write_cluster(std::ostream& out, const std::string& path_or_name);
/// Size, links, wires, distance and bisection of a fabric.
void write_fabric(std::ostream& out, const Fabric& fabric);
/// Form, lanes and groups of tables.
void write_tables_summary(std::ostream& out, const Fabric& fabric, const Tables& tables);
/// What is on every port of a switch; with tables also how many hosts are reached through it.
void write_switch(std::ostream& out, const Fabric& fabric, SwitchId s, const Tables* tables);

/// The routes over each channel when every host sends to every other, as in the check "load".
LoadMap routes_over(const Fabric& fabric, const Tables& tables);
/// The flits per cycle on each channel; the result has its links (SimulationOptions::links).
LoadMap use_of_links(const Fabric& fabric, const SimulationResult& result);
/// The busiest links between switches, a line each.
void write_hot_links(std::ostream& out, const Fabric& fabric, const LoadMap& loads);

/// The differences of two fabrics by kind, expected against found, and as data.
void write_differences(std::ostream& out, const std::vector<FabricDifference>& differences);
nlohmann::ordered_json document_of(const std::vector<FabricDifference>& differences,
                                   const std::string& subject);
/// What changes between two tables, and whether the change itself can deadlock.
void write_differences(std::ostream& out, const Fabric& fabric, const TablesDifference& difference);
nlohmann::ordered_json document_of(const Fabric& fabric, const TablesDifference& difference,
                                   const std::string& subject);
/// The entries to change, round by round.
void write_update_order_csv(std::ostream& out, const Fabric& fabric, const UpdateOrder& order);

/// A line per finding, details below it.
void write_findings(std::ostream& out, const std::vector<Finding>& findings);
/// `subject` says what was checked, for later readers of the file.
nlohmann::ordered_json document_of(const std::vector<Finding>& findings, const std::string& subject,
                                   const std::vector<std::string>& notes);

}  // namespace weft
