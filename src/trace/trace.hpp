// SPDX-License-Identifier: Apache-2.0
// A trace: the calls of all ranks, kept as compact bytes, and beyond a limit in a temporary file,
// so that memory does not grow with the length of a trace. Readers of formats build it; the checks,
// the summary, writers and the replay read it, rank by rank or all ranks alternately.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/call.hpp"

namespace weft::trace {

/// A communicator that exists before the first call.
struct Communicator {
  std::int32_t id = 0;
  std::string name{};
  std::vector<Rank> members{};  ///< in order
  friend bool operator==(const Communicator&, const Communicator&) = default;
};

/// What is known of a trace besides its calls.
struct TraceHead {
  std::string source{};  ///< path as the user wrote it
  int ranks = 0;
  bool is_graph = false;                      ///< calls have dependencies, and no order otherwise
  std::string_view place = "line";            ///< what Call::line counts
  std::vector<std::string> files{};           ///< of each rank, where each has its own
  std::vector<Communicator> communicators{};  ///< that are there from the beginning
};

class StoredCalls;
struct StoredRank;

/// What the next call of a rank is written relative to.
struct LastCall {
  std::uint64_t index = 0, line = 0, request = 0;
};

/// Reads the calls of one rank from the first to the last.
class CallCursor {
 public:
  /// Overwrites `into`, whose vectors keep their memory; false at the end.
  bool next(Call& into);
  /// How many calls it has read.
  std::uint64_t index() const { return last_.index; }

 private:
  friend class Trace;
  CallCursor(std::shared_ptr<const StoredCalls> calls, Rank rank);
  bool open_chunk();

  std::shared_ptr<const StoredCalls> calls_;
  const StoredRank* rank_;
  std::size_t chunk_ = 0;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  std::unique_ptr<char[]> buffer_{};  ///< a chunk of the temporary file
  std::size_t buffer_size_ = 0;
  LastCall last_{};
};

/// Copies share the calls.
class Trace {
 public:
  int ranks() const { return head().ranks; }
  bool is_graph() const { return head().is_graph; }
  const std::string& source() const { return head().source; }
  const TraceHead& head() const;
  CallCursor calls(Rank rank) const { return {calls_, rank}; }
  std::uint64_t call_count(Rank rank) const;
  /// "cg.S.16.trace: line 812 (rank 3, irecv)", for messages.
  std::string place_of(Rank rank, const Call& call) const;

 private:
  friend class TraceBuilder;
  explicit Trace(std::shared_ptr<const StoredCalls> calls) : calls_(std::move(calls)) {}
  std::shared_ptr<const StoredCalls> calls_;
};

inline constexpr std::uint64_t usual_trace_memory = std::uint64_t{256} << 20;

/// Takes the calls of ranks in any order, those of one rank from the first to the last.
class TraceBuilder {
 public:
  /// Compact bytes beyond `memory` go to an unlinked file in TMPDIR.
  explicit TraceBuilder(TraceHead head, std::uint64_t memory = usual_trace_memory);
  ~TraceBuilder();
  /// In graphs, dependencies are on calls that were appended before.
  void append(Rank rank, const Call& call);
  const TraceHead& head() const;
  Trace finish();

 private:
  std::shared_ptr<StoredCalls> calls_;
  std::string packed_;
};

}  // namespace weft::trace
