// SPDX-License-Identifier: Apache-2.0
// Fuzzes the reader of certificates: what it accepts is written and read back the same.
#include <sstream>

#include "plan/check/graph/certificate.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  static const Fabric fabric = fuzz::small_fabric();
  std::optional<Certificate> certificate;
  try {
    certificate = read_certificate(fuzz::source_of(data, size), fabric);
  } catch (const Error&) {
    return 0;
  }
  std::ostringstream text;
  write_certificate(text, fabric, *certificate);
  invariant(read_certificate({"fuzz", text.str()}, fabric) == *certificate,
            "a certificate changed by writing and reading");
  return 0;
}
