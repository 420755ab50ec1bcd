// SPDX-License-Identifier: Apache-2.0
// Hands fabrics, tables and certificates to the verifier, which knows only their text.
#pragma once
#include <optional>
#include <string>

#include "plan/check/graph/certificate.hpp"

namespace weft {

std::string weft_text(const Fabric& fabric);
std::string weft_text(const Fabric& fabric, const Tables& tables);

/// Writes all three as text and has it verified. Returns what contradicts the certificate, or
/// nothing.
std::optional<std::string> verify(const Fabric& fabric, const Tables& tables,
                                  const Certificate& certificate);

}  // namespace weft
