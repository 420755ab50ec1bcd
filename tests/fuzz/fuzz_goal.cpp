// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader and writer of GOAL.
#include "trace_round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::trace_round_trip(std::string(reinterpret_cast<const char*>(data), size), "goal");
  return 0;
}
