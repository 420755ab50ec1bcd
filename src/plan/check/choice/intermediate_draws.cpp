// SPDX-License-Identifier: Apache-2.0
// The rules, one by one.
#include "plan/check/choice/intermediate_draws.hpp"

#include <algorithm>

namespace weft {

IntermediateDraws::IntermediateDraws(const Fabric& fabric, const ChoiceTables& choices)
    : fabric_(fabric), rule_(choices.intermediates.rule), group_(fabric.switch_count(), 0) {
  const Intermediates& all = choices.intermediates;
  for (const ColumnId column : all.columns) {
    const auto row = choices.next[column];
    const auto found = std::find(row.begin(), row.end(), ChoiceTables::at_end);
    via_.push_back(found == row.end() ? SwitchId::none()
                                      : SwitchId(static_cast<std::size_t>(found - row.begin())));
  }
  if (rule_ == IntermediateRule::any) return;
  const bool by_region = rule_ == IntermediateRule::elsewhere && !all.region.empty();
  for (const SwitchId s : fabric.switches()) {
    group_[s] = by_region ? all.region[s] : s.index();
    groups_ = std::max(groups_, group_[s] + 1);
  }
  if (rule_ == IntermediateRule::between)
    for (const SwitchId s : fabric.switches()) links_.push_back(distances(fabric, s));
}

bool IntermediateDraws::is_between(std::size_t from, std::size_t to, std::size_t via) const {
  return std::uint64_t{links_[from][SwitchId(via)]} + links_[via][SwitchId(to)] ==
         links_[from][SwitchId(to)];
}

bool IntermediateDraws::is_aligned(SwitchId from, SwitchId to, SwitchId via) const {
  for (std::size_t d = 0; d < fabric_[from].at.size(); ++d)
    if (fabric_[from].at[d] == fabric_[to].at[d] && fabric_[via].at[d] != fabric_[from].at[d])
      return false;
  return true;
}

bool IntermediateDraws::may_draw(std::size_t from, std::size_t to, std::size_t i) const {
  const SwitchId via = via_[i];
  if (!via.valid()) return false;
  switch (rule_) {
    case IntermediateRule::any:
      return true;
    case IntermediateRule::elsewhere:
      return group_[via] != from && group_[via] != to;
    case IntermediateRule::between:
      return is_between(from, to, via.index());
    case IntermediateRule::aligned:
      return is_aligned(SwitchId(from), SwitchId(to), via);
  }
  return false;
}

std::vector<std::size_t> IntermediateDraws::drawn(std::size_t from, std::size_t to) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < via_.size(); ++i)
    if (may_draw(from, to, i)) out.push_back(i);
  return out;
}

}  // namespace weft
