// SPDX-License-Identifier: Apache-2.0
// One pass over all routes of all pairs of hosts: which are reached, how many switches they cross,
// how many routes each channel carries.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fabric/column_tree.hpp"
#include "fabric/distances.hpp"
#include "fabric/route_set.hpp"
#include "fabric/tables.hpp"
#include "fabric/walk.hpp"
#include "plan/check/lost_pairs.hpp"

namespace weft {

struct Survey {
  std::uint64_t pairs = 0;      ///< ordered pairs of hosts, a host with itself included
  std::uint64_t reached = 0;    ///< of these
  std::uint64_t apart = 0;      ///< not reached because no path of links joins the two
  std::vector<Stray> strays;    ///< the first few pairs that are not reached though links join them
  std::vector<LostPairs> lost;  ///< all of these, by what goes wrong; the largest group first
  std::uint64_t hop_sum = 0;    ///< switches on the route, over the reached pairs
  double split_hop_sum = 0;     ///< the same of choice tables, whose packets are split
  std::uint64_t most_hops = 0;
  /// Whether `most_hops` is a bound: of packets by intermediate destinations, in large networks.
  bool hops_may_exceed = false;
  /// Routes over each channel, pairs of hosts counted; where a switch has the choice, every port
  /// gets an equal part.
  IdVector<ChannelId, double> load;
  /// The same, and the switches on routes, if all packets take their detours; empty: there are
  /// none.
  IdVector<ChannelId, double> detour_load{};
  double detour_hop_sum = 0;
  /// Loads and mean hops, as they are and with detours, are estimated from the packets of so many
  /// hosts by intermediate destinations; 0: they are exact.
  std::uint64_t sampled_sources = 0, sampled_detour_sources = 0;
  /// Whether packets may go round in loops if switches choose so time and again.
  bool may_go_round = false;
  /// Whether loads and mean hops leave out what these do after many rounds.
  bool cuts_loops = false;

  bool complete() const { return reached + apart == pairs; }
  double all_hops() const { return static_cast<double>(hop_sum) + split_hop_sum; }
  double mean_hops() const { return reached == 0 ? 0 : all_hops() / static_cast<double>(reached); }
  double mean_detour_hops() const {
    return reached == 0 ? 0 : detour_hop_sum / static_cast<double>(reached);
  }
};

Survey survey(const Fabric& fabric, const Tables& tables);

/// " (estimated from 10 of 400 sources)"; nothing for 0.
std::string estimate_text(const Fabric& fabric, std::uint64_t sampled_sources);
/// Ends a line on loads where packets that go round were not followed to their end; else nothing.
std::string loops_text(bool cuts_loops);

/// The LIDs of hosts that packets go to: programs use the first one, an LMC gives further ones.
enum class Lids { first, all };

/// Hosts grouped by column, and the hosts of a switch whose packets may start on different lanes.
struct Traffic {
  std::vector<std::vector<HostId>> to;  ///< by column
  /// By switch: one host for each lane that packets may start on; empty where a switch has no
  /// hosts.
  IdVector<SwitchId, std::vector<HostId>> sources;
  Traffic(const Fabric& fabric, const Tables& tables, Lids lids);
};

}  // namespace weft
