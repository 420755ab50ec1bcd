// SPDX-License-Identifier: Apache-2.0
// Blocks of consecutive members around the end of a buffer, as they are sent in one message.
#pragma once
#include <span>
#include <string_view>
#include <type_traits>

#include "comm/coll/blocks.hpp"
#include "comm/coll/patterns/scratch.hpp"

namespace weft::comm {

/// Throws Error unless the sizes of all blocks are known.
inline void require_known(const Blocks& blocks, const Team& team, std::string_view collective) {
  if (blocks.members() != team.size())
    throw Error("{}: binomial needs the sizes of all blocks at all members; linear does not",
                collective);
}

/// The size of the blocks of `count` members from `first` on.
inline std::size_t size_around(const Blocks& blocks, Rank first, int count) {
  const Rank end = first + count;
  return end <= blocks.members()
             ? blocks.offset(end) - blocks.offset(first)
             : blocks.total() - blocks.offset(first) + blocks.offset(end - blocks.members());
}

/// These blocks of a buffer: in their place where they are contiguous, otherwise in scratch memory.
template <class Byte>
class BlocksAround {
 public:
  BlocksAround(const Team& team, std::span<Byte> all, const Blocks& blocks, Rank first, int count)
      : team_(team),
        before_end_(blocks.range(all, first, std::min(first + count, blocks.members()))),
        from_start_(blocks.range(all, 0, std::max(first + count - blocks.members(), 0))),
        packed_(team, from_start_.empty() ? 0 : before_end_.size() + from_start_.size(), all) {}

  std::span<Byte> bytes() const { return from_start_.empty() ? before_end_ : packed_.bytes(); }
  /// Before they are sent.
  Task pack() const {
    if (from_start_.empty()) co_return;
    copy_contents(before_end_, packed_.first(before_end_.size()));
    copy_contents(from_start_, packed_.bytes().subspan(before_end_.size()));
    co_await spend_on_copies(team_, packed_.bytes().size());
  }
  /// After they were received.
  Task unpack() const requires(!std::is_const_v<Byte>) {
    if (from_start_.empty()) co_return;
    copy_contents(packed_.first(before_end_.size()), before_end_);
    copy_contents(packed_.bytes().subspan(before_end_.size()), from_start_);
    co_await spend_on_copies(team_, packed_.bytes().size());
  }

 private:
  const Team& team_;
  std::span<Byte> before_end_, from_start_;
  Scratch packed_;
};

}  // namespace weft::comm
