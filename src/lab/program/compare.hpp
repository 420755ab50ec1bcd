// SPDX-License-Identifier: Apache-2.0
// Which algorithm is best by size and ranks: the runs of a sweep side by side.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "lab/program/experiment.hpp"
#include "lab/sweep/varied.hpp"

namespace weft {

/// In the order of program_fields(); where all runs are of one program, its parameters stand for
/// it.
std::vector<VariedValue> varied_values(const std::vector<ProgramResult>& runs);
/// "allreduce:iterations=5 on hdr, 64 hosts": what all runs have in common.
std::string common_title(const std::vector<ProgramResult>& runs);

/// Where the ranks of a run are.
struct RankPlacement {
  std::string hosts{}, ranks{};  ///< as in the run's spec: hosts, and ranks on each
  int in_all = 0;
  /// "16 ranks", "8 hosts x 2 ranks".
  std::string text() const;
  friend bool operator==(const RankPlacement&, const RankPlacement&) = default;
};

/// An algorithm, with the parameters in which it differs from others: "chain, segment 8KiB".
struct ComparedAlgorithm {
  std::string name{};
  Spec spec{};  ///< of the program, without its size

  friend bool operator==(const ComparedAlgorithm& a, const ComparedAlgorithm& b) {
    return a.name == b.name;
  }
};

struct AlgorithmTime {
  std::size_t algorithm = 0;
  Duration time{};
};

/// The time of an algorithm at a size and placement is the mean of the slowest rank's, as PICO
/// reports; one that was refused, or did not finish, has none.
struct AlgorithmComparison {
  std::string program{};                        ///< "allreduce"
  std::vector<ComparedAlgorithm> algorithms{};  ///< in the order of the sweep
  std::vector<Bytes> sizes{};                   ///< rising; one of 0 where the program has none
  std::vector<RankPlacement> placements{};      ///< by their ranks
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, Duration> times{};

  std::optional<Duration> time(std::size_t algorithm, std::size_t size, std::size_t at) const;
  /// The fastest first.
  std::vector<AlgorithmTime> ranking(std::size_t size, std::size_t at) const;
};

/// Nothing where fewer than two algorithms of one program are compared, or where more than its
/// parameters, the hosts and the ranks differ.
std::optional<AlgorithmComparison> compare_algorithms(const std::vector<ProgramResult>& runs);

}  // namespace weft
