// SPDX-License-Identifier: Apache-2.0
// Pieces of the work of ranks.
#include "lab/path/work_history.hpp"

#include <algorithm>

namespace weft {
namespace {

bool has_negative_part(const OwnWork& work) {
  return std::any_of(own_parts.begin(), own_parts.end(),
                     [&](const OwnPart& own) { return (work.*own.of).count() < 0; });
}

/// Counts of work may come late, so that a piece takes from one before it: these become one.
void append_piece(std::vector<OwnWork>& pieces, OwnWork piece) {
  while (has_negative_part(piece) && !pieces.empty()) {
    piece += pieces.back();
    pieces.pop_back();
  }
  pieces.push_back(piece);
}

}  // namespace

void WorkHistory::add(comm::Rank rank, const RankCounts& now) {
  std::vector<RankCounts>& moments = ranks_[static_cast<std::size_t>(rank)];
  if (!moments.empty() && moments.back().at == now.at) {
    moments.back() = now;
  } else if (kept_ < most_) {
    moments.push_back(now);
    ++kept_;
  } else {
    until_ = std::min(until_, now.at);
  }
}

std::vector<OwnWork> WorkHistory::pieces(comm::Rank rank, comm::Time begin,
                                         const OwnWork& whole) const {
  const std::vector<RankCounts>& moments = ranks_[static_cast<std::size_t>(rank)];
  const comm::Time end = begin + whole.sum();
  auto at =
      std::lower_bound(moments.begin(), moments.end(), begin,
                       [](const RankCounts& each, comm::Time time) { return each.at < time; });
  std::vector<OwnWork> out;
  OwnWork so_far;
  const auto add_until = [&](const OwnWork& next) {
    OwnWork piece = next;
    append_piece(out, piece -= so_far);
    so_far = next;
  };
  if (at != moments.end() && at->at == begin)
    for (const RankCounts& first = *at++; at != moments.end() && at->at < end; ++at)
      add_until(work_between(first, *at));
  add_until(whole);
  return out;
}

}  // namespace weft
