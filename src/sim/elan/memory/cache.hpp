// SPDX-License-Identifier: Apache-2.0
// Cache: the Elan's cache of its SDRAM: set associative, write back, least recently used. It keeps
// no bytes; it only says which accesses hit.
#pragma once
#include <cstdint>
#include <vector>

#include "base/units.hpp"

namespace weft::sim::elan {

struct CacheGeometry {
  Bytes size{8192};
  std::uint32_t ways = 4;
  Bytes line{32};
};

class Cache {
 public:
  /// Throws Error for sizes that do not divide.
  explicit Cache(const CacheGeometry&);

  /// Accesses a line by its SDRAM address and fills it on a miss. Returns whether it hit.
  bool touch(std::uint64_t sdram, bool write);

  std::uint64_t line_bytes() const { return line_; }
  std::uint64_t hits() const { return hits_; }
  std::uint64_t fills() const { return fills_; }
  std::uint64_t write_backs() const { return write_backs_; }

 private:
  struct CacheLine {
    std::uint64_t number = ~std::uint64_t{0};  ///< the SDRAM address in lines
    bool dirty = false;
  };
  std::uint64_t line_, ways_, rows_;
  std::vector<CacheLine> lines_;  ///< by row, most recently used first; empty at first
  std::uint64_t hits_ = 0, fills_ = 0, write_backs_ = 0;
};

}  // namespace weft::sim::elan
