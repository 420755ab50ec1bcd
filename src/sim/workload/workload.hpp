// SPDX-License-Identifier: Apache-2.0
// Workloads: drivers that send synthetic or recorded traffic and keep a Meter.
#pragma once
#include <memory>

#include "sim/measure/meter.hpp"
#include "sim/network.hpp"
#include "sim/traffic/traffic.hpp"
#include "sim/workload/lengths.hpp"
#include "sim/workload/trace.hpp"

namespace weft::sim {

class Workload : public Driver {
 public:
  /// Sets the first timers; call it once, before Network::run.
  virtual void start(Network& network) = 0;
  /// Whether it sends a last packet.
  virtual bool ends() const = 0;
  /// Whether hosts offer a load of their own, all the same one, whatever the network accepts: then
  /// a source may fall behind.
  virtual bool offers_load() const { return false; }
  /// Packets that hosts have created and not handed to their NICs yet, when the network has
  /// stopped.
  virtual std::uint64_t kept() const { return 0; }
};

/// What synthetic packets are like. Every host draws from random numbers of its own, so what it
/// sends does not depend on what happens elsewhere.
struct Demand {
  std::unique_ptr<Pattern> pattern;
  Lengths lengths;
  Chance urgent{};
  std::uint64_t seed = 1;
};

/// Open loop: in every cycle every host creates a packet with one and the same probability, such
/// that it makes `load` flits a cycle (a Bernoulli process). Throws Error when that is below 2^-63.
std::unique_ptr<Workload> open_loop(Demand demand, Chance load, Meter& meter);

/// Closed loop: every host has `size` packets on their way, and sends the next one when an
/// acknowledgment comes back; or a cycle after one is lost, as if it had been acknowledged.
struct Window {
  std::uint32_t size = 1;
  std::uint32_t ack = 1;  ///< flits of an acknowledgment; 0: it is there at once
};
std::unique_ptr<Workload> closed_loop(Demand demand, Window window, Meter& meter);

/// The messages of a trace at their times, in packets of `packet` flits at most.
std::unique_ptr<Workload> replay(Trace trace, std::uint32_t packet, Meter& meter);

}  // namespace weft::sim
