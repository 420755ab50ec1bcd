// SPDX-License-Identifier: Apache-2.0
// Words below an axis of categories: side by side, wrapped, turned, or every few of them, as there
// is room.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

namespace weft::charts {

class AxisWords {
 public:
  static constexpr double line_height = 16;

  /// Words in equal slots from `left` on; nothing is written before `least_x`.
  AxisWords(std::vector<std::string> words, double left, double slot, double least_x);

  double centre(std::size_t index) const;
  /// Of all their lines.
  double height() const { return height_; }
  void write(std::ostream& out, double top) const;

 private:
  /// Whether all stand between their neighbours, wrapped to a few lines.
  bool wrap();
  /// Cuts them to the room that lies before each.
  void turn(double least_x);

  std::vector<std::string> words_;
  double left_, slot_, height_ = 0;
  std::vector<std::vector<std::string>> lines_{};  ///< of each word
  bool turned_ = false;
};

}  // namespace weft::charts
