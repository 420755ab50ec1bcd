// SPDX-License-Identifier: Apache-2.0
// hops: switches on the route, over all ordered pairs of hosts, a host with itself included (the
// convention of the RHiNET-2 paper, Table I).
#include "plan/check/checks.hpp"

namespace weft {

Finding check_hops(const Subject& subject) {
  const Survey& seen = subject.survey;
  Finding out{"hops",
              Verdict::measured,
              fmt::format("{:.2f} on average{}, {} at most{}{}", seen.mean_hops() + 1e-9,
                          estimate_text(subject.fabric, seen.sampled_sources), seen.most_hops,
                          seen.hops_may_exceed ? ", or fewer" : "",
                          seen.may_go_round ? " where packets do not go round" : ""),
              {},
              {{"average", seen.mean_hops()}, {"maximum", static_cast<double>(seen.most_hops)}}};
  if (seen.hops_may_exceed) out.numbers.emplace("maximum_is_a_bound", 1);
  if (!seen.detour_load.empty()) {
    out.summary += fmt::format("; {:.2f} on average if all packets take detours{}",
                               seen.mean_detour_hops() + 1e-9,
                               estimate_text(subject.fabric, seen.sampled_detour_sources));
    out.numbers.emplace("average_with_detours", seen.mean_detour_hops());
  }
  out.summary += loops_text(seen.cuts_loops);
  if (seen.cuts_loops) out.numbers.emplace("cuts_loops", 1);
  return out;
}

}  // namespace weft
