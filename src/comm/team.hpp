// SPDX-License-Identifier: Apache-2.0
// Team: some of the ranks under numbers of their own, with a context of their own: a message of one
// team never matches a receive of another. A team of all is where a program begins. Members make
// their teams in the same order; nothing needs to be sent for it.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "comm/endpoint.hpp"

namespace weft::comm {

class Team {
 public:
  /// Everyone.
  explicit Team(Endpoint& endpoint);

  /// A part of this team: its members by their rank in this team, and by their new rank in order;
  /// this rank is one of them. All members of *this* team call it, the same number of times; those
  /// that belong to no part call skip(). Throws Error for members that are no such list, and when
  /// teams are nested deeper than contexts can tell apart.
  Team part(std::span<const Rank> members);
  /// Splits make parts without this rank: it only counts.
  void skip() { ++parts_; }
  /// The same members with a context of their own, for a library's messages: a part like any other.
  Team again();

  Endpoint& endpoint() const { return *endpoint_; }
  Pool& frames() const { return endpoint_->frames(); }
  Rank rank() const { return rank_; }
  int size() const { return members_ ? static_cast<int>(members_->size()) : endpoint_->size(); }
  Time now() const { return endpoint_->now(); }
  std::uint64_t context() const { return context_; }
  /// The endpoint's number of a member.
  Rank in_world(Rank member) const {
    if (member == any_source || !members_) return member;
    return (*members_)[static_cast<std::size_t>(member)];
  }

  Op send(Rank to, Tag tag, std::span<const std::byte> data, SendOptions manner = {}) const {
    return endpoint_->send(in_world(to), {context_, rank_, tag}, data, manner);
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
  using Members = std::shared_ptr<const std::vector<Rank>>;
  Team(Endpoint& endpoint, Members members, Rank rank, std::uint64_t context)
      : endpoint_(&endpoint), members_(std::move(members)), rank_(rank), context_(context) {}

  Endpoint* endpoint_;
  Members members_;  ///< their ranks in the world; nothing: everyone, under the same numbers
  Rank rank_;
  std::uint64_t context_;    ///< the path of part numbers that led here; 1 for everyone
  std::uint64_t parts_ = 0;  ///< made of this team so far
};

}  // namespace weft::comm
