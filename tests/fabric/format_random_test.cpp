// SPDX-License-Identifier: Apache-2.0
// Random fabrics and tables through every format: what is read is what was written, as far as the
// format can hold it.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <map>
#include <set>

#include "fabric/format/addresses.hpp"
#include "format_support.hpp"
#include "support/routes.hpp"

namespace weft::test::format_random {
namespace {

// --- what a format holds of a fabric

Fabric everything(const Fabric& fabric) { return fabric; }

Fabric without_coordinates(const Fabric& fabric) {
  const Fabric full = with_addresses(fabric);
  FabricBuilder builder(full.name());
  for (SwitchId s : full.switches()) {
    Switch copy = full[s];
    copy.at.clear();
    builder.add_switch(copy);
  }
  for (HostId h : full.hosts()) builder.add_host(full[h]);
  for (LinkId l : full.links()) builder.add_link(full[l]);
  return std::move(builder).build();
}

/// Numbers for names, whole cycles for delays, ports in order: hosts first.
Fabric attachments_only(const Fabric& fabric) {
  Duration cycle = std::chrono::seconds(64);  // of 8 bytes at the lowest speed
  const auto limit = [&](const Wire& wire) { cycle = std::min(cycle, Bytes{8} / wire.speed); };
  for (HostId h : fabric.hosts()) limit(fabric[h].wire);
  for (LinkId l : fabric.links()) limit(fabric[l].wire);
  const auto wire = [&](const Wire& from) {
    return Wire{Wire{}.speed, Delay::cycles(from.delay.in_cycles(cycle))};
  };
  FabricBuilder builder("file");
  for (SwitchId s : fabric.switches()) builder.add_switch({fmt::format("s{}", s.index())});
  for (HostId h : fabric.hosts())
    builder.add_host({fmt::format("h{}", h.index()), fabric[h].on, 0, wire(fabric[h].wire)});
  std::map<std::pair<SwitchId, SwitchId>, Wire> links;
  for (LinkId l : fabric.links())
    links.emplace(std::minmax(fabric[l].a.on, fabric[l].b.on), fabric[l].wire);
  for (const auto& [ends, from] : links) builder.connect(ends.first, ends.second, wire(from));
  return std::move(builder).build();
}

bool has_parallel_links(const Fabric& fabric) {
  std::set<std::pair<SwitchId, SwitchId>> seen;
  for (LinkId l : fabric.links())
    if (!seen.insert(std::minmax(fabric[l].a.on, fabric[l].b.on)).second) return true;
  return false;
}

Fabric random_fabric() { return RandomFabric(*rc::gen::arbitrary<std::uint64_t>()).make(); }

TEST(RandomFabrics, Weft) {
  EXPECT_TRUE(rc::check([] {
    const Fabric fabric = random_fabric();
    RC_ASSERT(parsed(written(fabric, "weft"), "weft") == everything(fabric));
  }));
}

TEST(RandomFabrics, Graphml) {
  EXPECT_TRUE(rc::check([] {
    const Fabric fabric = random_fabric();
    RC_ASSERT(parsed(written(fabric, "graphml"), "graphml") == everything(fabric));
  }));
}

TEST(RandomFabrics, Ibnetdiscover) {
  EXPECT_TRUE(rc::check([] {
    const Fabric fabric = random_fabric();
    RC_ASSERT(parsed(written(fabric, "ibnetdiscover"), "ibnetdiscover") ==
              without_coordinates(fabric));
  }));
}

TEST(RandomFabrics, Anynet) {
  EXPECT_TRUE(rc::check([] {
    const Fabric fabric = random_fabric();
    RC_PRE(!has_parallel_links(fabric));
    RC_ASSERT(parsed(written(fabric, "anynet"), "anynet") == attachments_only(fabric));
  }));
}

TEST(RandomFabrics, OneByteChanged) {
  // Any text is either read or refused in one line; the fuzzers look further.
  EXPECT_TRUE(rc::check([] {
    const Fabric fabric = random_fabric();
    for (const FabricFormat& row : fabric_formats()) {
      if (row.read == nullptr || row.write == nullptr ||
          (row.name == "anynet" && has_parallel_links(fabric)))
        continue;
      std::string text = written(fabric, row.name);
      const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
      text[at] = *rc::gen::arbitrary<char>();
      RC_ASSERT(fabric_message(text, row.name).find('\n') == std::string::npos);
    }
  }));
}

// --- tables

/// Tables with every form of paths and lanes; they need not lead anywhere.
class RandomTables {
 public:
  RandomTables(const Fabric& fabric, std::uint64_t seed) : fabric_(fabric), rng_(seed) {}

