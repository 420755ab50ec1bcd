// SPDX-License-Identifier: Apache-2.0
// SwitchModel: how the switches (and the links between them) of a simulated network work.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/params.hpp"
#include "base/units.hpp"

namespace weft::sim {

enum class Switching { wormhole, cut_through, store_and_forward };
enum class FlowControl { credit, stop_go };
enum class Multiplex { flit, packet };

struct SwitchModel {
  std::string spec;  ///< as it was given
  int lanes = 0;     ///< of every link; 0: as many as the tables use
  /// Cycles of each stage: route a head flit, allocate its lane, allocate the switch, cross it;
  /// then a link's own. A flit passes an idle switch and the link behind it in the sum of the five.
  int route = 1, lane = 1, allocate = 1, cross = 1, link = 1;
  int credit = 0;            ///< cycles before a credit, or a stop or go, is sent back
  std::uint32_t buffer = 8;  ///< flits per lane of an input port
  Bytes flit{8};
  Switching switching = Switching::wormhole;
  FlowControl flow = FlowControl::credit;
  std::uint32_t stop = 0, go = 0;  ///< flits in the buffer that send stop and go (stop_go)
  Multiplex multiplex = Multiplex::flit;
  bool lane_inputs = false;  ///< every lane of a port is an input of the crossbar, not the port
  bool host_lanes = true;    ///< links of hosts: any lane (true), or the lanes of the first hop
  bool control = false;      ///< as many lanes again, by the same tables, for control packets
  bool priorities = false;
  int aging = 0;  ///< cycles in a switch after which a packet counts as urgent; 0: never
};

/// What `model_from` understands, for help.
std::span<const Param> switch_params();
/// "iq:lanes=4,buffer=8" ("iq", input-queued, is the only kind). Throws Error.
SwitchModel model_from(std::string_view spec);
/// "64B", "4KiB" or a plain number of flits, in flits, rounded up.
std::uint32_t flits_from(std::string_view text, Bytes flit);

}  // namespace weft::sim
