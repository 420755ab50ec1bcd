// SPDX-License-Identifier: Apache-2.0
// The journal of a sweep: a line per finished simulation, so that a killed sweep can go on.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/files.hpp"
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

/// An open journal file. A result is in the file when add() returns, and on the disk unless another
/// came less than a second before; the file ends in a whole line when add() throws. A second
/// process that opens the same file gets an Error.
class Journal {
 public:
  /// Reads and continues the file, or begins it. Throws Error.
  Journal(std::string path, const SweepIdentity& identity);

  /// The results of earlier runs.
  const Finished& finished() const { return finished_; }
  void add(const SimulationResult& result);
  /// Whether it holds no results.
  bool empty() const { return finished_.empty() && !added_; }
  /// The sweep is over: the file is no longer needed.
  void remove();

 private:
  void append(std::string_view line);
  bool forget_rest();
  std::string path_;
  OpenFile file_;
  Finished finished_;
  std::size_t whole_ = 0;  ///< bytes of whole lines
  std::chrono::steady_clock::time_point on_disk_ = std::chrono::steady_clock::now();
  int broken_ = 0;  ///< why nothing can be added any more: half a line could not be removed
  std::atomic<bool> added_ = false;
};

}  // namespace weft
