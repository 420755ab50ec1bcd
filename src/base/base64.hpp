// SPDX-License-Identifier: Apache-2.0
// Bytes as text of 64 letters (RFC 4648).
#pragma once
#include <string>
#include <string_view>

namespace weft {

std::string base64(std::string_view bytes);

/// The bytes of such text. Throws Error for other letters.
std::string from_base64(std::string_view text);

}  // namespace weft
