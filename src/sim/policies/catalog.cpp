// SPDX-License-Identifier: Apache-2.0
// The table of policies: name, summary, parameters.
#include "base/catalog.hpp"

#include "sim/policies/policies.hpp"

namespace weft::sim {
namespace {

constexpr Duration longest_idle = std::chrono::milliseconds(100);

std::vector<PolicyRow> make_rows() {
  const Param draws{"draws", Whole{0, 64}, "0",
                    "candidates that are drawn at random, of which the best one is taken; 0: all"};
  return {
      {"round_robin", "the next port in turn that has an idle lane", {}, Preferred::next},
      {"random", "a port at random", {}, Preferred::any},
      {"credits",
       "the port with the most credits for the lanes that the packet may take",
       {draws},
       Preferred::credits},
      {"queue",
       "the port with the fewest flits that have left for it, on all lanes, and whose credits have "
       "not come back",
       {draws},
       Preferred::queue},
      {"static",
       "the first port of the table's entry; where it has no idle lane, the next one that has "
       "(InfiniBand's free and busy)",
       {},
       Preferred::first},
      {"sticky",
       "the port that packets of the same source and destination had before; a new one, "
       "round-robin, after a pause",
       {{"idle", DelayText{0, 1'000'000, longest_idle}, "1us", "the pause"}},
       Preferred::flows},
  };
}

}  // namespace

std::span<const PolicyRow> policies() {
  static const std::vector<PolicyRow> rows = make_rows();
  return rows;
}

PortPolicy policy_from(std::string_view text) {
  const Spec spec = Spec::parse(text);
  const PolicyRow& row = find_row(policies(), "policy of a switch", spec.name);
  const Params params(spec, row.params);
  PortPolicy out{.takes = row.takes};
  for (const Param& param : row.params) {
    if (param.name == "draws") out.draws = params.whole<std::uint32_t>("draws");
    if (param.name == "idle") out.idle = params.delay("idle");
  }
  return out;
}

}  // namespace weft::sim
