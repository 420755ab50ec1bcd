// SPDX-License-Identifier: Apache-2.0
// Network: a Fabric with its Tables and switches in virtual time, flit by flit or without
// contention, as the model of the switches says. A Driver sends packets through it, and it reports
// their outcome.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fabric/fabric.hpp"
#include "fabric/tables.hpp"
#include "sim/faults.hpp"
#include "sim/switch_model.hpp"
#include "sim/time.hpp"

namespace weft::sim {

inline constexpr std::uint32_t no_group = ~std::uint32_t{0};

/// A source route that packets may follow instead of the tables' route.
using RouteId = std::uint32_t;
inline constexpr RouteId no_route_id = ~RouteId{0};

/// A packet that a host hands to its NIC, for one host or for a multicast group of the tables.
struct Packet {
  HostId from{}, to{};
  std::uint32_t group = no_group;  ///< index into Tables::groups; then `to` is not used
  std::uint32_t flits = 1;
  bool urgent = false;   ///< the higher of the two priorities
  bool control = false;  ///< on control lanes, where the switches have them
  /// The last flit waits at the source until the driver closes the circuit, and the packet holds
  /// its lanes until then. Needs two flits or more.
  bool circuit = false;
  std::uint32_t kind = 0;  ///< for the driver: requests and acknowledgments, say
  std::uint64_t tag = 0;   ///< for the driver
  Cycle created = 0;       ///< set by send(): when its host had it
  Cycle injected = 0;      ///< set when the first flit leaves the NIC
  std::uint32_t id = 0;    ///< set by send(); another packet may have it when this one has ended
  RouteId route = no_route_id;  ///< of its own, from Network::add_route; not for groups
};

enum class Loss {
  no_route,     ///< the tables have no port for it
  loop,         ///< the tables lead it in a circle
  link_down,    ///< its next link has failed, or the link failed while the packet crossed it
  switch_down,  ///< it was inside a switch that failed
  corrupted,    ///< bit errors; the receiving NIC discarded it
};
std::string_view to_text(Loss);

/// Where a packet broke: one of channel, host and on is the link or the switch at fault.
struct FaultSite {
  Loss why{};
  ChannelId channel{};  ///< between switches, in the packet's direction
  HostId host{};        ///< the link of a host
  SwitchId on{};        ///< has failed, or has no next hop for the packet
  /// Switches between the source and the place that noticed the fault: the sending end of a link
  /// that failed, or the receiving end of a link that damaged the packet.
  unsigned hops = 0;
  friend bool operator==(const FaultSite&, const FaultSite&) = default;
};

/// A flit that goes onto a link.
struct FlitDeparture {
  ChannelId channel{};  ///< between switches
  HostId host{};        ///< or the link of a host
  bool to_host = false;
  Lane lane = 0;
  std::uint32_t flit = 0;  ///< its place in the packet, from 0
};

class Network;

/// On which hosts a driver acts when it hears of a packet.
enum class AnswerScope : std::uint8_t {
  never,     ///< it acts when it is woken only
  at_host,   ///< on the one that has got it; on others when it is lost
  anywhere,  ///< on any
};

/// Called from within Network::run. Every packet sent is reported exactly once: delivered or lost
/// (a multicast packet once for every member that is to get it).
class Driver {
 public:
  virtual ~Driver() = default;
  /// A timer that was set with wake().
  virtual void timer(Network& network, HostId host) = 0;
  /// All timers of a cycle, in order, for drivers that handle them faster together.
  virtual void timers(Network& network, std::span<const HostId> hosts) {
    for (const HostId host : hosts) timer(network, host);
  }
  /// The last flit has reached `at`; `hops` counts switches.
  virtual void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) = 0;
  /// For a multicast packet `at` is the member that will not get it.
  virtual void lost(Network& network, const Packet& packet, HostId at, Loss why) = 0;
  /// The first flit of a circuit of three or more has reached `at`.
  virtual void reached(Network&, const Packet&, HostId /*at*/) {}
  /// All of a circuit but its last flit has reached `at`, undamaged (whole) or not, over `hops`
  /// switches.
  virtual void filled(Network&, const Packet&, HostId /*at*/, bool /*whole*/, unsigned /*hops*/) {}
  /// Called once, before the packet is lost, in the cycle in which that becomes certain; of a
  /// multicast packet once for every branch that breaks. Only with NetworkOptions::fault_sites.
  virtual void broken(Network&, const Packet&, const FaultSite&) {}
  /// The last flit has left the source, or never will; only with NetworkOptions::departures.
  virtual void departed(Network&, const Packet&) {}
  /// A flit goes onto a link, in no particular order among those of a cycle; only with
  /// NetworkOptions::flit_departures.
  virtual void flit_departed(Network&, const Packet&, const FlitDeparture&) {}
  /// If never, it may be woken some cycles before it hears of packets that switches have lost.
  virtual AnswerScope answers() const { return AnswerScope::anywhere; }
  /// Drivers for so many parts of the network, each of which has some of the hosts, so that every
  /// part can have a thread; empty: hosts cannot be told apart. Only asked where no packet can be
  /// lost, unless the driver never answers. The drivers of parts are used until stopped() is called
  /// of this one; a packet is sent by the driver of its source, and delivered to that of its
  /// destination. Which hosts are in which part is Network::parts_of_hosts(), if that was asked
  /// for.
  virtual std::vector<Driver*> in_parts(std::size_t /*parts*/) { return {}; }
  /// The most packets that so many hosts send together from a cycle on, before `end`, in parts.
  virtual std::uint64_t most_packets(std::uint64_t hosts, Cycle begin, Cycle end) const {
    return hosts * (end - begin);
  }
  /// Network::run() returns.
  virtual void stopped(Network&) {}
};

