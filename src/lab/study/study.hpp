// SPDX-License-Identifier: Apache-2.0
// The study: every engine on every topology, with its hops, lanes, certificate, loads and time.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/cluster/cluster.hpp"
#include "lab/progress.hpp"
#include "lab/study/throughput.hpp"

namespace weft {

/// What is known of deadlocks.
enum class StudyVerdict {
  every_choice,  ///< a certificate that was verified: none, whatever packets choose
  some_choice,   ///< the same for packets that wait for any of their choices
  cycle,         ///< of channels that wait for each other
  blocked,       ///< packets that hold all that they wait for
  unknown,       ///< see StudyRow::why_unknown
};
/// "every choice", "some choice", "circle", "blocked" or "unknown".
std::string_view to_text(StudyVerdict verdict);

struct StudyRow {
  std::string topology, engine;  ///< as the cluster names them; an engine may be a file of tables
  std::string fabric;            ///< the fabric's own name: its spec with all that was given
  std::size_t switches = 0, hosts = 0, links = 0;
  std::optional<std::string> refused{};  ///< why there are no tables; then the rest is empty
  bool complete = false;                 ///< every pair of hosts is reached
  double mean_hops = 0;
  std::uint64_t most_hops = 0;
  int lanes = 0;
  bool enough_lanes = true;  ///< does the cluster's switch have them?
  StudyVerdict verdict = StudyVerdict::unknown;
  std::string judged_for{};     ///< the switches of the verdict: "switches that commit to a choice"
  std::string why_unknown{};    ///< that there is neither a certificate nor a cycle
  bool levels_unknown = false;  ///< that is the reason
  std::size_t cycle = 0;        ///< channels on the cycle found, or packets that are blocked
  std::uint64_t most_load = 0;
  double mean_load = 0;
  std::string busiest;                   ///< link with the most routes
  double bisection_share = 0;            ///< effective bisection bandwidth, part of a host's link
  std::optional<double> milliseconds{};  ///< CPU time of the engine; none for a file of tables
  std::vector<Throughput> throughput{};  ///< by pattern of the plan

  bool certified() const {
    return verdict == StudyVerdict::every_choice || verdict == StudyVerdict::some_choice;
  }
};

struct Study {
  Cluster cluster;  ///< its switches decide what packets wait for that have choices
  ThroughputPlan throughput{};
  std::vector<StudyRow> rows{};
};

/// Makes all fabrics, tries all engines on a small one and reads files of tables before the work
/// begins, and throws Error when one of them is wrong, or tables fit none of the fabrics. The seed
/// of the plan is that of the random matchings, too.
Study run_study(const Cluster& cluster, const ThroughputPlan& throughput,
                const ShareProgress& progress);

}  // namespace weft
