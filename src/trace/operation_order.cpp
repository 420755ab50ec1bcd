// SPDX-License-Identifier: Apache-2.0
// Kahn's algorithm (1962), first in, first out.
#include "trace/operation_order.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::trace {
namespace {

constexpr std::uint32_t no_place = ~std::uint32_t{0};

}  // namespace

OperationOrder::OperationOrder(std::size_t operations, std::vector<GraphEdge> edges)
    : edges_(std::move(edges)), first_edge_(operations + 1), place_(operations, no_place) {
  const auto by_operation = [](const GraphEdge& a, const GraphEdge& b) {
    return a.operation < b.operation;
  };
  if (!std::is_sorted(edges_.begin(), edges_.end(), by_operation))
    std::stable_sort(edges_.begin(), edges_.end(), by_operation);
  for (const GraphEdge& edge : edges_) ++first_edge_[edge.operation + 1];
  for (std::size_t i = 0; i < operations; ++i) first_edge_[i + 1] += first_edge_[i];
  run();
}

std::span<const GraphEdge> OperationOrder::edges_of(std::uint32_t operation) const {
  return std::span(edges_).subspan(first_edge_[operation],
                                   first_edge_[operation + 1] - first_edge_[operation]);
}

void OperationOrder::run() {
  const std::size_t operations = place_.size();
  Indices first(operations + 1);  // of those that wait for an operation
  for (const GraphEdge& edge : edges_) ++first[edge.on + 1];
  for (std::size_t i = 0; i < operations; ++i) first[i + 1] += first[i];
  Numbers waiting(edges_.size()), unmet(operations);
  Indices next = first;
  for (const GraphEdge& edge : edges_) waiting[next[edge.on]++] = edge.operation;
  order_.reserve(operations);
  for (std::uint32_t i = 0; i < operations; ++i) {
    unmet[i] = static_cast<std::uint32_t>(edges_of(i).size());
    if (unmet[i] == 0) order_.push_back(i);
  }
  for (std::uint32_t done = 0; done < order_.size(); ++done) {
    const std::uint32_t operation = order_[done];
    place_[operation] = done;
    for (std::size_t i = first[operation]; i < first[operation + 1]; ++i)
      if (--unmet[waiting[i]] == 0) order_.push_back(waiting[i]);
  }
}

void OperationOrder::write_dependencies(std::uint32_t operation,
                                        std::vector<Dependency>& into) const {
  into.clear();
  for (const GraphEdge& edge : edges_of(operation))
    into.push_back({place_[edge.on], edge.only_begun});
}

std::vector<std::uint32_t> OperationOrder::circle() const {
  const auto stuck = std::find(place_.begin(), place_.end(), no_place);
  if (stuck == place_.end()) return {};
  const auto next = [&](std::uint32_t operation) {
    const auto edges = edges_of(operation);
    return std::find_if(edges.begin(), edges.end(),
                        [&](const GraphEdge& edge) { return place_[edge.on] == no_place; })
        ->on;
  };
  auto at = static_cast<std::uint32_t>(stuck - place_.begin());
  for (std::vector<bool> seen(place_.size()); !seen[at]; at = next(at)) seen[at] = true;
  Numbers out{at};
  for (std::uint32_t other = next(at); other != at; other = next(other)) out.push_back(other);
  return out;
}

std::string circle_text(std::string_view places, std::span<const std::uint64_t> circle) {
  constexpr std::size_t most = 10;
  if (circle.size() == 1) return fmt::format("{} {} waits for itself", places, circle.front());
  if (circle.size() > most)
    return fmt::format("{}s {} and {} others wait for each other", places,
                       fmt::join(circle.first(most), ", "), circle.size() - most);
  return fmt::format("{}s {} and {} wait for each other", places,
                     fmt::join(circle.first(circle.size() - 1), ", "), circle.back());
}

}  // namespace weft::trace