/// Flits sent over one lane of one link in one direction.
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

  Totals& operator+=(const Totals& other);
};

enum class NetworkEnd {
  in_time,     ///< the given cycle was reached
  quiet,       ///< nothing moves and no timer is set: all that was sent has been reported
  deadlocked,  ///< packets wait for each other in a dependency cycle; see explanation()
};

/// How the simulator moves flits; the results are the same. By events, the cost follows the
/// traffic; bit-sliced, in words of 64 switches, a busy network is several times faster.
enum class Pace { automatic, events, bit_sliced };

/// Whether several threads move a network at any rate, or where they are found to be faster.
enum class ThreadUse { always, where_faster };

struct NetworkOptions {
  Faults faults{};
  bool check = false;      ///< audit flits and credits while running; a wrong count aborts
  std::uint64_t seed = 1;  ///< of bit errors
  std::uint32_t longest_packet = 1;  ///< flits; packets above it are a bug of the driver
  /// Packets that a host can hold; while it is full its link stands still. 0: any number.
  std::uint32_t receive_buffers = 0;
  bool departures = false;   ///< report when packets have left their sources
  bool circuits = false;     ///< packets may be circuits
  bool fault_sites = false;  ///< report where packets broke
  /// Report every flit that goes onto a link: flit by flit, and slower, with the same results.
  bool flit_departures = false;
  Pace pace = Pace::automatic;
  unsigned threads = 1;  ///< at most; the results are the same
  ThreadUse thread_use = ThreadUse::always;
  /// Packets that hold their links are handled as a whole, and flit by flit, in turns of so many
  /// cycles.
  Cycle turn = never;
  Cycle review = 4096;  ///< cycles between checks for deadlocks and for the better pace
};

/// What one of the simulator's ways to move flits has done, and its processor time.
struct PathUse {
  std::string_view name;
  Cycle cycles = 0;
  std::uint64_t flit_hops = 0;
  double seconds = 0;
};

class NetworkCore;  // sim/network_core.hpp

class Network {
 public:
  /// Throws Error when tables, model, faults or packet length do not fit each other. The fabric and
  /// tables must outlive the network.
  Network(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
          const NetworkOptions& options = {});
  /// The network as the drivers of a part of it see it.
  explicit Network(std::unique_ptr<NetworkCore> core);
  ~Network();
  Network(Network&&) noexcept;

  /// Runs until `until` (exclusive), or until nothing is left to do, or a deadlock.
  NetworkEnd run(Driver& driver, Cycle until);
  /// Whether packets wait for each other in a dependency cycle now; run() checks only every few
  /// thousand cycles.
  bool deadlocked();
  Cycle now() const { return *now_; }
  /// Adds a route for packets of a pair: a tag for every switch, as in SourceRoutes, then the
  /// host's port, which may be left out. The same tags are the same route. Throws Error unless
  /// every choice that the tags leave leads to the host, and unless the tables have one lane for
  /// all routes.
  RouteId add_route(HostId from, HostId to, std::span<const PortNumber> tags);
  /// Returns a tag that names these ports in routes; it may be one of the tables'. Throws Error.
  PortNumber add_links(const std::vector<PortNumber>& ports);
  /// Puts a packet into the (endless) queue of its NIC, now. The second one is for packets without
  /// anything special; their hosts may have had them since an earlier cycle.
  void send(const Packet& packet);
  void send(HostId from, HostId to, std::uint32_t flits, bool urgent, Cycle created);
  /// Releases the last flit of a circuit. A circuit that a failure has cut closes by itself.
  void close(std::uint32_t id);
  /// With receive buffers: frees the buffer of a packet that was delivered to the host.
  void release_buffer(HostId at);
  /// Calls driver.timer(host) at cycle `at` >= now(); a callback's timer for now() comes in the
  /// next cycle. One timer a host; the last call counts, and `never` cancels it.
  void wake(HostId host, Cycle at);
  /// This host will soon send a packet, if it pays to know that before.
  void prefetch(HostId host) const;
  /// The same at the first cycle from `at` on in which no packet waits in the queue of the host's
  /// NIC: a driver may keep the packets that could only wait there.
  void wake_when_idle(HostId host, Cycle at);
  /// Before the first run: the part of every host, from now on, for a driver that answers at hosts;
  /// empty where one thread has them all.
  std::vector<std::uint32_t> parts_of_hosts();

  const Totals& totals() const;
  std::vector<LaneUse> lane_use() const;
  /// The ways that flits have been moved in, for profiles.
  std::vector<PathUse> paths_used() const;
  /// After NetworkEnd::deadlocked: the packets and channels of the dependency cycle,
  /// human-readable.
  const std::string& explanation() const;
  /// The length of a cycle: one flit on the fastest link.
  Duration cycle() const;
  const Fabric& fabric() const;
  const Tables& tables() const;

 private:
  std::unique_ptr<NetworkCore> core_;
  const Cycle* now_;  ///< the core's
};

}  // namespace weft::sim
