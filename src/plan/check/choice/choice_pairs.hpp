// SPDX-License-Identifier: Apache-2.0
// The parts of a pair's packets on each link, by ChoiceTables.
#pragma once
#include <functional>

#include "plan/check/choice/choice_loads.hpp"

namespace weft {

class ChoicePairs {
 public:
  /// `pairs`: about how many will be looked at, so that all together do not take too long.
  ChoicePairs(const Fabric& fabric, const Tables& tables, std::size_t pairs);
  /// Calls `visit(channel, part)`; a packet that decides on detours stays. Of many intermediate
  /// destinations some are taken, others for other pairs. Returns whether all of it arrives.
  bool spread(HostId from, HostId to, const std::function<void(ChannelId, double)>& visit);
  /// Whether packets on loops were not followed to their end, in any spread().
  bool cuts_loops() const { return limit_.is_met; }

 private:
  using Weighted = std::pair<ChoiceRoutes::Start, double>;
  static constexpr std::size_t most_taken = 8;  ///< intermediate destinations, by a pair
  /// From some starts to an aim; returns the packets that are at intermediate destinations then.
  std::vector<Weighted> send(std::size_t aim, const std::vector<Weighted>& starts);
  std::vector<Weighted> by_intermediates(HostId from, HostId to, std::vector<Weighted> starts);

  const Fabric& fabric_;
  const ChoiceTables& choices_;
  ChoiceRoutes routes_;
  ChoiceReach reach_;
  IntermediateDraws draws_;
  const std::function<void(ChannelId, double)>* visit_ = nullptr;
  bool arrives_ = true;
  std::vector<double> at_;
  LoopLimit limit_;
};

}  // namespace weft
