// SPDX-License-Identifier: Apache-2.0
// Runs of host programs as human-readable text, and as JSON and CSV; times there in microseconds.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/program/compare.hpp"
#include "lab/report/chart.hpp"
#include "lab/report/field_values.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/report.hpp"
#include "lab/report/result_file.hpp"
#include "lab/revision.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::string us(Duration time) { return fmt::format("{:.3f}", microseconds_of(time)); }

void program_line(std::ostream& out, std::string_view name, const std::string& words) {
  out << wrapped(fmt::format("{:<11}", name), words) << '\n';
}

std::string title(const ProgramSpec& run) {
  const std::string where = run.cluster.empty() ? "" : run.cluster + ": ";
  const std::string ranks = run.ranks == "1" ? "" : fmt::format(", {} ranks on each", run.ranks);
  const bool count = run.hosts.find_first_not_of("0123456789") == std::string::npos;
  const std::string library = run.library == "none" ? "" : fmt::format("library {}, ", run.library);
  return fmt::format(
      "{} on {}{}, {}, switch {}, nic {}, {}{}{}", run.program, where, run.topology, run.engine,
      run.switches, run.nic, library,
      count ? counted(std::stoull(run.hosts), "host", "hosts") : "hosts " + run.hosts, ranks);
}

void write_times(std::ostream& out, const ProgramResult& result) {
  program_line(out, "iteration",
               fmt::format("{} us on average, {} to {} us; the slowest rank's {} us",
                           us(result.iteration.mean), us(result.iteration.least),
                           us(result.iteration.most), us(result.slowest.mean)));
  program_line(
      out, "ranks",
      fmt::format("means of {} to {} us", us(result.rank_means.least), us(result.rank_means.most)));
  for (const Figure& figure : result.figures)
    program_line(out, figure.name, fmt::format("{:.3f} {}", figure.value, figure.unit));
}

std::string busy(const ProgramResult& result) {
  std::string out;
  for (const PartUse& part : result.parts)
    if (part.most > 0)
      out += fmt::format("{}{} {:.1f} % ({:.1f} % at most)", out.empty() ? "" : ", ", part.part,
                         100 * part.mean, 100 * part.most);
  return out.empty() ? "nothing" : out;
}

/// "processor 14.5 %, nic 2.0 %".
std::string means(const ProgramResult& result) {
  std::string out;
  for (const PartUse& part : result.parts)
    if (part.most > 0)
      out += fmt::format("{}{} {:.1f} %", out.empty() ? "" : ", ", part.part, 100 * part.mean);
  return out.empty() ? "nothing" : out;
}

std::string counted_by_nics(const ProgramResult& result) {
  std::string out;
  for (const auto& [name, count] : result.counters)
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, name);
  return out;
}

void put_times(Json& row, const std::string& name, const Times& times) {
  row[name + "_mean_us"] = microseconds_of(times.mean);
  row[name + "_least_us"] = microseconds_of(times.least);
  row[name + "_most_us"] = microseconds_of(times.most);
}

/// The columns that put_times() writes.
void describe_times(ResultFile& file, const std::string& name, const std::string& whose) {
  file.columns.push_back({name + "_mean_us", "us: mean " + whose});
  file.columns.push_back({name + "_least_us", "us: minimum " + whose});
  file.columns.push_back({name + "_most_us", "us: maximum " + whose});
}

Json spec_of(const ProgramSpec& run) {
  Json row = Json::object();
  put_fields(row, run, program_fields());
  return row;
}

void put_origin(Json& row, const ProgramSpec& run) {
  row["command"] = command_of(run);
  row["revision"] = std::string(revision());
}

Json row_of(const ProgramResult& result) {
  Json row = spec_of(result.spec);
  row["outcome"] = outcome_of(result);
  if (result.refused()) {
    put_origin(row, result.spec);
    return row;
  }
  row["iterations"] = result.iterations;
  put_times(row, "iteration", result.iteration);
  put_times(row, "rank_means", result.rank_means);
  put_times(row, "slowest", result.slowest);
  for (const Figure& figure : result.figures)
    row[fmt::format("{}_{}", figure.name, figure.unit)] = figure.value;
  for (const PartUse& part : result.parts) {
    row[part.part + "_use_mean"] = part.mean;
    row[part.part + "_use_most"] = part.most;
  }
  for (const auto& [name, count] : result.counters) {
    std::string key = name;
    std::replace(key.begin(), key.end(), ' ', '_');
    row[key] = count;
  }
  row["messages"] = result.messages;
  row["packets"] = result.packets;
  row["flit_hops"] = result.flit_hops;
  row["virtual_time_us"] = microseconds_of(result.time);
  put_origin(row, result.spec);
  return row;
}

