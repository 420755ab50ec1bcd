// SPDX-License-Identifier: Apache-2.0
// The journal of a sweep: a line per finished point, so that a killed sweep can go on.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/files.hpp"

namespace weft {

/// What identifies a sweep: name and value of everything that its results depend on.
using SweepIdentity = std::map<std::string, std::string>;

/// FNV-1a, by Fowler, Noll and Vo.
std::uint64_t checksum(std::string_view text);
/// A line with its checksum in front and its line end.
std::string journal_line(std::string_view text);
std::string journal_heading(const SweepIdentity& identity);

/// Hears of the text of an entry; throws Error for a text that is none.
using EntryReader = std::function<void(std::string_view text)>;
struct JournalLines {
  std::size_t whole = 0;  ///< bytes before a line torn at the end
  bool ended = false;     ///< whether one of them says that the sweep is over
};
/// Reads every whole line after the heading. Throws Error for a journal of another sweep and for
/// damage other than a missing end; `name` is the file's.
JournalLines read_journal_lines(const std::string& name, std::string_view text,
                                const SweepIdentity& identity, const EntryReader& read);
/// The heading alone. Throws Error for a text that is no journal.
SweepIdentity read_journal_heading(const std::string& name, std::string_view text);
/// The last line of the journal of a shard whose points are all in it.
std::string journal_end();

/// An open journal file. A line is in the file when append() returns, and on the disk unless
/// another came less than a second before; the file ends in a whole line when append() throws. A
/// second process that opens the same file gets an Error.
class JournalFile {
 public:
  /// Reads and continues the file, or begins it. Throws Error.
  JournalFile(std::string path, const SweepIdentity& identity, const EntryReader& read);

  void append(std::string_view line);
  /// Adds its last line, once, and brings everything to the disk.
  void end();
  void remove();

 private:
  bool forget_rest();
  [[noreturn]] void fail(int problem) const;
  std::string path_;
  OpenFile file_;
  std::size_t whole_ = 0;  ///< bytes of whole lines
  bool ended_ = false;
  std::chrono::steady_clock::time_point on_disk_ = std::chrono::steady_clock::now();
  int broken_ = 0;  ///< why nothing can be added any more: half a line could not be removed
};

/// Results by what was run. A Result has a `spec`, a text (entry_text) and comes back from it
/// (read_entry) without a bit lost.
template <class Result>
using Finished = std::map<decltype(Result::spec), Result>;

template <class Result>
void add_finished(Finished<Result>& out, std::string_view text) {
  Result result;
  read_entry(text, result);
  const auto key = result.spec;
  out.insert_or_assign(key, std::move(result));
}

template <class Result>
std::string journal_entry(const Result& result) {
  return journal_line(entry_text(result));
}

template <class Result>
struct JournalText {
  Finished<Result> finished{};
  std::size_t whole = 0;  ///< bytes before a line torn at the end
};
template <class Result>
JournalText<Result> read_journal(const std::string& name, std::string_view text,
                                 const SweepIdentity& identity) {
  JournalText<Result> out;
  const auto lines = read_journal_lines(name, text, identity, [&](std::string_view entry) {
    add_finished<Result>(out.finished, entry);
  });
  out.whole = lines.whole;
  return out;
}

/// The journal of a sweep whose points have such results.
template <class Result>
class Journal {
 public:
  Journal(std::string path, const SweepIdentity& identity)
      : file_(std::move(path), identity,
              [this](std::string_view entry) { add_finished<Result>(finished_, entry); }) {}

  /// The results of earlier runs.
  const Finished<Result>& finished() const { return finished_; }
  void add(const Result& result) {
    file_.append(journal_entry(result));
    added_ = true;
  }
  /// Whether it holds no results.
  bool empty() const { return finished_.empty() && !added_; }
  /// All points of the shard are in it: it is ready to be merged with those of the others.
  void end() { file_.end(); }
  /// The sweep is over: the file is no longer needed.
  void remove() { file_.remove(); }

 private:
  Finished<Result> finished_{};
  std::atomic<bool> added_ = false;
  JournalFile file_;
};

}  // namespace weft
