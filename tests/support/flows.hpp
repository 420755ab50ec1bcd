// SPDX-License-Identifier: Apache-2.0
// Random networks as the bandwidth managers see them, and the fair rates of flows, computed without
// any cleverness.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/rng.hpp"
#include "comm/qos/admission_control.hpp"

namespace weft::test {

constexpr Bandwidth megabytes(std::int64_t count) { return {count * 8'000'000}; }

/// The hosts of the thesis: 48 us, 85.33 MB/s, and a curve through figure 5.4's point.
comm::qos::Limits myrinet_limits();

/// Hosts of some ranks each, and a fixed path for every pair of them.
struct FlowNetwork {
  /// A host, numbered from 0, or a port, numbered after the hosts, which a flow leaves or enters.
  struct Passing {
    std::size_t resource;
    bool out;
  };
  comm::qos::Limits limits{};
  int hosts = 0, ranks_per_host = 1;
  std::vector<Bandwidth> ports{};
  std::map<std::pair<int, int>, std::vector<std::uint32_t>> routes{};

  explicit FlowNetwork(std::uint64_t seed);
  int ranks() const { return hosts * ranks_per_host; }
  int host_of(comm::Rank rank) const { return rank / ranks_per_host; }
  comm::qos::Path path(const comm::Flow& flow) const;
  /// The same route as resources.
  const std::vector<Passing>& passed(const comm::Flow& flow) const;
  /// A flow between two hosts.
  comm::Flow random_flow(Rng& rng) const;

 private:
  std::vector<std::vector<Passing>> passed_{};
};

/// Hosts of the thesis, a rank on each, whose switch is never full.
FlowNetwork thesis_network(int hosts);

/// All flows and what they have.
using Grants = std::map<comm::Flow, comm::qos::Grant>;
using Rates = std::map<comm::Flow, std::int64_t>;

/// Why a host or port cannot carry these rates, or nothing. A flow that is the only one of its host
/// may have the peak rate.
std::string overload(const FlowNetwork& network, const Rates& rates);
/// Whether the promises alone can be carried.
bool promises_fit(const FlowNetwork& network, const Grants& grants);
/// The rate that every flow should get.
Rates fair_rates(const FlowNetwork& network, const Grants& grants, comm::qos::Policy policy);

}  // namespace weft::test
