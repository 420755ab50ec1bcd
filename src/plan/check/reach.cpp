// SPDX-License-Identifier: Apache-2.0
// reach: every host reaches every other on a route that ends, whatever the switches choose. Pairs
// that no links join are counted, not blamed on the tables.
#include "fabric/route_set.hpp"
#include "plan/check/checks.hpp"

namespace weft {

Finding check_reach(const Subject& subject) {
  const Survey& seen = subject.survey;
  if (subject.fabric.host_count() == 0)
    return {
        "reach", Verdict::bad,
        "there are no hosts, so nothing is routed; file:path=FILE,hosts=4 adds 4 to every switch"};
  Finding finding{"reach", seen.complete() ? Verdict::fine : Verdict::bad, {}};
  const bool choices = leave_choices(subject.tables);
  const std::uint64_t lost = seen.pairs - seen.reached - seen.apart;
  if (lost == 0)
    finding.summary = fmt::format("all {} pairs of hosts are reached{}", seen.reached,
                                  choices ? ", whatever the switches choose" : "");
  else
    finding.summary = fmt::format("{} of {} pairs of hosts are not reached", lost, seen.pairs);
  if (seen.apart != 0)
    finding.summary += fmt::format("; {} lie in different parts of the fabric", seen.apart);
  for (const Stray& stray : seen.strays)
    finding.details.push_back(route_text(subject.fabric, subject.tables, stray.from, stray.to));
  finding.numbers = {{"pairs", static_cast<double>(seen.pairs)},
                     {"reached", static_cast<double>(seen.reached)},
                     {"apart", static_cast<double>(seen.apart)}};
  return finding;
}

}  // namespace weft
