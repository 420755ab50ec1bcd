// SPDX-License-Identifier: Apache-2.0
// Writing what the verifier reads.
#include "plan/verify/verify_text.hpp"

#include <sstream>

#include "fabric/format/formats.hpp"
#include "verify/verify.hpp"

namespace weft {

std::string weft_text(const Fabric& fabric) {
  std::ostringstream out;
  weft_fabric::write(out, fabric);
  return std::move(out).str();
}

std::string weft_text(const Fabric& fabric, const Tables& tables) {
  std::ostringstream out;
  weft_tables::write(out, fabric, tables);
  return std::move(out).str();
}

std::optional<std::string> verify(const Fabric& fabric, const Tables& tables,
                                  const Certificate& certificate) {
  const std::string wiring = weft_text(fabric), routes = weft_text(fabric, tables);
  std::ostringstream numbers;
  write_certificate(numbers, fabric, certificate);
  try {
    return verifier::verify({"fabric", wiring}, {"tables", routes}, {"certificate", numbers.str()});
  } catch (const verifier::UnreadableInput& problem) {
    return problem.what();
  }
}

}  // namespace weft
