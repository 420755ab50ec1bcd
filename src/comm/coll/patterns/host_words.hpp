// SPDX-License-Identifier: Apache-2.0
// Words in the memory of one host, each on a cache line of its own so that writers do not disturb
// each other, and the members of a team that share it.
#pragma once
#include <cstdint>
#include <vector>

#include "comm/capabilities.hpp"
#include "comm/team.hpp"

namespace weft::comm {

class HostWords {
 public:
  /// `extra` words beside one for each member on this host. Throws Error when the network has no
  /// memory that ranks share.
  HostWords(const Team& team, std::size_t extra);

  /// The members on this host in the order of their ranks, and which of them this one is.
  const std::vector<Rank>& members() const { return members_; }
  std::size_t mine() const { return mine_; }
  /// One word for each member, then the extra ones.
  std::uint64_t& operator[](std::size_t i) const { return *words_[i]; }
  SharedMemory& shared() const { return *shared_; }

 private:
  SharedMemory* shared_;
  std::vector<Rank> members_{};
  std::size_t mine_ = 0;
  std::vector<std::uint64_t*> words_{};
};

/// Throws Error unless all members of the team are on this host.
void require_one_host(const Team& team, const HostWords& words, const char* barrier);

}  // namespace weft::comm
