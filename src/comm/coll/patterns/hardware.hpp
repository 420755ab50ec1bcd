// SPDX-License-Identifier: Apache-2.0
// Multicast by the switches, for a team. It does not reach members on the sender's own host, which
// get a message instead.
#pragma once
#include <vector>

#include "comm/capabilities.hpp"
#include "comm/team.hpp"

namespace weft::comm {

class TeamMulticast {
 public:
  /// Throws Error when the network has no such group.
  TeamMulticast(const Team& team, int group);

  std::size_t most() const { return multicast_->most(); }
  /// The tag of a multicast: a message of the whole world, so the tag includes the team's context.
  Tag tag(std::uint32_t number) const { return first_tag_ + number; }
  Op send(Tag tag, std::span<const std::byte> data) const {
    return multicast_->send(group_, tag, data);
  }
  Op send_to(Rank member, Tag tag, std::span<const std::byte> data) const {
    return endpoint_->send(in_world(member), tag, data);
  }
  Op recv(Rank from, Tag tag, std::span<std::byte> into) const {
    return endpoint_->recv(in_world(from), tag, into);
  }
  /// Other members on this host.
  const std::vector<Rank>& here() const { return here_; }

 private:
  Rank in_world(Rank member) const { return team_->in_world(member); }
  const Team* team_;
  Endpoint* endpoint_;
  Multicast* multicast_;
  int group_;
  Tag first_tag_;
  std::vector<Rank> here_{};
};

}  // namespace weft::comm