Json pending_of(const comm::PendingOperation& pending) {
  Json out{{"rank", pending.rank},
           {"kind", std::string(comm::to_text(pending.kind))},
           {"peer", nullptr},
           {"tag", nullptr},
           {"since_us", microseconds_of(pending.since)}};
  if (pending.peer != comm::any_source) out["peer"] = pending.peer;
  if (pending.tag != comm::any_tag) out["tag"] = pending.tag;
  return out;
}

Json row_with_details(const ProgramResult& result) {
  Json row = row_of(result);
  row["by_rank"] = Json::array();
  for (const Times& times : result.by_rank)
    put_times(row["by_rank"].emplace_back(Json::object()), "iteration", times);
  row["pending"] = Json::array();
  for (const comm::PendingOperation& pending : result.pending)
    row["pending"].push_back(pending_of(pending));
  row["explanation"] = result.explanation;
  return row;
}

/// The two fastest algorithms of every size and placement.
Json fastest(const AlgorithmComparison& all) {
  Json rows = Json::array();
  for (std::size_t size = 0; size < all.sizes.size(); ++size)
    for (std::size_t at = 0; at < all.placements.size(); ++at) {
      const std::vector<AlgorithmTime> ranking = all.ranking(size, at);
      if (ranking.empty()) continue;
      Json& row = rows.emplace_back(Json{{"bytes", all.sizes[size].count},
                                         {"ranks", all.placements[at].in_all},
                                         {"algorithm", all.algorithms[ranking[0].algorithm].name},
                                         {"time_us", microseconds_of(ranking[0].time)}});
      if (ranking.size() < 2) continue;
      row["next"] = all.algorithms[ranking[1].algorithm].name;
      row["next_us"] = microseconds_of(ranking[1].time);
    }
  return rows;
}

}  // namespace

void write_program(std::ostream& out, const ProgramResult& result) {
  out << title(result.spec) << "\n";
  program_line(out, std::string(to_text(result.ended)),
               "at " + us(result.time) + " us of virtual time");
  if (result.iteration.mean.count() > 0) write_times(out, result);
  program_line(out, "busy", busy(result));
  if (const std::string counts = counted_by_nics(result); !counts.empty())
    program_line(out, "NICs", counts);
  program_line(out, "messages",
               fmt::format("{}, {} packets, {} flit hops", result.messages, result.packets,
                           result.flit_hops));
  out << result.explanation;
}

ResultFile program_csv_file() {
  ResultFile file{"weft run --csv FILE", "one row; in a sweep a row for each point", {}};
  for (const ProgramField& field : program_fields()) {
    std::string help = field.help;
    std::replace(help.begin(), help.end(), '\n', ' ');
    file.columns.push_back({field.name, help});
  }
  file.columns.push_back(
      {"outcome",
       "finished, or how it ended: deadlocked, stuck, out of time (--until); in a sweep also "
       "refused: why the program cannot be run there"});
  file.columns.push_back({"iterations", "of a rank, measured"});
  describe_times(file, "iteration", "of an iteration, over all iterations and ranks");
  describe_times(file, "rank_means", "of the ranks' means");
  describe_times(file, "slowest", "of the rank that took longest, over iterations");
  const std::vector<ResultColumn> more{
      {"FIGURE_UNIT",
       "what else the program measures: one_way_us and bandwidth_MB/s (pingpong), bandwidth_MB/s "
       "(put), one_way_us (notify), latency_us and bandwidth_MB/s (elan_ping), aggregate, "
       "per_source, slowest and fastest in MB/s (hot_spot)"},
      {"PART_use_mean",
       "share of the time, 0 to 1, that a part of the hosts was busy, mean over hosts: processor, "
       "bus, nic, dma_out, dma_in, memory; of Elans pci, bus, microcode, thread, memory"},
      {"PART_use_most", "the same of the busiest host"},
      {"COUNTER",
       "what Elans count: packets_sent_again, routes_changed, doubles_dropped, packets_abandoned, "
       "traps, TLB_misses, pages_mapped"},
      {"messages", "between or within hosts, in all"},
      {"packets", "in all, acknowledgments included"},
      {"flit_hops", "flits through switches"},
      {"virtual_time_us", "us of virtual time of the whole run"},
      {"command", "that repeats the run"},
      {"revision", "of weft"}};
  file.columns.insert(file.columns.end(), more.begin(), more.end());
  return file;
}

