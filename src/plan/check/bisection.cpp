// SPDX-License-Identifier: Apache-2.0
// bisection: exact by branch and bound on small fabrics, by repeated moves and swaps (Kernighan and
// Lin, 1970) on large ones.
#include "plan/check/bisection.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "base/words.hpp"
#include "plan/check/checks.hpp"

namespace weft {
namespace {

struct Weights {
  std::vector<std::uint64_t> hosts;  ///< by switch
  std::uint64_t all = 0;
  std::uint64_t imbalance = 0;  ///< the smallest that whole switches allow

  explicit Weights(const Fabric& fabric) {
    for (SwitchId s : fabric.switches()) hosts.push_back(fabric.hosts_on(s).size());
    all = std::accumulate(hosts.begin(), hosts.end(), std::uint64_t{0});
    std::vector<bool> sums(all + 1, false);
    sums[0] = true;
    // Equal weights, the common case, need no subset sums.
    const std::uint64_t first = hosts.empty() ? 0 : *std::max_element(hosts.begin(), hosts.end());
    const bool equal = std::all_of(hosts.begin(), hosts.end(),
                                   [&](std::uint64_t h) { return h == 0 || h == first; });
    if (equal) {
      for (std::uint64_t sum = 0; first != 0 && sum <= all; sum += first) sums[sum] = true;
    } else {
      for (std::uint64_t weight : hosts)
        for (std::uint64_t sum = all; weight != 0 && sum >= weight; --sum)
          if (sums[sum - weight]) sums[sum] = true;
    }
    for (std::uint64_t sum = all / 2;; --sum)
      if (sums[sum]) {
        imbalance = all - 2 * sum;
        break;
      }
  }
};

/// Assigns switches to sides one by one, those with most links to assigned ones first.
class ExactCut {
 public:
  explicit ExactCut(const Fabric& fabric, std::uint64_t bound)
      : fabric_(fabric),
        weights_(fabric),
        best_(bound),
        side_(fabric.switch_count(), -1),
        degree_{std::vector<std::uint32_t>(fabric.switch_count(), 0),
                std::vector<std::uint32_t>(fabric.switch_count(), 0)} {}

  std::uint64_t run() {
    assign(SwitchId(0), 0);
    search(1, 0);
    return best_;
  }

 private:
  void assign(SwitchId s, int side) {
    side_[s.index()] = side;
    hosts_[side] += weights_.hosts[s.index()];
    for (ChannelId c : fabric_.out(s)) ++degree_[side][fabric_.to(c).index()];
  }
  void release(SwitchId s) {
    const int side = side_[s.index()];
    side_[s.index()] = -1;
    hosts_[side] -= weights_.hosts[s.index()];
    for (ChannelId c : fabric_.out(s)) --degree_[side][fabric_.to(c).index()];
  }
  void search(std::size_t assigned, std::uint64_t cut) {
    // Every open switch will cut at least its links to the side it is less tied to.
    std::uint64_t least = cut;
    SwitchId chosen;
    std::uint32_t ties = 0;
    for (SwitchId s : fabric_.switches()) {
      if (side_[s.index()] >= 0) continue;
      const std::uint32_t a = degree_[0][s.index()];
      const std::uint32_t b = degree_[1][s.index()];
      least += std::min(a, b);
      if (!chosen.valid() || a + b > ties) {
        chosen = s;
        ties = a + b;
      }
    }
    const std::uint64_t most_hosts = (weights_.all + weights_.imbalance) / 2;
    if (least >= best_ || hosts_[0] > most_hosts || hosts_[1] > most_hosts) return;
    if (assigned == fabric_.switch_count()) {
      best_ = cut;
      return;
    }
    const int nearer = degree_[1][chosen.index()] > degree_[0][chosen.index()] ? 1 : 0;
    for (const int side : {nearer, 1 - nearer}) {
      const std::uint64_t more = degree_[1 - side][chosen.index()];
      assign(chosen, side);
      search(assigned + 1, cut + more);
      release(chosen);
    }
  }

  const Fabric& fabric_;
  Weights weights_;
  std::uint64_t best_;
  std::vector<int> side_;
  std::vector<std::uint32_t> degree_[2];
  std::uint64_t hosts_[2] = {0, 0};
};

/// One local search: the front of an order against its back, then swaps and moves while they help.
class LocalCut {
 public:
  LocalCut(const Fabric& fabric, const Weights& weights)
      : fabric_(fabric),
        weights_(weights),
        side_(fabric.switch_count(), 1),
        gain_(fabric.switch_count(), 0) {}

  /// Nothing when the halves come out less equal than whole switches would allow.
  std::optional<std::uint64_t> run(const std::vector<SwitchId>& order) {
    std::fill(side_.begin(), side_.end(), 1);
    std::uint64_t taken = 0;
    for (SwitchId s : order) {
      const std::uint64_t weight = weights_.hosts[s.index()];
      if (2 * (taken + weight) > weights_.all + weights_.imbalance) continue;
      side_[s] = 0;
      taken += weight;
    }
    find_gains();
    if (weights_.all - 2 * taken > weights_.imbalance) return std::nullopt;
    for (int round = 0; round < 20; ++round)
      if (!improve()) break;
    return cut();
  }

