// SPDX-License-Identifier: Apache-2.0
// What links carry by ChoiceTables: every packet is split equally among the choices that it
// prefers, its first phases, and the intermediate destinations that it may draw.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "fabric/intermediate_draws.hpp"
#include "plan/check/choice/choice_reach.hpp"

namespace weft {

/// Whether packets that decide on detours stay, or all take them where they decide first.
enum class DetoursTaken { none, all };

/// How far packets are followed that may go round in loops.
struct LoopLimit {
  std::size_t steps = 0;  ///< of all positions on loops, for one group of packets
  bool is_met = false;    ///< a thousandth of some group, or more, was still on its way then

  /// So much for each, that all groups together take a second or so.
  static LoopLimit for_groups(std::size_t count) {
    constexpr std::size_t most_steps = 100'000'000;
    return {most_steps / std::max<std::size_t>(1, count)};
  }
};

/// Splits packets that are at the positions explored now; afterwards `at` holds, by position, how
/// many have come there. Calls `visit(channel, packets)`.
template <class Visit>
void split_equally(const ChoiceRoutes& routes, const ChoiceReach& reach, std::vector<double>& at,
                   LoopLimit& limit, Visit visit) {
  const auto pass_on = [&](ChoiceRoutes::Index i) {
    const ChoiceRoutes::Position& position = routes.positions()[i];
    if (at[i] == 0 || position.delivers || position.arrives) return 0.0;
    const auto next = routes.preferred(position);
    const double part = at[i] / static_cast<double>(next.size());
    for (const ChoiceRoutes::ChoiceHop& hop : next) {
      visit(hop.by, part);
      at[hop.to] += part;
    }
    return next.empty() ? 0 : std::exchange(at[i], 0);
  };
  std::vector<bool> is_done(at.size(), false);
  for (const ChoiceRoutes::Index i : reach.order()) {
    pass_on(i);
    is_done[i] = true;
  }
  if (!reach.may_go_round()) return;
  // The others come to an end in the long run.
  constexpr std::size_t least_rounds = 10, most_rounds = 1000;
  constexpr double little = 1e-9;
  const std::size_t on_loops = std::max<std::size_t>(1, at.size() - reach.order().size());
  const std::size_t rounds = std::clamp(limit.steps / on_loops, least_rounds, most_rounds);
  double all = 0, moved = 1;
  for (std::size_t round = 0; round < rounds && moved > little; ++round) {
    moved = 0;
    for (ChoiceRoutes::Index i = 0; i < at.size(); ++i)
      if (!is_done[i]) moved += pass_on(i);
    all = std::max(all, moved);
  }
  limit.is_met |= moved > std::max(little, all / 1000);
}

/// The packets of all pairs of hosts, one each.
class ChoiceLoads {
 public:
  ChoiceLoads(const Fabric& fabric, const Tables& tables, ChoiceRoutes& routes);
  /// Packets over each channel.
  IdVector<ChannelId, double> all_pairs(DetoursTaken taken);
  /// In large networks, how many hosts stood for all others as sources of packets to intermediate
  /// destinations, in the last all_pairs(); 0: none did, all were followed.
  std::uint64_t sampled_sources() const;
  /// Whether packets on loops were not followed to their end, in any all_pairs().
  bool cuts_loops() const { return limit_.is_met; }

 private:
  using Arrivals = std::vector<std::pair<std::size_t, double>>;  ///< by number of a start

  void to_intermediates(DetoursTaken taken);
  void choose_sample();
  void add(std::vector<double>& at, std::size_t group, double weight) const;
  void send_all(std::size_t via);
  void follow(std::size_t via, std::size_t group);
  std::vector<double> weights_from(std::size_t group) const;
  void to_hosts(DetoursTaken taken);
  std::vector<double> arrived_for(std::size_t group) const;
  double share(const ChoiceRoutes::Start& start) const;
  bool decides(PhaseId phase) const { return choices_.phases[phase].detour.has_value(); }

  const Fabric& fabric_;
  const ChoiceTables& choices_;
  ChoiceRoutes& routes_;
  ChoiceReach reach_;
  IntermediateDraws draws_;
  std::vector<double> hosts_;                             ///< of each group
  std::vector<std::vector<ChoiceRoutes::Start>> starts_;  ///< to intermediates, by group
  std::vector<double> scale_;                             ///< of groups; 0: not followed
  /// By group of the source and intermediate: for each packet that arrives, hosts to which it goes.
  std::vector<std::vector<double>> weights_;
  std::vector<std::vector<Arrivals>> arrivals_;  ///< by intermediate and group of the source
  IdVector<ChannelId, double> load_;
  LoopLimit limit_;
};

}  // namespace weft
