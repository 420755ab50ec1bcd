// SPDX-License-Identifier: Apache-2.0
// The operations of a rank of a graph in an order in which dependencies lead back.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace/call.hpp"

namespace weft::trace {

/// Operation number `operation` waits for another one.
struct GraphEdge {
  std::uint32_t operation = 0, on = 0;
  bool only_begun = false;
};

/// What is ready first comes first, and of those that are ready at once the lowest number.
class OperationOrder {
 public:
  OperationOrder(std::size_t operations, std::vector<GraphEdge> edges);

  /// Numbers of operations. Those that wait for each other are not among them.
  std::span<const std::uint32_t> order() const { return order_; }
  /// What operation number `operation` waits for, by places in the order.
  void write_dependencies(std::uint32_t operation, std::vector<Dependency>& into) const;
  /// Operations of which each waits for the next, and the last for the first; empty where all are
  /// in order.
  std::vector<std::uint32_t> circle() const;

 private:
  using Numbers = std::vector<std::uint32_t>;
  using Indices = std::vector<std::size_t>;

  std::span<const GraphEdge> edges_of(std::uint32_t operation) const;
  void run();

  std::vector<GraphEdge> edges_;  ///< by operation
  Indices first_edge_;            ///< of each operation, and the end
  Numbers order_, place_;
};

/// "lines 5, 7 and 9 wait for each other".
std::string circle_text(std::string_view places, std::span<const std::uint64_t> circle);

}  // namespace weft::trace
