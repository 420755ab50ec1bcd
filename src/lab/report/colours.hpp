// SPDX-License-Identifier: Apache-2.0
// Colours in human-readable reports, on terminals only.
#pragma once
#include <iosfwd>
#include <string>

namespace weft {

enum class VerdictColour { good, bad };

/// From now on reports on this stream have colours.
void allow_colours(std::ostream& out);
/// The text in a colour, where the stream has colours; otherwise as it is.
std::string coloured(std::ostream& out, VerdictColour colour, const std::string& text);

}  // namespace weft
