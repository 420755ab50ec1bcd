// SPDX-License-Identifier: Apache-2.0
// Columns, switch by switch.
#include "support/choices.hpp"

#include <algorithm>

namespace weft::test {
namespace {

PortNumber port_to(const Fabric& fabric, SwitchId at, SwitchId next) {
  for (const ChannelId c : fabric.out(at))
    if (fabric.to(c) == next) return fabric.out_port(c);
  throw Error("{} is no neighbour of {}", fabric[next].name, fabric[at].name);
}

SwitchId number(int s) { return SwitchId(static_cast<std::size_t>(s)); }

}  // namespace

Tables choice_tables(const Fabric& fabric, int lanes, std::vector<Phase> phases,
                     const ChoiceRule& rule, int intermediates,
                     const IsIntermediate& is_intermediate) {
  ChoiceTables choices;
  const auto switches = static_cast<int>(fabric.switch_count());
  const auto column = [&](int phase, int to, const std::function<bool(int)>& is_end) {
    std::vector<ChoiceTables::Entry> row;
    for (int at = 0; at < switches; ++at) {
      std::vector<Candidate> all;
      if (!is_end(at))
        for (const WantedHop& hop : rule(phase, at, to))
          all.push_back({port_to(fabric, number(at), number(hop.next)), static_cast<Lane>(hop.lane),
                         static_cast<PhaseId>(hop.phase),
                         static_cast<std::uint8_t>(hop.preference)});
      row.push_back(is_end(at)    ? ChoiceTables::at_end
                    : all.empty() ? ChoiceTables::no_route
                                  : choices.add(all));
    }
    return choices.next.push_back(row);
  };
  Tables out;
  out.engine = "by hand";
  out.lane_count = lanes;
  const bool is_single = phases.size() == 1;
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const int phase = static_cast<int>(p);
    if (phases[p].to_intermediate) continue;
    IdVector<HostId, ColumnId> to_host;
    for (const HostId host : fabric.hosts()) {
      const int on = static_cast<int>(fabric[host].on.index());
      to_host.push_back(column(phase, on, [on](int at) { return at == on; }));
    }
    if (out.to_host.empty()) out.to_host = to_host;
    if (!is_single) phases[p].to_host = to_host;
  }
  for (std::size_t p = 0; p < phases.size(); ++p)
    for (int i = 0; phases[p].to_intermediate && i < intermediates; ++i)
      choices.intermediates.columns.push_back(
          column(static_cast<int>(p), i, [&](int at) { return is_intermediate(i, at); }));
  choices.phases = std::move(phases);
  out.paths = std::move(choices);
  return out;
}

Tables random_choices(const Fabric& fabric, Rng& rng) {
  const int lanes = rng.below(4) == 0 ? 2 : 1;
  const int phases = lanes == 2 && rng.below(2) == 0 ? 2 : 1;
  return choice_tables(fabric, lanes,
                       std::vector<Phase>(static_cast<std::size_t>(phases), Phase{"p"}),
                       [&](int phase, int at, int) {
                         std::vector<WantedHop> all;
                         for (const ChannelId c : fabric.out(number(at)))
                           for (int lane = 0; lane < lanes; ++lane)
                             for (int next = phase; next < phases; ++next)
                               all.push_back({static_cast<int>(fabric.to(c).index()), lane, next,
                                              static_cast<int>(rng.below(2))});
                         rng.shuffle(all);
                         all.resize(1 + rng.below(std::min<std::size_t>(all.size(), 3)));
                         return all;
                       });
}

}  // namespace weft::test
