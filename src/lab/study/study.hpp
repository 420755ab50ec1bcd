// SPDX-License-Identifier: Apache-2.0
// The study: every engine on every topology, with its hops, lanes, certificate, loads and time.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lab/cluster/cluster.hpp"
#include "lab/progress.hpp"
#include "lab/study/throughput.hpp"

namespace weft {

struct StudyRow {
  std::string topology, engine;  ///< as the cluster names them; an engine may be a file of tables
  std::string fabric;            ///< the fabric's own name: its spec with all that was given
  std::size_t switches = 0, hosts = 0, links = 0;
  std::optional<std::string> refused{};  ///< why there are no tables; then the rest is empty
  bool complete = false;                 ///< every pair of hosts is reached
  double mean_hops = 0;
  std::uint64_t most_hops = 0;
  int lanes = 0;
  bool enough_lanes = true;     ///< does the cluster's switch have them?
  bool certified = false;       ///< a certificate was found and verified
  std::size_t cycle = 0;        ///< otherwise: channels on the cycle found
  bool levels_unknown = false;  ///< then a cycle proves nothing
  bool some_choice = false;     ///< the certificate is for packets that wait for any choice
  bool not_judged = false;      ///< neither a certificate nor packets that block each other
  std::uint64_t most_load = 0;
  double mean_load = 0;
  std::string busiest;                   ///< link with the most routes
  double bisection_share = 0;            ///< effective bisection bandwidth, part of a host's link
  std::optional<double> milliseconds{};  ///< CPU time of the engine; none for a file of tables
  /// By pattern of the plan; none where the pattern does not fit the fabric.
  std::vector<std::optional<Throughput>> throughput{};
};

struct Study {
  Cluster cluster;  ///< its switches decide what packets wait for that have choices
  ThroughputPlan throughput{};
  std::vector<StudyRow> rows{};
};

/// Makes all fabrics, tries all engines on a small one and reads files of tables before the work
/// begins, and throws Error when one of them is wrong, or tables fit none of the fabrics. The seed
/// of the plan is that of the random matchings, too.
Study run_study(const Cluster& cluster, const ThroughputPlan& throughput, const Progress& progress);

}  // namespace weft
