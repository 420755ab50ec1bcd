// SPDX-License-Identifier: Apache-2.0
// Team (MPI's communicator): some of the ranks, renumbered, with a context of their own: a message
// of one team never matches a receive of another. A program begins with the team of all ranks.
// Members make their teams in the same order; that needs no communication.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/endpoint.hpp"

namespace weft::comm {

class Team {
 public:
  using Members = std::shared_ptr<const std::vector<Rank>>;

  /// The team of all ranks.
  explicit Team(Endpoint& endpoint);
  /// A team with a context that the caller keeps unique among teams with common members. Members
  /// are ranks of the world; this one is among them.
  Team(Endpoint& endpoint, Members members, std::uint64_t context);
  /// The same members with such a context.
  Team with_context(std::uint64_t context) const { return {*endpoint_, members_, rank_, context}; }

  /// A part of this team, made from its members' ranks in this team in the order of their new
  /// ranks; this rank is one of them. All members of *this* team make the same number of calls;
  /// those that belong to no part call skip(). Throws Error for an invalid list, and when teams are
  /// nested too deep.
  Team part(std::span<const Rank> members);
  /// Counts a part that this rank does not belong to.
  void skip() { ++parts_; }
  /// The same members with a context of their own, for a library's messages: a part like any other.
  Team again();

  Endpoint& endpoint() const { return *endpoint_; }
  Pool& frames() const { return endpoint_->frames(); }
  Rank rank() const { return rank_; }
  int size() const { return members_ ? static_cast<int>(members_->size()) : endpoint_->size(); }
  Time now() const { return endpoint_->now(); }
  std::uint64_t context() const { return context_; }
  /// The member's rank at the endpoint.
  Rank in_world(Rank member) const {
    if (member == any_source || !members_) return member;
    return (*members_)[static_cast<std::size_t>(member)];
  }

  Op send(Rank to, Tag tag, std::span<const std::byte> data, SendOptions options = {}) const {
    return endpoint_->send(in_world(to), {context_, rank_, tag}, data, options);
  }
  /// The sender in its result is a rank of this team.
  Op recv(Rank from, Tag tag, std::span<std::byte> into) const {
    return endpoint_->recv(in_world(from), {context_, from, tag}, into);
  }
  Op put(Rank to, RemoteSlice at, std::span<const std::byte> data) const {
    return endpoint_->put(in_world(to), at, data);
  }
  Op get(Rank from, RemoteSlice at, std::span<std::byte> into) const {
    return endpoint_->get(in_world(from), at, into);
  }

 private:
  Team(Endpoint& endpoint, Members members, Rank rank, std::uint64_t context)
      : endpoint_(&endpoint), members_(std::move(members)), rank_(rank), context_(context) {}

  Endpoint* endpoint_;
  Members members_;  ///< their ranks in the world; null: all ranks, with the same numbers
  Rank rank_;
  std::uint64_t context_;    ///< the path of part numbers that led here; 1 for everyone
  std::uint64_t parts_ = 0;  ///< made of this team so far
};

}  // namespace weft::comm
