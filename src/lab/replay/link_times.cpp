// SPDX-License-Identifier: Apache-2.0
// Sampling the flits of links; two samples become one when there are too many.
#include "lab/replay/link_times.hpp"

#include <algorithm>
#include <chrono>

namespace weft {
namespace {

constexpr std::size_t most_samples = 512;
constexpr Duration shortest_sample = std::chrono::microseconds(1);

/// Directions of links in a fixed order: those between switches, then those of hosts.
std::size_t number_of(const Fabric& fabric, const sim::LaneUse& lane) {
  if (lane.channel.valid()) return lane.channel.index();
  return fabric.channel_count() + 2 * lane.host.index() + (lane.to_host ? 1 : 0);
}

LinkDirection direction_of(const Fabric& fabric, std::size_t number) {
  if (number < fabric.channel_count())
    return {.channel = ChannelId(static_cast<std::uint32_t>(number))};
  const std::size_t of_host = number - fabric.channel_count();
  return {.host = HostId(static_cast<std::uint32_t>(of_host / 2)), .to_host = of_host % 2 == 1};
}

}  // namespace

LinkSampler::LinkSampler(sim::HostModel& hosts) : hosts_(hosts), sample_(shortest_sample) {
  const Fabric& fabric = hosts.network().fabric();
  flits_.resize(fabric.channel_count() + 2 * fabric.host_count());
  hosts_.kernel().at(sample_, *this, 0);
}

bool LinkSampler::has_work() const {
  const sim::Totals& totals = hosts_.network().totals();
  return hosts_.kernel().pending() > 0 || totals.delivered + totals.lost < totals.sent;
}

void LinkSampler::fire(std::uint64_t) {
  take();
  if (has_work()) hosts_.kernel().at(hosts_.kernel().now() + sample_, *this, 0);
}

void LinkSampler::take() {
  std::vector<std::uint64_t> now(flits_.size());
  for (const sim::LaneUse& lane : hosts_.network().lane_use())
    now[number_of(hosts_.network().fabric(), lane)] += lane.flits;
  std::vector<std::uint64_t>& sample = samples_.emplace_back(flits_.size());
  for (std::size_t link = 0; link < now.size(); ++link) sample[link] = now[link] - flits_[link];
  flits_ = std::move(now);
  last_ = hosts_.kernel().now();
  if (samples_.size() < most_samples) return;
  for (std::size_t i = 0; i < most_samples / 2; ++i) {
    if (i > 0) samples_[i] = std::move(samples_[2 * i]);
    for (std::size_t link = 0; link < flits_.size(); ++link)
      samples_[i][link] += samples_[2 * i + 1][link];
  }
  samples_.resize(most_samples / 2);
  sample_ *= 2;
}

LinkTimes LinkSampler::result() {
  if (hosts_.kernel().now() > last_) take();
  LinkTimes out{.sample = sample_};
  const sim::Network& network = hosts_.network();
  const Fabric& fabric = network.fabric();
  for (std::size_t link = 0; link < flits_.size(); ++link) {
    if (flits_[link] == 0) continue;
    const LinkDirection direction = direction_of(fabric, link);
    const Bandwidth speed = direction.channel.valid() ? fabric.wire(direction.channel).speed
                                                      : fabric[direction.host].wire.speed;
    const double most =
        static_cast<double>(sample_.count()) / static_cast<double>(hosts_.flit_time(speed).count());
    std::vector<double>& loads = out.loads.emplace_back();
    for (const auto& sample : samples_) loads.push_back(static_cast<double>(sample[link]) / most);
    out.links.push_back(direction);
  }
  return out;
}

}  // namespace weft
