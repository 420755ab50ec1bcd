// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of traces: an Error of one line, or messages between hosts that exist.
#include "round_trip.hpp"
#include "sim/workload/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  static const Fabric fabric = fuzz::small_fabric();
  try {
    for (const sim::TraceMessage& message :
         sim::read_trace(fuzz::source_of(data, size), fabric, {Bytes{8}, Duration(1000)}))
      invariant(message.from.index() < 3 && message.to.index() < 3 && message.flits > 0,
                "a message that cannot be sent");
  } catch (const Error& error) {
    invariant(std::string_view(error.what()).find('\n') == std::string_view::npos,
              "an error of more than one line");
  }
  return 0;
}
