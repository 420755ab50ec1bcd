// SPDX-License-Identifier: Apache-2.0
// A member's part in a multicast by unicast: it takes the data of its parent and gives them to its
// children. Here by puts into buffers that are registered once.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "comm/coll/patterns/exchanges.hpp"

namespace weft::comm {

struct Relay {
  Rank parent = nobody;
  std::vector<Rank> children{};  ///< in the order in which they are served
};

/// In every buffer the data end where a word follows: the number of the broadcast. One put brings
/// both, and whoever polls the word has the data. There are two buffers; a parent fills one again
/// when its child has told that it is done with the broadcast before the last.
class PutRelay {
 public:
  PutRelay(const Team& team, Relay relay, std::size_t buffer);
  /// Parents and children learn where to write.
  Task connect();
  TaskOf<Status> run(std::span<std::byte> data);

  Pool& frames() const { return team_.frames(); }

 private:
  using Number = std::uint64_t;
  struct Child {
    Rank rank = 0;
    RemoteSlice buffers{};
    LastOp put{};
  };
  std::size_t end_of(Number number) const { return (number % 2 + 1) * each_; }
  Number& word(Number number) {
    return *reinterpret_cast<Number*>(buffers_.data() + end_of(number) - sizeof(Number));
  }
  /// The buffer of the broadcast before is free for the parent, once the children have its data.
  TaskOf<Status> finish_last();

  const Team& team_;
  Rank parent_;
  std::vector<Child> children_;
  std::vector<Number> done_;  ///< by child: the last broadcast that it is done with
  std::size_t each_;          ///< size of a buffer with its word
  std::vector<std::byte> buffers_;
  Region region_, done_region_;
  Number number_ = 0;
  Number told_ = 0;
  RemoteSlice parents_word_{};
  LastOp tell_{};
};

}  // namespace weft::comm
