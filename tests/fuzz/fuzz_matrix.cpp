// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of traffic matrices: an Error of one line, or weights between hosts that exist.
#include "round_trip.hpp"
#include "sim/workload/traffic_matrix.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  static const Fabric fabric = fuzz::small_fabric();
  try {
    const sim::TrafficMatrix matrix =
        sim::read_matrix(fuzz::source_of(data, size), fabric, {"Gb/s", Bytes{8}, Duration(1000)});
    for (const auto& [from, to, weight] : matrix.entries)
      invariant(from.index() < 3 && to.index() < 3 && weight > 0 && weight <= sim::largest_weight,
                "an entry that cannot be");
  } catch (const Error& error) {
    invariant(std::string_view(error.what()).find('\n') == std::string_view::npos,
              "an error of more than one line");
  }
  return 0;
}
