// SPDX-License-Identifier: Apache-2.0
// Fabrics for tests.
#include "support/fabrics.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/rng.hpp"
#include "fabric/builder.hpp"
#include "plan/topo/topology.hpp"

namespace weft::test {
namespace {

void add_random(FabricBuilder& builder, Rng& rng, int switches, int& name) {
  const int first = static_cast<int>(builder.switch_count());
  for (int i = 0; i < switches; ++i)
    builder.add_switch({"s" + std::to_string(first + i), 0, 0, 0, {}});
  const auto id = [&](std::uint64_t i) { return SwitchId(static_cast<std::size_t>(first) + i); };
  for (int i = 1; i < switches; ++i)
    builder.connect(id(static_cast<std::uint64_t>(i)), id(rng.below(static_cast<std::uint64_t>(i))),
                    {});
  const auto n = static_cast<std::uint64_t>(switches);
  for (std::uint64_t extra = rng.below(2 * n + 1); extra > 0; --extra) {
    const std::uint64_t a = rng.below(n);
    const std::uint64_t b = rng.below(n);
    if (a == b) continue;
    for (std::uint64_t copies = 1 + rng.below(8) / 6; copies > 0; --copies)
      builder.connect(id(a), id(b), {});
  }
  for (int i = 0; i < switches; ++i)
    for (std::uint64_t hosts = i == 0 ? 1 : rng.below(4); hosts > 0; --hosts)
      builder.add_host({"h" + std::to_string(name++), id(static_cast<std::uint64_t>(i))});
}

}  // namespace

Fabric from_links(int switches, LinkList links, int hosts) {
  FabricBuilder builder("from links");
  for (auto& [a, b] : links)
    if (a > b) std::swap(a, b);
  std::sort(links.begin(), links.end());
  for (int i = 0; i < switches; ++i) builder.add_switch({"s" + std::to_string(i), 0, 0, 0, {}});
  // A port's number is the place of the neighbour among all neighbours of its switch.
  std::vector<std::vector<std::pair<int, std::size_t>>> neighbours(
      static_cast<std::size_t>(switches));
  for (std::size_t l = 0; l < links.size(); ++l) {
    neighbours[static_cast<std::size_t>(links[l].first)].emplace_back(links[l].second, l);
    neighbours[static_cast<std::size_t>(links[l].second)].emplace_back(links[l].first, l);
  }
  for (auto& list : neighbours) std::sort(list.begin(), list.end());
  const auto port = [&](int at, int to, std::size_t link) {
    const auto& list = neighbours[static_cast<std::size_t>(at)];
    const auto found = std::find(list.begin(), list.end(), std::pair(to, link));
    return static_cast<PortNumber>(found - list.begin() + 1);
  };
  for (std::size_t l = 0; l < links.size(); ++l) {
    const auto [a, b] = links[l];
    builder.add_link({{SwitchId(static_cast<std::size_t>(a)), port(a, b, l)},
                      {SwitchId(static_cast<std::size_t>(b)), port(b, a, l)}});
  }
  for (int i = 0; i < switches * hosts; ++i)
    builder.add_host({"h" + std::to_string(i), SwitchId(static_cast<std::size_t>(i / hosts))});
  return std::move(builder).build();
}

Fabric ring(int switches, int hosts) {
  LinkList links;
  for (int i = 0; i < switches; ++i) links.emplace_back(i, (i + 1) % switches);
  return from_links(switches, links, hosts);
}

Fabric mesh3x3() {
  LinkList links;
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x) {
      if (x < 2) links.emplace_back(3 * y + x, 3 * y + x + 1);
      if (y < 2) links.emplace_back(3 * y + x, 3 * y + x + 3);
    }
  return from_links(9, links);
}

Fabric trap_graph() {
  return from_links(6, {{0, 1}, {0, 2}, {0, 3}, {1, 3}, {1, 5}, {2, 3}, {3, 4}, {4, 5}});
}

LinkList topology_a_links() {
  return {{0, 1},  {0, 4},  {1, 2}, {1, 5},  {2, 3},  {2, 6},   {3, 7},   {4, 5},   {4, 8},
          {6, 10}, {7, 11}, {8, 9}, {8, 12}, {9, 10}, {11, 15}, {12, 13}, {13, 14}, {14, 15}};
}

Fabric random_fabric(std::uint64_t seed, int most_switches) {
  Rng rng(seed);
  FabricBuilder builder("random " + std::to_string(seed));
  int name = 0;
  add_random(builder, rng,
             2 + static_cast<int>(rng.below(static_cast<std::uint64_t>(most_switches - 1))), name);
  return std::move(builder).build();
}