 private:
  /// Links cut now minus links cut after the switch changes sides.
  void find_gains() {
    for (SwitchId s : fabric_.switches()) {
      gain_[s] = 0;
      for (ChannelId c : fabric_.out(s)) gain_[s] += side_[fabric_.to(c)] != side_[s] ? 1 : -1;
    }
  }
  void move(SwitchId s) {
    side_[s] ^= 1;
    gain_[s] = -gain_[s];
    for (ChannelId c : fabric_.out(s))
      gain_[fabric_.to(c)] += side_[fabric_.to(c)] != side_[s] ? 2 : -2;
  }
  /// The switch of the other side whose exchange with `a` saves most links; none if none does.
  SwitchId partner_of(SwitchId a) const {
    SwitchId partner;
    std::int64_t best = 0;
    for (SwitchId b : fabric_.switches()) {
      if (gain_[a] + gain_[b] <= best || side_[b] == side_[a] ||
          weights_.hosts[b.index()] != weights_.hosts[a.index()])
        continue;
      std::int64_t both = gain_[a] + gain_[b];
      for (ChannelId c : fabric_.out(a)) both -= fabric_.to(c) == b ? 2 : 0;
      if (both <= best) continue;
      best = both;
      partner = b;
    }
    return partner;
  }
  /// Of two switches whose exchange helps, one gains by itself: only such switches are tried.
  bool improve() {
    bool better = false;
    for (SwitchId a : fabric_.switches()) {
      if (gain_[a] <= 0) continue;
      const bool free = weights_.hosts[a.index()] == 0;
      const SwitchId partner = free ? a : partner_of(a);
      if (!partner.valid()) continue;
      if (!free) move(partner);
      move(a);
      better = true;
    }
    return better;
  }
  std::uint64_t cut() const {
    std::uint64_t links = 0;
    for (LinkId l : fabric_.links())
      links += side_[fabric_[l].a.on] != side_[fabric_[l].b.on] ? 1 : 0;
    return links;
  }

  const Fabric& fabric_;
  const Weights& weights_;
  IdVector<SwitchId, int> side_;
  IdVector<SwitchId, std::int64_t> gain_;
};

std::vector<SwitchId> breadth_first(const Fabric& fabric, SwitchId start) {
  std::vector<SwitchId> order{start};
  std::vector<bool> seen(fabric.switch_count(), false);
  seen[start.index()] = true;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (ChannelId c : fabric.out(order[i])) {
      if (seen[fabric.to(c).index()]) continue;
      seen[fabric.to(c).index()] = true;
      order.push_back(fabric.to(c));
    }
  for (SwitchId s : fabric.switches())
    if (!seen[s.index()]) order.push_back(s);
  return order;
}

/// By id, by each coordinate, and breadth first from some switches: the first two suit grids and
/// trees, the third suits the rest.
std::vector<std::vector<SwitchId>> starts(const Fabric& fabric) {
  constexpr std::size_t searches = 8;
  std::vector<SwitchId> by_id;
  std::size_t dimensions = 16;
  for (SwitchId s : fabric.switches()) {
    by_id.push_back(s);
    dimensions = std::min(dimensions, fabric[s].at.size());
  }
  std::vector<std::vector<SwitchId>> out{by_id};
  for (std::size_t d = 0; d < dimensions; ++d) {
    out.push_back(by_id);
    std::stable_sort(out.back().begin(), out.back().end(),
                     [&](SwitchId a, SwitchId b) { return fabric[a].at[d] < fabric[b].at[d]; });
  }
  for (std::size_t i = 0; i < searches; ++i)
    out.push_back(breadth_first(fabric, SwitchId(i * fabric.switch_count() / searches)));
  return out;
}

}  // namespace

Bisection bisection_width(const Fabric& fabric) {
  constexpr std::size_t exact_up_to = 26;
  if (fabric.switch_count() < 2) return {0, true};
  const Weights weights(fabric);
  LocalCut local(fabric, weights);
  std::uint64_t bound = fabric.link_count();
  for (const auto& order : starts(fabric))
    bound = std::min(bound, local.run(order).value_or(bound));
  if (fabric.switch_count() > exact_up_to) return {bound, false};
  return {ExactCut(fabric, bound + 1).run(), true};
}

Finding check_bisection(const Subject& subject) {
  const Bisection found = bisection_width(subject.fabric);
  return {"bisection",
          Verdict::measured,
          (found.exact ? "" : "at most ") + counted(found.links, "link", "links"),
          {},
          {{"links", static_cast<double>(found.links)}, {"exact", found.exact ? 1.0 : 0.0}}};
}

}  // namespace weft
