// SPDX-License-Identifier: Apache-2.0
// Drawing intermediate destinations.
#include "sim/flit/intermediates.hpp"

#include <algorithm>

#include "fabric/distances.hpp"

namespace weft::sim {

IntermediateDraw::IntermediateDraw(const Fabric& fabric, const ChoiceTables& tables)
    : fabric_(fabric), rule_(tables.intermediates.rule), switches_(fabric.switch_count()) {
  for (const ColumnId column : tables.intermediates.columns) {
    const auto entries = tables.next[column];
    const auto end = std::find(entries.begin(), entries.end(), ChoiceTables::at_end);
    if (end == entries.end()) continue;
    columns_.push_back(static_cast<Index>(column.index()));
    ends_.push_back(static_cast<Index>(end - entries.begin()));
  }
  const auto& regions = tables.intermediates.region;
  for (const SwitchId s : fabric.switches())
    region_.push_back(regions.empty() ? static_cast<Index>(s.index()) : regions[s]);
  if (rule_ == IntermediateRule::between) measure(fabric);
}

void IntermediateDraw::measure(const Fabric& fabric) {
  for (const SwitchId s : fabric.switches())
    for (const std::uint32_t hops : distances(fabric, s))
      hops_.push_back(static_cast<std::uint16_t>(std::min<std::uint32_t>(hops, 0x7FFF)));
}

bool IntermediateDraw::may_be(Index end, Index first, Index last) const {
  switch (rule_) {
    case IntermediateRule::any:
      return true;
    case IntermediateRule::elsewhere:
      return region_[end] != region_[first] && region_[end] != region_[last];
    case IntermediateRule::between:
      return hops(first, end) + hops(end, last) == hops(first, last);
    case IntermediateRule::aligned:
      break;
  }
  const auto &from = fabric_[SwitchId(first)].at, &to = fabric_[SwitchId(last)].at,
             &at = fabric_[SwitchId(end)].at;
  for (std::size_t d = 0; d < from.size(); ++d)
    if (from[d] == to[d] && at[d] != from[d]) return false;
  return true;
}

Index IntermediateDraw::operator()(Draws& draws, Index first, Index last) const {
  if (columns_.empty()) return nothing;
  for (int tries = 16; tries != 0; --tries) {
    const std::size_t i = draws.below(columns_.size());
    if (may_be(ends_[i], first, last)) return columns_[i];
  }
  Index found = nothing;
  std::uint64_t count = 0;  // few may be drawn: all are looked at
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (may_be(ends_[i], first, last) && draws.below(++count) == 0) found = columns_[i];
  return found;
}

}  // namespace weft::sim
