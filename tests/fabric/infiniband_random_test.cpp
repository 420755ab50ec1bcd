// SPDX-License-Identifier: Apache-2.0
// Random subnets written as the dumps of a subnet manager, in both forms where there are two: what
// is imported says the same at every switch.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>
#include <map>
#include <set>

#include "fabric/infiniband/import.hpp"
#include "format_support.hpp"
#include "support/files.hpp"

namespace weft::test::infiniband_random {
namespace {

/// What a subnet manager decides; the dumps are its text.
struct ManagedSubnet {
  Fabric fabric;
  std::map<std::pair<Guid, unsigned>, PortNumber> port;              ///< by switch and LID
  std::map<std::pair<Guid, unsigned>, unsigned> level;               ///< by NIC and LID
  std::map<std::pair<unsigned, Guid>, std::set<PortNumber>> copies;  ///< by group and switch
  std::vector<std::vector<unsigned>> lanes;  ///< by switch; in-port, out-port, level row by row
};

class RandomSubnet {
 public:
  explicit RandomSubnet(std::uint64_t seed) : rng_(seed) {}

  ManagedSubnet make() {
    ManagedSubnet out{fabric(), {}, {}, {}, {}};
    for (SwitchId s : out.fabric.switches()) {
      route(out, s);
      const std::size_t width = out.fabric[s].ports + std::size_t{1};
      out.lanes.emplace_back(width * width * 16);
      for (unsigned& lane : out.lanes.back()) lane = static_cast<unsigned>(rng_.below(8));
      for (unsigned group = 0xC001; group < 0xC004; ++group)
        for (PortNumber port = 1; port <= out.fabric[s].ports; ++port)
          if (rng_.below(3) == 0) out.copies[{group, out.fabric[s].guid}].insert(port);
    }
    for (HostId from : out.fabric.hosts())
      for (HostId to : out.fabric.hosts())
        for (unsigned i = 0; i < 1U << out.fabric[to].lmc; ++i)
          out.level[{out.fabric[from].guid, out.fabric[to].lid + i}] =
              static_cast<unsigned>(rng_.below(16));
    return out;
  }

 private:
  Fabric fabric() {
    FabricBuilder builder("subnet");
    const std::size_t switches = 1 + rng_.below(5), hosts = 1 + rng_.below(6);
    for (std::size_t i = 0; i < switches; ++i)
      builder.add_switch({"s" + std::to_string(i), 12, 0x1000 + i, static_cast<Lid>(500 + i)});
    for (std::size_t i = 0; i < hosts; ++i)
      builder.add_host({"h" + std::to_string(i),
                        SwitchId(rng_.below(switches)),
                        0,
                        {},
                        0x2000 + 16 * i,
                        0x2001 + 16 * i,
                        static_cast<Lid>(8 * (i + 1)),
                        1,
                        static_cast<std::uint8_t>(rng_.below(3))});
    std::multimap<std::size_t, std::size_t> links;  // as texts have them: by the earlier switch
    for (std::size_t i = 1; i < switches; ++i) links.emplace(rng_.below(i), i);
    for (const auto& [a, b] : links) builder.connect(SwitchId(a), SwitchId(b), {});
    return std::move(builder).build();
  }
  /// At its own switch a host has its own port; elsewhere any, or none.
  void route(ManagedSubnet& out, SwitchId s) {
    const Fabric& fabric = out.fabric;
    for (HostId h : fabric.hosts())
      for (unsigned i = 0; i < 1U << fabric[h].lmc; ++i) {
        const auto port = static_cast<PortNumber>(rng_.below(fabric[s].ports + std::size_t{1}));
        const PortNumber wanted = fabric[h].on == s ? fabric[h].port : port;
        if (wanted != 0) out.port[{fabric[s].guid, fabric[h].lid + i}] = wanted;
      }
    out.port[{fabric[s].guid, fabric[s].lid}] = 0;
  }

