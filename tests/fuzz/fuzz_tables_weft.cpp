// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of weft's tables.
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  static const Fabric fabric = fuzz::small_fabric();
  std::optional<Tables> tables;
  try {
    tables = read_tables(fuzz::source_of(data, size), fabric, "weft");
  } catch (const Error&) {
    return 0;
  }
  const Source again{"fuzz", fuzz::written(fabric, *tables, "weft")};
  invariant(read_tables(again, fabric, "weft") == *tables, "tables changed by writing and reading");
  return 0;
}
