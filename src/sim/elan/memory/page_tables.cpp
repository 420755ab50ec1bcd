// SPDX-License-Identifier: Apache-2.0
// Builds page tables and walks them.
#include "sim/elan/memory/page_tables.hpp"

namespace weft::sim::elan {
namespace {

constexpr std::uint64_t entry_bytes = 8;

}  // namespace

std::uint64_t PageTables::context_entry(Context context) const {
  return contexts_[context / entries_] + context % entries_ * entry_bytes;
}

std::uint64_t PageTables::leaf_entry(Context context, PageNumber page) const {
  const std::uint64_t root = set_.at(context_entry(context)).at;
  const std::uint64_t leaf = set_.at(root + page / entries_ * entry_bytes).at;
  return leaf + page % entries_ * entry_bytes;
}

void PageTables::add_table(Context context, std::uint64_t named_at, Frames& sdram) {
  const FrameNumber table = sdram.take_bare();  // which may throw
  set_[named_at] = {MemoryKind::sdram, sdram.address(table)};
  naming_[context].push_back(named_at);
}

void PageTables::begin(Context context, Frames& sdram) {
  while (contexts_.size() <= context / entries_)
    contexts_.push_back(sdram.address(sdram.take_bare()));
  add_table(context, context_entry(context), sdram);
}

void PageTables::prepare(Context context, PageNumber first, std::uint64_t count, Frames& sdram) {
  const std::uint64_t root = set_.at(context_entry(context)).at;
  for (std::uint64_t leaf = first / entries_; leaf <= (first + count - 1) / entries_; ++leaf) {
    const std::uint64_t entry = root + leaf * entry_bytes;
    if (!set_.contains(entry)) add_table(context, entry, sdram);
  }
}

void PageTables::set(Context context, PageNumber page, Physical begins) {
  set_[leaf_entry(context, page)] = begins;
}

void PageTables::clear(Context context, PageNumber page) { set_.erase(leaf_entry(context, page)); }

void PageTables::end(Context context, Frames& sdram) {
  std::vector<FrameNumber> tables;
  for (const std::uint64_t entry : naming_.at(context)) {
    tables.push_back(sdram.frame(set_.at(entry).at));
    set_.erase(entry);
  }
  naming_.erase(context);
  sdram.give_back(tables);
}

PageWalk PageTables::walk(Context context, PageNumber page) const {
  PageWalk walk;
  std::uint64_t entry = context_entry(context);
  for (const std::uint64_t next : {page / entries_, page % entries_, std::uint64_t{0}}) {
    walk.read_at[walk.reads++] = entry;
    const auto found = set_.find(entry);
    if (found == set_.end()) return walk;
    if (walk.reads == walk.read_at.size()) walk.begins = found->second;
    entry = found->second.at + next * entry_bytes;
  }
  return walk;
}

}  // namespace weft::sim::elan
