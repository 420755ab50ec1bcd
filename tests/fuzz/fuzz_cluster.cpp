// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of cluster files.
#include "lab/cluster/cluster.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  try {
    const Cluster cluster = read_cluster(fuzz::source_of(data, size));
    invariant(!cluster.topologies.empty() && !cluster.engines.empty(), "nothing to study");
  } catch (const Error&) {
  }
  return 0;
}
