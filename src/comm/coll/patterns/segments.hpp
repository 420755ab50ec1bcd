// SPDX-License-Identifier: Apache-2.0
// Segments of data, one message each, of an algorithm that passes them on one after another.
#pragma once
#include <algorithm>
#include <span>

namespace weft::comm {

class Segments {
 public:
  Segments(std::span<std::byte> data, std::size_t segment) : data_(data), segment_(segment) {}
  /// One for no data, too.
  std::size_t count() const {
    return std::max<std::size_t>(1, (data_.size() + segment_ - 1) / segment_);
  }
  std::span<std::byte> operator[](std::size_t i) const {
    const std::size_t begin = i * segment_;
    return data_.subspan(begin, std::min(segment_, data_.size() - begin));
  }

 private:
  std::span<std::byte> data_;
  std::size_t segment_;
};

}  // namespace weft::comm
