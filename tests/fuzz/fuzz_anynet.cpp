// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of the fabric format "anynet".
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::fabric_round_trip(weft::fuzz::source_of(data, size), "anynet",
                                [](const weft::Fabric& fabric) { return fabric; });
  return 0;
}
