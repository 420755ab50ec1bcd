// SPDX-License-Identifier: Apache-2.0
// Ways, place by place: every step has one tag less.
#include "fabric/route_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace weft {
namespace {

/// Tags are hashed so that the first one can be taken away again: odd numbers have an inverse.
constexpr std::uint64_t hash_step = 0x9E37'79B9'7F4A'7C15;
constexpr std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t out = odd;  // right in the last 3 bits; every round doubles them
  for (int round = 0; round < 5; ++round) out *= 2 - odd * out;
  return out;
}
constexpr std::uint64_t hash_step_back = inverse(hash_step);
static_assert(hash_step * hash_step_back == 1);

}  // namespace

Ways::Ways(const Fabric& fabric, const Tables& tables)
    : fabric_(fabric),
      tables_(tables),
      routes_(std::get<SourceRoutes>(tables.paths)),
      stepper_(fabric, tables),
      service_(std::get_if<ServiceLanes>(&tables.lanes)),
      known_(64, no_place) {}

void Ways::aim(HostId to) {
  to_ = to;
  places_.clear();
  moves_.clear();
  order_.clear();
  for (auto& places : by_length_) places.clear();
  std::fill(known_.begin(), known_.end(), no_place);
}

Ways::Index Ways::start(HostId from) {
  const ColumnId column = tables_.to_host[to_];
  if (!column.valid()) return no_place;
  const auto route = routes_.route(column, fabric_[from].on);
  return route ? start(from, column, *route) : no_place;
}

Ways::Index Ways::start(HostId from, ColumnId column, std::span<const PortNumber> tags) {
  const SwitchId source = fabric_[from].on;
  std::uint64_t hash = 0;
  for (std::size_t i = tags.size(); i-- > 0;) hash = hash * hash_step + tags[i] + 1;
  return place_of({{column, source, source, fabric_[from].port, 0}, ChannelId::none(), tags, hash});
}

bool Ways::goes_on_alike(const Place& a, const Place& b) const {
  return a.by == b.by && a.stand.at == b.stand.at && a.stand.in == b.stand.in &&
         a.stand.lane == b.stand.lane && a.tags_hash == b.tags_hash &&
         level(a.stand) == level(b.stand) &&
         std::equal(a.tags.begin(), a.tags.end(), b.tags.begin(), b.tags.end());
}

/// Where the place, or the next free slot, is in the table.
std::size_t Ways::slot_of(const Place& place) const {
  std::uint64_t hash = place.tags_hash ^ (place.by.index() * hash_step);
  hash = (hash ^ place.stand.at.index() ^ (std::uint64_t{place.stand.lane} << 40U)) * hash_step;
  std::size_t slot = (hash >> 20U) & (known_.size() - 1);
  while (known_[slot] != no_place && !goes_on_alike(places_[known_[slot]], place))
    slot = (slot + 1) & (known_.size() - 1);
  return slot;
}

Ways::Index Ways::place_of(const Place& place) {
  std::size_t slot = slot_of(place);
  if (known_[slot] != no_place) return known_[slot];
  if (2 * (places_.size() + 1) > known_.size()) {
    grow();
    slot = slot_of(place);
  }
  const auto index = static_cast<Index>(places_.size());
  known_[slot] = index;
  if (by_length_.size() <= place.tags.size()) by_length_.resize(place.tags.size() + 1);
  by_length_[place.tags.size()].push_back(index);
  places_.push_back(place);
  return index;
}

void Ways::grow() {
  known_.assign(2 * known_.size(), no_place);
  for (Index i = 0; i < places_.size(); ++i) known_[slot_of(places_[i])] = i;
}

void Ways::explore() {
  for (std::size_t length = by_length_.size(); length-- > 0;) {
    for (const Index place : by_length_[length]) expand(place);
    order_.insert(order_.end(), by_length_[length].begin(), by_length_[length].end());
  }
  for (std::size_t i = order_.size(); i-- > 0;) judge(places_[order_[i]]);
}

