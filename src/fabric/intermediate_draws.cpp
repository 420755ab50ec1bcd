// SPDX-License-Identifier: Apache-2.0
// The rules, one by one.
#include "fabric/intermediate_draws.hpp"

#include <algorithm>

namespace weft {

IntermediateDraws::IntermediateDraws(const Fabric& fabric, const ChoiceTables& choices,
                                     SwitchId from, SwitchId to)
    : fabric_(fabric),
      choices_(choices),
      rule_(choices.intermediates.rule),
      group_(fabric.switch_count(), 0),
      links_(fabric.switch_count(), {}) {
  const Intermediates& all = choices.intermediates;
  for (const ColumnId column : all.columns) {
    const auto row = choices.next[column];
    const auto found = std::find(row.begin(), row.end(), ChoiceTables::at_end);
    ends_.push_back(found == row.end() ? SwitchId::none()
                                       : SwitchId(static_cast<std::size_t>(found - row.begin())));
  }
  if (rule_ == IntermediateRule::any) return;
  const bool by_region = rule_ == IntermediateRule::elsewhere && !all.region.empty();
  for (const SwitchId s : fabric.switches()) {
    group_[s] = by_region ? all.region[s] : s.index();
    groups_ = std::max(groups_, group_[s] + 1);
  }
  if (rule_ != IntermediateRule::between || !from.valid()) return;
  measure(from);
  measure(to);
}

IntermediateDraws::IntermediateDraws(const Fabric& fabric, const ChoiceTables& choices)
    : IntermediateDraws(fabric, choices, SwitchId::none(), SwitchId::none()) {
  if (rule_ == IntermediateRule::between)
    for (const SwitchId s : fabric.switches()) measure(s);
}

/// (Links lead both ways.)
bool IntermediateDraws::is_between(SwitchId from, SwitchId to, SwitchId via) const {
  return std::uint64_t{links_[from][via]} + links_[to][via] == links_[from][to];
}

bool IntermediateDraws::is_aligned(SwitchId from, SwitchId to, SwitchId via) const {
  for (std::size_t d = 0; d < fabric_[from].at.size(); ++d)
    if (fabric_[from].at[d] == fabric_[to].at[d] && fabric_[via].at[d] != fabric_[from].at[d])
      return false;
  return true;
}

bool IntermediateDraws::may_draw(std::size_t from, std::size_t to, std::size_t i) const {
  const SwitchId end = ends_[i];
  if (!end.valid()) return false;
  switch (rule_) {
    case IntermediateRule::any:
    case IntermediateRule::up_to_last:
      return true;
    case IntermediateRule::elsewhere:
      return group_[end] != from && group_[end] != to;
    case IntermediateRule::between:
      return is_between(SwitchId(from), SwitchId(to), end);
    case IntermediateRule::aligned:
      return is_aligned(SwitchId(from), SwitchId(to), end);
  }
  return false;
}

std::size_t IntermediateDraws::settled(std::size_t from, std::size_t to, std::size_t i) const {
  if (rule_ != IntermediateRule::up_to_last) return i;
  const SwitchId last(to);
  if (!leads_by(fabric_, choices_, column(i), SwitchId(from), last)) return i;
  const auto own = std::find(ends_.begin(), ends_.end(), last);
  return own == ends_.end() ? i : static_cast<std::size_t>(own - ends_.begin());
}

std::vector<std::size_t> IntermediateDraws::drawn(std::size_t from, std::size_t to) const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < ends_.size(); ++i)
    if (may_draw(from, to, i)) out.push_back(settled(from, to, i));
  return out;
}

}  // namespace weft
