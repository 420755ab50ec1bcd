// SPDX-License-Identifier: Apache-2.0
// A depth-first walk along dependencies, from each collective in the order of their lines.
#include "trace/collective_order.hpp"

#include <algorithm>
#include <unordered_map>

namespace weft::trace {
namespace {

class CollectiveOrder {
 public:
  CollectiveOrder(const Trace& graph, Rank rank) {
    Call call;
    for (CallCursor calls = graph.calls(rank); calls.next(call);) {
      if (is_collective(call.kind)) {
        place_.emplace(call_count(), collectives_.size());
        collectives_.push_back({call.line, call_count(), call.communicator});
      }
      for (const Dependency& each : call.after) on_.push_back(each.on);
      first_.push_back(on_.size());
    }
    seen_.resize(call_count());
  }

  std::vector<std::uint64_t> numbers() {
    numbers_.resize(collectives_.size());
    std::vector<GraphCollective> by_line = collectives_;
    std::stable_sort(by_line.begin(), by_line.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
    for (const GraphCollective& each : by_line) visit(each.call);
    return std::move(numbers_);
  }

 private:
  struct GraphCollective {
    std::uint64_t line, call;
    std::int32_t communicator;
  };

  std::size_t call_count() const { return first_.size() - 1; }

  /// Numbers a call after those that it depends on.
  void visit(std::uint64_t call) {
    enter(call);
    while (!path_.empty()) {
      auto& [at, next] = path_.back();
      if (next < first_[at + 1]) {
        enter(on_[next++]);
      } else {
        number(at);
        path_.pop_back();
      }
    }
  }
  void enter(std::uint64_t call) {
    if (seen_[call]) return;
    seen_[call] = true;
    path_.emplace_back(call, first_[call]);
  }
  void number(std::uint64_t call) {
    const auto found = place_.find(call);
    if (found != place_.end())
      numbers_[found->second] = next_number_[collectives_[found->second].communicator]++;
  }

  std::vector<GraphCollective> collectives_;
  std::unordered_map<std::uint64_t, std::size_t> place_;  ///< of a call among the collectives
  std::vector<std::size_t> first_{0};                     ///< in on_, of each call, and the end
  std::vector<std::uint64_t> on_;                         ///< calls that others depend on
  std::vector<bool> seen_;
  std::vector<std::pair<std::uint64_t, std::size_t>> path_;  ///< calls, and what is next in on_
  std::unordered_map<std::int32_t, std::uint64_t> next_number_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace

std::vector<std::uint64_t> collective_numbers(const Trace& graph, Rank rank) {
  return CollectiveOrder(graph, rank).numbers();
}

}  // namespace weft::trace
