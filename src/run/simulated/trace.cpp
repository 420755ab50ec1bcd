// SPDX-License-Identifier: Apache-2.0
// Records as a trace that Chrome and Perfetto open: a process for each rank, and in it a row for
// each operation that it had under way at once; arrows lead from sends to the receives that took
// their messages. Times are in microseconds.
#include <fmt/format.h>

#include <algorithm>

#include "run/simulated/world.hpp"

namespace weft::run {
namespace {

/// The rows of one rank: on each, one operation ends before the next begins.
class Rows {
 public:
  std::size_t place(const OperationRecord& record) {
    const auto free = std::find_if(ends_.begin(), ends_.end(),
                                   [&](comm::Time end) { return end <= record.posted; });
    if (free == ends_.end()) return ends_.push_back(record.completed), ends_.size() - 1;
    *free = record.completed;
    return static_cast<std::size_t>(free - ends_.begin());
  }

 private:
  std::vector<comm::Time> ends_;
};

}  // namespace

std::string to_trace(std::vector<OperationRecord> records) {
  return to_trace(std::move(records), [](comm::Rank rank) { return fmt::format("rank {}", rank); });
}

std::string to_trace(std::vector<OperationRecord> records,
                     const std::function<std::string(comm::Rank)>& name_of) {
  std::stable_sort(records.begin(), records.end(),
                   [](const OperationRecord& a, const OperationRecord& b) {
                     return a.rank != b.rank ? a.rank < b.rank : a.posted < b.posted;
                   });
  const auto microseconds = [](comm::Time time) { return static_cast<double>(time.count()) / 1e6; };
  std::string out = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* separator = "\n";
  Rows rows;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const OperationRecord& record = records[i];
    if (i == 0 || record.rank != records[i - 1].rank) {
      rows = {};
      out += fmt::format(
          "{}{{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":{},"
          "\"args\":{{\"name\":\"{}\"}}}}",
          separator, record.rank, name_of(record.rank));
      separator = ",\n";
    }
    const std::size_t row = rows.place(record);
    out += fmt::format(
        "{}{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":{},\"tid\":{},\"ts\":{},\"dur\":{},"
        "\"args\":{{\"peer\":{},\"tag\":{},\"bytes\":{},\"status\":\"{}\"}}}}",
        separator, to_text(record.kind), record.rank, row, microseconds(record.posted),
        microseconds(record.completed - record.posted), record.peer, record.tag, record.bytes,
        to_text(record.status));
    if (record.message == 0) continue;
    const bool sends = record.kind == comm::OpKind::send;
    out += fmt::format(
        "{}{{\"name\":\"message\",\"cat\":\"message\",{},\"id\":\"{:x}\",\"pid\":{},\"tid\":{},"
        "\"ts\":{}}}",
        separator, sends ? "\"ph\":\"s\"" : "\"ph\":\"f\",\"bp\":\"e\"", record.message,
        record.rank, row, microseconds(sends ? record.posted : record.completed));
  }
  return out + "\n]}\n";
}

}  // namespace weft::run
