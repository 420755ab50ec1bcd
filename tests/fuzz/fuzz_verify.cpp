// SPDX-License-Identifier: Apache-2.0
// Fuzzes the verifier with all three texts, separated by lines "%%%": it ends with a verdict or a
// refusal of one line. A certificate that holds is one of tables that weft's own check does not
// refute, if weft can read them as well.
#include <optional>

#include "round_trip.hpp"
#include "verified_kind.hpp"
#include "verify/verify.hpp"

namespace {

std::string_view take_text(std::string_view& rest) {
  constexpr std::string_view separator = "%%%\n";
  const std::size_t end = std::min(rest.find(separator), rest.size());
  const std::string_view text = rest.substr(0, end);
  rest.remove_prefix(std::min(end + separator.size(), rest.size()));
  return text;
}

/// What a certificate proves; nothing if it does not hold.
std::optional<weft::verifier::ProofKind> proof_of(std::string_view fabric, std::string_view tables,
                                                  std::string_view certificate) {
  try {
    const auto [proof, claim, wrong] =
        weft::verifier::judge({"fabric", fabric}, {"tables", tables}, {"numbers", certificate});
    weft::invariant(!wrong || wrong->find('\n') == std::string::npos, "more than one line");
    if (!wrong) return proof;
  } catch (const weft::verifier::UnreadableInput& error) {
    weft::invariant(std::string_view(error.what()).find('\n') == std::string_view::npos,
                    "an error of more than one line");
  }
  return {};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  const std::string_view fabric_text = take_text(rest), tables_text = take_text(rest);
  const auto proof = proof_of(fabric_text, tables_text, rest);
  if (!proof) return 0;
  bool contradicted = false;
  try {
    const Fabric fabric = read_fabric({"fuzz", std::string(fabric_text)}, "weft");
    const Tables tables = read_tables({"fuzz", std::string(tables_text)}, fabric, "weft");
    contradicted = fuzz::contradicts(fabric, tables, *proof);
  } catch (const Error&) {
    return 0;
  }
  invariant(!contradicted, "a certificate of a deadlock holds");
  return 0;
}
