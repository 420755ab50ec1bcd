// SPDX-License-Identifier: Apache-2.0
// Replays of traces as human-readable text, and as JSON and CSV; times there in microseconds.
#include "lab/report/replay_report.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>

#include "base/speed_text.hpp"
#include "fabric/hot_links.hpp"
#include "lab/program/experiment.hpp"
#include "lab/report/chart.hpp"
#include "lab/report/columns.hpp"
#include "lab/report/field_values.hpp"
#include "lab/report/json_rows.hpp"
#include "lab/report/replay_items.hpp"
#include "lab/report/report.hpp"
#include "lab/revision.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(Duration part, Duration of) {
  return of.count() == 0 ? "0 %" : fmt::format("{:.1f} %", percentage(part, of));
}

void put_items(Json& row, const RankItems& times) {
  for (const ReplayItem& item : replay_items)
    row[fmt::format("{}_us", item.key)] = microseconds_of(times.*item.of);
}

/// The speeds of its links, the highest first.
std::vector<std::string> speeds_of(const Fabric& fabric) {
  std::set<Bandwidth, std::greater<>> speeds;
  for (const ChannelId channel : fabric.channels()) speeds.insert(fabric.wire(channel).speed);
  for (const HostId host : fabric.hosts()) speeds.insert(fabric[host].wire.speed);
  std::vector<std::string> out;
  for (const Bandwidth speed : speeds) out.push_back(speed_text(speed));
  return out;
}

std::string replay_heading(const ReplaySpec& spec) {
  std::string traces;
  for (const std::string& trace : spec.traces)
    traces += (traces.empty() ? "" : ", ") + file_name_of(trace);
  const std::string where = spec.cluster.empty() ? "" : spec.cluster + ": ";
  const std::string library =
      spec.library == "none" ? "" : fmt::format(", library {}", spec.library);
  return fmt::format("{} on {}{}, {}, switch {}, nic {}{}, placed {}", traces, where, spec.topology,
                     spec.engine, spec.switches, spec.nic, library, spec.placement);
}

void replay_line(std::ostream& out, std::string_view name, const std::string& words) {
  out << wrapped(fmt::format("{:<14}", name), words) << '\n';
}

void write_job(std::ostream& out, const JobResult& job, bool several) {
  std::string time = time_text(job.time);
  if (job.ideal.count() > 0)
    time += fmt::format("; {} on an ideal network, {} of it", time_text(job.ideal),
                        percent(job.ideal, job.time));
  if (job.alone.count() > 0)
    time += fmt::format("; {} alone: the others cost {}", time_text(job.alone),
                        percent(job.time - job.alone, job.alone));
  replay_line(out, several ? file_name_of(job.trace) : "time", time);
  const RankItems mean = job.mean();
  std::string words;
  for (const ReplayItem& item : replay_items)
    if ((mean.*item.of).count() > 0)
      words += fmt::format("{}{} {}", words.empty() ? "" : ", ", item.words,
                           percent(mean.*item.of, mean.total));
  replay_line(out, "spent on", words);
}

/// The pairs, or ranks, or links with the longest times, and their shares of the path.
template <class Each>
std::string longest(std::vector<std::pair<Duration, Each>> all, Duration total, auto text) {
  constexpr std::size_t most = 4;
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i)
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", text(all[i].second),
                       percent(all[i].first, total));
  if (all.size() > most) out += fmt::format(", {} more", all.size() - most);
  return out;
}

