// SPDX-License-Identifier: Apache-2.0
// Which members of a team share a host.
#include "comm/coll/patterns/host_words.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft::comm {

HostWords::HostWords(const Team& team, std::size_t extra)
    : shared_(team.endpoint().capability<SharedMemory>()) {
  if (shared_ == nullptr) throw Error("barrier: the ranks of a host share no memory here");
  std::vector<Rank> here;
  for (int i = 0; i < shared_->ranks_here(); ++i) here.push_back(shared_->rank_here(i));
  std::sort(here.begin(), here.end());
  for (Rank member = 0; member < team.size(); ++member) {
    if (!std::binary_search(here.begin(), here.end(), team.in_world(member))) continue;
    if (member == team.rank()) mine_ = members_.size();
    members_.push_back(member);
  }
  constexpr std::size_t cache_line = 64;
  const std::size_t count = members_.size() + extra;
  const auto memory = shared_->segment(team.context(), count * cache_line);
  for (std::size_t i = 0; i < count; ++i)
    words_.push_back(reinterpret_cast<std::uint64_t*>(memory.data() + i * cache_line));
}

void require_one_host(const Team& team, const HostWords& words, const char* barrier) {
  if (words.members().size() != static_cast<std::size_t>(team.size()))
    throw Error("{}: its {} ranks are on several hosts; smp is for those", barrier, team.size());
}

}  // namespace weft::comm
