// SPDX-License-Identifier: Apache-2.0
// IntermediateHops: the longest routes by the intermediate destinations that packets of a pair may
// draw.
#pragma once
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "fabric/intermediate_draws.hpp"
#include "plan/check/choice/choice_reach.hpp"

namespace weft {

class IntermediateHops {
 public:
  IntermediateHops(const Fabric& fabric, const Tables& tables, ChoiceRoutes& routes);

  /// Whether pairs are told apart; in large networks that is too much.
  bool by_pair() const { return by_pair_; }
  /// Whether no packet may take the longest route found: pairs that draw differently are not told
  /// apart, or where packets come to decide on a detour depends on their destination.
  bool may_exceed() const;

  /// Before anything else, if packets decide on detours: the positions explored now, to hosts.
  void look_at_decisions(std::size_t aim, const ChoiceReach& reach);
  /// Then: the positions explored now, to an intermediate destination.
  void look_at(std::size_t intermediate, const ChoiceReach& reach);
  /// Then: channels on the longest route of a pair, to the hosts that are explored now.
  std::uint32_t most(HostId from, HostId to, const ChoiceReach& reach) const;

 private:
  /// All of a ChoiceRoutes::Start.
  using StartKey = std::tuple<ChannelId, HostId, Lane, PhaseId, std::uint8_t>;
  using Hops = std::map<StartKey, std::uint32_t>;
  static constexpr std::uint32_t never = ~std::uint32_t{0};

  std::size_t group(SwitchId s) const { return by_switch_ ? s.index() : draws_.group(s); }
  std::vector<Hops> host_starts(std::size_t aim) const;
  void lengthen(const Hops& starts, const ChoiceReach& reach);

  const Fabric& fabric_;
  ChoiceRoutes& routes_;
  IntermediateDraws draws_;
  bool some_decide_, some_start_away_ = false;
  bool by_switch_, by_pair_ = false;
  std::size_t groups_;
  std::vector<Hops> detours_;  ///< by group of the source: where they begin, channels before that
  /// By intermediate and group: place among the arrivals, channels before that.
  std::vector<std::vector<std::vector<std::pair<std::size_t, std::uint32_t>>>> arrivals_;
  std::vector<std::uint32_t> before_{};  ///< by position
};

}  // namespace weft
