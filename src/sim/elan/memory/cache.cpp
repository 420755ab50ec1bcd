// SPDX-License-Identifier: Apache-2.0
// The cache of the Elan: the paper's "four sets of 2 Kbytes" are its ways.
#include "sim/elan/memory/cache.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft::sim::elan {

Cache::Cache(const CacheGeometry& options)
    : line_(static_cast<std::uint64_t>(options.line.count)), ways_(options.ways), rows_(0) {
  const std::int64_t size = options.size.count;
  const std::int64_t line = options.line.count;
  if (line < 1 || options.ways < 1 || size < line || size % line != 0 ||
      size / line % options.ways != 0)
    throw Error("Elan cache: {} in {} ways of lines of {}: this does not divide",
                to_text(options.size), options.ways, to_text(options.line));
  rows_ = static_cast<std::uint64_t>(size / line) / ways_;
}

bool Cache::touch(std::uint64_t sdram, bool write) {
  if (lines_.empty()) lines_.resize(rows_ * ways_);
  const std::uint64_t number = sdram / line_;
  const auto row = lines_.begin() + static_cast<std::ptrdiff_t>(number % rows_ * ways_);
  const auto end = row + static_cast<std::ptrdiff_t>(ways_);
  auto way = std::find_if(row, end, [&](const CacheLine& line) { return line.number == number; });
  const bool hit = way != end;
  if (hit) {
    ++hits_;
  } else {
    way = end - 1;
    ++fills_;
    if (way->dirty) ++write_backs_;
    *way = {.number = number, .dirty = false};
  }
  way->dirty |= write;
  std::rotate(row, way, way + 1);
  return hit;
}

}  // namespace weft::sim::elan
