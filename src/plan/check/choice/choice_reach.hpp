// SPDX-License-Identifier: Apache-2.0
// Whether packets arrive by ChoiceTables: whatever switches choose they are not lost, and those
// that always get what they prefer do not go round for ever.
#pragma once
#include <optional>
#include <vector>

#include "fabric/choice_routes.hpp"

namespace weft {

class ChoiceReach {
 public:
  using Index = ChoiceRoutes::Index;
  explicit ChoiceReach(const ChoiceRoutes& routes) : routes_(routes) {}

  /// Judges the positions that are explored now.
  void judge();
  /// Whether some packets of a position do not arrive at their aim.
  bool is_lost(Index position) const { return !lost_.empty() && lost_[position]; }
  /// Whether packets may go round in a loop, if switches choose so time and again; those that are
  /// lost aside.
  bool may_go_round() const { return may_go_round_; }
  /// The most channels from a position to its aim; those on loops, and before them, do not count.
  std::uint32_t most_hops(Index position) const { return most_hops_[position]; }
  /// Positions before those that their next hops lead to, but for loops.
  const std::vector<Index>& order() const { return order_; }
  /// A route that does not arrive, of a packet that is lost.
  Walk lost_route(Index position) const;

 private:
  void sort();
  void find_lost();
  void spread(std::vector<Index> todo, std::vector<bool>& marked, bool preferred) const;
  std::vector<std::vector<Index>> before(bool preferred) const;

  const ChoiceRoutes& routes_;
  std::vector<Index> order_;
  std::vector<std::uint32_t> most_hops_;
  std::vector<bool> lost_;     ///< empty: none is
  std::vector<bool> arrives_;  ///< by what it prefers; empty: all do
  bool may_go_round_ = false;
};

}  // namespace weft