void write_path(std::ostream& out, const Fabric& fabric, const ReplayResult& result) {
  const PathTotals& path = *result.path;
  const PairOnPath messages = path.messages();
  const Duration total = path.length();
  const std::string whose =
      result.jobs.size() > 1 ? fmt::format("of job {}: ", result.path_job + 1) : "";
  replay_line(out, "critical path",
              fmt::format("{}compute {}, MPI {}, below MPI {}, waiting {}; {} {}", whose,
                          percent(path.compute, total), percent(path.library, total),
                          percent(path.lower, total), percent(path.waiting, total),
                          counted(messages.messages, "message", "messages"),
                          percent(messages.time, total)));
  std::vector<std::pair<Duration, comm::Rank>> ranks;
  for (const auto& [rank, time] : path.at_rank) ranks.emplace_back(time, rank);
  if (!ranks.empty())
    replay_line(out, "  ranks",
                longest(ranks, total, [](comm::Rank rank) { return fmt::format("{}", rank); }));
  using Pair = std::pair<comm::Rank, comm::Rank>;
  std::vector<std::pair<Duration, Pair>> pairs;
  for (const auto& [pair, on_path] : path.pairs) pairs.emplace_back(on_path.time, pair);
  if (!pairs.empty())
    replay_line(out, "  messages", longest(pairs, total, [&](const Pair& pair) {
                  return fmt::format("{} -> {} ({})", pair.first, pair.second,
                                     path.pairs.at(pair).messages);
                }));
  std::vector<std::pair<Duration, ChannelId>> links;
  for (const LinkOnPath& link : result.path_links)
    links.emplace_back(link.messages.time, link.channel);
  if (!links.empty())
    replay_line(out, "  links", longest(links, total, [&](ChannelId channel) {
                  return channel_text(fabric, channel);
                }));
}

void put_pair(Json& row, const PairOnPath& pair) {
  row["messages"] = pair.messages;
  row["bytes"] = pair.bytes;
  row["time_us"] = microseconds_of(pair.time);
}

Json path_json(const Fabric& fabric, const ReplayResult& result) {
  const PathTotals& path = *result.path;
  Json out{{"job", result.path_job + 1},
           {"compute_us", microseconds_of(path.compute)},
           {"library_us", microseconds_of(path.library)},
           {"lower_us", microseconds_of(path.lower)},
           {"waiting_us", microseconds_of(path.waiting)},
           {"messages_us", microseconds_of(path.messages().time)},
           {"messages", path.messages().messages},
           {"rank_us", Json::array()},
           {"pairs", Json::array()},
           {"links", Json::array()}};
  for (comm::Rank rank = 0; rank < result.jobs[result.path_job].ranks; ++rank) {
    const auto found = path.at_rank.find(rank);
    out["rank_us"].push_back(found == path.at_rank.end() ? 0 : microseconds_of(found->second));
  }
  for (const auto& [pair, on_path] : path.pairs) {
    Json& row = out["pairs"].emplace_back(Json{{"from", pair.first}, {"to", pair.second}});
    put_pair(row, on_path);
  }
  for (const LinkOnPath& link : result.path_links) {
    Json& row = out["links"].emplace_back(Json{{"link", channel_text(fabric, link.channel)}});
    put_pair(row, link.messages);
  }
  return out;
}

void put_spec(Json& row, const ReplaySpec& spec) {
  row["traces"] = spec.traces;
  put_fields(row, spec, replay_fields());
  row["collectives"] = spec.collectives;
}

void put_replay_origin(Json& row, const ReplaySpec& spec) {
  row["command"] = command_of(spec);
  row["revision"] = std::string(revision());
}

Json job_json(const JobResult& job) {
  Json row{{"trace", job.trace}, {"processes", job.ranks}};
  row["time_us"] = job.has_finished ? Json(microseconds_of(job.time)) : Json();
  row["ideal_us"] = job.ideal.count() > 0 ? Json(microseconds_of(job.ideal)) : Json();
  row["alone_us"] = job.alone.count() > 0 ? Json(microseconds_of(job.alone)) : Json();
  put_items(row, job.mean());
  return row;
}

/// What JSON has of a replay beside its jobs.
void put_result(Json& row, const ReplayResult& result) {
  row["command"] = command_of(result.spec);
  row["spec"] = Json::object();
  put_spec(row["spec"], result.spec);
  row["outcome"] = outcome_of(result);
  row["virtual_time_us"] = microseconds_of(result.time);
  row["messages"] = result.messages;
  row["packets"] = result.packets;
  row["flit_hops"] = result.flit_hops;
}

