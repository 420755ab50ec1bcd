// SPDX-License-Identifier: Apache-2.0
// All ways that source routes leave open, where tags name groups of links. Packets that go on alike
// are followed once: those that came by the same channel, on the same lane, with the same tags
// left.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fabric/walk.hpp"

namespace weft {

/// Tables with source routes are needed, or at least their groups of links. One object serves many
/// destinations.
class Ways {
 public:
  using Index = std::uint32_t;
  struct Place {
    Stand stand;
    ChannelId by{};                      ///< the way packets came; none: from a host
    std::span<const PortNumber> tags{};  ///< that are left
    std::uint64_t tags_hash = 0;
    Arrival end = Arrival::reached;  ///< or how the first choice ends that does not arrive
    PortNumber port = here;          ///< that it takes here
    Index hops = 1;                  ///< switches on the longest way from here on
    Index choices = 0;               ///< ports that may be taken
    Index first = 0, count = 0;      ///< of the moves to other switches
  };
  struct Move {
    ChannelId by{};
    Lane lane = 0;
    Index to = 0;  ///< a place
  };

  Ways(const Fabric& fabric, const Tables& tables);

  /// From now on to this host; what was known is forgotten.
  void aim(HostId to);
  /// The place where packets of a host come in; none (the largest number) without a route.
  Index start(HostId from);
  /// The same with tags that are not of the tables, and outlive what is asked of them.
  Index start(HostId from, std::span<const PortNumber> tags) {
    return start(from, ColumnId::none(), tags);
  }
  static constexpr Index no_place = ~Index{0};
  /// Follows all that was started to its ends.
  void explore();

  const Place& operator[](Index place) const { return places_[place]; }
  std::span<const Move> moves(const Place& place) const {
    return {moves_.data() + place.first, place.count};
  }
  /// All places; moves lead to later ones.
  std::span<const Index> order() const { return order_; }
  /// One way from a place: the first that does not arrive, if there is one.
  Walk worst(Index place) const;

 private:
  Index start(HostId from, ColumnId column, std::span<const PortNumber> tags);
  Index place_of(const Place& place);
  std::size_t slot_of(const Place& place) const;
  bool goes_on_alike(const Place& a, const Place& b) const;
  /// What lanes follow from that packets bring from their source.
  unsigned level(const Stand& stand) const {
    return service_ == nullptr ? 0 : service_->level[stand.column][stand.source.index()];
  }
  void grow();
  void expand(Index place);
  void judge(Place& place) const;

  const Fabric& fabric_;
  const Tables& tables_;
  const SourceRoutes& routes_;
  Stepper stepper_;
  const ServiceLanes* service_;
  HostId to_{};
  std::vector<Place> places_;
  std::vector<Move> moves_;
  std::vector<std::vector<Index>> by_length_;  ///< places by the number of tags left
  std::vector<Index> order_;
  std::vector<Index> known_;  ///< a hash table of places, at most half full
};

/// The route of a pair, for people. Where there are choices, all ways in one line, as "h0 -> s0:3|4
/// lane 0 -> s4, s6:1 lane 0 -> s1:2 -> h3", or one that does not arrive.
std::string route_text(const Fabric& fabric, const Tables& tables, HostId from, HostId to);

}  // namespace weft
