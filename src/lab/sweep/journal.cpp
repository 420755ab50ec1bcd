// SPDX-License-Identifier: Apache-2.0
// The journal of a sweep.
#include "lab/sweep/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view anew = "delete the file to begin anew";
constexpr std::string_view last_line = "end";
constexpr std::size_t checksum_digits = 16;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

[[noreturn]] void damaged(const std::string& name, std::size_t line) {
  throw Error("{}:{}: this line of the journal is damaged; {}", name, line, anew);
}

/// The text of a line without its checksum and line end.
std::string_view content(const std::string& name, std::size_t number, std::string_view line) {
  if (line.size() <= checksum_digits) damaged(name, number);
  const std::string_view text = line.substr(checksum_digits + 1);
  const std::string whole = journal_line(text);
  if (std::string_view(whole).substr(0, whole.size() - 1) != line) damaged(name, number);
  return text;
}

/// Throws Error when the heading is of another sweep, with the first difference.
void require_same(const std::string& name, const Json& heading, const SweepIdentity& identity) {
  for (const auto& [key, value] : identity) {
    const Json there = heading.value(key, Json("nothing"));
    // Compared as written: bytes that are not UTF-8 are replaced when they are written.
    if (dumped(there) != dumped(value))
      throw Error("{}: the journal of another sweep: {} is {} there and {} here; {}", name, key,
                  shown(dumped(there)), shown(dumped(value)), anew);
  }
}

/// Opens a journal, or begins it, and locks it. Throws Error.
int open_locked(const std::string& path) {
  for (;;) {
    // Not to wait for a pipe's other end, nor to follow a link to somebody else's file.
    constexpr int how = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    const int file = open(path.c_str(), how, 0666);
    if (file < 0 && errno == ELOOP)
      throw Error("{}: a journal is a file of its own, and this is a symbolic link", path);
    if (file < 0) cannot_write(path, errno);
    struct stat opened = {}, named = {};
    const bool regular = fstat(file, &opened) == 0 && S_ISREG(opened.st_mode);
    const bool locked = regular && flock(file, LOCK_EX | LOCK_NB) == 0;
    const int why = errno;
    // Whoever had it until now may have removed it meanwhile: then it is nobody's journal.
    if (locked && stat(path.c_str(), &named) == 0 && named.st_ino == opened.st_ino) return file;
    close(file);
    if (!regular) throw Error("{}: a journal is a file, and this is none", path);
    if (!locked && why == EWOULDBLOCK)
      throw Error("{}: another sweep that runs now writes this journal", path);
    if (!locked) throw Error("{}: cannot be locked: {}", path, std::strerror(why));
  }
}

}  // namespace

std::uint64_t checksum(std::string_view text) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return sum;
}

std::string journal_line(std::string_view text) {
  return fmt::format("{:016x} {}\n", checksum(text), text);
}

std::string journal_heading(const SweepIdentity& identity) {
  return journal_line(dumped(Json(identity)));
}

std::string journal_end() { return journal_line(last_line); }

SweepIdentity read_journal_heading(const std::string& name, std::string_view text) {
  const std::size_t end = text.find('\n');
  const bool whole = end != std::string_view::npos && end > checksum_digits &&
                     journal_line(text.substr(checksum_digits + 1, end - checksum_digits - 1)) ==
                         text.substr(0, end + 1);
  const Json heading =
      whole
          ? Json::parse(text.substr(checksum_digits + 1, end - checksum_digits - 1), nullptr, false)
          : Json();
  SweepIdentity out;
  if (heading.is_object())
    for (const auto& [key, value] : heading.items())
      if (value.is_string()) out[key] = value.get<std::string>();
  if (!out.contains("weft"))
    throw Error("{}: this is no journal of a sweep, or its first line is damaged", name);
  return out;
}

JournalLines read_journal_lines(const std::string& name, std::string_view text,
                                const SweepIdentity& identity, const EntryReader& read) {
  // A text without a whole heading is this journal only if the heading begins with it.
  if (text.find('\n') == std::string_view::npos) {
    if (!journal_heading(identity).starts_with(text)) damaged(name, 1);
    return {};
  }
  JournalLines out;
  for (std::size_t number = 1; out.whole < text.size(); ++number) {
    const std::size_t end = text.find('\n', out.whole);
    if (end == std::string_view::npos) break;
    const std::string_view line = content(name, number, text.substr(out.whole, end - out.whole));
    out.whole = end + 1;
    if (number == 1) {
      const Json heading = Json::parse(line, nullptr, false);
      if (!heading.is_object()) damaged(name, number);
      require_same(name, heading, identity);
      continue;
    }
    if (line == last_line) {
      out.ended = true;
      continue;
    }
    try {
      read(line);
    } catch (const Error&) {
      damaged(name, number);
    }
  }
  return out;
}

JournalFile::JournalFile(std::string path, const SweepIdentity& identity, const EntryReader& read)
    : path_(std::move(path)), file_(open_locked(path_)) {
  const JournalLines lines = read_journal_lines(path_, read_to_end(file_, path_), identity, read);
  whole_ = lines.whole;
  ended_ = lines.ended;
  if (!forget_rest()) cannot_write(path_, errno);
  if (whole_ == 0) append(journal_heading(identity));
}

void JournalFile::end() {
  if (!ended_) append(journal_end());
  ended_ = true;
  if (fdatasync(file_) != 0) fail(errno);
}

void JournalFile::remove() { unlink(path_.c_str()); }

bool JournalFile::forget_rest() {
  const auto whole = static_cast<off_t>(whole_);
  return ftruncate(file_, whole) == 0 && lseek(file_, whole, SEEK_SET) == whole;
}

void JournalFile::append(std::string_view line) {
  int problem = broken_;
  if (problem == 0) problem = write_all(file_, line);
  const auto now = std::chrono::steady_clock::now();
  if (problem == 0 && now - on_disk_ >= std::chrono::seconds(1)) {
    if (fdatasync(file_) != 0) problem = errno;
    on_disk_ = now;
  }
  if (problem == 0) {
    whole_ += line.size();
    return;
  }
  // Half a line must not come before a whole one.
  if (broken_ == 0 && !forget_rest()) broken_ = problem;
  fail(problem);
}

void JournalFile::fail(int problem) const {
  // Not the input's fault, so no Error: what was finished before is kept.
  throw std::runtime_error(fmt::format("{}: cannot be written: {}", path_, std::strerror(problem)));
}

}  // namespace weft
