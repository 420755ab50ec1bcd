// SPDX-License-Identifier: Apache-2.0
// Results of programs in the journal of a sweep: JSON with times in picoseconds.
#include <nlohmann/json.hpp>

#include "lab/program/sweep.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Times& times) {
  return {times.mean.count(), times.least.count(), times.most.count()};
}
Times times_in(const Json& json) {
  const auto time = [&](std::size_t at) { return Duration(json.at(at).get<std::int64_t>()); };
  return {time(0), time(1), time(2)};
}

Json json_of(const comm::PendingOperation& pending) {
  return {pending.rank, static_cast<int>(pending.kind), pending.peer, pending.tag,
          pending.since.count()};
}
comm::PendingOperation pending_in(const Json& json) {
  comm::PendingOperation out;
  json.at(0).get_to(out.rank);
  out.kind = static_cast<comm::OpKind>(json.at(1).get<int>());
  json.at(2).get_to(out.peer);
  json.at(3).get_to(out.tag);
  out.since = Duration(json.at(4).get<std::int64_t>());
  return out;
}

template <class List, class Put>
Json list_of(const List& list, Put put) {
  Json out = Json::array();
  for (const auto& each : list) out.push_back(put(each));
  return out;
}

void take_lists(const Json& row, ProgramResult& out) {
  for (const Json& each : row.at("by_rank")) out.by_rank.push_back(times_in(each));
  for (const Json& each : row.at("figures"))
    out.figures.push_back(
        {each.at(0).get<std::string>(), each.at(1).get<double>(), each.at(2).get<std::string>()});
  for (const Json& each : row.at("parts"))
    out.parts.push_back(
        {each.at(0).get<std::string>(), each.at(1).get<double>(), each.at(2).get<double>()});
  for (const Json& each : row.at("counters"))
    out.counters.emplace_back(each.at(0).get<std::string>(), each.at(1).get<std::uint64_t>());
  for (const Json& each : row.at("pending")) out.pending.push_back(pending_in(each));
}

void take(const Json& row, ProgramResult& out) {
  for (const ProgramField& field : program_fields())
    row.at(field.name).get_to(out.spec.*field.text);
  out.ended = static_cast<run::WorldEnd>(row.at("ended").get<int>());
  row.at("refusal").get_to(out.refusal);
  row.at("explanation").get_to(out.explanation);
  row.at("ranks_in_all").get_to(out.ranks);
  out.time = Duration(row.at("time").get<std::int64_t>());
  row.at("iterations").get_to(out.iterations);
  out.iteration = times_in(row.at("iteration"));
  out.rank_means = times_in(row.at("rank_means"));
  out.slowest = times_in(row.at("slowest"));
  row.at("messages").get_to(out.messages);
  row.at("packets").get_to(out.packets);
  row.at("flit_hops").get_to(out.flit_hops);
  take_lists(row, out);
}

}  // namespace

std::string entry_text(const ProgramResult& result) {
  Json row = Json::object();
  for (const ProgramField& field : program_fields()) row[field.name] = result.spec.*field.text;
  row["ended"] = static_cast<int>(result.ended);
  row["refusal"] = result.refusal;
  row["explanation"] = result.explanation;
  row["ranks_in_all"] = result.ranks;
  row["time"] = result.time.count();
  row["iterations"] = result.iterations;
  row["iteration"] = json_of(result.iteration);
  row["rank_means"] = json_of(result.rank_means);
  row["slowest"] = json_of(result.slowest);
  row["messages"] = result.messages;
  row["packets"] = result.packets;
  row["flit_hops"] = result.flit_hops;
  row["by_rank"] = list_of(result.by_rank, [](const Times& each) { return json_of(each); });
  row["figures"] = list_of(result.figures, [](const Figure& each) {
    return Json{each.name, each.value, each.unit};
  });
  row["parts"] = list_of(result.parts, [](const PartUse& each) {
    return Json{each.part, each.mean, each.most};
  });
  row["counters"] = list_of(result.counters, [](const auto& each) {
    return Json{each.first, each.second};
  });
  row["pending"] =
      list_of(result.pending, [](const comm::PendingOperation& each) { return json_of(each); });
  return row.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void read_entry(std::string_view text, ProgramResult& out) {
  try {
    take(Json::parse(text), out);
  } catch (const Json::exception& error) {
    throw Error("{}", error.what());
  }
}

}  // namespace weft
