// SPDX-License-Identifier: Apache-2.0
// BookedWork: work of one kind that a processor is given, and how much of it is done by now.
#pragma once
#include "base/fifo.hpp"
#include "base/units.hpp"

namespace weft::sim {

class BookedWork {
 public:
  /// Books work that is done from `begin` to `end`: not before what was booked earlier.
  void book(Duration begin, Duration end) {
    if (end > begin) pieces_.push({begin, end});
  }
  /// Calls come in the order of time.
  Duration done(Duration now) {
    while (!pieces_.empty() && pieces_.front().end <= now) {
      const BookedPiece piece = pieces_.pop();
      done_ += piece.end - piece.begin;
    }
    const bool is_under_way = !pieces_.empty() && pieces_.front().begin < now;
    return is_under_way ? done_ + (now - pieces_.front().begin) : done_;
  }

 private:
  struct BookedPiece {
    Duration begin{}, end{};
  };
  Fifo<BookedPiece> pieces_;
  Duration done_{};
};

}  // namespace weft::sim
