// SPDX-License-Identifier: Apache-2.0
// Traffic matrices: how much every host sends to every other, read from a file.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "base/chance.hpp"
#include "base/units.hpp"
#include "fabric/fabric.hpp"
#include "fabric/format/format.hpp"
#include "sim/traffic/traffic.hpp"

namespace weft::sim {

/// What the numbers of a matrix mean, and the network that it is read for.
struct MatrixUnits {
  /// "weights": in proportion; "flits": per cycle; or the unit of a bandwidth, such as "Gb/s".
  std::string unit = "weights";
  Bytes flit{8};
  Duration cycle{1};

  bool weights() const { return unit == "weights"; }
};

/// Rows of weights; the largest is 2^40, and none of what is sent is 0.
struct TrafficMatrix {
  struct Entry {
    HostId from, to;
    std::uint64_t weight;
  };
  std::vector<Entry> entries{};  ///< by source, each pair once
  double flits_per_cycle = 0;    ///< of the largest weight; 0: weights are only proportions
};
inline constexpr std::uint64_t largest_weight = std::uint64_t{1} << 40;

/// Dense: a row per source with a number per destination, in the order of the hosts, or with their
/// names in a first row, a first column, or both. Sparse: lines "from,to,rate", which may have a
/// heading that begins so. Where numbers are rates, they may have units of their own. Empty lines
/// and those that begin with # are ignored. Throws Error with file, line and column.
TrafficMatrix read_matrix(const Source& source, const Fabric& fabric, const MatrixUnits& units);

/// What every host offers: where the matrix has rates, `scale` times its row; otherwise the busiest
/// host offers `load`, and the others in proportion. Throws Error for a host that is to send more
/// than a flit per cycle.
IdVector<HostId, Chance> loads_of(const TrafficMatrix& matrix, const Fabric& fabric, Chance load,
                                  double scale);

/// Hosts draw destinations by their rows; one without a row sends nothing.
std::unique_ptr<Pattern> matrix_pattern(const TrafficMatrix& matrix, std::size_t hosts);

}  // namespace weft::sim