std::vector<ResultColumn> item_columns(const std::string& before, const std::string& whose) {
  std::vector<ResultColumn> out;
  for (const ReplayItem& item : replay_items)
    out.push_back(
        {fmt::format("{}{}_us", before, item.key), fmt::format("us {}: {}", whose, item.meaning)});
  return out;
}

void append(std::vector<ResultColumn>& columns, const std::vector<ResultColumn>& more) {
  columns.insert(columns.end(), more.begin(), more.end());
}

}  // namespace

std::string direction_text(const Fabric& fabric, const LinkDirection& link) {
  if (link.channel.valid()) return channel_text(fabric, link.channel);
  const std::string& host = fabric[link.host].name;
  const std::string& on = fabric[fabric[link.host].on].name;
  return link.to_host ? fmt::format("{} -> {}", on, host) : fmt::format("{} -> {}", host, on);
}

std::string outcome_of(const ReplayResult& result) {
  return result.refused() ? "refused: " + result.refusal : std::string(to_text(result.ended));
}

void write_replay(std::ostream& out, const Fabric& fabric, const ReplayResult& result) {
  out << replay_heading(result.spec) << '\n';
  replay_line(out, "fabric",
              fmt::format("{}, {}, links of {}", counted(fabric.host_count(), "host", "hosts"),
                          counted(fabric.switch_count(), "switch", "switches"),
                          fmt::join(speeds_of(fabric), ", ")));
  replay_line(out, to_text(result.ended), "at " + time_text(result.time) + " of virtual time");
  for (const JobResult& job : result.jobs)
    if (job.has_finished) write_job(out, job, result.jobs.size() > 1);
  if (result.path) write_path(out, fabric, result);
  replay_line(out, "transfers",
              fmt::format("{}, {} packets, {} flit hops", result.messages, result.packets,
                          result.flit_hops));
  out << result.explanation;
}

nlohmann::ordered_json document_of(const Fabric& fabric, const ReplayResult& result) {
  Json document{{"weft", "replay 1"}, {"revision", std::string(revision())}};
  put_result(document, result);
  document["fabric"] = {{"switches", fabric.switch_count()},
                        {"hosts", fabric.host_count()},
                        {"links", fabric.channel_count() / 2},
                        {"speeds", speeds_of(fabric)}};
  document["jobs"] = Json::array();
  std::size_t place = 0;
  for (const JobResult& job : result.jobs) {
    Json& row = document["jobs"].emplace_back(job_json(job));
    row["by_rank"] = Json::array();
    for (std::size_t rank = 0; rank < job.by_rank.size(); ++rank) {
      const RankItems& times = job.by_rank[rank];
      Json& line = row["by_rank"].emplace_back(Json{{"rank", rank},
                                                    {"host", fabric[result.places[place++]].name},
                                                    {"time_us", microseconds_of(times.total)}});
      put_items(line, times);
    }
  }
  document["critical_path"] = result.path ? path_json(fabric, result) : Json();
  document["explanation"] = result.explanation;
  return document;
}

void write_csv(std::ostream& out, const std::vector<ReplayResult>& results) {
  std::vector<Json> rows;
  const auto finish_row = [&](Json& row, const ReplayResult& result) {
    put_fields(row, result.spec, replay_fields());
    row["collectives"] = fmt::format("{}", fmt::join(result.spec.collectives, " "));
    row["outcome"] = outcome_of(result);
    put_replay_origin(row, result.spec);
  };
  for (const ReplayResult& result : results) {
    for (const JobResult& job : result.jobs) finish_row(rows.emplace_back(job_json(job)), result);
    if (result.refused())
      for (const std::string& trace : result.spec.traces)
        finish_row(rows.emplace_back(Json{{"trace", trace}}), result);
  }
  write_rows(out, rows);
}

