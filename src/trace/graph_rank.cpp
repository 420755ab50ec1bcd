// SPDX-License-Identifier: Apache-2.0
// Hands operations on in their order.
#include "trace/graph_rank.hpp"

#include "base/error.hpp"

namespace weft::trace {
namespace {

void write_call(const GraphOperation& operation, Call& call) {
  const bool computes = operation.kind == CallKind::compute;
  call.kind = operation.kind;
  call.communicator = operation.communicator;
  call.stream = operation.stream;
  call.nic = operation.nic;
  call.peer = operation.peer;
  call.tag = operation.tag;
  call.bytes = computes ? 0 : operation.amount;
  call.time = Duration(computes ? static_cast<std::int64_t>(operation.amount) : 0);
  call.line = operation.line;
}

}  // namespace

void GraphRank::append_to(TraceBuilder& builder, Rank rank) {
  const OperationOrder order(operations_.size(), std::move(edges_));
  if (const auto circle = order.circle(); !circle.empty()) {
    std::vector<std::uint64_t> lines;
    for (const std::uint32_t operation : circle) lines.push_back(operations_[operation].line);
    throw Error(circle_text(builder.head().place, lines));
  }
  Call call;
  for (const std::uint32_t operation : order.order()) {
    write_call(operations_[operation], call);
    order.write_dependencies(operation, call.after);
    builder.append(rank, call);
  }
  operations_.clear();
  edges_.clear();
}

}  // namespace weft::trace
