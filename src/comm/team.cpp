// SPDX-License-Identifier: Apache-2.0
// Teams and their contexts.
#include "comm/team.hpp"

#include <algorithm>
#include <bit>

#include "base/error.hpp"

namespace weft::comm {
namespace {

/// Appends the part's number in Elias' gamma code to the path so far. The code is prefix-free, so
/// different paths are different contexts, without communication.
std::uint64_t extended(std::uint64_t path, std::uint64_t number) {
  const auto digits = static_cast<unsigned>(std::bit_width(number));
  const unsigned length = 2 * digits - 1;
  if (static_cast<unsigned>(std::bit_width(path)) + length > 64)
    throw Error("team: parts of parts of teams are nested too deep");
  return path << length | number;
}

}  // namespace

Team::Team(Endpoint& endpoint) : Team(endpoint, nullptr, endpoint.rank(), 1) {}

Team::Team(Endpoint& endpoint, Members members, std::uint64_t context)
    : Team(endpoint, std::move(members), any_source, context) {
  const auto found = std::find(members_->begin(), members_->end(), endpoint.rank());
  invariant(found != members_->end(), "a rank makes a team of which it is not a member");
  rank_ = static_cast<Rank>(found - members_->begin());
}

Team Team::part(std::span<const Rank> members) {
  std::vector<Rank> in_the_world;
  Rank mine = any_source;
  std::vector<bool> seen(static_cast<std::size_t>(size()));
  for (const Rank member : members) {
    if (member < 0 || member >= size() || seen[static_cast<std::size_t>(member)])
      throw Error("team: {} is not a rank of a team of {}, or is given twice", member, size());
    seen[static_cast<std::size_t>(member)] = true;
    if (member == rank_) mine = static_cast<Rank>(in_the_world.size());
    in_the_world.push_back(in_world(member));
  }
  if (mine == any_source)
    throw Error("team: rank {} makes a part of which it is not a member", rank_);
  return {*endpoint_, std::make_shared<const std::vector<Rank>>(std::move(in_the_world)), mine,
          extended(context_, ++parts_)};
}

Team Team::again() { return {*endpoint_, members_, rank_, extended(context_, ++parts_)}; }

}  // namespace weft::comm
