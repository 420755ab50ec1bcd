// SPDX-License-Identifier: Apache-2.0
// The busiest links of a finding, for reading and for programs.
#include "plan/check/checks.hpp"
#include "plan/check/load.hpp"

namespace weft {
namespace {

/// Of links that are all as busy, with others that are not among them, one is enough to read of.
std::vector<ChannelId> worth_a_line(const CarriedRoutes& carried, std::vector<ChannelId> hot) {
  const bool alike = !hot.empty() && carried.routes[hot.front()] == carried.routes[hot.back()];
  if (alike && !equally_hot_text(carried.routes, hot).empty()) hot.resize(1);
  return hot;
}

std::string hot_link_text(const Fabric& fabric, const CarriedRoutes& carried, ChannelId c) {
  return fmt::format("{}  {}, {:.1f} times the mean{}", channel_text(fabric, c),
                     routes_text(carried.routes[c]), carried.routes[c] / carried.mean,
                     carried.shift.empty() ? carried.where
                                           : fmt::format(", in the shift by {}", carried.shift[c]));
}

}  // namespace

void add_hot_links(Finding& finding, const Subject& subject, const CarriedRoutes& carried) {
  const Fabric& fabric = subject.fabric;
  const std::vector<ChannelId> hot = hot_channels(carried.routes, subject.top);
  for (ChannelId c : hot) {
    FindingItem item{
        {"from", fabric[fabric.from(c)].name}, {"port", static_cast<double>(fabric.out_port(c))},
        {"to", fabric[fabric.to(c)].name},     {"to_port", static_cast<double>(fabric.in_port(c))},
        {"routes", carried.routes[c]},         {"times_mean", carried.routes[c] / carried.mean}};
    if (!carried.shift.empty()) item.emplace_back("shift", static_cast<double>(carried.shift[c]));
    finding.items.push_back(std::move(item));
  }
  const std::vector<ChannelId> lines = worth_a_line(carried, hot);
  for (ChannelId c : lines) finding.hot_links.push_back(hot_link_text(fabric, carried, c));
  if (std::string more = equally_hot_text(carried.routes, lines); !more.empty())
    finding.hot_links.push_back(std::move(more));
}

}  // namespace weft
