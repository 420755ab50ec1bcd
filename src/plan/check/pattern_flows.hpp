// SPDX-License-Identifier: Apache-2.0
// Hosts that send at once, each to one other: the routes over every channel, and the bandwidth that
// a pair gets.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fabric/route_set.hpp"
#include "plan/check/choice/choice_pairs.hpp"
#include "plan/check/lost_pairs.hpp"

namespace weft {

struct HostPair {
  HostId from{}, to{};
};

/// Serves many patterns, one after the other.
class PatternFlows {
 public:
  /// `pairs`: about how many will send in all, so that they do not take too long together.
  PatternFlows(const Fabric& fabric, const Tables& tables, std::size_t pairs);
  /// From now on these pairs send, and no others.
  void send(std::span<const HostPair> pairs);

  /// Routes over each channel; where switches have the choice, every port gets an equal part.
  /// Packets that do not arrive load the links up to where they are lost: they make no room for
  /// others.
  const IdVector<ChannelId, double>& routes() const { return routes_; }
  /// Pairs that are not reached.
  std::size_t lost() const { return lost_; }
  /// A pair's bandwidth as a part of its sender's link, mean of all; 0 for those not reached. Each
  /// pair gets the smallest share of a link on its route.
  double mean_share() const;
  /// Whether packets that go round in loops were not followed to their end, in any pattern.
  bool cuts_loops() const { return choices_ && choices_->cuts_loops(); }

 private:
  struct ChannelShare {
    ChannelId channel;
    double part;
  };
  struct PairFlow {
    HostPair pair;
    bool arrives;
    std::size_t end;  ///< of its channels in shares_
  };
  bool follow(HostPair pair);
  bool spread(HostPair pair);
  bool choose(HostPair pair);
  double share(const PairFlow& flow, std::size_t begin) const;

  const Fabric& fabric_;
  Walker walk_;
  std::optional<RouteSet> route_set_;   ///< where source routes leave choices
  std::optional<ChoicePairs> choices_;  ///< of choice tables
  std::vector<PairFlow> flows_;
  std::vector<ChannelShare> shares_;
  IdVector<ChannelId, double> routes_;
  IdVector<ChannelId, double> parts_;  ///< of the packets of a pair; 0 between pairs
  std::size_t lost_ = 0;
};

/// The most routes over each channel in any pattern of a series, and the first such pattern.
struct LinkPeaks {
  IdVector<ChannelId, double> most{};
  IdVector<ChannelId, std::size_t> pattern{};
  double sum = 0;  ///< over all channels and patterns
  std::size_t patterns = 0;

  void add(const IdVector<ChannelId, double>& routes, std::size_t number);
  /// Routes over a channel in a pattern.
  double mean() const;
};

}  // namespace weft
