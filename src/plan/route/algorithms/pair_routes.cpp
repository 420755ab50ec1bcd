// SPDX-License-Identifier: Apache-2.0
// All shortest allowed routes of every pair, and the removal of routes from the busiest channel
// until one per pair is left.
#include "plan/route/algorithms/pair_routes.hpp"

#include <algorithm>
#include <queue>

#include "base/error.hpp"
#include "plan/route/algorithms/columns.hpp"

namespace weft {
namespace {

using Route = std::vector<ChannelId>;

/// Meshes have exponentially many shortest routes; only the first ones in port order are
/// considered, and fewer of them when there are many pairs: balancing takes time as the square of
/// the routes.
constexpr std::size_t most_per_pair = 24;
constexpr std::size_t most_routes = 150'000;

/// Shortest allowed routes towards one switch, over states (switch, label of what is to come).
class RouteFinder {
 public:
  RouteFinder(const Fabric& fabric, const Orientation* orientation, int lanes)
      : fabric_(fabric), states_(2 * static_cast<std::size_t>(lanes)) {
    for (ChannelId c : fabric.channels())
      up_.push_back(orientation != nullptr && orientation->up(fabric, c));
  }

  void aim(SwitchId to) {
    to_ = to;
    length_.assign(fabric_.switch_count() * states_, unreachable);
    std::vector<std::pair<SwitchId, std::size_t>> queue{{to, 0}};
    length_[place(to, 0)] = 0;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const auto [at, label] = queue[i];
      for (ChannelId out : fabric_.out(at)) {
        const ChannelId c = reverse(out);
        const std::size_t next = extend(label, c);
        if (next >= states_ || length_[place(fabric_.from(c), next)] != unreachable) continue;
        length_[place(fabric_.from(c), next)] = length_[place(at, label)] + 1;
        queue.emplace_back(fabric_.from(c), next);
      }
    }
  }

  /// The first `most` of them in port order.
  std::vector<Route> from(SwitchId source, std::size_t most) {
    std::uint32_t best = unreachable;
    for (std::size_t label = 0; label < states_; ++label)
      best = std::min(best, length_[place(source, label)]);
    std::vector<Route> routes;
    Route route;
    most_ = most;
    if (best != unreachable) grow(source, best, route, routes);
    return routes;
  }

 private:
  std::size_t place(SwitchId s, std::size_t label) const { return s.index() * states_ + label; }
  std::size_t extend(std::size_t label, ChannelId c) const {
    return up_[c.index()] ? label | 1U : (label + 1U) & ~std::size_t{1};
  }
  /// Is there a path of `left` links from `at` whose label, with the route so far before it, fits?
  bool fits(const Route& route, SwitchId at, std::uint32_t left) const {
    for (std::size_t label = 0; label < states_; ++label) {
      if (length_[place(at, label)] != left) continue;
      std::size_t whole = label;
      for (std::size_t i = route.size(); i-- > 0 && whole < states_;)
        whole = extend(whole, route[i]);
      if (whole < states_) return true;
    }
    return false;
  }
  void grow(SwitchId at, std::uint32_t left, Route& route, std::vector<Route>& routes) const {
    if (routes.size() >= most_) return;
    if (left == 0) {
      if (at == to_) routes.push_back(route);
      return;
    }
    for (ChannelId c : fabric_.out(at)) {
      route.push_back(c);
      if (fits(route, fabric_.to(c), left - 1)) grow(fabric_.to(c), left - 1, route, routes);
      route.pop_back();
    }
  }

  const Fabric& fabric_;
  std::size_t states_;
  std::vector<bool> up_;
  SwitchId to_{};
  std::size_t most_ = 0;
  std::vector<std::uint32_t> length_;
};

struct CandidateRoutes {
  std::vector<Route> routes;
  std::vector<bool> removed;
  std::size_t left = 0;
  std::uint64_t weight = 0;  ///< pairs of hosts
};

/// Removes routes from the busiest channel: of the pair with most alternatives, then the route
/// with the largest load in total, then the first.
class Balancer {
 public:
  Balancer(const Fabric& fabric, std::vector<CandidateRoutes>& pairs)
      : pairs_(pairs), load_(fabric.channel_count(), 0), users_(fabric.channel_count()) {
    for (std::size_t p = 0; p < pairs.size(); ++p)
      for (std::size_t r = 0; r < pairs[p].routes.size(); ++r)
        for (ChannelId c : pairs[p].routes[r]) {
          load_[c] += pairs[p].weight;
          users_[c].push_back({p, r});
        }
    for (ChannelId c : fabric.channels()) queue_.push({load_[c], c});
  }

