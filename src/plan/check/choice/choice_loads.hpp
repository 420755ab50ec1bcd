// SPDX-License-Identifier: Apache-2.0
// What links carry by ChoiceTables: every packet is split equally among the choices that it
// prefers, its first phases, and the intermediate destinations that it may draw.
#pragma once
#include <utility>
#include <vector>

#include "fabric/intermediate_draws.hpp"
#include "plan/check/choice/choice_reach.hpp"

namespace weft {

/// Whether packets that decide on detours stay, or all take them where they decide first.
enum class DetoursTaken { none, all };

/// Splits packets that are at the positions explored now; afterwards `at` holds, by position, how
/// many have come there. Calls `visit(channel, packets)`.
template <class Visit>
void split_equally(const ChoiceRoutes& routes, const ChoiceReach& reach, std::vector<double>& at,
                   Visit visit) {
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
  // Those that may go round come to an end in the long run.
  constexpr int most_rounds = 1000;
  constexpr double little = 1e-9;
  double moved = reach.may_go_round() ? 1 : 0;
  for (int round = 0; round < most_rounds && moved > little; ++round) {
    moved = 0;
    for (ChoiceRoutes::Index i = 0; i < at.size(); ++i)
      if (!is_done[i]) moved += pass_on(i);
  }
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
};

}  // namespace weft
