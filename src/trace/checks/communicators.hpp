// SPDX-License-Identifier: Apache-2.0
// The communicators of a trace, as the ranks make them.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/trace.hpp"

namespace weft::trace {

/// Members of a communicator, and who said so first.
class KnownCommunicator {
 public:
  KnownCommunicator(std::int32_t given_id, std::vector<Rank> given_members);
  /// Where a rank is among the members.
  std::optional<std::size_t> position(Rank rank) const;

  std::int32_t id;
  std::vector<Rank> members;  ///< in order
  std::string first_place{};  ///< of the call that made it first, for messages
  std::int32_t parent = world;
  std::uint64_t makers = 0;  ///< members that have made it

 private:
  std::vector<std::pair<Rank, std::size_t>> positions_;  ///< by rank
};

/// "the world", "communicator 17".
std::string communicator_text(const Trace& trace, std::int32_t id);

/// Those of all ranks, which are walked one after another.
class CommunicatorTable {
 public:
  explicit CommunicatorTable(const Trace& trace);

  /// From here on calls are those of `rank`, from its first.
  void begin(Rank rank);
  /// The communicator of a call of this rank; throws Error where the rank does not have it now.
  const KnownCommunicator& of(const Call& call) const;
  /// Takes a call that makes or frees one.
  void apply(const Call& call);
  /// Those that this rank has or had.
  std::vector<std::int32_t> of_rank() const;
  /// Throws Error where a member of a communicator has not made it; to be called at the end.
  void require_made() const;

  const std::map<std::int32_t, KnownCommunicator>& all() const { return all_; }

 private:
  void make(const Call& call);
  void require_members(const Call& call) const;

  const Trace& trace_;
  std::map<std::int32_t, KnownCommunicator> all_;
  Rank rank_ = 0;
  KnownCommunicator self_{self, {0}};
  /// What the rank has, and what it had (null).
  std::unordered_map<std::int32_t, const KnownCommunicator*> own_;
};

}  // namespace weft::trace
