// SPDX-License-Identifier: Apache-2.0
// Verifies certificates of deadlock freedom, as docs/certificate.md says. This folder is the
// program weft-verify and shares no code with the rest of weft: read.hpp reads the texts.
#pragma once
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace weft::verifier {

struct InputText {
  std::string name;  ///< of the file, for messages such as "net.toml:12: …"
  std::string_view text;
};
/// Thrown where a text has not the form that docs/certificate.md describes.
struct UnreadableInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// Of the steps that a packet may take next, those that lead to larger numbers; and for some, than
/// which: that of the lane it stands in, or those of all lanes that worms hold.
enum class ProofKind { every_choice, some_choice, some_choice_worms };
/// What a certificate says, also in words, and what contradicts it; nothing when it holds.
struct Judgment {
  ProofKind proof;
  std::string claim;
  std::optional<std::string> wrong;
};
Judgment judge(const InputText& fabric, const InputText& tables, const InputText& certificate);
/// The latter.
std::optional<std::string> verify(const InputText& fabric, const InputText& tables,
                                  const InputText& certificate);

}  // namespace weft::verifier
