// SPDX-License-Identifier: Apache-2.0
// Names that other tools give to what catalogues have: OpenSM's engines, BookSim's traffic.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace weft {

/// What is nearest to "updn" in weft, "updown"; empty for names that nobody else uses.
std::string_view our_name(std::string_view theirs);

/// Notes that a name was taken for another one, for those who tell the user.
void note_other_name(std::string_view theirs, std::string_view ours);
/// "ftree: taken as dmodk, the nearest that weft has": of all names so far, each once, in order.
std::vector<std::string> take_notes_of_names();

}  // namespace weft
