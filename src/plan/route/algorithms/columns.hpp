// SPDX-License-Identifier: Apache-2.0
// Columns: for one destination, the shortest route from every switch with a bounded number of
// forbidden (down-to-up) turns, and the choice among equally good ports. It serves minhop,
// up*/down*, descending layers and structured channel pools.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/params.hpp"
#include "fabric/tables.hpp"
#include "plan/route/algorithms/orientation.hpp"

namespace weft {

/// Routes over each channel so far, counted in pairs of hosts.
using Loads = IdVector<ChannelId, std::uint64_t>;

class ColumnEngine {
 public:
  /// Without an orientation every turn is allowed. With `lanes` of them a route may make lanes-1
  /// forbidden turns.
  ColumnEngine(const Fabric& fabric, const Orientation* orientation, int lanes);

  /// Finds the lengths and turns of all switches towards `to`; the other functions refer to it.
  void label(SwitchId to);

  /// The lowest port among the best.
  void lowest(std::span<PortNumber> column) const;
  /// The least loaded port that lengthens nobody's route (or, with `whole_route`, the port with the
  /// least load on all links to the destination); adds the column's flow to `loads`, as of `hosts`
  /// destinations.
  void balanced(std::span<PortNumber> column, Loads& loads, std::uint64_t hosts, bool whole_route);

  std::uint64_t total_length() const;
  /// The longest route from a switch with hosts, in links, and where it starts.
  struct Longest {
    std::uint32_t length = 0;
    SwitchId from{};
  };
  Longest longest() const;
  /// Forbidden turns on the route from a switch.
  int turns(SwitchId from) const { return label_[from] / 2; }
  bool reached(SwitchId from) const { return label_[from] != unlabelled; }

 private:
  /// 2 * forbidden turns to come + 1 if the route starts upwards.
  using Label = std::uint8_t;
  static constexpr Label unlabelled = 0xFF;
  struct In {
    SwitchId from;
    ChannelId channel;
    PortNumber port;
    bool up;
  };
  static Label extend(Label label, bool up) {
    return static_cast<Label>(up ? label | 1U : (label + 1U) & ~1U);
  }
  /// A channel on a shortest route of a switch.
  struct Choice {
    SwitchId next;
    ChannelId channel;
    bool up;
  };
  std::span<const In> in(SwitchId s) const {
    return {in_.data() + in_begin_[s.index()], in_.data() + in_begin_[s.index() + 1]};
  }
  void find_caps();
  void find_choices();
  void add_flow(Loads& loads, std::uint64_t hosts);

  const Fabric& fabric_;
  Label most_;
  std::vector<In> in_;
  std::vector<std::size_t> in_begin_;
  std::vector<bool> up_;
  SwitchId to_{};
  std::vector<SwitchId> order_;  ///< labelled switches, near before far
  bool choices_known_ = false;   ///< for the present destination
  std::vector<Choice> choices_;
  std::vector<std::uint32_t> choices_begin_;  ///< by place in the order
  IdVector<SwitchId, Label> label_, chosen_label_, cap_;
  IdVector<SwitchId, std::uint32_t> length_;
  IdVector<SwitchId, ChannelId> guard_;  ///< a best channel, the one with the lowest port
  IdVector<SwitchId, ChannelId> chosen_;
  IdVector<SwitchId, std::uint64_t> hosts_, flow_, cost_;
};

/// How the columns of an engine are chosen, its parameters `select` and `columns`.
struct Selection {
  bool balanced = true;
  bool per_host = true;
  bool whole_route = false;
};
inline constexpr OneOf port_choice{"low_port", "balanced"};
inline constexpr OneOf column_choice{"switch", "host"};
std::vector<Param> selection_params(std::string_view columns_default);
Selection selection_from(const Params& params);

/// Destination tables of all hosts by the column engine.
Tables column_tables(const Fabric& fabric, ColumnEngine& engine, Selection selection);

/// Switches with hosts, those with most hosts first: the order in which loads build up.
std::vector<SwitchId> destinations(const Fabric& fabric);

/// Tables with one column per switch with hosts (or per host) and no port in them yet.
Tables empty_tables(const Fabric& fabric, bool per_host);

}  // namespace weft
