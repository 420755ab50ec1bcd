// SPDX-License-Identifier: Apache-2.0
// Packets are sent to intermediate destinations group by group, as which they may draw depends on
// the groups of both ends alone; those that have arrived are sent on to their hosts together.
#include "plan/check/choice/choice_loads.hpp"

#include <algorithm>
#include <cmath>

namespace weft {

ChoiceLoads::ChoiceLoads(const Fabric& fabric, const Tables& tables, ChoiceRoutes& routes)
    : fabric_(fabric),
      choices_(std::get<ChoiceTables>(tables.paths)),
      routes_(routes),
      reach_(routes),
      draws_(fabric, choices_),
      hosts_(draws_.groups(), 0),
      limit_(LoopLimit::for_groups(routes.host_aims() + draws_.count() * (1 + draws_.groups()))) {
  for (const HostId host : fabric.hosts())
    if (tables.to_host[host].valid()) ++hosts_[draws_.group(fabric[host].on)];
}

IdVector<ChannelId, double> ChoiceLoads::all_pairs(DetoursTaken taken) {
  load_.assign(fabric_.channel_count(), 0);
  arrivals_.clear();
  if (draws_.count() > 0) to_intermediates(taken);
  to_hosts(taken);
  // Sums of thirds are inexact; rounding makes loads equal that are meant to be.
  for (double& load : load_) load = std::round(load * 0x1p20) * 0x1p-20;
  return load_;
}

std::uint64_t ChoiceLoads::sampled_sources() const {
  double out = 0;
  bool is_sample = false;
  for (std::size_t group = 0; group < scale_.size(); ++group) {
    if (scale_[group] > 0) out += hosts_[group];
    is_sample |= scale_[group] == 0 && !starts_[group].empty();
  }
  return is_sample ? static_cast<std::uint64_t>(out) : 0;
}

/// Of the packets that a start stands for, those that begin in its phase.
double ChoiceLoads::share(const ChoiceRoutes::Start& start) const {
  const double phases =
      choices_.start_rule == StartRule::level ? 1 : static_cast<double>(choices_.starts.size());
  return static_cast<double>(routes_.hosts_at(start)) / phases;
}

void ChoiceLoads::to_intermediates(DetoursTaken taken) {
  starts_.assign(draws_.groups(), {});
  const std::size_t first = routes_.host_aims();
  for (auto start : routes_.host_starts(first))
    starts_[draws_.group(fabric_[start.source].on)].push_back(start);
  if (taken == DetoursTaken::all && first > 0)
    for (auto start : routes_.host_starts(0))
      if (decides(start.phase)) {
        start.phase = *choices_.phases[start.phase].detour;
        starts_[draws_.group(fabric_[start.source].on)].push_back(start);
      }
  choose_sample();
  arrivals_.assign(draws_.count(), std::vector<Arrivals>(draws_.groups()));
  for (std::size_t via = 0; via < draws_.count(); ++via) {
    routes_.explore(first + via);
    reach_.judge();
    send_all(via);
    for (std::size_t group = 0; group < draws_.groups(); ++group)
      if (scale_[group] > 0 && !starts_[group].empty()) follow(via, group);
  }
}

/// Where it is too much to follow the packets of every group, only those of some are, and count
/// more; likewise where it is too much to look at what every pair may draw.
void ChoiceLoads::choose_sample() {
  constexpr std::size_t most_steps = 300'000'000;
  const std::size_t groups = draws_.groups(), count = draws_.count();
  const std::size_t each = count * std::max<std::size_t>(1, fabric_.channel_count() + groups);
  const std::size_t sending = std::clamp<std::size_t>(most_steps / each, 1, groups);
  scale_.assign(groups, 0);
  for (std::size_t i = 0; i < sending; ++i)
    scale_[i * groups / sending] = static_cast<double>(groups) / static_cast<double>(sending);
  const bool all = groups * groups <= most_steps / count;
  weights_.assign(groups, {});
  for (std::size_t from = 0; from < groups; ++from) {
    if (!all && scale_[from] == 0) continue;
    weights_[from] = weights_from(from);
    if (!all)
      for (double& weight : weights_[from]) weight *= scale_[from];
  }
}

std::vector<double> ChoiceLoads::weights_from(std::size_t group) const {
  std::vector<double> out(draws_.count(), 0);
  for (std::size_t to = 0; to < hosts_.size(); ++to) {
    if (hosts_[to] == 0) continue;
    const std::vector<std::size_t> drawn = draws_.drawn(group, to);
    for (const std::size_t via : drawn) out[via] += hosts_[to] / static_cast<double>(drawn.size());
  }
  return out;
}

void ChoiceLoads::add(std::vector<double>& at, std::size_t group, double weight) const {
  for (const ChoiceRoutes::Start& start : starts_[group])
    if (const auto i = routes_.at(start); i != ChoiceRoutes::no_position && !reach_.is_lost(i))
      at[i] += share(start) * weight;
}

/// All packets to an intermediate destination load the links on their way.
void ChoiceLoads::send_all(std::size_t via) {
  std::vector<double> at(routes_.positions().size(), 0);
  for (std::size_t group = 0; group < draws_.groups(); ++group)
    if (!weights_[group].empty()) add(at, group, weights_[group][via]);
  split_equally(routes_, reach_, at, limit_,
                [&](ChannelId channel, double part) { load_[channel] += part; });
}

/// Where those of one group arrive.
void ChoiceLoads::follow(std::size_t via, std::size_t group) {
  std::vector<double> at(routes_.positions().size(), 0);
  add(at, group, scale_[group]);
  split_equally(routes_, reach_, at, limit_, [](ChannelId, double) {});
  for (std::size_t i = 0; i < at.size(); ++i) {
    const ChoiceRoutes::Position& position = routes_.positions()[i];
    if (!position.arrives || at[i] == 0) continue;
    const std::size_t start = routes_.arrival(
        {position.by, position.source, position.lane, position.phase, position.level});
    arrivals_[via][group].emplace_back(start, at[i]);
  }
}

/// By start of those that have been at an intermediate destination, the packets for a host of a
/// group.
std::vector<double> ChoiceLoads::arrived_for(std::size_t group) const {
  std::vector<double> out(routes_.arrivals().size(), 0);
  for (std::size_t from = 0; from < draws_.groups(); ++from) {
    if (scale_[from] == 0 || starts_[from].empty()) continue;
    const std::vector<std::size_t> drawn = draws_.drawn(from, group);
    for (const std::size_t via : drawn)
      for (const auto& [start, packets] : arrivals_[via][from])
        out[start] += packets / static_cast<double>(drawn.size());
  }
  return out;
}

void ChoiceLoads::to_hosts(DetoursTaken taken) {
  std::vector<double> arrived;  // for hosts of the last group, as they mostly come in a row
  std::size_t last_group = draws_.groups();
  for (std::size_t aim = 0; aim < routes_.host_aims(); ++aim) {
    const auto& hosts = routes_.aims()[aim].hosts;
    const auto count = static_cast<double>(hosts.size());
    routes_.explore(aim);
    reach_.judge();
    std::vector<double> at(routes_.positions().size(), 0);
    const auto add = [&](const ChoiceRoutes::Start& start, double packets) {
      const auto i = routes_.at(start);
      if (i != ChoiceRoutes::no_position && !reach_.is_lost(i)) at[i] += packets * count;
    };
    for (const ChoiceRoutes::Start& start : routes_.host_starts(aim))
      if (taken == DetoursTaken::none || !decides(start.phase)) add(start, share(start));
    if (!arrivals_.empty()) {
      const std::size_t group = draws_.group(fabric_[hosts.front()].on);
      if (group != last_group) arrived = arrived_for(group);
      last_group = group;
      for (std::size_t k = 0; k < arrived.size(); ++k)
        if (arrived[k] > 0) add(routes_.arrivals()[k], arrived[k]);
    }
    split_equally(routes_, reach_, at, limit_,
                  [&](ChannelId channel, double part) { load_[channel] += part; });
  }
}

}  // namespace weft
