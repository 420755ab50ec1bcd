// SPDX-License-Identifier: Apache-2.0
// Fuzzes weft's own format of traces of programs.
#include "trace_round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::trace_round_trip(std::string(reinterpret_cast<const char*>(data), size), "weft");
  return 0;
}
