// SPDX-License-Identifier: Apache-2.0
// Workloads: drivers that send synthetic or recorded traffic and keep a Meter.
#pragma once
#include <memory>
#include <optional>

#include "sim/measure/meter.hpp"
#include "sim/network.hpp"
#include "sim/traffic/traffic.hpp"
#include "sim/workload/lengths.hpp"
#include "sim/workload/trace.hpp"

namespace weft::sim {

/// How much more irregular the load of a host is than that of a Bernoulli process.
struct Burstiness {
  std::uint64_t dispersion = 1;  ///< the variance of what it sends is that many times as large
  std::uint32_t burst = 0;       ///< flits of a long burst
};

class Workload : public Driver {
 public:
  /// Sets the first timers; call it once, before Network::run.
  virtual void start(Network& network) = 0;
  /// Whether it sends a last packet.
  virtual bool ends() const = 0;
  /// Whether hosts offer a load of their own, whatever the network accepts: then a source may fall
  /// behind.
  virtual bool offers_load() const { return false; }
  /// The loads of hosts, where they differ; empty: all offer the same.
  virtual IdVector<HostId, Chance> loads() const { return {}; }
  virtual Burstiness burstiness() const { return {}; }
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

/// Bursts of on/off sources.
struct Bursts {
  std::uint64_t on = 1;      ///< mean cycles of a burst
  Chance peak{Chance::one};  ///< flits a cycle in a burst, not below the load
};

/// What the hosts of an open loop offer, in flits a cycle.
struct OfferedLoad {
  OfferedLoad(Chance all) : load(all) {}
  Chance load;
  IdVector<HostId, Chance> by_host{};  ///< instead of `load`, where hosts differ
  std::optional<Bursts> bursts{};      ///< none: a Bernoulli process
  std::uint32_t reply = 0;  ///< flits that a destination answers a packet with; 0: no reply
};

/// Open loop: in every cycle every host creates a packet with a probability such that it makes its
/// load (a Bernoulli process), or does so in bursts. Throws Error when the probability is below
/// 2^-63.
std::unique_ptr<Workload> open_loop(Demand demand, const OfferedLoad& load, Meter& meter);

/// A batch: hosts have all their packets in the first cycle; the demand's pattern has to end.
std::unique_ptr<Workload> batch(Demand demand, std::uint32_t reply, Meter& meter);
/// The same pattern, but every host sends `packets` packets at most.
std::unique_ptr<Pattern> limited(std::unique_ptr<Pattern> pattern, std::size_t hosts,
                                 std::uint64_t packets);

/// Closed loop: every host has `size` packets on their way, and sends the next one when an
/// acknowledgment comes back; or a cycle after one is lost, as if it had been acknowledged.
struct Window {
  std::uint32_t size = 1;
  std::uint32_t ack = 1;  ///< flits of an acknowledgment; 0: it is there at once
  bool reply = false;     ///< acknowledgments are replies, whose latency is measured
};
std::unique_ptr<Workload> closed_loop(Demand demand, Window window, Meter& meter);

/// The messages of a trace at their times, in packets of `packet` flits at most.
std::unique_ptr<Workload> replay(Trace trace, std::uint32_t packet, Meter& meter);

}  // namespace weft::sim
