// SPDX-License-Identifier: Apache-2.0
// Arrangements of global links.
#include "plan/topo/arrangement.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace weft::topo {

Arrangement::PortOrder Arrangement::order_of(const Params& params) {
  if (params.given("offsets")) return PortOrder::given;
  if (params.is("arrangement", "absolute")) return PortOrder::absolute;
  if (params.is("arrangement", "relative")) return PortOrder::relative;
  return params.is("arrangement", "circulant") ? PortOrder::circulant : PortOrder::palmtree;
}

Arrangement::Arrangement(const Params& params, GlobalPorts ports)
    : ports_(ports), order_(order_of(params)) {
  if (order_ != PortOrder::given) return;
  if (params.given("arrangement")) params.reject("offsets", "it takes the place of an arrangement");
  take_offsets(params);
}

/// A link that leads so many places onwards leads as many back at its other end.
void Arrangement::take_offsets(const Params& params) {
  for (const int offset : params.dims("offsets"))
    offsets_.push_back(static_cast<std::size_t>(offset));
  if (offsets_.size() > ports_.per_group)
    params.reject("offsets", fmt::format("a group has {} ports to other groups", ports_.per_group));
  for (const std::size_t offset : offsets_) {
    if (offset >= ports_.groups)
      params.reject("offsets", fmt::format("numbers from 1 to {} are needed", ports_.groups - 1));
    const std::size_t back = ports_.groups - offset;
    if (std::count(offsets_.begin(), offsets_.end(), offset) !=
        std::count(offsets_.begin(), offsets_.end(), back))
      params.reject("offsets",
                    fmt::format("{} is needed as often as {}, its way back", back, offset));
  }
}

CheckedCount Arrangement::link_count() const {
  const CheckedCount groups = ports_.groups;
  if (order_ == PortOrder::given) return groups * offsets_.size() / 2;
  return groups * (copies() * (ports_.groups - 1)) / 2;
}

/// The global port of a group that leads to another.
std::size_t Arrangement::port_towards(std::size_t group, std::size_t peer) const {
  const std::size_t behind = (peer + ports_.groups - group) % ports_.groups;
  const std::size_t before = ports_.groups - behind;
  switch (order_) {
    case PortOrder::palmtree:
      return before - 1;
    case PortOrder::relative:
      return behind - 1;
    case PortOrder::absolute:
      return peer < group ? peer : peer - 1;
    default:
      return behind <= before ? 2 * (behind - 1) : 2 * before - 1;
  }
}

std::vector<Arrangement::GlobalLink> Arrangement::links_from(std::size_t group) const {
  if (order_ == PortOrder::given) return given_links_from(group);
  std::vector<GlobalLink> out;
  const std::size_t others = ports_.groups - 1;
  for (std::size_t copy = 0; copy < copies(); ++copy)
    for (std::size_t peer = group + 1; peer < ports_.groups; ++peer)
      out.push_back({copy * others + port_towards(group, peer), peer,
                     copy * others + port_towards(peer, group)});
  return out;
}

/// The n-th port that leads so far is joined to the n-th that leads as far back.
std::vector<Arrangement::GlobalLink> Arrangement::given_links_from(std::size_t group) const {
  std::vector<GlobalLink> out;
  for (std::size_t port = 0; port < offsets_.size(); ++port) {
    const std::size_t peer = (group + offsets_[port]) % ports_.groups;
    if (peer < group) continue;
    auto nth = std::count(offsets_.begin(), offsets_.begin() + static_cast<std::ptrdiff_t>(port),
                          offsets_[port]);
    const std::size_t back = ports_.groups - offsets_[port];
    for (std::size_t other = 0; other < offsets_.size(); ++other)
      if (offsets_[other] == back && nth-- == 0) out.push_back({port, peer, other});
  }
  return out;
}

std::vector<Param> Arrangement::params() {
  return {{"arrangement", OneOf{"palmtree", "absolute", "relative", "circulant"}, "palmtree",
           "which global port leads where"},
          {"offsets", Dims{1}, "1",
           "instead of an arrangement: how many groups onwards the global ports of a group lead, "
           "in turn, such as 1x4x2x3 with five groups"}};
}

}  // namespace weft::topo
