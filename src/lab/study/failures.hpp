// SPDX-License-Identifier: Apache-2.0
// The study of failures: what tables of engines and of files are worth after links and switches
// have failed.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/cluster/cluster.hpp"
#include "lab/progress.hpp"

namespace weft {

struct FailurePlan {
  std::uint64_t at_once = 1;  ///< links or switches that fail together, 1 or 2
  std::uint64_t sample = 0;   ///< so many random failures; 0: all single ones, or 1,000 double ones
  bool anew = false;          ///< the engine routes everything anew after each failure
  std::uint64_t seed = 1;     ///< of the sample and of the random matchings
};

/// What was routed again after a failure.
enum class Rerouted : std::uint8_t {
  nothing,     ///< the tables are as they were
  broken,      ///< only broken routes were moved
  everything,  ///< the engine routed everything anew
};

/// The worth of tables: of the unbroken fabric, or after a failure.
struct FailureRow {
  std::string failed;  ///< "link=s0:1", as --without takes it; empty: nothing
  Rerouted rerouted = Rerouted::nothing;
  std::uint64_t hosts_gone = 0;  ///< with their switch
  std::uint64_t pairs_lost = 0;  ///< ordered pairs of the other hosts that no route joins
  double bisection_share = 0;    ///< effective bisection bandwidth, part of a host's link
  double mean_hops = 0;
  std::uint64_t most_hops = 0;
  bool certified = false;                ///< free of deadlock
  std::uint64_t changed_entries = 0;     ///< against the unbroken tables, on remaining switches
  std::optional<std::string> refused{};  ///< why the engine has no tables; the rest is empty
};

/// One engine, or the tables of a file, on one fabric.
struct FailureGroup {
  std::string topology, engine;
  std::string fabric;  ///< its own name
  std::size_t switches = 0, hosts = 0, links = 0;
  int matchings = 0;               ///< random ones, for the effective bisection
  bool levels_unknown = false;     ///< then tables without a certificate are not judged
  std::string left_out{};          ///< of tables of a file, in words: "3 multicast groups"
  FailureRow whole{};              ///< nothing has failed
  std::vector<FailureRow> rows{};  ///< the worst first
};

struct FailureStudy {
  Cluster cluster;
  FailurePlan plan;
  std::vector<FailureGroup> groups;
};

/// Throws Error as run_study() does, and for a plan that cannot be.
FailureStudy run_failures(const Cluster& cluster, const FailurePlan& plan,
                          const Progress& progress);

}  // namespace weft