  Tables make() {
    Tables out;
    out.engine = flip() ? "updown:root=s0" : " \"odd\"\n";
    out.lane_count = static_cast<int>(1 + rng_.below(4));
    lanes_ = static_cast<std::size_t>(out.lane_count);
    columns_ = 1 + rng_.below(4);
    for (HostId h : fabric_.hosts()) out.to_host.push_back(column(h.index()));
    if (flip())
      for (SwitchId s : fabric_.switches()) out.to_switch.push_back(column(s.index()));
    const std::uint64_t form = rng_.below(3);
    if (form == 0) out.paths = destinations();
    if (form == 1) out.paths = routes();
    if (form == 2) out.paths = choices();
    if (std::holds_alternative<DestinationTables>(out.paths) && flip())
      for (std::size_t c = 0; c < columns_; ++c)
        for (HostId h : fabric_.hosts())
          if (flip())
            out.further.push_back({h, static_cast<unsigned>(1 + rng_.below(127)), ColumnId(c)});
    const std::uint64_t rule = rng_.below(3);
    if (rule == 0 && out.lane_count == 1) out.lanes = OneLane{flip()};
    if (rule == 1) out.lanes = turns();
    if (rule == 2) out.lanes = services();
    for (std::uint64_t n = rng_.below(3); n > 0; --n) out.groups.push_back(group(out, n));
    return out;
  }

 private:
  bool flip() { return rng_.below(2) == 0; }
  ColumnId column(std::size_t /*of*/) {
    const std::size_t id = rng_.below(columns_ + 1);
    return id == columns_ ? ColumnId::none() : ColumnId(id);
  }
  PortNumber port(SwitchId s) { return static_cast<PortNumber>(1 + rng_.below(fabric_[s].ports)); }
  Lane lane() { return static_cast<Lane>(rng_.below(lanes_)); }

  DestinationTables destinations() {
    DestinationTables next(columns_, fabric_.switch_count(), no_port);
    for (ColumnId c : next.ids())
      for (SwitchId s : fabric_.switches())
        if (const auto kind = rng_.below(6); kind > 0)
          next[c][s.index()] = kind == 1 ? here : port(s);
    return next;
  }
  ChoiceTables choices() {
    ChoiceTables out(columns_, fabric_.switch_count());
    out.phases.assign(1 + rng_.below(3), Phase{flip() ? "" : "first: of all"});
    const bool detours = out.phases.size() == 3;
    for (Phase& phase : out.phases)
      if (flip()) {
        for (HostId h : fabric_.hosts()) phase.to_host.push_back(column(h.index()));
        if (fabric_.host_count() > 0) phase.to_host[HostId(0)] = ColumnId(0);
      }
    if (detours) {
      out.phases[1] = {"detour", true, {}, 2};
      if (flip()) out.phases[0].detour = PhaseId{1};
      out.intermediates = {{ColumnId(0)},
                           flip() ? IntermediateRule::any : IntermediateRule::elsewhere};
      if (columns_ > 1) out.intermediates.columns.emplace_back(columns_ - 1);
      if (flip())
        for (std::size_t s = 0; s < fabric_.switch_count(); ++s)
          out.intermediates.region.push_back(static_cast<std::uint32_t>(rng_.below(3)));
      out.decision = {DetourDecision::Queue::path, 1, 2, flip() ? -30 : 30, 2};
    }
    if (detours && flip()) {
      out.starts = {0, 1};
      if (flip()) out.start_rule = StartRule::queue;
    }
    for (ColumnId c : out.ids())
      for (SwitchId s : fabric_.switches())
        if (const auto kind = rng_.below(6); kind > 0)
          out.next[c][s.index()] =
              kind == 1 ? ChoiceTables::at_end : out.add(candidates(s, detours));
    return out;
  }
  std::vector<Candidate> candidates(SwitchId s, bool detours) {
    std::vector<Candidate> out;
    for (std::uint64_t n = 1 + rng_.below(3); n > 0; --n)
      out.push_back({port(s), flip() ? lane() : Candidate::by_lanes,
                     static_cast<PhaseId>(detours ? 2 : 0),
                     static_cast<std::uint8_t>(rng_.below(3))});
    return out;
  }
  SourceRoutes routes() {
    SourceRoutes out(fabric_.switch_count());
    for (std::uint64_t n = rng_.below(3); n > 0; --n) {
      std::vector<PortNumber> links{port(SwitchId(0))};
      if (const PortNumber other = port(SwitchId(0)); other != links.front())
        links.push_back(other);
      out.add_links(links);
    }
    for (std::size_t c = 0; c < columns_; ++c)
      for (SwitchId s : fabric_.switches())
        out.push_back(rng_.below(5) == 0 ? std::nullopt : std::optional(route(out, s)));
    return out;
  }
  /// Adds tags until the route comes to a host, or may do so.
  std::vector<PortNumber> route(const SourceRoutes& routes, SwitchId from) {
    std::vector<PortNumber> tags;
    std::vector<SwitchId> at{from};
    for (std::uint64_t n = rng_.below(4); n > 0; --n) {
      const std::size_t groups = routes.link_groups().size();
      tags.push_back(groups > 0 && flip()
                         ? static_cast<PortNumber>(first_link_group + rng_.below(groups))
                         : port(SwitchId(0)));
      std::vector<SwitchId> next;
      for (const SwitchId s : at)
        for (const PortNumber out : routes.ports(tags.back())) {
          const Neighbour beyond = fabric_.at_port(s, out);
          if (beyond.host.valid()) return tags;
          if (beyond.channel.valid()) next.push_back(fabric_.to(beyond.channel));
        }
      at = next;
    }
    return tags;
  }
  LaneOp op() {
    switch (rng_.below(5)) {
      case 0:
        return LaneOp::keep();
      case 1:
        return LaneOp::plus_one();
      case 2:
        return LaneOp::minus_one();
      case 3:
        return {};
      default:
        return LaneOp::set(lane());
    }
  }
  TurnLanes turns() {
    TurnLanes out(fabric_, op(), op());
    for (SwitchId s : fabric_.switches())
      for (std::uint64_t n = rng_.below(5); n > 0; --n) out.at(s, port(s), port(s)) = op();
    return out;
  }
  ServiceLanes services() {
    ServiceLanes out;
    const std::size_t levels = flip() ? 0 : 1 + rng_.below(5);
    out.by_host = fabric_.host_count() > 0 && flip();
    const std::size_t sources = out.by_host ? fabric_.host_count() : fabric_.switch_count();
    out.level = Grid<std::uint8_t>(columns_, sources, 0);
    for (ColumnId c : out.level.ids())
      for (auto& level : out.level[c])
        level = static_cast<std::uint8_t>(rng_.below(levels == 0 ? lanes_ : levels));
    if (levels != 0) out.map = map(levels);
    return out;
  }
  ServiceLanes::Map map(std::size_t levels) {
    ServiceLanes::Map out;
    out.levels = static_cast<int>(levels);
    for (SwitchId s : fabric_.switches()) {
      const std::size_t ports = fabric_[s].ports + std::size_t{1};
      auto& lanes = out.lane.emplace_back(ports * ports * levels, lane());
      for (std::uint64_t n = rng_.below(5); n > 0; --n) lanes[rng_.below(lanes.size())] = lane();
    }
    return out;
  }
  Group group(const Tables& tables, std::uint64_t number) {
    Group out;
    out.name = fmt::format("{}{}", flip() ? "all" : "all of: them", number);
    out.lane = lane();
    for (HostId h : fabric_.hosts())
      if (flip()) out.members.push_back(h);
    if (flip() && fabric_.host_count() > 0) out.source = HostId(0);
    for (SwitchId s : fabric_.switches()) {
      const std::set<PortNumber> ports{port(s), port(s)};
      if (flip()) out.out.push_back({s, {ports.begin(), ports.end()}});
    }
    if (flip() && fabric_.switch_count() > 0) {
      out.root = SwitchId(rng_.below(fabric_.switch_count()));
      for (SwitchId s : fabric_.switches())
        if (flip()) out.up.push_back({s, port(s)});
    }
    test::give_level(tables, out, rng_);
    return out;
  }

