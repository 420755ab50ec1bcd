// SPDX-License-Identifier: Apache-2.0
// Compares every link with the most usual speed of its kind.
#include "fabric/slow_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/speed_text.hpp"
#include "base/words.hpp"
#include "fabric/short_names.hpp"

namespace weft {
namespace {

struct NamedSpeed {
  std::string name;
  Bandwidth speed;
};

Bandwidth most_usual(const std::vector<NamedSpeed>& links) {
  std::map<Bandwidth, std::size_t> counts;
  for (const NamedSpeed& link : links) ++counts[link.speed];
  return std::max_element(counts.begin(), counts.end(),
                          [](const auto& a, const auto& b) { return a.second < b.second; })
      ->first;
}

void note_slow(std::vector<std::string>& out, const std::vector<NamedSpeed>& links,
               std::string_view one, std::string_view many) {
  if (links.empty()) return;
  constexpr std::size_t shown = 4;
  const Bandwidth usual = most_usual(links);
  std::vector<std::string> slow;
  for (const NamedSpeed& link : links)
    if (link.speed < usual)
      slow.push_back(fmt::format("{} ({})", link.name, speed_text(link.speed)));
  if (slow.empty()) return;
  const std::size_t more = slow.size() > shown ? slow.size() - shown : 0;
  const std::size_t count = slow.size();
  slow.resize(count - more);
  out.push_back(fmt::format("{} slower than the usual {}: {}{}", counted(count, one, many),
                            speed_text(usual), fmt::join(slow, ", "),
                            more > 0 ? fmt::format(" and {} more", more) : ""));
}

}  // namespace

std::vector<std::string> slow_links(const Fabric& fabric) {
  std::vector<NamedSpeed> between, hosts;
  for (LinkId l : fabric.links()) {
    const Link& link = fabric[l];
    between.push_back({fmt::format("{}:{} - {}:{}", fabric[link.a.on].name, link.a.port,
                                   fabric[link.b.on].name, link.b.port),
                       link.wire.speed});
  }
  for (HostId h : fabric.hosts())
    if (fabric[h].role == HostRole::computer)
      hosts.push_back({fabric[h].name, fabric[h].wire.speed});
  std::vector<std::string> out;
  note_slow(out, between, "link between switches is", "links between switches are");
  note_slow(out, hosts, "link of a host is", "links of hosts are");
  const ShortNames names(fabric);
  for (std::string& line : out) line = names.in(std::move(line));
  return out;
}

}  // namespace weft
