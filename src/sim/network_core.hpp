// SPDX-License-Identifier: Apache-2.0
// NetworkCore: what simulates the packets of a Network. sim/flit does so flit by flit;
// sim/contention_free as if every packet were alone between the links of hosts.
#pragma once
#include "sim/network.hpp"

namespace weft::sim {

/// The functions are those of Network.
class NetworkCore {
 public:
  virtual ~NetworkCore() = default;
  virtual NetworkEnd run(Network& network, Driver& driver, Cycle until) = 0;
  /// The present cycle, at an address that stays.
  virtual const Cycle& clock() const = 0;

  virtual RouteId add_route(HostId from, HostId to, std::span<const PortNumber> tags) = 0;
  virtual PortNumber add_links(const std::vector<PortNumber>& ports) = 0;
  virtual void send(const Packet& packet) = 0;
  virtual void send(HostId from, HostId to, std::uint32_t flits, bool urgent, Cycle created) = 0;
  virtual void close(std::uint32_t id) = 0;
  virtual void release_buffer(HostId at) = 0;
  virtual void wake(HostId host, Cycle at) = 0;
  virtual void prefetch(HostId host) const = 0;
  virtual void wake_when_idle(HostId host, Cycle at) = 0;
  virtual std::vector<std::uint32_t> parts_of_hosts() { return {}; }

  virtual bool deadlocked() = 0;
  virtual const std::string& explanation() const = 0;
  virtual const Totals& totals() const = 0;
  virtual std::vector<LaneUse> lane_use() = 0;
  virtual std::vector<PathUse> paths_used() const = 0;
  virtual Duration cycle() const = 0;
  virtual const Fabric& fabric() const = 0;
  virtual const Tables& tables() const = 0;
};

}  // namespace weft::sim
