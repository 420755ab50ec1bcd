// SPDX-License-Identifier: Apache-2.0
// Failures: links and switches that fail while packets are on them, links that damage packets, and
// packets that cannot go on. Such a packet is thrown away where it is; the part of it that is
// already beyond a failed link gets an end of its own. Every packet is reported lost when its last
// part is gone.
#pragma once
#include <array>
#include <map>
#include <vector>

#include "sim/flit/branches.hpp"
#include "sim/flit/choices.hpp"
#include "sim/flit/draws.hpp"
#include "sim/flit/injector.hpp"

namespace weft::sim {

class Failures {
 public:
  Failures(Units& units, Routing& routing, Branches& branches, Choices& choices,
           Injector& injection, Reports& reports);

  /// From now on those of the options are to come.
  void plan();
  /// The cycle of the next failure; never without any.
  Cycle next() const { return plan_.empty() ? never : plan_.back().at; }
  /// The cycle of the first failure, or of the first link that damages a packet.
  Cycle first() const;
  /// Whether all links work, and no packet is left that was cut or damaged.
  bool are_over() const;
  /// Those that are due happen.
  void strike();
  /// The front packet cannot go on; `dead_port`, if any, is where it was to go.
  void drain(Index id, Loss why, Index dead_port = nothing);
  /// What there is of the front packet, and what comes of it, is thrown away here.
  void discard(Index id);
  /// The same for what has come since.
  void throw_away(Index id);
  /// Whether the flit that enters the link behind an out-lane tells that its packet is damaged.
  /// `head`: it is the first one; `last_data`: the last one that can be damaged.
  struct FlitOnLink {
    Index out_lane, packet;
    bool head, tail, last_data;
  };
  bool damages(const FlitOnLink& flit);

 private:
  struct Failure {
    Cycle at;
    Index port;  ///< nothing: a switch
    SwitchId on;
    bool over = false;  ///< the end of a fault
  };
  /// A link that damages packets: at which cycles, latest first, and by lane of either of its ends
  /// which is sending a packet that it has damaged.
  struct GlitchedLink {
    std::vector<Cycle> at{};
    std::array<std::uint64_t, 2> damaged{};
  };

  void plan_failures();
  void plan_glitches();
  void fail_link(Index port, Loss why);
  void fail_direction(Index from, Loss why);
  void fail_switch(SwitchId s);
  void mend_link(Index port);
  void mend_direction(Index from);
  void cut(Index id, Loss why);
  void drop_branches(Index port, Loss why);
  void release_out_lane(Index id, Index out_lane);
  bool glitched(const FlitOnLink& flit);
  bool has_bit_errors(Index packet, Index out_lane);

  Units& units_;
  const Layout& layout_;
  Routing& routing_;
  Branches& branches_;
  Choices& choices_;
  Injector& injection_;
  Reports& reports_;
  std::vector<Failure> plan_;                ///< to come, latest first
  std::map<Index, int> down_;                ///< by port of a failure: faults that its link has
  std::map<Index, GlitchedLink> glitches_;   ///< by the lower of the link's ports
  std::vector<std::uint64_t> error_chance_;  ///< by packet length, of 2^64
};

}  // namespace weft::sim
