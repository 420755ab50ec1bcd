// SPDX-License-Identifier: Apache-2.0
// Labels are extended backwards from the destination. extend() is monotone, so the smallest label
// of a switch is the best for everyone who comes through it: one entry per switch loses nothing
// among routes of equal length.
#include "plan/route/algorithms/columns.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace weft {

ColumnEngine::ColumnEngine(const Fabric& fabric, const Orientation* orientation, int lanes)
    : fabric_(fabric),
      most_(static_cast<Label>(2 * (lanes - 1) + 1)),
      label_(fabric.switch_count()),
      chosen_label_(fabric.switch_count()),
      cap_(fabric.switch_count()),
      length_(fabric.switch_count()),
      guard_(fabric.switch_count()),
      chosen_(fabric.switch_count()),
      hosts_(fabric.switch_count()),
      flow_(fabric.switch_count()),
      cost_(fabric.switch_count()) {
  invariant(lanes >= 1 && lanes <= most_lanes, "the column engine has a label per lane");
  for (ChannelId c : fabric.channels())
    up_.push_back(orientation != nullptr && orientation->up(fabric, c));
  for (SwitchId s : fabric.switches()) {
    hosts_[s] = fabric.hosts_on(s).size();
    in_begin_.push_back(in_.size());
    for (ChannelId out : fabric.out(s)) {
      const ChannelId c = reverse(out);
      in_.push_back({fabric.from(c), c, fabric.out_port(c), up_[c.index()]});
    }
  }
  in_begin_.push_back(in_.size());
}

void ColumnEngine::label(SwitchId to) {
  to_ = to;
  choices_known_ = false;
  std::fill(label_.begin(), label_.end(), unlabelled);
  order_.clear();
  order_.push_back(to);
  label_[to] = 0;
  length_[to] = 0;
  guard_[to] = ChannelId::none();
  std::uint32_t length = 0;
  for (std::size_t begin = 0; begin < order_.size();) {
    const std::size_t end = order_.size();
    ++length;
    for (; begin < end; ++begin) {
      const SwitchId at = order_[begin];
      for (const In& in : this->in(at)) {
        const Label extended = extend(label_[at], in.up);
        if (extended > most_) continue;
        Label& known = label_[in.from];
        if (known == unlabelled) {
          order_.push_back(in.from);
          length_[in.from] = length;
        } else if (length_[in.from] != length || extended > known ||
                   (extended == known && in.port > fabric_.out_port(guard_[in.from]))) {
          continue;
        }
        known = extended;
        guard_[in.from] = in.channel;
      }
    }
  }
}

void ColumnEngine::lowest(std::span<PortNumber> column) const {
  std::fill(column.begin(), column.end(), no_port);
  for (SwitchId s : order_) column[s.index()] = s == to_ ? here : fabric_.out_port(guard_[s]);
}

/// The largest label a switch may have without a switch behind it losing its guarantee.
void ColumnEngine::find_caps() {
  for (SwitchId s : order_) cap_[s] = most_;
  for (std::size_t i = order_.size(); i-- > 1;) {
    const SwitchId s = order_[i];
    const SwitchId next = fabric_.to(guard_[s]);
    const unsigned most =
        up_[guard_[s].index()] ? 2 * ((cap_[s] - 1U) / 2) + 1 : 2 * (cap_[s] / 2U);
    cap_[next] = static_cast<Label>(std::min<unsigned>(cap_[next], most));
  }
}

void ColumnEngine::find_choices() {
  choices_.clear();
  choices_begin_.assign(1, 0);
  for (SwitchId s : order_) {
    for (ChannelId c : fabric_.out(s)) {
      const SwitchId next = fabric_.to(c);
      if (s != to_ && label_[next] != unlabelled && length_[next] + 1 == length_[s])
        choices_.push_back({next, c, up_[c.index()]});
    }
    choices_begin_.push_back(static_cast<std::uint32_t>(choices_.size()));
  }
}

