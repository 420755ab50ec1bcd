// SPDX-License-Identifier: Apache-2.0
// ContentionFree: a network whose packets wait for each other nowhere but at the links of hosts.
// Each takes the path of the tables in the time that it would take alone; a host sends one packet
// after the other, and receives one after the other. Buffers never fill, lanes and priorities make
// no difference. It is what a fabric without a conflict would do, and costs little to simulate.
// Packets that wait for the link of their target are counted as those that wait in NICs.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/slots.hpp"
#include "sim/contention_free/lone_paths.hpp"
#include "sim/event_queue.hpp"
#include "sim/network_core.hpp"
#include "sim/timers.hpp"

namespace weft::sim {

class ContentionFree final : public NetworkCore {
 public:
  ContentionFree(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
                 const NetworkOptions& options);

  NetworkEnd run(Network& network, Driver& driver, Cycle until) override;
  const Cycle& clock() const override { return now_; }

  // Packets of their own routes and circuits are for NICs that it refuses.
  RouteId add_route(HostId from, HostId to, std::span<const PortNumber> tags) override;
  PortNumber add_links(const std::vector<PortNumber>& ports) override;
  void close(std::uint32_t id) override;
  void send(const Packet& packet) override;
  void send(HostId from, HostId to, std::uint32_t flits, bool urgent, Cycle created) override;
  void release_buffer(HostId) override {}
  void wake(HostId host, Cycle at) override { timers_.set(index_of(host), at); }
  void prefetch(HostId) const override {}
  void wake_when_idle(HostId host, Cycle at) override {
    timers_.set(index_of(host), std::max(at, from_hosts_[host].last_begin));
  }

  bool deadlocked() override { return false; }
  const std::string& explanation() const override { return nothing_; }
  const Totals& totals() const override { return totals_; }
  std::vector<LaneUse> lane_use() override;
  std::vector<PathUse> paths_used() const override { return {use_}; }
  Duration cycle() const override { return paths_.timing().cycle(); }
  const Fabric& fabric() const override { return fabric_; }
  const Tables& tables() const override { return tables_; }

 private:
  /// One direction of the link of a host. While it is busy it carries one flit after the other.
  struct HostLink {
    std::uint64_t interval = 0;
    Cycle last_begin = 0;  ///< of a packet from its host; it may wait until then
    Cycle free_at = 0;
    std::uint64_t flits = 0;  ///< that it has carried, or will until it is free
    void book(Cycle begin, std::uint32_t count) {
      free_at = begin + cycles_for(count, interval);
      flits += count;
    }
    std::uint64_t carried(Cycle now) const {
      return free_at <= now ? flits : flits - std::min(flits, ((free_at - now) << 16U) / interval);
    }
  };
  struct PacketInside {
    Packet packet{};
    HostId at{};
    std::optional<Loss> why{};
    unsigned hops = 0;
  };
  enum class EventKind : std::uint32_t {
    begins,   ///< a packet that had to wait leaves its NIC
    departs,  ///< its last flit has left
    arrives,  ///< it would reach its host, if the link there is free
    ends,     ///< it does, or it is lost
  };
  struct NetworkEvent {
    std::int64_t at = 0;
    std::uint64_t number = 0;
    EventKind what{};
    std::uint32_t slot = 0;
    bool before(const NetworkEvent& other) const {
      return at != other.at ? at < other.at : number < other.number;
    }
  };
  static std::uint32_t index_of(HostId host) { return static_cast<std::uint32_t>(host.index()); }
  void inject(Packet packet);
  void launch(const Packet& packet, const LonePath& path);
  void set(Cycle at, EventKind what, std::uint32_t slot);
  Cycle next_event();
  NetworkEnd run_cycles(Network& network, Driver& driver, Cycle until);
  void handle(Network& network, Driver& driver, NetworkEvent event);
  bool waits_for_link(std::uint32_t slot);

  const Fabric& fabric_;
  const Tables& tables_;
  bool departures_;
  LonePaths paths_;
  Timers timers_;
  IdVector<HostId, HostLink> from_hosts_, to_hosts_;
  Slots<PacketInside> packets_;
  EventQueue<NetworkEvent, 0> events_;
  std::uint64_t set_ = 0, happened_ = 0;
  Cycle now_ = 0;
  Totals totals_;
  PathUse use_{.name = "without contention"};
  std::vector<HostId> fired_;
  std::string nothing_;
};

}  // namespace weft::sim
