// SPDX-License-Identifier: Apache-2.0
// Relay: a member's part in a multicast by unicast: it receives the data from its parent and sends
// them to its children. PutRelay does so by puts into buffers that are registered once.
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

/// In every buffer a word follows the data: the number of the broadcast. One put writes both, so
/// that a member that sees the word has the data. There are two buffers; a parent refills one when
/// its child has acknowledged the broadcast before the last.
class PutRelay {
 public:
  PutRelay(const Team& team, Relay relay, std::size_t buffer);
  /// Exchanges the addresses of buffers between parents and children.
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
  /// Waits until the children have the last broadcast, then acknowledges it to the parent.
  TaskOf<Status> finish_last();

  const Team& team_;
  Rank parent_;
  std::vector<Child> children_;
  std::vector<Number> done_;  ///< by child: the last broadcast that it has acknowledged
  std::size_t each_;          ///< size of a buffer with its word
  std::vector<std::byte> buffers_;
  Region region_, done_region_;
  Number number_ = 0;
  Number acknowledged_ = 0;
  RemoteSlice parents_word_{};
  LastOp acknowledgement_{};
};

}  // namespace weft::comm