nlohmann::ordered_json document_of(const std::vector<ReplayResult>& results) {
  Json rows = Json::array();
  for (const ReplayResult& result : results) {
    Json& row = rows.emplace_back(Json::object());
    put_result(row, result);
    row["jobs"] = Json::array();
    for (const JobResult& job : result.jobs) row["jobs"].push_back(job_json(job));
    row["explanation"] = result.explanation;
  }
  Json document{{"weft", "replays 1"}, {"revision", std::string(revision())}, {"rows", rows}};
  return document;
}

void write_ranks_csv(std::ostream& out, const Fabric& fabric, const ReplayResult& result) {
  std::vector<Json> rows;
  for (std::size_t job = 0; job < result.jobs.size(); ++job)
    for (std::size_t rank = 0; rank < result.jobs[job].by_rank.size(); ++rank) {
      const RankItems& times = result.jobs[job].by_rank[rank];
      Json& row = rows.emplace_back(Json{{"trace", result.jobs[job].trace},
                                         {"rank", rank},
                                         {"host", fabric[result.places[rows.size()]].name},
                                         {"time_us", microseconds_of(times.total)}});
      put_items(row, times);
      put_replay_origin(row, result.spec);
    }
  write_rows(out, rows);
}

void write_link_times_csv(std::ostream& out, const Fabric& fabric, const ReplayResult& result) {
  out << csv_heading(link_times_csv_file()) << '\n';
  const LinkTimes& times = result.links;
  for (std::size_t link = 0; link < times.links.size(); ++link) {
    const std::string name = csv_field(direction_text(fabric, times.links[link]));
    for (std::size_t sample = 0; sample < times.loads[link].size(); ++sample)
      out << fmt::format("{},{},{:.4f}\n",
                         microseconds_of(times.sample) * static_cast<double>(sample), name,
                         times.loads[link][sample]);
  }
}

std::vector<std::string> rank_names(const ReplayResult& result) {
  std::vector<std::string> names;
  for (std::size_t job = 0; job < result.jobs.size(); ++job)
    for (int rank = 0; rank < result.jobs[job].ranks; ++rank)
      names.push_back(result.jobs.size() > 1 ? fmt::format("job {} rank {}", job + 1, rank)
                                             : fmt::format("rank {}", rank));
  return names;
}

/// Peers are numbered as in their trace.
void write_time_line(std::ostream& out, const ReplayResult& result) {
  const std::vector<std::string> names = rank_names(result);
  std::vector<comm::Rank> first_ranks;  // of the job of each rank
  for (const JobResult& job : result.jobs)
    first_ranks.insert(first_ranks.end(), static_cast<std::size_t>(job.ranks),
                       static_cast<comm::Rank>(first_ranks.size()));
  std::vector<run::OperationRecord> records = result.records;
  for (run::OperationRecord& record : records)
    if (record.peer != comm::any_source)
      record.peer -= first_ranks[static_cast<std::size_t>(record.rank)];
  out << run::to_trace(std::move(records),
                       [&](comm::Rank rank) { return names[static_cast<std::size_t>(rank)]; });
}

// --- what is in the files -----------------------------------------------------------------------

ResultFile replay_csv_file() {
  ResultFile file{"weft replay --csv FILE",
                  "a row for each job; in a sweep for each job of each point",
                  {{"trace", "file of the job"},
                   {"processes", "ranks of the job"},
                   {"time_us",
                    "us: of the section that the program times, by its slowest rank; "
                    "without one of the whole run; nothing for a job that has not finished"},
                   {"ideal_us", "us: the same on a network that takes no time"},
                   {"alone_us", "us: the same without the other jobs"}}};
  append(file.columns, item_columns("", "on average over ranks"));
  for (const ReplayField& field : replay_fields()) {
    std::string help = field.help;
    std::replace(help.begin(), help.end(), '\n', ' ');
    file.columns.push_back({field.name, help});
  }
  append(file.columns,
         {{"collectives", "chosen algorithms"},
          {"outcome",
           "finished, or how it ended: deadlocked, stuck, out of time (--until); in a sweep also "
           "refused: why the replay cannot be run there"},
          {"command", "that repeats the replay"},
          {"revision", "of weft"}});
  return file;
}

