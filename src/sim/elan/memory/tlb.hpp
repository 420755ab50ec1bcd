// SPDX-License-Identifier: Apache-2.0
// Tlb: the translations that the Elan's MMU used last, of all contexts together.
#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/elan/memory/address.hpp"

namespace weft::sim::elan {

class Tlb {
 public:
  explicit Tlb(std::uint32_t capacity) : capacity_(capacity) {}

  /// Where the page begins, if that is known.
  std::optional<Physical> find(Context context, PageNumber page) {
    const auto entry = place(context, page);
    if (entry == entries_.end()) return std::nullopt;
    std::rotate(entries_.begin(), entry, entry + 1);
    return entries_.front().begins;
  }
  /// Adds a page that it does not have, in place of the least recently used one.
  void add(Context context, PageNumber page, Physical begins) {
    if (entries_.size() == capacity_) entries_.pop_back();
    entries_.insert(entries_.begin(), {context, page, begins});
  }
  void forget(Context context, PageNumber page) {
    const auto entry = place(context, page);
    if (entry != entries_.end()) entries_.erase(entry);
  }

 private:
  struct TlbEntry {
    Context context;
    PageNumber page;
    Physical begins;
  };
  std::vector<TlbEntry>::iterator place(Context context, PageNumber page) {
    return std::find_if(entries_.begin(), entries_.end(), [&](const TlbEntry& entry) {
      return entry.context == context && entry.page == page;
    });
  }
  std::uint32_t capacity_;
  std::vector<TlbEntry> entries_;  ///< most recently used first
};

}  // namespace weft::sim::elan
