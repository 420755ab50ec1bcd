// SPDX-License-Identifier: Apache-2.0
// Sends packets by a script and records their ends.
#include "support/recorder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace weft::test {

Script random_script(const Fabric& fabric, Rng& rng, ScriptSize size) {
  Script out;
  for (int i = 0; i < size.packets; ++i)
    out.push_back({rng.below(size.cycles),
                   {.from = HostId(rng.below(fabric.host_count())),
                    .to = HostId(rng.below(fabric.host_count())),
                    .flits = static_cast<std::uint32_t>(1 + rng.below(size.longest))}});
  return out;
}

Recorder::Recorder(sim::Network& network, Script script)
    : script_(std::move(script)), of_host_(network.fabric().host_count()) {
  for (std::size_t i = 0; i < script_.size(); ++i) {
    script_[i].packet.tag = i;
    of_host_[script_[i].packet.from.index()].push_back(i);
  }
  for (HostId host : network.fabric().hosts()) {
    auto& own = of_host_[host.index()];
    std::stable_sort(own.begin(), own.end(), [&](std::size_t a, std::size_t b) {
      return script_[a].at != script_[b].at ? script_[a].at > script_[b].at : a > b;
    });
    if (!own.empty()) network.wake(host, script_[own.back()].at);
  }
}

void Recorder::timer(sim::Network& network, HostId host) {
  auto& own = of_host_[host.index()];
  for (; !own.empty() && script_[own.back()].at <= network.now(); own.pop_back())
    network.send(script_[own.back()].packet);
  if (!own.empty()) network.wake(host, script_[own.back()].at);
}

void Recorder::delivered(sim::Network& network, const sim::Packet& packet, HostId at,
                         unsigned hops) {
  ends_.push_back({packet, at, network.now(), hops, std::nullopt});
}

void Recorder::lost(sim::Network& network, const sim::Packet& packet, HostId at, sim::Loss why) {
  ends_.push_back({packet, at, network.now(), 0, why});
}

std::uint64_t Recorder::hash() const {
  std::uint64_t sum = 0;
  for (const End& end : ends_) {
    std::uint64_t mixed = 0;
    for (const std::uint64_t value :
         {end.packet.tag, std::uint64_t{end.at.index()}, end.when, std::uint64_t{end.hops},
          end.packet.injected, end.why ? static_cast<std::uint64_t>(*end.why) : 99})
      mixed = Rng(mixed ^ value).next();
    sum += mixed;
  }
  return sum;
}

std::size_t Recorder::lost_count() const {
  return static_cast<std::size_t>(std::count_if(
      ends_.begin(), ends_.end(), [](const End& end) { return end.why.has_value(); }));
}

std::optional<std::string> Recorder::miscounted(const sim::Network& network) const {
  std::map<std::pair<std::uint64_t, HostId>, int> due;
  for (const Sending& sending : script_) {
    const sim::Packet& packet = sending.packet;
    if (packet.group == sim::no_group) {
      ++due[{packet.tag, packet.to}];
      continue;
    }
    for (const HostId member : network.tables().groups[packet.group].members)
      if (member != packet.from) due[{packet.tag, member}] = 1;
  }
  const sim::Totals& totals = network.totals();
  if (totals.sent != due.size()) return fmt::format("{} sent of {}", totals.sent, due.size());
  if (totals.lost != lost_count()) return fmt::format("{} lost of {}", lost_count(), totals.lost);
  if (totals.waiting != 0) return fmt::format("{} still wait in NICs", totals.waiting);
  std::uint64_t injected = 0, through_switches = 0;
  for (const sim::LaneUse& use : network.lane_use())
    (use.host.valid() && !use.to_host ? injected : through_switches) += use.flits;
  if (injected != totals.flits_injected || through_switches != totals.flit_hops)
    return fmt::format("links have carried {} and {} flits, not {} and {}", injected,
                       through_switches, totals.flits_injected, totals.flit_hops);
  for (const End& end : ends_)
    if (--due[{end.packet.tag, end.at}] < 0)
      return fmt::format("packet {} is reported again, or at {}, where it was not sent",
                         end.packet.tag, end.at.index());
  for (const auto& [what, count] : due)
    if (count != 0) return fmt::format("packet {} is never reported", what.first);
  return std::nullopt;
}

}  // namespace weft::test