Fabric random_box(std::uint64_t seed) {
  Rng rng(seed);
  FabricBuilder builder("box " + std::to_string(seed));
  std::vector<int> size(1 + rng.below(3));
  for (int& k : size) k = 2 + static_cast<int>(rng.below(size.size() == 1 ? 9 : 4));
  std::vector<std::vector<int>> places{{}};
  for (int k : size) {
    std::vector<std::vector<int>> longer;
    for (const auto& place : places)
      for (int x = 0; x < k; ++x) {
        longer.push_back(place);
        longer.back().push_back(x);
      }
    places = std::move(longer);
  }
  rng.shuffle(places);
  for (std::size_t i = 0; i < places.size(); ++i)
    builder.add_switch({"s" + std::to_string(i), 0, 0, 0, places[i]});
  for (std::size_t d = 0; d < size.size(); ++d) {
    const std::uint64_t kind = rng.below(3);  // line, ring, complete
    const std::uint64_t copies = 1 + rng.below(8) / 7;
    for (std::size_t a = 0; a < places.size(); ++a)
      for (std::size_t b = a + 1; b < places.size(); ++b) {
        auto moved = places[a];
        moved[d] = places[b][d];
        const int step = std::abs(places[a][d] - places[b][d]);
        const bool linked = step == 1 || kind == 2 || (kind == 1 && step == size[d] - 1);
        for (std::uint64_t c = 0; moved == places[b] && linked && c < copies; ++c)
          builder.connect(SwitchId(a), SwitchId(b), {});
      }
  }
  int name = 0;
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::uint64_t hosts = i == 0 ? 1 : rng.below(3); hosts > 0; --hosts)
      builder.add_host({"h" + std::to_string(name++), SwitchId(i)});
  return std::move(builder).build();
}

Fabric damaged_tree(std::uint64_t seed) {
  Rng rng(seed);
  const char* whole[] = {"tree:k=3,n=2", "tree:k=2,n=3", "tree:k=2,n=4",
                         "xgft:children=3x2x2,parents=1x2x3", "clos2:leaves=5,spines=3,links=2"};
  const Fabric full = make_fabric(whole[rng.below(5)]);
  FabricBuilder builder("damaged " + full.name() + " " + std::to_string(seed));
  for (SwitchId s : full.switches()) builder.add_switch(full[s]);
  const std::uint64_t links_lost = rng.below(3) * 4;  // in a hundred
  for (LinkId l : full.links())
    if (rng.below(100) >= links_lost) builder.add_link(full[l]);
  for (HostId h : full.hosts())
    if (h.index() == 0 || rng.below(5) != 0) builder.add_host(full[h]);
  return std::move(builder).build();
}

Fabric shuffled(const Fabric& fabric, std::uint64_t seed) {
  Rng rng(seed);
  const auto shuffle = [&](auto& items) {
    for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[rng.below(i)]);
  };
  std::vector<SwitchId> switches;
  for (SwitchId s : fabric.switches()) switches.push_back(s);
  std::vector<HostId> hosts;
  for (HostId h : fabric.hosts()) hosts.push_back(h);
  shuffle(switches);
  shuffle(hosts);
  FabricBuilder builder("shuffled " + fabric.name());
  IdVector<SwitchId, SwitchId> now(fabric.switch_count());
  for (SwitchId s : switches) {
    Switch copy = fabric[s];
    copy.name = "sw" + std::to_string(builder.switch_count());
    copy.at.clear();
    now[s] = builder.add_switch(copy);
  }
  for (HostId h : hosts) {
    Host copy = fabric[h];
    copy.name = "node" + std::to_string(builder.host_count());
    copy.on = now[copy.on];
    builder.add_host(copy);
  }
  for (LinkId l : fabric.links()) {
    Link copy = fabric[l];
    copy.a.on = now[copy.a.on];
    copy.b.on = now[copy.b.on];
    builder.add_link(copy);
  }
  return std::move(builder).build();
}

Fabric random_apart(std::uint64_t seed) {
  Rng rng(seed);
  FabricBuilder builder("apart " + std::to_string(seed));
  int name = 0;
  add_random(builder, rng, 2 + static_cast<int>(rng.below(8)), name);
  add_random(builder, rng, 1 + static_cast<int>(rng.below(8)), name);
  return std::move(builder).build();
}

int tries(int count, int count_when_long) {
  const char* is_long = std::getenv("WEFT_LONG");
  if (is_long != nullptr && std::string(is_long) == "1" && count_when_long > 0)
    count = count_when_long;
  const char* scale = std::getenv("WEFT_PROPERTY_SCALE");
  const double factor = scale == nullptr ? 1.0 : std::atof(scale);
  return std::max(1, static_cast<int>(count * factor));
}

Fabric with_aggregation(const Fabric& fabric) {
  FabricBuilder builder(fabric.name());
  for (SwitchId s : fabric.switches()) {
    Switch copy = fabric[s];
    copy.ports = 0;
    builder.add_switch(copy);
  }
  for (HostId h : fabric.hosts()) builder.add_host(fabric[h]);
  for (LinkId l : fabric.links()) builder.add_link(fabric[l]);
  for (SwitchId s : fabric.switches())
    builder.add_host(
        {.name = "an" + std::to_string(s.index()), .on = s, .role = HostRole::aggregation});
  return std::move(builder).build();
}

}  // namespace weft::test
