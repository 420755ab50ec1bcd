// SPDX-License-Identifier: Apache-2.0
// What several patterns share.
#include "sim/traffic/destinations.hpp"

#include <algorithm>
#include <bit>

namespace weft::sim {
namespace {

class Fixed : public Pattern {
 public:
  explicit Fixed(IdVector<HostId, HostId> to) : to_(std::move(to)) {}
  HostId next(HostId from, Rng&) override { return to_[from]; }

 private:
  IdVector<HostId, HostId> to_;
};

/// The switches that have hosts, as a full grid with the same number of hosts at every point.
class HostGrid {
 public:
  HostGrid(const Fabric& fabric, const Params& params) : fabric_(fabric) {
    for (SwitchId s : fabric.switches())
      if (!fabric.hosts_on(s).empty()) measure(params, s);
    std::size_t points = 1;
    for (std::size_t d = 0; d < low_.size(); ++d) {
      points *= size(d);
      if (points > fabric.switch_count()) refuse(params);
    }
    at_.assign(points, SwitchId::none());
    for (SwitchId s : fabric.switches())
      if (!fabric.hosts_on(s).empty())
        at_[place(s, [](std::size_t) { return std::size_t{0}; })] = s;
    for (SwitchId s : at_)
      if (!s.valid() || fabric.hosts_on(s).size() * points != fabric.host_count()) refuse(params);
  }

  /// The switch that is shift(k) further than `s` in every dimension of k.
  template <class Shift>
  SwitchId further(SwitchId s, Shift&& shift) const {
    return at_[place(s, shift)];
  }

 private:
  [[noreturn]] static void refuse(const Params& params) {
    throw Error(
        "{}: the hosts are not on a full grid of switches with coordinates; {}:by=ids goes by "
        "their numbers",
        params.owner(), params.owner());
  }
  void measure(const Params& params, SwitchId s) {
    const std::vector<int>& at = fabric_[s].at;
    if (low_.empty()) low_ = high_ = at;
    if (at.empty() || at.size() != low_.size()) refuse(params);
    for (std::size_t d = 0; d < at.size(); ++d) {
      low_[d] = std::min(low_[d], at[d]);
      high_[d] = std::max(high_[d], at[d]);
    }
  }
  std::size_t size(std::size_t d) const {
    return static_cast<std::size_t>(std::int64_t{high_[d]} - low_[d] + 1);
  }
  template <class Shift>
  std::size_t place(SwitchId s, Shift&& shift) const {
    std::size_t index = 0;
    for (std::size_t d = low_.size(); d-- > 0;) {
      const auto at = static_cast<std::size_t>(std::int64_t{fabric_[s].at[d]} - low_[d]);
      index = index * size(d) + (at + shift(size(d))) % size(d);
    }
    return index;
  }

  const Fabric& fabric_;
  std::vector<int> low_, high_;
  std::vector<SwitchId> at_;
};

}  // namespace

std::unique_ptr<Pattern> fixed_pattern(const Fabric& fabric,
                                       const std::function<std::size_t(std::size_t)>& destination) {
  IdVector<HostId, HostId> to(fabric.host_count());
  for (HostId host : fabric.hosts()) to[host] = HostId(destination(host.index()));
  return std::make_unique<Fixed>(std::move(to));
}

std::unique_ptr<Pattern> shifted_pattern(const Fabric& fabric, const Params& params,
                                         const std::function<std::size_t(std::size_t)>& shift) {
  const std::size_t hosts = fabric.host_count();
  if (params.is("by", "ids"))
    return fixed_pattern(fabric, [&](std::size_t i) { return (i + shift(hosts)) % hosts; });
  const HostGrid grid(fabric, params);
  IdVector<HostId, HostId> to(hosts);
  for (SwitchId s : fabric.switches()) {
    const auto here = fabric.hosts_on(s);
    if (here.empty()) continue;
    const auto there = fabric.hosts_on(grid.further(s, shift));
    for (std::size_t i = 0; i < here.size(); ++i) to[here[i]] = there[i];
  }
  return std::make_unique<Fixed>(std::move(to));
}

unsigned bits_of_hosts(const Fabric& fabric, const Params& params) {
  const std::size_t hosts = fabric.host_count();
  if (!std::has_single_bit(hosts))
    throw Error("{}: the fabric has {} hosts; a power of two is needed", params.owner(), hosts);
  return static_cast<unsigned>(std::bit_width(hosts)) - 1;
}

std::size_t side_of_hosts(const Fabric& fabric, const Params& params) {
  const std::size_t hosts = fabric.host_count();
  std::size_t k = 0;
  while (k * k < hosts) ++k;
  if (k * k != hosts)
    throw Error("{}: the fabric has {} hosts; a square number is needed, such as {} or {}",
                params.owner(), hosts, (k - 1) * (k - 1), k * k);
  return k;
}

void require_two_hosts(const Fabric& fabric, const Params& params) {
  if (fabric.host_count() < 2)
    throw Error("{}: the fabric has one host; two or more are needed", params.owner());
}

}  // namespace weft::sim
