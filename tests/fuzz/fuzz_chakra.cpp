// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of Chakra traces: two ranks with the same nodes.
#include "trace/formats/formats.hpp"
#include "trace_round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  fuzz::works([&] {
    const trace::Trace trace =
        trace::chakra::read_ranks({.source = "fuzz", .files = {"fuzz.0.et", "fuzz.1.et"}},
                                  [&](const std::string&) { return stream_of(bytes); }, {});
    fuzz::examine(trace);
    fuzz::written(trace, "goal");
  });
  return 0;
}
