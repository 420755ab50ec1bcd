// SPDX-License-Identifier: Apache-2.0
// Which pairs of hosts ChoiceTables lose, and how long the longest route is.
#pragma once
#include <functional>
#include <map>
#include <optional>
#include <tuple>

#include "plan/check/choice/choice_reach.hpp"
#include "plan/check/choice/intermediate_hops.hpp"

namespace weft {

/// Packets from some hosts of a switch to those of an aim.
struct SurveyedPairs {
  HostId from{};  ///< one of them
  std::uint64_t sources = 0;
  std::span<const HostId> to{};
  std::uint32_t most_hops = 0;  ///< channels
  const Walk* lost = nullptr;   ///< a route that does not arrive
};

class ChoiceSurvey {
 public:
  ChoiceSurvey(const Fabric& fabric, const Tables& tables, ChoiceRoutes& routes);
  /// Calls `visit` for all pairs. Returns whether some packets may go round, if switches choose so.
  bool run(const std::function<void(const SurveyedPairs&)>& visit);
  /// Whether no packet may take the longest routes: they are a bound only.
  bool hops_may_exceed() const { return by_intermediates_.may_exceed(); }

 private:
  using JointKey = std::tuple<ChannelId, HostId, Lane, PhaseId, std::uint8_t>;
  static JointKey key(const ChoiceRoutes::Start& start) {
    return {start.by, start.by.valid() ? HostId::none() : start.source, start.lane, start.phase,
            start.level};
  }
  void look_at_detours();
  void look_at_intermediates();
  void look_at_hosts(std::size_t aim, const std::function<void(const SurveyedPairs&)>& visit);
  void lengthen(std::size_t aim, std::map<JointKey, std::uint32_t>& ends);

  ChoiceRoutes& routes_;
  ChoiceReach reach_;
  IntermediateHops by_intermediates_;
  bool some_decide_, some_start_away_ = false, may_go_round_ = false;
  std::map<JointKey, std::uint32_t> detours_, arrivals_;  ///< channels before them, at most
  std::map<JointKey, Walk> lost_away_;  ///< hosts, by start, whose packets are lost on their way
  std::optional<Walk> lost_detour_;
};

}  // namespace weft