void ColumnEngine::balanced(std::span<PortNumber> column, Loads& loads, std::uint64_t hosts,
                            bool whole_route) {
  if (!choices_known_) {
    find_caps();
    find_choices();
    choices_known_ = true;
  }
  std::fill(column.begin(), column.end(), no_port);
  column[to_.index()] = here;
  chosen_label_[to_] = 0;
  cost_[to_] = 0;
  for (std::size_t i = 1; i < order_.size(); ++i) {
    const SwitchId s = order_[i];
    ChannelId best;
    Label best_label = unlabelled;
    std::uint64_t best_cost = ~std::uint64_t{0};
    for (std::uint32_t k = choices_begin_[i]; k < choices_begin_[i + 1]; ++k) {
      const Choice& choice = choices_[k];
      const Label own = extend(chosen_label_[choice.next], choice.up);
      const std::uint64_t cost = loads[choice.channel] + (whole_route ? cost_[choice.next] : 0);
      if (own > cap_[s] || cost > best_cost || (cost == best_cost && own >= best_label)) continue;
      best = choice.channel;
      best_label = own;
      best_cost = cost;
    }
    chosen_label_[s] = best_label;
    cost_[s] = best_cost;
    chosen_[s] = best;
    column[s.index()] = fabric_.out_port(best);
  }
  add_flow(loads, hosts);
}

void ColumnEngine::add_flow(Loads& loads, std::uint64_t hosts) {
  for (SwitchId s : order_) flow_[s] = hosts_[s] * hosts;
  for (std::size_t i = order_.size(); i-- > 1;) {
    const SwitchId s = order_[i];
    loads[chosen_[s]] += flow_[s];
    flow_[fabric_.to(chosen_[s])] += flow_[s];
  }
}

std::uint64_t ColumnEngine::total_length() const {
  std::uint64_t sum = 0;
  for (SwitchId s : order_) sum += length_[s];
  return sum;
}

ColumnEngine::Longest ColumnEngine::longest() const {
  for (std::size_t i = order_.size(); i-- > 0;)
    if (!fabric_.hosts_on(order_[i]).empty()) return {length_[order_[i]], order_[i]};
  return {};
}

std::vector<Param> selection_params(std::string_view columns_default) {
  return {{"select", port_choice, "balanced", "the choice among equally good ports"},
          {"columns", column_choice, columns_default,
           "a choice for every host, or one for all hosts of a switch"}};
}

Selection selection_from(const Params& params) {
  return {params.is("select", "balanced"), params.is("columns", "host")};
}

std::vector<SwitchId> destinations(const Fabric& fabric) {
  std::vector<SwitchId> order;
  for (SwitchId s : fabric.switches())
    if (!fabric.hosts_on(s).empty()) order.push_back(s);
  std::stable_sort(order.begin(), order.end(), [&](SwitchId a, SwitchId b) {
    return fabric.hosts_on(a).size() > fabric.hosts_on(b).size();
  });
  return order;
}

Tables empty_tables(const Fabric& fabric, bool per_host) {
  Tables tables;
  std::size_t columns = 0;
  tables.to_host.assign(fabric.host_count(), ColumnId::none());
  for (SwitchId s : fabric.switches()) {
    const auto hosts = fabric.hosts_on(s);
    for (HostId h : hosts) tables.to_host[h] = per_host ? ColumnId(h.index()) : ColumnId(columns);
    if (!hosts.empty()) ++columns;
  }
  if (per_host) columns = fabric.host_count();
  tables.paths = DestinationTables(columns, fabric.switch_count(), no_port);
  return tables;
}

Tables column_tables(const Fabric& fabric, ColumnEngine& engine, Selection selection) {
  const bool per_host = selection.per_host && selection.balanced;
  Tables tables = empty_tables(fabric, per_host);
  auto& next = std::get<DestinationTables>(tables.paths);
  Loads loads(fabric.channel_count(), 0);
  for (SwitchId to : destinations(fabric)) {
    engine.label(to);
    const auto hosts = fabric.hosts_on(to);
    if (!selection.balanced) {
      engine.lowest(next[tables.to_host[hosts.front()]]);
    } else if (!per_host) {
      engine.balanced(next[tables.to_host[hosts.front()]], loads, hosts.size(),
                      selection.whole_route);
    } else {
      for (HostId h : hosts)
        engine.balanced(next[tables.to_host[h]], loads, 1, selection.whole_route);
    }
  }
  return tables;
}

}  // namespace weft
