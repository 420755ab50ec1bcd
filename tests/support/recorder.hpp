// SPDX-License-Identifier: Apache-2.0
// Recorder: a driver that sends packets by a script and records the end of each.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "sim/network.hpp"

namespace weft::test {

struct Sending {
  sim::Cycle at = 0;
  sim::Packet packet{};  ///< its tag becomes its place in the script
};
using Script = std::vector<Sending>;
/// So many packets of up to `longest` flits, between any hosts, within so many cycles.
struct ScriptSize {
  int packets = 400;
  sim::Cycle cycles = 600;
  std::uint32_t longest = 1;
};
Script random_script(const Fabric& fabric, Rng& rng, ScriptSize size);

class Recorder : public sim::Driver {
 public:
  struct End {
    sim::Packet packet{};
    HostId at{};
    sim::Cycle when = 0;
    unsigned hops = 0;
    std::optional<sim::Loss> why{};

    sim::Cycle latency() const { return when - packet.created; }
  };

  /// Sets the first timers; the network must be new.
  Recorder(sim::Network& network, Script script);

  void timer(sim::Network& network, HostId host) override;
  void delivered(sim::Network& network, const sim::Packet& packet, HostId at,
                 unsigned hops) override;
  void lost(sim::Network& network, const sim::Packet& packet, HostId at, sim::Loss why) override;

  const std::vector<End>& ends() const { return ends_; }
  /// A hash of all ends and their times, whatever their order within a cycle.
  std::uint64_t hash() const;
  std::size_t lost_count() const;
  /// What is wrong, or nothing: after the last packet, every packet sent has been reported exactly
  /// once.
  std::optional<std::string> miscounted(const sim::Network& network) const;

 private:
  Script script_;
  std::vector<std::vector<std::size_t>> of_host_;  ///< places in the script, latest first
  std::vector<End> ends_;
};

}  // namespace weft::test
