// SPDX-License-Identifier: Apache-2.0
// Checking that journals are those of all shards of one sweep.
#include "lab/sweep/shard_journals.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/text.hpp"
#include "lab/fields.hpp"
#include "lab/revision.hpp"
#include "lab/sweep/identity.hpp"

namespace weft {
namespace {

/// A journal's heading without what differs between shards.
struct ShardHeading {
  SweepIdentity identity{};
  Shard shard{};
};

ShardHeading heading_of(const JournalSource& source) {
  ShardHeading out{read_journal_heading(source.name, source.text), {}};
  const auto node = out.identity.extract(shard_name);
  if (node.empty())
    throw Error("{}: the journal of a whole sweep, not of a shard: the same command resumes it",
                source.name);
  out.shard = parsed(source.name, node.mapped(), shard_from);
  return out;
}

std::string value_or_nothing(const SweepIdentity& identity, const std::string& name) {
  const auto found = identity.find(name);
  return found == identity.end() ? "nothing" : fmt::format("\"{}\"", shown(found->second));
}

/// The first name whose values differ; empty where none does.
std::string difference(const SweepIdentity& a, const SweepIdentity& b) {
  for (const SweepIdentity* names : {&a, &b})
    for (const auto& [name, value] : *names)
      if (!a.contains(name) || !b.contains(name) || a.at(name) != b.at(name)) return name;
  return "";
}

void require_this_revision(const JournalSource& source, const SweepIdentity& identity) {
  if (const std::string there = value_in(identity, "revision"); there != revision())
    throw Error("{}: written by revision {} of weft, and this is {}", source.name, there,
                revision());
}

/// "3", "3 and 7", "3, 5 and 7".
std::string listed(const std::vector<std::size_t>& numbers) {
  std::string out;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ", numbers[i]);
  return out;
}

/// "3 and 7 are", or how many of them.
std::string which(const std::vector<std::size_t>& numbers) {
  constexpr std::size_t most = 5;
  if (numbers.size() > most)
    return fmt::format("{} (the first: {}) are", numbers.size(), numbers[0]);
  return fmt::format("{} {}", listed(numbers), numbers.size() == 1 ? "is" : "are");
}

}  // namespace

SweepIdentity with_shard(SweepIdentity identity, const Shard& shard) {
  identity[shard_name] = to_text(shard);
  return identity;
}

ShardJournals::ShardJournals(std::vector<JournalSource> sources) {
  std::size_t of = 0;
  std::string first;
  for (JournalSource& source : sources) {
    ShardHeading heading = heading_of(source);
    require_this_revision(source, heading.identity);
    if (of == 0) {
      first = source.name;
      identity_ = heading.identity;
      of = heading.shard.of;
      sources_.resize(of);
    }
    if (const std::string name = difference(heading.identity, identity_); !name.empty())
      throw Error("{}: of another sweep than {}: {} is {} there and {} here", source.name, first,
                  name, value_or_nothing(identity_, name),
                  value_or_nothing(heading.identity, name));
    if (heading.shard.of != of)
      throw Error("{}: one of {} shards, and {} is one of {}", source.name, heading.shard.of, first,
                  of);
    JournalSource& place = sources_[heading.shard.number - 1];
    if (!place.name.empty())
      throw Error("{} and {} are both shard {}", place.name, source.name, to_text(heading.shard));
    place = std::move(source);
  }
  std::vector<std::size_t> missing, unfinished;
  for (std::size_t i = 0; i < of; ++i)
    if (sources_[i].name.empty())
      missing.push_back(i + 1);
    else if (!sources_[i].text.ends_with(journal_end()))
      unfinished.push_back(i + 1);
  if (missing.empty()) return;
  throw Error("of {} shards {} missing{}", of, which(missing),
              unfinished.empty() ? "" : fmt::format(", and {} not finished", which(unfinished)));
}

void ShardJournals::require_same(const SweepIdentity& now) const {
  const std::string name = difference(identity_, now);
  if (!name.empty())
    throw Error("{}: {} was {} in the sweep and is {} now", sources_[0].name, name,
                value_or_nothing(identity_, name),
                now.contains(name) ? value_or_nothing(now, name) : "missing");
}

void ShardJournals::read(const EntryReader& entry) const {
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    const JournalSource& source = sources_[i];
    const Shard shard{i + 1, sources_.size()};
    if (!read_journal_lines(source.name, source.text, with_shard(identity_, shard), entry).ended)
      throw Error("{}: shard {} is not finished: its command resumes it", source.name,
                  to_text(shard));
  }
}

bool shard_is_finished(const std::string& path) {
  const OpenFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat found {};
  const std::string wanted = journal_end();
  std::string last(wanted.size(), '\0');
  const auto size = static_cast<off_t>(last.size());
  return file >= 0 && fstat(file, &found) == 0 && found.st_size >= size &&
         pread(file, last.data(), last.size(), found.st_size - size) == size && last == wanted;
}

MergeLock::MergeLock(const std::string& journal)
    : file_(open(journal.c_str(), O_RDWR | O_CLOEXEC)),
      held_(file_ >= 0 && (flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)) {}

}  // namespace weft