void Ways::expand(Index index) {
  const Place place = places_[index];
  const bool over = place.tags.empty();
  const auto ports = over ? std::span(&here, 1) : routes_.ports(place.tags.front());
  const auto first = static_cast<Index>(moves_.size());
  Arrival end = ports.empty() ? Arrival::no_entry : Arrival::reached;
  PortNumber bad = no_port;
  const std::uint64_t hash = over ? 0 : (place.tags_hash - place.tags.front() - 1) * hash_step_back;
  const auto fail = [&](Arrival how, PortNumber port) {
    const bool worse = end == Arrival::reached || how == Arrival::no_lane;
    if (how == Arrival::reached || !worse || end == Arrival::no_lane) return;
    end = how;
    bad = port;
  };
  for (const PortNumber port : ports) {
    const ChannelId by = port == here || port == no_port ? ChannelId::none()
                                                         : fabric_.channel_at(place.stand.at, port);
    const auto lane = by.valid() ? stepper_.lane(place.stand, port) : std::nullopt;
    if (!by.valid()) {
      fail(stepper_.end(to_, place.stand.at, port), port);
    } else if (!lane) {
      fail(Arrival::no_lane, port);
    } else {
      const Index to =
          place_of({stepper_.over(place.stand, by, *lane), by, place.tags.subspan(1), hash});
      moves_.push_back({by, *lane, to});
    }
  }
  Place& out = places_[index];
  out.end = end;
  out.port = end == Arrival::reached ? here : bad;
  out.choices = static_cast<Index>(ports.size());
  out.first = first;
  out.count = static_cast<Index>(moves_.size()) - first;
}

/// Packets arrive from here if they do so from all places that may come next.
void Ways::judge(Place& place) const {
  for (const Move& move : moves(place)) {
    const Place& next = places_[move.to];
    place.hops = std::max(place.hops, next.hops + 1);
    if (place.end == Arrival::reached && next.end != Arrival::reached) {
      place.end = next.end;
      place.port = fabric_.out_port(move.by);
    }
  }
}

Walk Ways::worst(Index index) const {
  Walk walk;
  for (;;) {
    const Place& place = places_[index];
    walk.at = place.stand.at;
    walk.end = place.end;
    walk.port = place.port;
    const auto next = moves(place);
    const auto bad = std::find_if(next.begin(), next.end(), [&](const Move& move) {
      return place.end == Arrival::reached || fabric_.out_port(move.by) == place.port;
    });
    if (bad == next.end()) return walk;
    walk.hops.push_back({bad->by, bad->lane});
    index = bad->to;
  }
}

namespace {

/// Where packets of a pair may be after so many switches, and what they may take there.
struct Front {
  std::set<SwitchId> at;
  std::set<PortNumber> out;
  std::set<Lane> lanes;
};

std::string front_text(const Fabric& fabric, const Front& front) {
  constexpr std::size_t most_names = 4;
  std::vector<std::string_view> names;
  for (const SwitchId s : front.at) names.push_back(fabric[s].name);
  std::string out = names.size() > most_names ? fmt::format("{} switches", names.size())
                                              : fmt::format("{}", fmt::join(names, ", "));
  out += fmt::format(":{}", fmt::join(front.out, "|"));
  return front.lanes.empty() ? out : out + fmt::format(" lane {}", fmt::join(front.lanes, "|"));
}

/// By the number of switches before them.
std::vector<Front> fronts_of(const Fabric& fabric, HostId to, const Ways& ways, Ways::Index start) {
  const std::size_t length = ways[start].tags.size();
  std::vector<Front> fronts;
  for (const Ways::Index i : ways.order()) {
    const Ways::Place& place = ways[i];
    const std::size_t step = length - place.tags.size();
    if (fronts.size() <= step) fronts.resize(step + 1);
    fronts[step].at.insert(place.stand.at);
    for (const Ways::Move& move : ways.moves(place)) {
      fronts[step].out.insert(fabric.out_port(move.by));
      fronts[step].lanes.insert(move.lane);
    }
    if (place.count == 0) fronts[step].out.insert(fabric[to].port);
  }
  return fronts;
}

}  // namespace

std::string route_text(const Fabric& fabric, const Tables& tables, HostId from, HostId to) {
  Walker walk(fabric, tables);
  const Walk& first = walk(from, to);
  if (!leave_choices(tables)) return to_text(fabric, from, to, first);
  Ways ways(fabric, tables);
  ways.aim(to);
  const Ways::Index start = ways.start(from);
  if (start == Ways::no_place) return to_text(fabric, from, to, first);
  ways.explore();
  if (ways[start].end != Arrival::reached) return to_text(fabric, from, to, ways.worst(start));
  std::string out = fabric[from].name;
  for (const Front& front : fronts_of(fabric, to, ways, start))
    out += " -> " + front_text(fabric, front);
  return out + " -> " + fabric[to].name;
}

}  // namespace weft