ResultFile program_json_file() {
  ResultFile file{"weft run --json FILE", "one document",
                  json_keys("programs 1", {{"rows[]", "one row: keys as the columns of CSV"}})};
  ResultFile times;
  describe_times(times, "iteration", "of an iteration of this rank");
  for (const ResultColumn& column : times.columns)
    file.columns.push_back({"rows[].by_rank[]." + column.name, column.meaning});
  const std::vector<ResultColumn> more{
      {"rows[].pending[].rank", "of an operation that had not completed at the end: its rank"},
      {"rows[].pending[].kind", "send, receive, put, …"},
      {"rows[].pending[].peer", "the other rank; null: any"},
      {"rows[].pending[].tag", "of the message; null: any"},
      {"rows[].pending[].since_us", "us of virtual time at which it was posted"},
      {"rows[].explanation", "of a run that did not finish, for reading"},
      {"fastest[].bytes", "where a sweep compares algorithms: a size; 0: the program has none"},
      {"fastest[].ranks", "on all hosts"},
      {"fastest[].algorithm", "the fastest there, by its slowest rank"},
      {"fastest[].time_us", "us: its slowest rank's mean"},
      {"fastest[].next", "the algorithm that comes next, if there is one"},
      {"fastest[].next_us", "us: its slowest rank's mean"}};
  file.columns.insert(file.columns.end(), more.begin(), more.end());
  return file;
}

ResultFile ranks_csv_file() {
  ResultFile file{"weft run --by-rank FILE", "a row for each rank", {{"rank", "from 0"}}};
  describe_times(file, "iteration", "of an iteration of this rank");
  file.columns.push_back({"command", "that repeats the run"});
  file.columns.push_back({"revision", "of weft"});
  return file;
}

ResultFile timeline_file() {
  return {
      "weft run --trace FILE",
      "Chrome's trace format (JSON), for chrome://tracing and ui.perfetto.dev: an event for each "
      "operation of a rank",
      {{"displayTimeUnit", "ns"},
       {"traceEvents[].name", "kind of the operation; process_name: names a rank"},
       {"traceEvents[].ph",
        "X: an operation; M: the name of a rank; s and f: a message leaves a send, and reaches a "
        "receive"},
       {"traceEvents[].cat", "message, of its two ends"},
       {"traceEvents[].id", "of the message, hexadecimal, the same at both ends"},
       {"traceEvents[].bp", "e: the message reaches the operation that takes it"},
       {"traceEvents[].pid", "rank"},
       {"traceEvents[].tid", "row: operations under way at once have different ones"},
       {"traceEvents[].ts", "us of virtual time at which it was posted"},
       {"traceEvents[].dur", "us until it completed"},
       {"traceEvents[].args.peer", "the other rank; -1: any"},
       {"traceEvents[].args.tag", "of the message; -1: any"},
       {"traceEvents[].args.bytes", "bytes of data"},
       {"traceEvents[].args.status", "ok, or how it ended"},
       {"traceEvents[].args.name", "of a rank"}}};
}

std::string outcome_of(const ProgramResult& result) {
  return result.refused() ? "refused: " + result.refusal : std::string(to_text(result.ended));
}

nlohmann::ordered_json document_of(const std::vector<ProgramResult>& results) {
  Json rows = Json::array();
  for (const ProgramResult& result : results) rows.push_back(row_with_details(result));
  Json document{{"weft", "programs 1"}, {"revision", std::string(revision())}, {"rows", rows}};
  if (const auto compared = compare_algorithms(results)) document["fastest"] = fastest(*compared);
  return document;
}

void write_csv(std::ostream& out, const std::vector<ProgramResult>& results) {
  std::vector<Json> rows;
  for (const ProgramResult& result : results) rows.push_back(row_of(result));
  write_rows(out, rows);
}

void write_ranks_csv(std::ostream& out, const ProgramResult& result) {
  std::vector<Json> rows;
  for (std::size_t rank = 0; rank < result.by_rank.size(); ++rank) {
    Json& row = rows.emplace_back(Json::object());
    row["rank"] = rank;
    put_times(row, "iteration", result.by_rank[rank]);
    put_origin(row, result.spec);
  }
  write_rows(out, rows);
}

ChartSheet chart_of(const ProgramResult& result) {
  Chart ranks{.x_name = "rank", .y_name = "iteration, us"};
  ranks.series = {{.name = "longest", .colour = 3, .dashed = true},
                  {.name = "shortest", .colour = 2, .dashed = true},
                  {.name = "mean", .colour = 0, .marked = result.by_rank.size() <= 64}};
  for (std::size_t rank = 0; rank < result.by_rank.size(); ++rank) {
    const Times& times = result.by_rank[rank];
    const auto x = static_cast<double>(rank);
    ranks.series[0].points.push_back({x, microseconds_of(times.most)});
    ranks.series[1].points.push_back({x, microseconds_of(times.least)});
    ranks.series[2].points.push_back({x, microseconds_of(times.mean)});
  }
  const std::string iteration =
      result.iteration.mean.count() == 0
          ? ""
          : fmt::format("; an iteration takes {} us on average, {} us on the slowest rank",
                        us(result.iteration.mean), us(result.slowest.mean));
  return {title(result.spec),
          fmt::format("{}{}; busy: {}", to_text(result.ended), iteration, means(result)),
          {ranks}};
}

}  // namespace weft
