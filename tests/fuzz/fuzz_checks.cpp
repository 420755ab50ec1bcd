// SPDX-License-Identifier: Apache-2.0
// Fuzzes the checks with any tables that can be read, however broken: they end, do not crash, and
// a certificate they find is one the verifier accepts.
#include "plan/check/check.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/verify/verify_text.hpp"
#include "round_trip.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  static const Fabric fabric = fuzz::small_fabric();
  std::optional<Tables> tables;
  try {
    tables = read_tables(fuzz::source_of(data, size), fabric, "weft");
  } catch (const Error&) {
    return 0;
  }
  const Checked checked = run_checks(fabric, *tables);
  invariant(checked.findings.size() == checks().size(), "a check is missing");
  const DeadlockVerdict& verdict = checked.deadlock;
  if (const auto* certificate = std::get_if<Certificate>(&verdict)) {
    const auto wrong = verify(fabric, *tables, *certificate);
    invariant(!wrong, "the verifier contradicts the search");
  } else if (const auto* cycle = std::get_if<DependencyCycle>(&verdict)) {
    invariant(cycle->waits.size() > 1, "a cycle of one channel");
    for (const ChannelWait& wait : cycle->waits)
      invariant(wait.from.valid() || !wait.group.empty(), "a wait that nobody causes");
  }
  return 0;
}
