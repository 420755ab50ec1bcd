// SPDX-License-Identifier: Apache-2.0
// Legends of charts: samples with their names, one below the other.
#pragma once
#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace weft::charts {

struct LegendEntry {
  std::string name;
  std::function<void(std::ostream&, double x, double y)> write_sample;  ///< from there to the right
  bool published = false;
};

struct Legend {
  static constexpr double sample_width = 28;
  std::vector<LegendEntry> entries{};

  bool has(const std::string& name, bool published = false) const;
  /// With the space before it; nothing for an empty one.
  double width() const;
  /// As many entries as the height allows.
  void write(std::ostream& out, double x, double top, double height) const;
};

}  // namespace weft::charts
