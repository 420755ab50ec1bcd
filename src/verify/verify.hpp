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
/// What a certificate says, in words, and what contradicts it; nothing when it holds.
struct Judgment {
  std::string claim;
  std::optional<std::string> wrong;
};
Judgment judge(const InputText& fabric, const InputText& tables, const InputText& certificate);
/// The latter.
std::optional<std::string> verify(const InputText& fabric, const InputText& tables,
                                  const InputText& certificate);

}  // namespace weft::verifier