  Rng rng_;
};

// --- the dumps

std::string fdbs_text(const ManagedSubnet& subnet) {
  std::string out;
  Guid at = 0;
  for (const auto& [entry, port] : subnet.port) {
    if (entry.first != at)
      out +=
          fmt::format("dump_ucast_routes: Switch 0x{:016x}\nLID    : Port : Hops\n", entry.first);
    at = entry.first;
    out += fmt::format("0x{:04X} : {:03}  : 01   : yes\n", entry.second, port);
  }
  return out;
}

std::string lfts_text(const ManagedSubnet& subnet) {
  std::string out;
  Guid at = 0;
  for (const auto& [entry, port] : subnet.port) {
    if (entry.first != at) out += fmt::format("Unicast lids of switch guid 0x{:x}:\n", entry.first);
    at = entry.first;
    out += fmt::format("0x{:04x} {:03} # \n", entry.second, port);
  }
  return out;
}

std::string psl_text(const ManagedSubnet& subnet) {
  std::string out;
  for (const auto& [path, level] : subnet.level)
    out += fmt::format("0x{:016x} {} {}\n", path.first, path.second, level);
  return out;
}

std::string mcfdbs_text(const ManagedSubnet& subnet) {
  std::string out;
  for (const auto& [entry, ports] : subnet.copies) {
    out += fmt::format("Switch 0x{:016x}\nLID    : Out Port(s)\n0x{:04X} :", entry.second,
                       entry.first);
    for (const PortNumber port : ports) out += fmt::format(" 0x{:03X} ", port);
    out += "\n";
  }
  return out;
}

/// Of OpenSM, or of ibdiagnet, which packs two lanes into a byte.
std::string lanes_text(const ManagedSubnet& subnet, bool packed) {
  std::string out;
  for (SwitchId s : subnet.fabric.switches()) {
    const Switch& at = subnet.fabric[s];
    const std::size_t width = at.ports + std::size_t{1};
    if (!packed)
      out += fmt::format("Switch 0x{:016x}, base LID {}, \"{}\"\n#in out : 0\n", at.guid, at.lid,
                         at.name);
    for (std::size_t turn = 0; turn < width * width; ++turn) {
      const unsigned* lane = &subnet.lanes[s.index()][turn * 16];
      out += packed ? fmt::format("0x{:016x} {} {}", at.guid, turn / width, turn % width)
                    : fmt::format("{} {} :", turn / width, turn % width);
      for (int i = 0; i < 16; i += packed ? 2 : 1)
        out +=
            packed ? fmt::format(" 0x{:x}{:x}", lane[i], lane[i + 1]) : fmt::format(" {}", lane[i]);
      out += "\n";
    }
  }
  return out;
}

// --- what they must say

void expect_column(const ManagedSubnet& subnet, const Tables& tables, ColumnId column, HostId to,
                   unsigned lid) {
  const Fabric& fabric = subnet.fabric;
  const auto& service = std::get<ServiceLanes>(tables.lanes);
  for (SwitchId s : fabric.switches()) {
    const auto found = subnet.port.find({fabric[s].guid, lid});
    const PortNumber expected = found == subnet.port.end() ? no_port
                                : fabric[to].on == s       ? here
                                                           : found->second;
    RC_ASSERT(std::get<DestinationTables>(tables.paths)[column][s.index()] == expected);
  }
  for (HostId from : fabric.hosts())
    RC_ASSERT(service.of(fabric, column, from) == subnet.level.at({fabric[from].guid, lid}));
}

void expect_same(const ManagedSubnet& subnet, const Tables& tables) {
  const Fabric& fabric = subnet.fabric;
  std::size_t further = 0;
  for (HostId h : fabric.hosts()) {
    expect_column(subnet, tables, tables.to_host[h], h, fabric[h].lid);
    further += (std::size_t{1} << fabric[h].lmc) - 1;
  }
  RC_ASSERT(tables.further.size() == further);
  for (const auto& [host, lid, column] : tables.further)
    expect_column(subnet, tables, column, host, fabric[host].lid + lid);
  const auto& map = std::get<ServiceLanes>(tables.lanes).map;
  RC_ASSERT(map.has_value());
  for (SwitchId s : fabric.switches())
    for (std::size_t i = 0; i < subnet.lanes[s.index()].size(); ++i)
      if (static_cast<int>(i % 16) < map->levels)
        RC_ASSERT(map->lane[s.index()][i / 16 * static_cast<std::size_t>(map->levels) + i % 16] ==
                  subnet.lanes[s.index()][i]);
  std::map<std::pair<unsigned, Guid>, std::set<PortNumber>> copies;
  for (const Group& group : tables.groups)
    for (const PortSet& set : group.out)
      copies[{static_cast<unsigned>(std::stoul(group.name, nullptr, 16)), fabric[set.on].guid}] = {
          set.ports.begin(), set.ports.end()};
  RC_ASSERT(copies == subnet.copies);
}

TEST(RandomSubnets, AreImportedAsTheyWere) {
  EXPECT_TRUE(rc::check([] {
    const ManagedSubnet subnet = RandomSubnet(*rc::gen::arbitrary<std::uint64_t>()).make();
    std::optional<Tables> first;
    for (const bool ibdiagnets : {false, true}) {
      const weft::testing::TemporaryFolder folder;
      const auto put = [&](const char* name, const std::string& text) {
        std::ofstream(folder / name) << text;
      };
      put("topology", written(subnet.fabric, "ibnetdiscover"));
      put("tables", ibdiagnets ? fdbs_text(subnet) : lfts_text(subnet));
      put("levels", psl_text(subnet));
      put("lanes", lanes_text(subnet, ibdiagnets));
      put("groups", mcfdbs_text(subnet));
      const infiniband::Subnet imported = infiniband::import_folder(folder.path());
      RC_ASSERT(imported.fabric == subnet.fabric);
      expect_same(subnet, *imported.tables);
      if (first) RC_ASSERT(*imported.tables == *first);
      first = imported.tables;
    }
  }));
}

}  // namespace
}  // namespace weft::test::infiniband_random
