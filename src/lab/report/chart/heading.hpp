// SPDX-License-Identifier: Apache-2.0
// The title of a picture, and a note of a few lines below it.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

namespace weft::charts {

class Heading {
 public:
  Heading(const std::string& title, const std::string& note, double page_width);
  double bottom() const;
  void write(std::ostream& out) const;

 private:
  std::string title_;
  std::vector<std::string> notes_{};
};

}  // namespace weft::charts
