// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of ibnetdiscover's text, whose writer fills in missing GUIDs and LIDs.
#include "fabric/format/addresses.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::fuzz::fabric_round_trip(weft::fuzz::source_of(data, size), "ibnetdiscover",
                                weft::with_addresses);
  return 0;
}