  void run() {
    while (!queue_.empty()) {
      const auto [load, c] = queue_.top();
      queue_.pop();
      if (load != load_[c]) continue;  // a newer entry of this channel is in the queue
      const User* victim = choose(c);
      if (victim != nullptr) remove(*victim);
    }
  }

 private:
  struct User {
    std::size_t pair, route;
  };
  struct LoadedChannel {
    std::uint64_t load;
    ChannelId channel;
    bool operator<(const LoadedChannel& other) const {
      return load != other.load ? load < other.load : channel > other.channel;
    }
  };

  std::uint64_t total_load(const Route& route) const {
    std::uint64_t sum = 0;
    for (ChannelId c : route) sum += load_[c];
    return sum;
  }
  /// Null when no route over the channel can be spared; then none ever can.
  const User* choose(ChannelId c) {
    auto& users = users_[c];
    std::erase_if(users, [&](const User& u) {
      return pairs_[u.pair].removed[u.route] || pairs_[u.pair].left < 2;
    });
    const User* best = nullptr;
    std::uint64_t best_load = 0;
    for (const User& user : users) {
      const CandidateRoutes& pair = pairs_[user.pair];
      const std::uint64_t load = total_load(pair.routes[user.route]);
      if (best != nullptr && (pair.left < pairs_[best->pair].left ||
                              (pair.left == pairs_[best->pair].left && load <= best_load)))
        continue;
      best = &user;
      best_load = load;
    }
    return best;
  }
  void remove(User user) {
    CandidateRoutes& pair = pairs_[user.pair];
    pair.removed[user.route] = true;
    --pair.left;
    for (ChannelId c : pair.routes[user.route]) {
      load_[c] -= pair.weight;
      queue_.push({load_[c], c});
    }
  }

  std::vector<CandidateRoutes>& pairs_;
  IdVector<ChannelId, std::uint64_t> load_;
  IdVector<ChannelId, std::vector<User>> users_;
  std::priority_queue<LoadedChannel> queue_;
};

std::optional<std::vector<PortNumber>> ports_of(const Fabric& fabric, const CandidateRoutes& pair) {
  for (std::size_t r = 0; r < pair.routes.size(); ++r) {
    if (pair.removed[r]) continue;
    std::vector<PortNumber> ports;
    for (ChannelId c : pair.routes[r]) ports.push_back(fabric.out_port(c));
    return ports;
  }
  return std::nullopt;
}

}  // namespace

Routed pair_tables(const Fabric& fabric, const Orientation* orientation, int lanes, bool balanced) {
  Tables tables = empty_tables(fabric, false);
  const std::size_t pair_count = column_count(tables) * fabric.switch_count();
  if (balanced && 2 * pair_count > most_routes)
    return Refused{
        fmt::format("routes of {} pairs of switches are too many to balance one by one; "
                    "use form=tables, or select=low_port",
                    pair_count)};
  const std::size_t per_pair =
      balanced ? std::min(most_per_pair, most_routes / std::max<std::size_t>(pair_count, 1)) : 1;
  RouteFinder finder(fabric, orientation, lanes);
  std::vector<CandidateRoutes> pairs;
  for (SwitchId to : fabric.switches()) {
    if (fabric.hosts_on(to).empty()) continue;
    finder.aim(to);
    for (SwitchId from : fabric.switches()) {
      CandidateRoutes pair;
      pair.routes = finder.from(from, per_pair);
      pair.left = pair.routes.size();
      pair.removed.assign(pair.left, false);
      pair.weight = fabric.hosts_on(from).size() * fabric.hosts_on(to).size();
      pairs.push_back(std::move(pair));
    }
  }
  if (balanced) Balancer(fabric, pairs).run();
  SourceRoutes routes(fabric.switch_count());
  for (const CandidateRoutes& pair : pairs) routes.push_back(ports_of(fabric, pair));
  tables.paths = std::move(routes);
  return tables;
}

Routed chosen_tables(const Fabric& fabric, const Orientation* orientation, int lanes,
                     const Params& params) {
  const Selection selection = selection_from(params);
  if (params.is("form", "source"))
    return pair_tables(fabric, orientation, lanes, selection.balanced);
  ColumnEngine engine(fabric, orientation, lanes);
  return column_tables(fabric, engine, selection);
}

std::vector<Param> form_params() {
  std::vector<Param> params = selection_params("host");
  params.push_back({"form", OneOf{"tables", "source"}, "tables",
                    "tables (out-port by destination) or source (a route per pair, balanced by "
                    "removing routes from the busiest link)"});
  return params;
}

}  // namespace weft
