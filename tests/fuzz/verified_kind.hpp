// SPDX-License-Identifier: Apache-2.0
// What a certificate that the independent verifier accepts means for weft's own check.
#pragma once
#include "plan/check/deadlock.hpp"
#include "verify/verify.hpp"

namespace weft::fuzz {

/// Whether weft's check contradicts a certificate that holds, by its kind. (For worms it may not
/// know.)
inline bool contradicts(const Fabric& fabric, const Tables& tables, verifier::ProofKind proof) {
  const auto certified = [&](WaitKind waiting) {
    return std::holds_alternative<Certificate>(deadlock(fabric, tables, waiting));
  };
  if (proof == verifier::ProofKind::every_choice) return !certified(WaitKind::commit);
  if (!certified(WaitKind::cut_through)) return true;
  return proof == verifier::ProofKind::some_choice_worms && !certified(WaitKind::wormhole) &&
         !std::holds_alternative<NotJudged>(deadlock(fabric, tables, WaitKind::wormhole));
}

}  // namespace weft::fuzz
