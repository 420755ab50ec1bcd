// SPDX-License-Identifier: Apache-2.0
// The operations of one rank of a graph until all of them are read: there may be millions, and they
// may depend on others that come later.
#pragma once
#include <cstdint>
#include <vector>

#include "trace/operation_order.hpp"
#include "trace/trace.hpp"

namespace weft::trace {

struct GraphOperation {
  CallKind kind{};
  std::uint8_t stream = 0, nic = 0;
  std::int32_t communicator = world;
  Rank peer = 0;
  std::int64_t tag = 0;
  std::uint64_t amount = 0;  ///< bytes, or picoseconds of compute
  std::uint64_t line = 0;
};

class GraphRank {
 public:
  std::size_t size() const { return operations_.size(); }
  void add(const GraphOperation& operation) { operations_.push_back(operation); }
  void add_edge(const GraphEdge& edge) { edges_.push_back(edge); }
  /// Appends all in an order in which dependencies lead back, and is empty then. Throws Error where
  /// operations wait for each other.
  void append_to(TraceBuilder& builder, Rank rank);

 private:
  std::vector<GraphOperation> operations_;
  std::vector<GraphEdge> edges_;
};

}  // namespace weft::trace
