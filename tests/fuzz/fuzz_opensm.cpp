// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of OpenSM's forwarding tables. Its writer adds routes to the switches, so hosts
// are compared after one round, everything after two.
#include <algorithm>

#include "round_trip.hpp"

namespace weft {
namespace {

bool same_routes_to_hosts(const Tables& a, const Tables& b) {
  const auto& next_a = std::get<DestinationTables>(a.paths);
  const auto& next_b = std::get<DestinationTables>(b.paths);
  return std::equal(a.to_host.begin(), a.to_host.end(), b.to_host.begin(), b.to_host.end(),
                    [&](ColumnId x, ColumnId y) {
                      if (!x.valid() || !y.valid()) return x == y;
                      return std::equal(next_a[x].begin(), next_a[x].end(), next_b[y].begin());
                    });
}

}  // namespace
}  // namespace weft

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  static const Fabric fabric = fuzz::small_fabric();
  const auto again = [](const Tables& tables) {
    return read_tables({"fuzz", fuzz::written(fabric, tables, "opensm")}, fabric, "opensm");
  };
  std::optional<Tables> tables;
  try {
    tables = read_tables(fuzz::source_of(data, size), fabric, "opensm");
  } catch (const Error&) {
    return 0;
  }
  const Tables second = again(*tables);
  invariant(same_routes_to_hosts(*tables, second), "routes changed by writing and reading");
  invariant(again(second) == second, "tables changed by writing and reading twice");
  return 0;
}
