// SPDX-License-Identifier: Apache-2.0
// Adaptive up*/down*: any port on a shortest route that does not go up again after it went down. On
// a fat tree these are all up ports until the destination is below, then the ports down to it (as
// InfiniBand's adaptive routing has them), and in a damaged one the up ports that lead there. Every
// choice keeps to up, then down, so one lane suffices.
#include <algorithm>

#include "plan/route/algorithms/base_routes.hpp"
#include "plan/route/algorithms/columns.hpp"
#include "plan/route/algorithms/orientation.hpp"
#include "plan/route/routing_engines.hpp"

namespace weft {
namespace {

constexpr PhaseId either = 0, down_only = 1;

/// The lengths of the shortest legal routes to one switch.
class LegalRoutes {
 public:
  LegalRoutes(const Fabric& fabric, const Orientation& orientation)
      : fabric_(fabric), orientation_(orientation), from_root_(fabric.switch_count()) {
    for (const SwitchId s : fabric.switches()) from_root_[orientation.rank[s]] = s;
  }

  void aim(SwitchId to) {
    if (to == to_) return;
    to_ = to;
    find_down();
    any_ = down_;
    for (const SwitchId at : from_root_)
      for (const ChannelId c : fabric_.out(at))
        if (up(c) && any_[fabric_.to(c)] != unreachable)
          any_[at] = std::min(any_[at], any_[fabric_.to(c)] + 1);
  }

  std::optional<std::vector<Candidate>> step(SwitchId at, PhaseId phase) const {
    if (at == to_) return std::nullopt;
    std::vector<Candidate> out;
    const std::uint32_t length = phase == either ? any_[at] : down_[at];
    if (length == unreachable) return out;
    for (const ChannelId c : fabric_.out(at)) {
      const SwitchId beyond = fabric_.to(c);
      if (!up(c) && down_[beyond] + 1 == length)
        out.push_back({fabric_.out_port(c), 0, down_only});
      else if (up(c) && phase == either && any_[beyond] + 1 == length)
        out.push_back({fabric_.out_port(c), 0, either});
    }
    return out;
  }

 private:
  bool up(ChannelId c) const { return orientation_.up(fabric_, c); }
  void find_down() {
    down_.assign(fabric_.switch_count(), unreachable);
    down_[to_] = 0;
    std::vector<SwitchId> queue{to_};
    for (std::size_t i = 0; i < queue.size(); ++i)
      for (const ChannelId c : fabric_.out(queue[i])) {
        const SwitchId above = fabric_.to(c);
        if (!up(c) || down_[above] != unreachable) continue;
        down_[above] = down_[queue[i]] + 1;
        queue.push_back(above);
      }
  }

  const Fabric& fabric_;
  const Orientation& orientation_;
  std::vector<SwitchId> from_root_;
  SwitchId to_ = SwitchId::none();
  IdVector<SwitchId, std::uint32_t> down_, any_;
};

}  // namespace

Routed updown_adaptive(const Fabric& fabric, const Params& params) {
  const Orientation orientation = orientation_from(fabric, params);
  LegalRoutes routes(fabric, orientation);
  Tables tables = empty_tables(fabric, false);
  ChoiceTables choices;
  choices.phases = {{"up or down"}, {"down"}};
  const auto columns = [&](PhaseId phase) {
    return add_host_columns(fabric, choices, [&](SwitchId to, SwitchId at) {
      routes.aim(to);
      return routes.step(at, phase);
    });
  };
  columns(either);
  choices.phases[down_only].to_host = columns(down_only);
  tables.paths = std::move(choices);
  return tables;
}

}  // namespace weft
