// SPDX-License-Identifier: Apache-2.0
// The parts of a pair's packets on each link, by ChoiceTables.
#pragma once
#include <functional>

#include "plan/check/choice/choice_loads.hpp"

namespace weft {

class ChoicePairs {
 public:
  ChoicePairs(const Fabric& fabric, const Tables& tables);
  /// Calls `visit(channel, part)`; a packet that decides on detours stays. Of many intermediate
  /// destinations some are taken, others for other pairs. Returns whether all of it arrives.
  bool spread(HostId from, HostId to, const std::function<void(ChannelId, double)>& visit);

 private:
  using Weighted = std::pair<ChoiceRoutes::Start, double>;
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
};

}  // namespace weft
