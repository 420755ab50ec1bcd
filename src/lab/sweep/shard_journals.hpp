// SPDX-License-Identifier: Apache-2.0
// The journals of all shards of a sweep, which together have the results of its points.
#pragma once
#include <string>
#include <vector>

#include "lab/sweep/journal.hpp"
#include "lab/sweep/shard.hpp"

namespace weft {

/// The name in a heading of which shard it is: "3/10".
inline constexpr const char* shard_name = "shard";

/// The identity of a sweep in the heading of the journal of one of its shards.
SweepIdentity with_shard(SweepIdentity identity, const Shard& shard);

struct JournalSource {
  std::string name, text{};
};

/// The journal of every shard of one sweep.
class ShardJournals {
 public:
  /// Throws Error unless each shard has one journal, of the same sweep and this revision of weft.
  /// Whether they have come to their ends is asked for by finished().
  explicit ShardJournals(std::vector<JournalSource> sources);

  /// Of the sweep, as the journals have it.
  const SweepIdentity& identity() const { return identity_; }
  /// Throws Error when the sweep depends on something that is no longer as it was.
  void require_same(const SweepIdentity& now) const;

  /// The results of all shards. Throws Error for damage, and for shards that are not finished.
  template <class Result>
  Finished<Result> finished() const {
    Finished<Result> out;
    read([&](std::string_view entry) { add_finished<Result>(out, entry); });
    return out;
  }

 private:
  void read(const EntryReader& entry) const;
  std::vector<JournalSource> sources_;  ///< by number
  SweepIdentity identity_;
};

/// Whether the last line of a journal says that its shard is finished; a missing file is not.
bool shard_is_finished(const std::string& path);

/// Of several processes that want to merge the same journals, the first one has the lock on one of
/// them until it ends, whichever way. Where the file system knows no locks, each of them has it.
class MergeLock {
 public:
  explicit MergeLock(const std::string& journal);
  bool held() const { return held_; }

 private:
  OpenFile file_;
  bool held_;
};

}  // namespace weft
