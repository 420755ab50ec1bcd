// SPDX-License-Identifier: Apache-2.0
// LASH, layered shortest paths (Skeie, Lysne and Theiss, 2002): every pair of switches belongs to
// one lane that it never leaves, the first whose dependencies stay free of cycles.
#include <algorithm>
#include <deque>

#include "base/words.hpp"
#include "plan/route/algorithms/acyclic_order.hpp"
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

/// One lane: its dependencies, and those that are known to be refused for good.
class Layer {
 public:
  explicit Layer(const TurnIndex& turns)
      : turns_(turns), order_(turns), blocked_(turns.size(), false) {}

  /// All turns, or none.
  bool insert(const std::vector<Turn>& route) {
    for (const Turn& turn : route)
      if (blocked_[turns_(turn.in, turn.out)]) return false;
    for (std::size_t i = 0; i < route.size(); ++i) {
      if (order_.insert(route[i].in, route[i].out)) continue;
      while (i-- > 0) order_.erase(route[i].in, route[i].out);
      note_blocked(route);
      return false;
    }
    return true;
  }
  void erase(const std::vector<Turn>& route) {
    for (const Turn& turn : route) order_.erase(turn.in, turn.out);
  }
  void forget_blocked() { blocked_.assign(blocked_.size(), false); }

 private:
  /// A turn that closes a cycle all by itself stays refused while the layer only grows.
  void note_blocked(const std::vector<Turn>& route) {
    for (const Turn& turn : route) {
      if (order_.insert(turn.in, turn.out))
        order_.erase(turn.in, turn.out);
      else
        blocked_[turns_(turn.in, turn.out)] = true;
    }
  }

  const TurnIndex& turns_;
  AcyclicOrder order_;
  std::vector<bool> blocked_;
};

class Lash {
 public:
  Lash(const Fabric& fabric, const Tables& tables, std::size_t limit)
      : fabric_(fabric), tables_(tables), limit_(limit), turns_(fabric) {
    for (SwitchId s : fabric.switches())
      if (!fabric.hosts_on(s).empty()) ends_.push_back(s);
    const auto& ports = std::get<DestinationTables>(tables.paths);
    level_ = Grid<std::uint8_t>(ports.size(), fabric.switch_count(), 0);
    next_ = Grid<ChannelId>(ports.size(), fabric.switch_count(), ChannelId::none());
    for (ColumnId c : ports.ids())
      for (SwitchId s : fabric.switches())
        next_[c][s.index()] = fabric.channel_at(s, ports[c][s.index()]);
  }

  std::optional<Refused> assign(bool even_out);
  std::size_t layer_count() const { return layers_.size(); }
  ServiceLanes lanes() { return {std::move(level_)}; }

 private:
  struct SwitchPair {
    SwitchId a, b;
  };
  ColumnId column(SwitchId s) const { return tables_.to_host[fabric_.hosts_on(s).front()]; }
  void add_turns(SwitchId from, SwitchId to);
  const std::vector<Turn>& route(SwitchPair pair) {
    route_.clear();
    add_turns(pair.a, pair.b);
    add_turns(pair.b, pair.a);
    return route_;
  }
  void put(SwitchPair pair, std::size_t layer) {
    level_[column(pair.b)][pair.a.index()] = static_cast<std::uint8_t>(layer);
    level_[column(pair.a)][pair.b.index()] = static_cast<std::uint8_t>(layer);
    members_[layer].push_back(pair);
  }
  bool first_fit(SwitchPair pair);
  void make_even();

  const Fabric& fabric_;
  const Tables& tables_;
  std::size_t limit_;
  TurnIndex turns_;
  Grid<ChannelId> next_;  ///< the tables with channels instead of ports
  std::vector<SwitchId> ends_;
  Grid<std::uint8_t> level_;
  std::deque<Layer> layers_;
  std::vector<std::vector<SwitchPair>> members_;
  std::vector<Turn> route_;
};

void Lash::add_turns(SwitchId from, SwitchId to) {
  const auto next = next_[column(to)];
  ChannelId before = next[from.index()];
  if (!before.valid()) return;
  for (SwitchId at = fabric_.to(before); at != to; at = fabric_.to(before)) {
    const ChannelId c = next[at.index()];
    route_.push_back({before, c});
    before = c;
  }
}

bool Lash::first_fit(SwitchPair pair) {
  for (std::size_t layer = 0; layer < limit_; ++layer) {
    if (layer == layers_.size()) {
      layers_.emplace_back(turns_);
      members_.emplace_back();
    }
    if (!layers_[layer].insert(route_)) continue;
    put(pair, layer);
    return true;
  }
  return false;
}

std::optional<Refused> Lash::assign(bool even_out) {
  layers_.emplace_back(turns_);
  members_.emplace_back();
  std::vector<SwitchPair> free_pairs;
  for (std::size_t i = 0; i < ends_.size(); ++i)
    for (std::size_t j = i + 1; j < ends_.size(); ++j) {
      const SwitchPair pair{ends_[i], ends_[j]};
      if (route(pair).empty())
        free_pairs.push_back(pair);
      else if (!first_fit(pair))
        return Refused{fmt::format(
            "with {} none is left for the routes between switches \"{}\" and \"{}\"",
            counted(limit_, "lane", "lanes"), fabric_[pair.a].name, fabric_[pair.b].name)};
    }
  if (even_out) make_even();
  // Neighbours cause no dependency and may go anywhere.
  for (SwitchPair pair : free_pairs) {
    const auto emptiest =
        std::min_element(members_.begin(), members_.end(),
                         [](const auto& a, const auto& b) { return a.size() < b.size(); });
    put(pair, even_out ? static_cast<std::size_t>(emptiest - members_.begin()) : 0);
  }
  return std::nullopt;
}

/// Moves pairs from fuller layers to emptier ones, each pair tried once per target.
void Lash::make_even() {
  for (Layer& layer : layers_) layer.forget_blocked();
  for (std::size_t from = 0; from < layers_.size(); ++from)
    for (std::size_t to = layers_.size(); to-- > 0;) {
      std::vector<SwitchPair> staying;
      std::vector<SwitchPair> pairs = std::move(members_[from]);
      std::size_t left = pairs.size();
      for (SwitchPair pair : pairs) {
        const bool uneven = left > members_[to].size() + 1 && to != from;
        if (uneven && layers_[to].insert(route(pair))) {
          layers_[from].erase(route_);
          put(pair, to);
          --left;
        } else {
          staying.push_back(pair);
        }
      }
      members_[from] = std::move(staying);
    }
}

}  // namespace

Routed lash(const Fabric& fabric, const Params& params) {
  const auto limit = params.whole<std::size_t>("lanes");
  ColumnEngine engine(fabric, nullptr, 1);
  Tables tables = column_tables(fabric, engine, {params.is("select", "balanced"), false, false});
  Lash layers(fabric, tables, limit);
  if (auto refused = layers.assign(params.flag("even"))) return *refused;
  tables.lane_count = static_cast<int>(layers.layer_count());
  if (tables.lane_count > 1) tables.lanes = layers.lanes();
  return tables;
}

}  // namespace weft