  const Fabric& fabric_;
  Rng rng_;
  std::size_t lanes_ = 1, columns_ = 1;
};

TEST(RandomTablesTest, Weft) {
  EXPECT_TRUE(rc::check([] {
    const Fabric fabric = random_fabric();
    const Tables tables = RandomTables(fabric, *rc::gen::arbitrary<std::uint64_t>()).make();
    const Source text{"file", written(fabric, tables, "weft")};
    RC_ASSERT(read_tables(text, fabric, "weft") == tables);
  }));
}

/// Where a packet to a host leaves each switch, whether written as `here` or as the host's port.
std::vector<PortNumber> ports_to(const Fabric& fabric, const Tables& tables, HostId to) {
  const ColumnId column = tables.to_host[to];
  if (!column.valid()) return std::vector<PortNumber>(fabric.switch_count(), no_port);
  const auto row = std::get<DestinationTables>(tables.paths)[column];
  std::vector<PortNumber> out(row.begin(), row.end());
  PortNumber& last = out[fabric[to].on.index()];
  if (last == here) last = fabric[to].port;
  return out;
}

TEST(RandomTablesTest, Opensm) {
  EXPECT_TRUE(rc::check([] {
    const Fabric fabric = random_fabric();
    Tables tables = RandomTables(fabric, *rc::gen::arbitrary<std::uint64_t>()).make();
    tables.further.clear();  // the hosts have one LID
    RC_PRE(std::holds_alternative<DestinationTables>(tables.paths));
    const auto again = [&](const Tables& from) {
      return read_tables({"file", written(fabric, from, "opensm")}, fabric, "opensm");
    };
    const Tables read = again(tables);
    for (HostId h : fabric.hosts())
      RC_ASSERT(ports_to(fabric, read, h) == ports_to(fabric, tables, h));
    RC_ASSERT(again(read) == read);
  }));
}

}  // namespace
}  // namespace weft::test::format_random
