// SPDX-License-Identifier: Apache-2.0
// Results of replays in the journal of a sweep: JSON with times in picoseconds.
#include <nlohmann/json.hpp>

#include "lab/replay/sweep.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json items_json(const RankItems& items) {
  return {items.total.count(),     items.compute.count(),    items.library.count(),
          items.lower.count(),     items.send_ready.count(), items.packet.count(),
          items.nic_ready.count(), items.ack.count()};
}
RankItems items_in(const Json& json) {
  const auto time = [&](std::size_t at) { return Duration(json.at(at).get<std::int64_t>()); };
  return {time(0), time(1), time(2), time(3), time(4), time(5), time(6), time(7)};
}

Json job_entry(const JobResult& job) {
  Json row{
      {"trace", job.trace},       {"ranks", job.ranks},         {"has_finished", job.has_finished},
      {"time", job.time.count()}, {"ideal", job.ideal.count()}, {"alone", job.alone.count()},
      {"by_rank", Json::array()}};
  for (const RankItems& items : job.by_rank) row["by_rank"].push_back(items_json(items));
  return row;
}
JobResult job_in(const Json& row) {
  JobResult out;
  row.at("trace").get_to(out.trace);
  row.at("ranks").get_to(out.ranks);
  row.at("has_finished").get_to(out.has_finished);
  out.time = Duration(row.at("time").get<std::int64_t>());
  out.ideal = Duration(row.at("ideal").get<std::int64_t>());
  out.alone = Duration(row.at("alone").get<std::int64_t>());
  for (const Json& items : row.at("by_rank")) out.by_rank.push_back(items_in(items));
  return out;
}

void take_replay(const Json& row, ReplayResult& out) {
  for (const ReplayField& field : replay_fields()) row.at(field.name).get_to(out.spec.*field.text);
  row.at("traces").get_to(out.spec.traces);
  row.at("collectives").get_to(out.spec.collectives);
  row.at("refusal").get_to(out.refusal);
  out.ended = static_cast<run::WorldEnd>(row.at("ended").get<int>());
  out.time = Duration(row.at("time").get<std::int64_t>());
  row.at("explanation").get_to(out.explanation);
  row.at("messages").get_to(out.messages);
  row.at("packets").get_to(out.packets);
  row.at("flit_hops").get_to(out.flit_hops);
  for (const Json& job : row.at("jobs")) out.jobs.push_back(job_in(job));
}

}  // namespace

std::string entry_text(const ReplayResult& result) {
  Json row = Json::object();
  for (const ReplayField& field : replay_fields()) row[field.name] = result.spec.*field.text;
  row["traces"] = result.spec.traces;
  row["collectives"] = result.spec.collectives;
  row["refusal"] = result.refusal;
  row["ended"] = static_cast<int>(result.ended);
  row["time"] = result.time.count();
  row["explanation"] = result.explanation;
  row["messages"] = result.messages;
  row["packets"] = result.packets;
  row["flit_hops"] = result.flit_hops;
  row["jobs"] = Json::array();
  for (const JobResult& job : result.jobs) row["jobs"].push_back(job_entry(job));
  return row.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void read_entry(std::string_view text, ReplayResult& out) {
  try {
    take_replay(Json::parse(text), out);
  } catch (const Json::exception& error) {
    throw Error("{}", error.what());
  }
}

}  // namespace weft
