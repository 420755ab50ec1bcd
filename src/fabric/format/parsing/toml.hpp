// SPDX-License-Identifier: Apache-2.0
// TOML from files that may be hostile.
#pragma once
#include <toml++/toml.h>

#include "fabric/format/format.hpp"

namespace weft {

/// Throws Error "file:line: …" when the text is not TOML, or has keys of more than 16 parts.
toml::table parse_toml(const Source& source);

}  // namespace weft
