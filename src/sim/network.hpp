// SPDX-License-Identifier: Apache-2.0
// Network: a Fabric with its Tables and switches in virtual time, flit by flit. A Driver sends
// packets through it, and it reports what becomes of them.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/tables.hpp"
#include "sim/faults.hpp"
#include "sim/switch_model.hpp"
#include "sim/time.hpp"

namespace weft::sim {

inline constexpr std::uint32_t no_group = ~std::uint32_t{0};

/// A list of tags that packets may have instead of the tables' route.
using RouteId = std::uint32_t;
inline constexpr RouteId no_route_id = ~RouteId{0};

/// What a host hands to its NIC: to one host, or to a multicast group of the tables.
struct Packet {
  HostId from{}, to{};
  std::uint32_t group = no_group;  ///< index into Tables::groups; then `to` is not used
  std::uint32_t flits = 1;
  bool urgent = false;   ///< the higher of the two priorities
  bool control = false;  ///< on control lanes, where the switches have them
  /// The last flit waits at the source until the driver closes the circuit, and the packet's lanes
  /// are its own until then. Two flits or more.
  bool circuit = false;
  std::uint32_t kind = 0;  ///< for the driver: requests and acknowledgments, say
  std::uint64_t tag = 0;   ///< for the driver
  Cycle created = 0;       ///< set by send()
  Cycle injected = 0;      ///< set when the first flit leaves the NIC
  std::uint32_t id = 0;    ///< set by send(); another packet may have it when this one has ended
  RouteId route = no_route_id;  ///< of its own, from Network::add_route; not for groups
};

enum class Loss {
  no_route,     ///< the tables have no port for it
  loop,         ///< the tables lead it in a circle
  link_down,    ///< its next link has failed, or the link failed while the packet crossed it
  switch_down,  ///< it was inside a switch that failed
  corrupted,    ///< bit errors; the receiving NIC threw it away
};
std::string_view to_text(Loss);

/// Where a packet broke: one of channel, host and on is the link or the switch at fault.
struct FaultSite {
  Loss why{};
  ChannelId channel{};  ///< between switches, in the direction in which the packet took it or was
                        ///< to take it
  HostId host{};        ///< the link of a host
  SwitchId on{};        ///< has failed, or has no next hop for the packet
  /// Switches between the source and the place where it was noticed: that is the end of the link
  /// which could not send, or, of one that damaged the packet, the end which received it.
  unsigned hops = 0;
  friend bool operator==(const FaultSite&, const FaultSite&) = default;
};

class Network;

/// Called from within Network::run. Every packet sent is reported exactly once: delivered or lost
/// (a multicast packet once for every member that is to get it).
class Driver {
 public:
  virtual ~Driver() = default;
  /// A timer that was set with wake().
  virtual void timer(Network& network, HostId host) = 0;
  /// Those of a cycle, in order: for drivers that handle them faster together.
  virtual void timers(Network& network, std::span<const HostId> hosts) {
    for (const HostId host : hosts) timer(network, host);
  }
  /// The last flit has come to `at`; `hops` counts switches.
  virtual void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) = 0;
  /// For a multicast packet `at` is the member that will not get it.
  virtual void lost(Network& network, const Packet& packet, HostId at, Loss why) = 0;
  /// The first flit of a circuit of three or more has come to `at`.
  virtual void reached(Network&, const Packet&, HostId /*at*/) {}
  /// All of a circuit but its last flit has come to `at`, whole or not, over so many switches.
  virtual void filled(Network&, const Packet&, HostId /*at*/, bool /*whole*/, unsigned /*hops*/) {}
  /// Called once, before the packet is lost, in the cycle in which that becomes certain; of a
  /// multicast packet once for every branch that breaks. Only with NetworkOptions::breakages.
  virtual void broken(Network&, const Packet&, const FaultSite&) {}
  /// The last flit has left the source, or never will; only with NetworkOptions::departures.
  virtual void departed(Network&, const Packet&) {}
};

/// Flits that have gone over one lane of one link in one direction.
struct LaneUse {
  ChannelId channel{};  ///< none for the link of a host
  HostId host{};        ///< its link; none between switches
  bool to_host = false;
  Lane lane = 0;
  std::uint64_t flits = 0;
};

struct Totals {
  std::uint64_t sent = 0, delivered = 0, lost = 0;  ///< packets (multicast: per member)
  std::uint64_t flits_injected = 0;
  std::uint64_t flit_hops = 0;  ///< switch traversals
  std::uint64_t waiting = 0;    ///< packets in NIC queues, not yet begun
};

enum class NetworkEnd {
  in_time,     ///< the given cycle was reached
  quiet,       ///< nothing moves and no timer is set: all that was sent has been reported
  deadlocked,  ///< packets wait for each other in a circle; see explanation()
};

/// How flits are moved; the results are the same. By events, the cost follows the traffic; in words
/// of 64 switches, a busy network is several times faster.
enum class Pace { automatic, events, bit_sliced };

struct NetworkOptions {
  Faults faults{};
  bool check = false;      ///< audit flits and credits while running; a wrong count aborts
  std::uint64_t seed = 1;  ///< of bit errors
  std::uint32_t longest_packet = 1;  ///< flits; packets above it are a bug of the driver
  /// Packets that a host can hold; the links of one that is full stand still. 0: any number.
  std::uint32_t receive_buffers = 0;
  bool departures = false;   ///< tell when packets have left their sources
  bool circuits = false;     ///< there are packets of that kind
  bool fault_sites = false;  ///< tell where packets broke
  Pace pace = Pace::automatic;
  Cycle review = 4096;  ///< cycles between looks for deadlocks, and at what pays
};

class Engine;  // sim/engine/engine.hpp

class Network {
 public:
  /// Throws Error when tables, model, faults or packet length do not go together. The fabric and
  /// tables must outlive the network.
  Network(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
          const NetworkOptions& options = {});
  ~Network();
  Network(Network&&) noexcept;

  /// Runs until `until` (exclusive), or until nothing is left to do, or a deadlock.
  NetworkEnd run(Driver& driver, Cycle until);
  /// Whether packets wait for each other in a circle now; run() looks only every some thousand
  /// cycles.
  bool deadlocked();
  Cycle now() const;
  /// A route for packets of a pair: a tag for every switch, as in SourceRoutes; the host's own port
  /// comes after it, unless the list ends with it. The same tags are the same route. Throws Error
  /// unless every choice that they leave arrives; and the tables must have one lane for all.
  RouteId add_route(HostId from, HostId to, std::span<const PortNumber> tags);
  /// The tag that names these ports in routes from now on; may be one of the tables'. Throws Error.
  PortNumber add_links(const std::vector<PortNumber>& ports);
  /// Puts a packet into the (endless) queue of its NIC, now.
  void send(const Packet& packet);
  /// The last flit of a circuit may go. A circuit that a failure has cut closes by itself.
  void close(std::uint32_t id);
  /// With receive buffers: the host is done with a packet that was delivered to it.
  void release_buffer(HostId at);
  /// Calls driver.timer(host) at cycle `at` >= now(); a callback's timer for now() comes in the
  /// next cycle. One timer a host; the last call counts.
  void wake(HostId host, Cycle at);

  const Totals& totals() const;
  std::vector<LaneUse> lane_use() const;
  /// After NetworkEnd::deadlocked: the packets and channels of the circle, in words.
  const std::string& explanation() const;
  /// The length of a cycle: one flit on the fastest link.
  Duration cycle() const;
  const Fabric& fabric() const;
  const Tables& tables() const;

 private:
  std::unique_ptr<Engine> engine_;
};

}  // namespace weft::sim
