// SPDX-License-Identifier: Apache-2.0
// The journal of a sweep.
#include "lab/simulate/journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/error.hpp"
#include "fabric/format/parsing/text.hpp"
#include "lab/simulate/result_row.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view anew = "delete the file to begin anew";
constexpr std::size_t checksum_digits = 16;

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

[[noreturn]] void damaged(const std::string& name, std::size_t line) {
  throw Error("{}:{}: this line of the journal is damaged; {}", name, line, anew);
}

/// The JSON of a line without its line end.
Json content(const std::string& name, std::size_t number, std::string_view line) {
  if (line.size() <= checksum_digits) damaged(name, number);
  const std::string_view text = line.substr(checksum_digits + 1);
  const std::string whole = journal_line(text);
  if (std::string_view(whole).substr(0, whole.size() - 1) != line) damaged(name, number);
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) damaged(name, number);
  return json;
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

std::string read_all(int file) {
  std::string out;
  std::array<char, 65536> buffer;
  for (ssize_t count = 0; (count = read(file, buffer.data(), buffer.size())) > 0;)
    out.append(buffer.data(), static_cast<std::size_t>(count));
  return out;
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

std::string journal_entry(const SimulationResult& result) {
  return journal_line(dumped(row_of(result)));
}

JournalText read_journal(const std::string& name, std::string_view text,
                         const SweepIdentity& identity) {
  JournalText out;
  // A text without a whole heading is this journal only if the heading begins with it.
  if (text.find('\n') == std::string_view::npos) {
    if (!journal_heading(identity).starts_with(text)) damaged(name, 1);
    return out;
  }
  for (std::size_t number = 1; out.whole < text.size(); ++number) {
    const std::size_t end = text.find('\n', out.whole);
    if (end == std::string_view::npos) break;
    const Json json = content(name, number, text.substr(out.whole, end - out.whole));
    out.whole = end + 1;
    if (number == 1) {
      require_same(name, json, identity);
      continue;
    }
    try {
      SimulationResult result = result_from(json);
      const SimulationSpec key = result.spec;
      out.finished.insert_or_assign(key, std::move(result));
    } catch (const Error&) {
      damaged(name, number);
    }
  }
  return out;
}

Journal::Journal(std::string path, const SweepIdentity& identity)
    : path_(std::move(path)), file_(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (file_ < 0) throw Error("{}: cannot be written: {}", path_, std::strerror(errno));
  try {
    if (flock(file_, LOCK_EX | LOCK_NB) != 0)
      throw Error("{}: another sweep that runs now writes this journal", path_);
    JournalText before = read_journal(path_, read_all(file_), identity);
    finished_ = std::move(before.finished);
    const auto whole = static_cast<off_t>(before.whole);
    if (ftruncate(file_, whole) != 0 || lseek(file_, whole, SEEK_SET) != whole)
      throw Error("{}: cannot be written: {}", path_, std::strerror(errno));
    if (before.whole == 0) write(journal_heading(identity));
  } catch (...) {
    close(file_);
    throw;
  }
}

Journal::~Journal() { close(file_); }

void Journal::add(const SimulationResult& result) {
  write(journal_entry(result));
  added_ = true;
}

void Journal::remove() { unlink(path_.c_str()); }

void Journal::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file_, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    // Not the input's fault, so no Error: what was finished before is kept.
    if (count < 0)
      throw std::runtime_error(
          fmt::format("{}: cannot be written: {}", path_, std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace weft
