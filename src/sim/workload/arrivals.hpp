// SPDX-License-Identifier: Apache-2.0
// Arrival processes: when the hosts of an open loop create their packets. Each says, for a host and
// a cycle, in which cycle from that one on the host creates its next packet.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "sim/workload/gaps.hpp"
#include "sim/workload/workload.hpp"

namespace weft::sim {

/// Every host with the same probability in every cycle.
class BernoulliArrivals {
 public:
  explicit BernoulliArrivals(Chance packets) : gaps_(packets) {}
  Cycle from(HostId, Cycle cycle, Rng& rng) { return cycle + gaps_(rng); }
  Burstiness burstiness() const { return {}; }

 private:
  Gaps gaps_;
};

/// A value for each of a few kinds of hosts: what hosts with the same load share.
template <class Value>
class ByLoad {
 public:
  /// `make(load)` for every load that hosts have.
  template <class Make>
  ByLoad(const IdVector<HostId, Chance>& loads, Make make) : kind_(loads.size()) {
    std::map<std::uint64_t, std::uint32_t> kinds;
    for (const HostId host : loads.ids()) {
      const auto next = static_cast<std::uint32_t>(values_.size());
      const auto [found, is_new] = kinds.emplace(loads[host].parts(), next);
      if (is_new) values_.push_back(make(loads[host]));
      kind_[host] = found->second;
    }
  }
  const Value& operator[](HostId host) const { return values_[kind_[host]]; }
  const std::vector<Value>& values() const { return values_; }

 private:
  IdVector<HostId, std::uint32_t> kind_;
  std::vector<Value> values_;
};

/// Every host with a probability of its own, which may be 0.
class WeightedArrivals {
 public:
  WeightedArrivals(const Lengths& lengths, const IdVector<HostId, Chance>& loads);
  Cycle from(HostId host, Cycle cycle, Rng& rng) {
    const std::optional<Gaps>& gaps = gaps_[host];
    return gaps ? cycle + (*gaps)(rng) : never;
  }
  Burstiness burstiness() const { return {}; }

 private:
  ByLoad<std::optional<Gaps>> gaps_;
};

/// On/off sources: a Markov chain of two states. In a burst a host offers the peak load, between
/// bursts nothing. Bursts last for `on` cycles on average, pauses for as many as make the load;
/// both are geometric, and where pauses have a mean below one cycle, some bursts follow at once.
class OnOffArrivals {
 public:
  OnOffArrivals(const Lengths& lengths, const IdVector<HostId, Chance>& loads,
                const Bursts& bursts);
  Cycle from(HostId host, Cycle cycle, Rng& rng);
  Burstiness burstiness() const { return burstiness_; }

 private:
  /// Of the hosts that have one load.
  struct Pauses {
    Chance starts_on;            ///< the share of cycles in bursts
    Chance happens;              ///< after a burst
    std::optional<Gaps> length;  ///< less one cycle; none: always one cycle
    bool silent = false;         ///< no load at all
  };
  static Pauses pauses_for(Chance load, const Bursts& bursts);
  Cycle pause(const Pauses& pauses, Rng& rng) const {
    return 1 + (pauses.length ? (*pauses.length)(rng) : 0);
  }

  Gaps gaps_, burst_;  ///< between packets of a burst; cycles of a burst, less one
  ByLoad<Pauses> pauses_;
  IdVector<HostId, Cycle> burst_end_;  ///< of the burst that a host is in; never: not begun yet
  Burstiness burstiness_;
};

/// Everything at once, in the first cycle.
class BatchArrivals {
 public:
  Cycle from(HostId, Cycle, Rng&) { return 0; }
  Burstiness burstiness() const { return {}; }
};

}  // namespace weft::sim
