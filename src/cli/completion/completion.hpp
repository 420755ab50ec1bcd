// SPDX-License-Identifier: Apache-2.0
// Completion for shells: what can stand at every place of a command line, and the scripts that ask
// for it. `weft list KIND --names` prints the names of a catalogue when they are needed.
#pragma once
#include <string>
#include <string_view>

#include "cli/verbs.hpp"

namespace weft::cli {

/// What can stand at a place, in the words of the scripts: "engines+files" (names of a catalogue,
/// and files), "+folders", "row" (names of the catalogue that the word before names), "=yes,no"
/// (these words), or nothing that a shell could know. `place` is "fabric" or "--format", `value`
/// what help calls the value: "NAME".
std::string candidates_of(std::string_view verb, std::string_view place, std::string_view value);

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace weft::cli
