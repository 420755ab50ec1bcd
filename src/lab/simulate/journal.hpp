// SPDX-License-Identifier: Apache-2.0
// The journal of a sweep: a line per finished simulation, so that a killed sweep can go on.
#pragma once
#include <atomic>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "lab/simulate/result.hpp"

namespace weft {

/// What identifies a sweep: name and value of everything that its results depend on.
using SweepIdentity = std::map<std::string, std::string>;

using Finished = std::map<SimulationSpec, SimulationResult>;

/// FNV-1a, by Fowler, Noll and Vo.
std::uint64_t checksum(std::string_view text);
/// A line with its checksum in front and its line end.
std::string journal_line(std::string_view text);
std::string journal_heading(const SweepIdentity& identity);
std::string journal_entry(const SimulationResult& result);

struct JournalText {
  Finished finished{};
  std::size_t whole = 0;  ///< bytes before a line torn at the end
};
/// Throws Error for a journal of another sweep and for damage other than a missing end; `name` is
/// the file's.
JournalText read_journal(const std::string& name, std::string_view text,
                         const SweepIdentity& identity);

/// An open journal file. A result is in the file when add() returns; a second process that opens
/// the same file gets an Error.
class Journal {
 public:
  /// Reads and continues the file, or begins it. Throws Error.
  Journal(std::string path, const SweepIdentity& identity);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// The results of earlier runs.
  const Finished& finished() const { return finished_; }
  void add(const SimulationResult& result);
  /// Whether it holds no results.
  bool empty() const { return finished_.empty() && !added_; }
  /// The sweep is over: the file is no longer needed.
  void remove();

 private:
  void write(std::string_view text);
  std::string path_;
  int file_ = -1;
  Finished finished_;
  std::atomic<bool> added_ = false;
};

}  // namespace weft
