// SPDX-License-Identifier: Apache-2.0
// Adversarial: every host of a group sends to random hosts of the group so many further, over the
// few links between the two (ADV+h of Kim, Dally, Scott and Abts, 2008, and García et al., 2012;
// bad_dragon of BookSim 2).
#include <map>

#include "sim/traffic/destinations.hpp"
#include "sim/traffic/patterns.hpp"

namespace weft::sim {
namespace {

using HostGroups = std::vector<std::vector<HostId>>;

class Adversarial : public Pattern {
 public:
  Adversarial(HostGroups groups, std::size_t shift) : groups_(std::move(groups)) {
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (const HostId host : groups_[g]) {
        if (target_.size() <= host.index()) target_.resize(host.index() + 1);
        target_[host.index()] = (g + shift) % groups_.size();
      }
  }
  HostId next(HostId from, Rng& rng) override {
    const std::vector<HostId>& to = groups_[target_[from.index()]];
    return to[draw_below(rng, to.size())];
  }

 private:
  HostGroups groups_;
  std::vector<std::size_t> target_;  ///< by host: the group that it sends to
};

/// By the first coordinate of their switches.
HostGroups groups_of(const Fabric& fabric, const Params& params) {
  std::map<int, std::vector<HostId>> by_coordinate;
  for (const HostId host : fabric.hosts()) {
    const std::vector<int>& at = fabric[fabric[host].on].at;
    if (at.empty())
      throw Error(
          "{}: the switches have no coordinates, of which the first would be the group; {}:group=4 "
          "makes groups of 4 hosts each",
          params.owner(), params.owner());
    by_coordinate[at.front()].push_back(host);
  }
  HostGroups out;
  for (auto& [coordinate, hosts] : by_coordinate) out.push_back(std::move(hosts));
  return out;
}

HostGroups groups_of(const Fabric& fabric, const Params& params, std::size_t size) {
  if (fabric.host_count() % size != 0)
    params.reject("group", fmt::format("the fabric has {} hosts, which do not make groups of {}",
                                       fabric.host_count(), size));
  HostGroups out(fabric.host_count() / size);
  for (const HostId host : fabric.hosts()) out[host.index() / size].push_back(host);
  return out;
}

}  // namespace

std::unique_ptr<Pattern> adversarial(const Fabric& fabric, const Params& params) {
  HostGroups groups = params.is("group", "fabric")
                          ? groups_of(fabric, params)
                          : groups_of(fabric, params, params.whole<std::size_t>("group"));
  if (groups.size() == 1)
    params.reject("group", "all hosts are of one group; a number makes groups of so many");
  const auto shift = params.whole<std::size_t>("shift");
  if (shift % groups.size() == 0)
    params.reject("shift", fmt::format("of {} groups each would send to itself", groups.size()));
  return std::make_unique<Adversarial>(std::move(groups), shift);
}

}  // namespace weft::sim
