// SPDX-License-Identifier: Apache-2.0
// Tables with choices in the data of a page.
#include "lab/page/choice_paths.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/base64.hpp"
#include "lab/page/fabric_section.hpp"
#include "plan/topo/topology.hpp"
#include "support/choices.hpp"
#include "support/fabrics.hpp"
#include "support/routes.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

/// What a page says of an entry, as it reads its data.
class PageEntries {
 public:
  explicit PageEntries(Json paths)
      : paths_(std::move(paths)), bytes_(from_base64(paths_["entries"].get<std::string>())) {
    for (const std::size_t size : paths_["sets"]["size"]) begin_.push_back(begin_.back() + size);
  }
  /// 0: here; 1: no route; from 2 on sets.
  std::size_t code(ColumnId column, SwitchId at, std::size_t switches) const {
    const auto row = paths_["row_of"][column.index()].get<std::int64_t>();
    if (row < 0) return 1;
    const auto width = paths_["width"].get<std::size_t>();
    const std::size_t place = (static_cast<std::size_t>(row) * switches + at.index()) * width;
    std::size_t out = 0;
    for (std::size_t i = width; i-- > 0;)
      out = out << 8U | static_cast<unsigned char>(bytes_[place + i]);
    return out;
  }
  std::vector<Candidate> candidates(std::size_t code) const {
    std::vector<Candidate> out;
    const auto value = [&](const char* name, std::size_t i) {
      return paths_["sets"][name][i].get<int>();
    };
    for (std::size_t i = begin_[code - 2]; i < begin_[code - 1]; ++i) {
      const int lane = value("lane", i);
      out.push_back({static_cast<PortNumber>(value("port", i)),
                     lane < 0 ? Candidate::by_lanes : static_cast<Lane>(lane),
                     static_cast<PhaseId>(value("phase", i)),
                     static_cast<std::uint8_t>(value("preference", i))});
    }
    return out;
  }

 private:
  Json paths_;
  std::string bytes_;
  std::vector<std::size_t> begin_{0};
};

/// Every entry that packets to a host read is in the page, or delivers to that host.
void expect_same_entries(const Fabric& fabric, const Tables& tables) {
  const auto& choices = std::get<ChoiceTables>(tables.paths);
  const PageEntries page(page_choice_paths(fabric, tables, choices));
  const auto expect_row = [&](ColumnId column, HostId to) {
    for (const SwitchId s : fabric.switches()) {
      const std::size_t code = page.code(column, s, fabric.switch_count());
      const ChoiceTables::Entry entry = choices.next[column][s.index()];
      if (entry == ChoiceTables::no_route) {
        EXPECT_EQ(code, 1U);
      } else if (code == 0) {
        if (entry == ChoiceTables::at_end) continue;
        ASSERT_TRUE(to.valid() && fabric[to].on == s);
        for (const Candidate& each : choices.candidates(entry))
          EXPECT_EQ(each.port, fabric[to].port);
      } else {
        const auto all = choices.candidates(entry);
        EXPECT_EQ(page.candidates(code), std::vector<Candidate>(all.begin(), all.end()));
      }
    }
  };
  for (std::size_t phase = 0; phase < choices.phases.size(); ++phase) {
    if (choices.phases[phase].to_intermediate) continue;
    for (const HostId to : fabric.hosts())
      if (const ColumnId column = column_of(tables, choices, static_cast<PhaseId>(phase), to);
          column.valid())
        expect_row(column, to);
  }
  for (const ColumnId column : choices.intermediates.columns) expect_row(column, HostId::none());
}

TEST(ChoicePaths, HaveEveryEntryThatPacketsFollow) {
  for (const auto& [topology, engine] : {std::pair{"dragonfly:a=4,p=2,h=2", "ugal"},
                                         {"mesh:dims=3x3", "romm"},
                                         {"torus:dims=4x4,hosts=2", "min_adaptive"},
                                         {"clos3:radix=4", "updown_adaptive"}}) {
    const Fabric fabric = make_fabric(topology);
    expect_same_entries(fabric, test::routed(fabric, engine));
  }
  Rng rng(7);
  for (int i = 0; i < 20; ++i) {
    const Fabric fabric = test::ring(5);
    expect_same_entries(fabric, test::random_choices(fabric, rng));
  }
}

TEST(ChoicePaths, TellHostsOfASwitchApartByTheirPortsAlone) {
  const Fabric fabric = make_fabric("torus:dims=4x4,hosts=3");
  const Tables tables = test::routed(fabric, "min_adaptive");
  Tables by_port = tables;  // columns of each host, which name its port
  auto& choices = std::get<ChoiceTables>(by_port.paths);
  const auto& shared = std::get<ChoiceTables>(tables.paths);
  choices.next = {fabric.host_count() * choices.phases.size(), fabric.switch_count(),
                  ChoiceTables::no_route};
  for (const HostId to : fabric.hosts())
    for (std::size_t p = 0; p < choices.phases.size(); ++p) {
      const ColumnId column(to.index() * choices.phases.size() + p);
      const auto from = shared.next[column_of(tables, shared, static_cast<PhaseId>(p), to)];
      std::copy(from.begin(), from.end(), choices.next[column].begin());
      choices.next[column][fabric[to].on.index()] = choices.add({{fabric[to].port}});
      if (to.index() == 0) choices.phases[p].to_host.assign(fabric.host_count(), ColumnId::none());
      choices.phases[p].to_host[to] = column;
    }
  expect_same_entries(fabric, by_port);
  const auto rows = [&](const Tables& of) {
    const auto all = PageChoiceRows(fabric, of, std::get<ChoiceTables>(of.paths)).rows();
    return std::multiset(all.begin(), all.end());
  };
  EXPECT_EQ(rows(by_port), rows(tables));
}

TEST(ChoicePaths, SayWhichIntermediatesMayBeDrawn) {
  const auto drawn_on = [](const char* topology, const char* engine) {
    const Fabric fabric = make_fabric(topology);
    const Tables tables = test::routed(fabric, engine);
    return page_choice_paths(fabric, tables, std::get<ChoiceTables>(tables.paths))["intermediates"];
  };
  const Json groups = drawn_on("dragonfly:a=2,p=1,h=1", "ugal");
  EXPECT_EQ(groups["rule"], "elsewhere");
  EXPECT_EQ(groups["region"], (Json{0, 0, 1, 1, 2, 2}));
  const Json aligned = drawn_on("hyperx:dims=2x2", "ugal");
  EXPECT_EQ(aligned["rule"], "aligned");
  EXPECT_EQ(aligned["at"].size(), 4U);
  EXPECT_EQ(drawn_on("mesh:dims=2x2", "romm")["rule"], "between");
  EXPECT_TRUE(drawn_on("mesh:dims=2x2", "xy_yx").is_null());
}

TEST(ChoicePaths, AreInPages) {
  const Fabric fabric = make_fabric("clos3:radix=4");
  const Tables tables = test::routed(fabric, "updown_adaptive");
  EXPECT_EQ(page_routing(fabric, {tables})["paths"]["form"], "choice");
}

}  // namespace
}  // namespace weft
