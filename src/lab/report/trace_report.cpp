// SPDX-License-Identifier: Apache-2.0
// Summaries of traces of programs as human-readable text and as JSON; times there in microseconds.
#include <nlohmann/json.hpp>
#include <ostream>

#include "lab/report/report.hpp"
#include "lab/report/result_file.hpp"
#include "lab/revision.hpp"

namespace weft {
namespace {

using TraceJson = nlohmann::ordered_json;

std::string calls_line(const trace::TraceSummary& summary) {
  std::vector<std::string> calls;
  for (std::size_t kind = 0; kind < summary.calls_by_kind.size(); ++kind)
    if (const std::uint64_t count = summary.calls_by_kind[kind]; count > 0)
      calls.push_back(fmt::format("{} {}", count, to_text(static_cast<trace::CallKind>(kind))));
  return fmt::format("{}", fmt::join(calls, ", "));
}

std::string messages_line(const trace::TraceSummary& summary) {
  if (summary.messages == 0) return "none";
  const std::string to_self =
      summary.self_messages == 0
          ? ""
          : fmt::format(", {} of them to the sender itself", summary.self_messages);
  return fmt::format("{} of {} B on average, {} B in all{}; {} between {} of ranks",
                     summary.messages, summary.bytes / summary.messages, summary.bytes, to_self,
                     counted(summary.channels, "channel", "channels"),
                     counted(summary.pairs, "pair", "pairs"));
}

std::string sizes_line(const trace::TraceSummary& summary) {
  std::vector<std::string> sizes;
  for (const auto& [bytes, count] : summary.sizes)
    sizes.push_back(fmt::format("{} up to {}", count, to_text(Bytes{std::int64_t(bytes)})));
  return fmt::format("{}", fmt::join(sizes, ", "));
}

std::string collectives_line(const trace::TraceSummary& summary) {
  std::vector<std::string> uses;
  for (const trace::CollectiveUse& use : summary.collectives) {
    const std::string bytes = use.bytes > 0 ? fmt::format(" of {} B", use.bytes) : "";
    uses.push_back(fmt::format("{} {}{}", use.count, to_text(use.kind), bytes));
  }
  if (uses.empty()) return "none";
  return fmt::format("{}, {} B in all: {}", summary.collective_calls, summary.collective_payload,
                     fmt::join(uses, ", "));
}

}  // namespace

void write_trace_summary(std::ostream& out, const std::string& source,
                         const trace::TraceSummary& summary) {
  out << fmt::format("{}: {} of {}, {} {}\n", source, summary.is_graph ? "schedule" : "program",
                     counted(summary.ranks, "rank", "ranks"), summary.calls,
                     summary.is_graph ? "operations" : "calls");
  const auto line = [&](const char* name, const std::string& words) {
    out << wrapped(fmt::format("{:<14}", name), words) << '\n';
  };
  line("calls", calls_line(summary));
  line("messages", messages_line(summary));
  if (summary.messages > 0) line("sizes", sizes_line(summary));
  line("collectives", collectives_line(summary));
  line("communicators", fmt::format("{} besides the world", summary.communicators));
  line("compute",
       fmt::format("{:.3f} us a rank on average, {:.3f} to {:.3f} us",
                   microseconds_of(summary.mean_compute), microseconds_of(summary.least_compute),
                   microseconds_of(summary.most_compute)));
}

nlohmann::ordered_json document_of(const std::string& source, const trace::TraceSummary& summary) {
  TraceJson document{{"weft", "trace 1"},         {"revision", std::string(revision())},
                     {"trace", source},           {"ranks", summary.ranks},
                     {"graph", summary.is_graph}, {"calls", summary.calls}};
  for (std::size_t kind = 0; kind < summary.calls_by_kind.size(); ++kind)
    document["calls_by_kind"][std::string(to_text(static_cast<trace::CallKind>(kind)))] =
        summary.calls_by_kind[kind];
  document["messages"] = summary.messages;
  document["message_bytes"] = summary.bytes;
  document["messages_to_self"] = summary.self_messages;
  document["channels"] = summary.channels;
  document["pairs"] = summary.pairs;
  document["sizes"] = TraceJson::array();
  for (const auto& [bytes, count] : summary.sizes)
    document["sizes"].push_back({{"up_to_bytes", bytes}, {"messages", count}});
  document["collective_calls"] = summary.collective_calls;
  document["collective_bytes"] = summary.collective_payload;
  document["collectives"] = TraceJson::array();
  for (const trace::CollectiveUse& use : summary.collectives)
    document["collectives"].push_back({{"call", std::string(to_text(use.kind))},
                                       {"bytes", use.bytes},
                                       {"calls", use.count},
                                       {"all_bytes", use.payload}});
  document["communicators"] = summary.communicators;
  document["compute_us"] = {{"mean", microseconds_of(summary.mean_compute)},
                            {"least", microseconds_of(summary.least_compute)},
                            {"most", microseconds_of(summary.most_compute)}};
  return document;
}

ResultFile trace_json_file() {
  return {
      "weft trace show --json FILE", "one document",
      json_keys("trace 1", {{"trace", "file of the trace"},
                            {"ranks", "of the program"},
                            {"graph", "whether calls have dependencies instead of an order"},
                            {"calls", "of all ranks"},
                            {"calls_by_kind.CALL", "the same for one kind"},
                            {"messages", "point to point"},
                            {"message_bytes", "of all messages"},
                            {"messages_to_self", "those of a rank to itself"},
                            {"channels", "different source, destination, tag and communicator"},
                            {"pairs", "different source and destination"},
                            {"sizes[].up_to_bytes",
                             "size of messages, up to and including; a power of two, or 0"},
                            {"sizes[].messages", "larger than the size before"},
                            {"collective_calls", "a call of all members counts once"},
                            {"collective_bytes", "that members hand in or get, over all members"},
                            {"collectives[].call", "kind"},
                            {"collectives[].bytes",
                             "of a call, as the trace says it; 0 where each member has its own"},
                            {"collectives[].calls", "of this kind and size"},
                            {"collectives[].all_bytes", "share of collective_bytes"},
                            {"communicators", "besides the world"},
                            {"compute_us.mean", "us that a rank computes"},
                            {"compute_us.least", "us"},
                            {"compute_us.most", "us"}})};
}

}  // namespace weft