ResultFile replay_json_file() {
  ResultFile file{
      "weft replay --json FILE", "one document",
      json_keys("replay 1",
                {{"command", "that repeats the replay"},
                 {"spec", "traces, collectives, and the options of the replay by name"},
                 {"fabric.switches", "how many"},
                 {"fabric.hosts", "how many"},
                 {"fabric.links", "between switches"},
                 {"fabric.speeds[]", "of links, the highest first"},
                 {"outcome", "finished, or how it ended: deadlocked, stuck, out of time (--until)"},
                 {"virtual_time_us", "us of virtual time of the whole run"},
                 {"messages", "transfers between or within hosts"},
                 {"packets", "in all, acknowledgments included"},
                 {"flit_hops", "flits through switches"},
                 {"jobs[]", "keys as the columns of CSV up to the items"},
                 {"jobs[].by_rank[].rank", "in the job, from 0"},
                 {"jobs[].by_rank[].host", "on which the rank runs"},
                 {"jobs[].by_rank[].time_us", "us: of its timed section, as far as it came"}})};
  append(file.columns, item_columns("jobs[].by_rank[].", "of the rank"));
  append(file.columns,
         {{"critical_path", "null without it, or if no job has finished"},
          {"critical_path.job", "whose it is, counted from 1"},
          {"critical_path.compute_us", "us of the path: ranks' own work"},
          {"critical_path.library_us", "us of the path: work of the message-passing library"},
          {"critical_path.lower_us", "us of the path: work below it"},
          {"critical_path.waiting_us", "us of the path: ranks that wait for their own sends"},
          {"critical_path.messages_us", "us of the path: messages, in NICs and links"},
          {"critical_path.messages", "of the path"},
          {"critical_path.rank_us[]", "us of the path at each rank of the job"},
          {"critical_path.pairs[].from", "rank that sends messages of the path"},
          {"critical_path.pairs[].to", "rank that receives them"},
          {"critical_path.pairs[].messages", "how many"},
          {"critical_path.pairs[].bytes", "their data"},
          {"critical_path.pairs[].time_us",
           "us in NICs and links, added up, with requests and acknowledgments"},
          {"critical_path.links[].link", "direction of a link between switches that they pass"},
          {"critical_path.links[].messages", "how many"},
          {"critical_path.links[].bytes", "their data"},
          {"critical_path.links[].time_us", "us in NICs and links, added up"},
          {"explanation", "of a run that did not finish: the calls that have not ended"}});
  return file;
}

ResultFile replay_sweep_json_file() {
  return {"weft replay --json FILE, in a sweep", "one document",
          json_keys("replays 1", {{"rows[]",
                                   "a point: keys as in the document of one replay, but "
                                   "for by_rank and critical_path"}})};
}

ResultFile replay_ranks_csv_file() {
  ResultFile file{"weft replay --by-rank FILE",
                  "a row for each rank",
                  {{"trace", "file of its job"},
                   {"rank", "in the job, from 0"},
                   {"host", "on which it runs"},
                   {"time_us", "us: of its timed section, as far as it came"}}};
  append(file.columns, item_columns("", "of the rank"));
  append(file.columns, {{"command", "that repeats the replay"}, {"revision", "of weft"}});
  return file;
}

ResultFile link_times_csv_file() {
  return {"weft replay --links FILE",
          "a row for each direction of a link that carried anything, and each sample",
          {{"time_us", "us of virtual time at which the sample begins"},
           {"link", "its sender and its receiver"},
           {"load", "share of the link's bandwidth, 0 to 1"}}};
}

}  // namespace weft
