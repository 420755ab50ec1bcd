// SPDX-License-Identifier: Apache-2.0
// The operations of ranks over time as a section of a page.
#include "lab/page/timeline_section.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_steps = 200'000;

/// Names by number, in the order in which they come.
class NumberedNames {
 public:
  std::size_t operator[](std::string name) {
    const auto [found, is_new] = numbers_.try_emplace(std::move(name), names_.size());
    if (is_new) names_.push_back(found->first);
    return found->second;
  }
  const Json& names() const { return names_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  Json names_ = Json::array();
};

/// Operations that are open at the end of a run are of another kind.
std::string kind_text(const run::OperationRecord& record) {
  const bool is_open = record.status == comm::Status::pending;
  return fmt::format("{}{}", to_text(record.kind), is_open ? ", not ended" : "");
}

Json operations_of(const std::vector<run::OperationRecord>& records, NumberedNames& kinds) {
  Json out = page_columns({"rank", "kind", "begin", "end", "peer", "bytes"});
  for (const run::OperationRecord& record : records) {
    out["rank"].push_back(record.rank);
    out["kind"].push_back(kinds[kind_text(record)]);
    out["begin"].push_back(microseconds_of(record.posted));
    out["end"].push_back(microseconds_of(record.completed));
    out["peer"].push_back(record.peer);
    out["bytes"].push_back(record.bytes);
  }
  return out;
}

/// Numbers of messages in the section, by those of the run.
using MessageNumbers = std::unordered_map<std::uint64_t, std::size_t>;

/// From the begin of a send to the end of the receive that took its message.
Json messages_of(const std::vector<run::OperationRecord>& records, MessageNumbers& numbers) {
  std::unordered_map<std::uint64_t, const run::OperationRecord*> sends;
  for (const run::OperationRecord& record : records)
    if (record.message != 0 && record.kind == comm::OpKind::send) sends[record.message] = &record;
  Json out = page_columns({"from", "to", "sent", "received", "bytes"});
  for (const run::OperationRecord& record : records) {
    if (record.message == 0 || record.kind == comm::OpKind::send) continue;
    const auto send = sends.find(record.message);
    if (send == sends.end()) continue;
    numbers[record.message] = out["from"].size();
    out["from"].push_back(send->second->rank);
    out["to"].push_back(record.rank);
    out["sent"].push_back(microseconds_of(send->second->posted));
    out["received"].push_back(microseconds_of(record.completed));
    out["bytes"].push_back(send->second->bytes);
  }
  return out;
}

/// The steps that begin until then.
Json path_of(const TimelinePath& path, comm::Time until, const MessageNumbers& numbers) {
  Json out{{"title", path.title}, {"length", microseconds_of(path.length)}};
  out["parts"] = Json::array();
  for (std::size_t part = 0; part < path_parts; ++part)
    out["parts"].push_back(to_text(static_cast<PathPart>(part)));
  out.update(page_columns({"part", "rank", "to", "peer", "message", "bytes", "begin", "end"}));
  for (const PathStep& step : path.steps) {
    if (step.begin > until || out["rank"].size() == most_steps) break;
    const auto message = numbers.find(step.message);
    out["part"].push_back(static_cast<int>(step.part));
    out["rank"].push_back(step.rank);
    out["to"].push_back(step.to);
    out["peer"].push_back(step.peer);
    out["message"].push_back(message == numbers.end() ? -1 : static_cast<int>(message->second));
    out["bytes"].push_back(step.bytes);
    out["begin"].push_back(microseconds_of(step.begin));
    out["end"].push_back(microseconds_of(step.end));
  }
  return out;
}

/// The calls that begin until then.
Json calls_of(const std::vector<CollectiveRecord>& calls, comm::Time until) {
  NumberedNames names;
  Json out = page_columns({"names", "rank", "name", "begin", "end"});
  for (const CollectiveRecord& call : calls) {
    if (call.begin > until) continue;
    out["rank"].push_back(call.rank);
    out["name"].push_back(names[std::string(to_text(call.kind))]);
    out["begin"].push_back(microseconds_of(call.begin));
    out["end"].push_back(microseconds_of(call.end));
  }
  out["names"] = names.names();
  return out;
}

std::string left_out_text(std::uint64_t all, std::size_t shown, comm::Time from, comm::Time until) {
  return fmt::format(
      "{} operations{}: the first {}, until {:.6g} us, are here; --from begins the time line later",
      all, from.count() > 0 ? fmt::format(" from {:.6g} us on", microseconds_of(from)) : "", shown,
      microseconds_of(until));
}

}  // namespace

PageSection timeline_section(const PageTimeline& timeline) {
  std::vector<run::OperationRecord> records = timeline.records;
  std::stable_sort(records.begin(), records.end(),
                   [](const auto& a, const auto& b) { return a.posted < b.posted; });
  const std::uint64_t all = records.size() + timeline.left_out;
  PageSection out{{"kind", "timeline"}, {"id", "timeline"}, {"title", "what ranks did when"}};
  if (timeline.from.count() > 0) out["from"] = microseconds_of(timeline.from);
  if (timeline.from.count() > 0 && all == 0)
    out["note"] = fmt::format("Nothing ends from {:.6g} us on.", microseconds_of(timeline.from));
  comm::Time until = comm::Time::max();
  if (all > most_timeline_operations) {
    records.resize(std::min(records.size(), most_timeline_operations));
    until = records.back().posted;
    out["left_out"] = left_out_text(all, records.size(), timeline.from, until);
  }
  out["ranks"] = Json::array();
  for (const TimelineRank& rank : timeline.ranks)
    out["ranks"].push_back({{"name", rank.name}, {"host", rank.host}});
  NumberedNames kinds;
  MessageNumbers numbers;
  Json operations = operations_of(records, kinds);
  out["kinds"] = kinds.names();
  out["ops"] = std::move(operations);
  out["messages"] = messages_of(records, numbers);
  if (Json calls = calls_of(timeline.calls, until); !calls["rank"].empty())
    out["calls"] = std::move(calls);
  if (timeline.timed)
    out["timed"] = {{"title", "timed section"},
                    {"begin", microseconds_of(timeline.timed->begin)},
                    {"end", microseconds_of(timeline.timed->end)}};
  if (Json path = path_of(timeline.path, until, numbers); !path["rank"].empty())
    out["path"] = std::move(path);
  return out;
}

}  // namespace weft
