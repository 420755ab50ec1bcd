// SPDX-License-Identifier: Apache-2.0
// SwitchModel: how the switches (and the links between them) of a simulated network work. Times are
// cycles, or times that become cycles when the links are known (sim/timing.hpp).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/params.hpp"
#include "base/units.hpp"
#include "sim/policies/policies.hpp"

namespace weft::sim {

enum class Switching { wormhole, cut_through, store_and_forward };
enum class FlowControl { credit, stop_go };
enum class Multiplex { flit, packet };
/// What a packet waits for whose tables leave it a choice of ports.
enum class PortChoice {
  any,     ///< in every cycle, for any of them
  commit,  ///< for that which it was given when it was routed
};

/// When an out-lane is given to the next packet.
enum class LaneReuse {
  automatic,  ///< as soon as the last one is sent, unless lab finds that the tables need more
  sent,       ///< as soon as the last one is sent
  empty,      ///< when the buffer behind it is empty, so that a lane holds one packet at a time
};

/// The most that can be given; automatic buffers may be larger.
inline constexpr std::uint32_t most_buffer_flits = 65'535;

struct SwitchModel {
  std::string spec;     ///< as it was given
  int lanes = 0;        ///< of every link; 0: as many as the tables use
  int most_lanes = 64;  ///< that the tables may use
  /// The stages: route a head flit, allocate its lane, allocate the switch, cross it; then a link's
  /// own. All are pipelined: a stage of many cycles costs time, but no throughput. Those that are
  /// not given take a cycle, or as little as they can where the latency is known.
  std::optional<Delay> route{}, lane{}, allocate{}, cross{}, link{};
  /// Of a head flit through an idle switch and the link behind it, but for the cable's delay.
  std::optional<Delay> latency{};
  /// The latency where neither it nor a stage is given, and the fabric does not know it either;
  /// without: the sum of the stages.
  std::optional<Delay> usual_latency{};
  Delay credit{};  ///< before a credit, or a stop or go, is sent back
  /// Flits per lane of an input port; 0: as many as keep the longest link busy.
  std::uint32_t buffer = 0;
  Bytes flit{8};
  Switching switching = Switching::wormhole;
  FlowControl flow = FlowControl::credit;
  std::uint32_t stop = 0, go = 0;  ///< flits in the buffer that send stop and go (stop_go)
  Multiplex multiplex = Multiplex::flit;
  PortChoice choice = PortChoice::any;
  PortPolicy policy{};  ///< which port it takes
  LaneReuse reuse = LaneReuse::automatic;
  bool lane_inputs = false;  ///< every lane of a port is an input of the crossbar, not the port
  bool host_lanes = true;    ///< links of hosts: any lane (true), or the lanes of the first hop
  bool control = false;      ///< as many lanes again, by the same tables, for control packets
  bool priorities = false;
  /// Without it, packets wait for each other at the links of hosts only.
  bool contention = true;
  Delay aging{};  ///< in a switch, after which a packet counts as urgent; 0: never

  /// The most lanes that tables may use.
  int lane_limit() const { return lanes == 0 ? most_lanes : lanes; }
};

/// A kind of switch. All take the same parameters, with other defaults.
struct SwitchRow {
  std::string_view name, summary;
  std::vector<Param> params;
};
std::span<const SwitchRow> switch_kinds();
/// "iq:lanes=4,buffer=8". Throws Error.
SwitchModel model_from(std::string_view spec);
/// "64B", "4KiB" or a plain number of flits, in flits, rounded up.
std::uint32_t flits_from(std::string_view text, Bytes flit);

}  // namespace weft::sim
