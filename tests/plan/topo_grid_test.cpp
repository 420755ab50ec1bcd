// SPDX-License-Identifier: Apache-2.0
// Mesh, torus, ring, hypercube, complete graph, HyperX and chain: closed forms, ports and
// coordinates.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <functional>
#include <numeric>

#include "plan/topo_support.hpp"

namespace weft::testing {
namespace {

using Dims = std::vector<int>;

std::string text(const Dims& dims) {
  std::string out;
  for (const int k : dims) out += (out.empty() ? "" : "x") + std::to_string(k);
  return out;
}

std::size_t product(const Dims& dims) {
  return static_cast<std::size_t>(
      std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>()));
}

std::size_t id_at(const Dims& dims, const Dims& at) {
  std::size_t id = 0;
  for (std::size_t d = dims.size(); d-- > 0;)
    id = id * static_cast<std::size_t>(dims[d]) + static_cast<std::size_t>(at[d]);
  return id;
}

/// Links of a grid: a row of k switches has k-1, a wrapped one k, but two switches are joined once.
std::size_t grid_links(const Dims& dims, bool wraps) {
  std::size_t links = 0;
  for (const int k : dims)
    links += product(dims) / static_cast<std::size_t>(k) *
             static_cast<std::size_t>(wraps && k > 2 ? k : k - 1);
  return links;
}

int grid_diameter(const Dims& dims, bool wraps) {
  int sum = 0;
  for (const int k : dims) sum += wraps ? k / 2 : k - 1;
  return sum;
}

/// Port 2d+1 leads one step in + direction of dimension d, 2d+2 one step back.
void expect_directions(const Fabric& fabric, const Dims& dims, bool wraps) {
  for (const SwitchId s : fabric.switches()) {
    const Dims at = fabric[s].at;
    ASSERT_EQ(id_at(dims, at), s.index());
    for (std::size_t d = 0; d < dims.size(); ++d)
      for (const int step : {+1, -1}) {
        Dims next = at;
        next[d] += step;
        const bool inside = next[d] >= 0 && next[d] < dims[d];
        next[d] = (next[d] + dims[d]) % dims[d];
        const bool there = inside || (wraps && dims[d] > 2);
        EXPECT_EQ(behind(fabric, s.index(), 2 * d + (step > 0 ? 1 : 2)),
                  there ? SwitchId(id_at(dims, next)) : SwitchId::none());
      }
  }
}

const std::vector<Dims> grids{{2}, {5}, {2, 2}, {4, 2}, {3, 5}, {4, 4}, {2, 3, 4}, {2, 2, 2, 3}};

TEST(Mesh, ClosedForms) {
  for (const Dims& dims : grids) {
    const Fabric fabric = make_fabric("mesh:hosts=3,dims=" + text(dims));
    EXPECT_EQ(counts(fabric), (Counts{product(dims), 3 * product(dims), grid_links(dims, false)}));
    EXPECT_EQ(diameter(fabric), grid_diameter(dims, false)) << text(dims);
    expect_directions(fabric, dims, false);
  }
}

TEST(Torus, ClosedForms) {
  for (const Dims& dims : grids) {
    const Fabric fabric = make_fabric("torus:hosts=2,dims=" + text(dims));
    EXPECT_EQ(counts(fabric), (Counts{product(dims), 2 * product(dims), grid_links(dims, true)}));
    EXPECT_EQ(diameter(fabric), grid_diameter(dims, true)) << text(dims);
    expect_directions(fabric, dims, true);
  }
}

TEST(Torus, TwoSwitchesAreJoinedOnce) {
  for (const auto& [pair, count] : joined(make_fabric("torus:dims=2x4x2"))) EXPECT_EQ(count, 1);
  EXPECT_EQ(make_fabric("torus:dims=2x2").link_count(), make_fabric("mesh:dims=2x2").link_count());
}

RC_GTEST_PROP(Torus, AnyMixedRadix, ()) {
  const auto dims =
      *rc::gen::resize(4, rc::gen::nonEmpty(rc::gen::container<Dims>(rc::gen::inRange(2, 6))));
  const Fabric fabric = make_fabric("torus:dims=" + text(dims));
  RC_ASSERT(fabric.switch_count() == product(dims));
  RC_ASSERT(fabric.link_count() == grid_links(dims, true));
  expect_directions(fabric, dims, true);
}

TEST(GridShape, HostsComeAfterTheDirections) {
  const Fabric fabric = make_fabric("mesh:dims=3x3,hosts=2");
  for (const SwitchId s : fabric.switches()) {
    EXPECT_EQ(fabric[s].ports, 6);
    EXPECT_EQ(fabric.at_port(s, 5).host, HostId(2 * s.index()));
    EXPECT_EQ(fabric.at_port(s, 6).host, HostId(2 * s.index() + 1));
  }
  EXPECT_EQ(fabric[SwitchId(8)].name, "s8");
  EXPECT_EQ(fabric[HostId(17)].name, "h17");
}

TEST(GridShape, Errors) {
  EXPECT_EQ(error_of("torus:dims=4x0"), "torus: dims=4x0: a dimension needs 2 or more");
  EXPECT_EQ(error_of("mesh:dims=1x4"), "mesh: dims=1x4: a dimension needs 2 or more");
  EXPECT_EQ(error_of("mesh:dims=4x"),
            "mesh: dims=4x: write whole numbers joined by x, as in 4x4x2");
  EXPECT_EQ(error_of("ring:switches=1"),
            "ring: switches=1: a whole number from 2 to 1000000 is needed");
}

TEST(Ring, ClosedForms) {
  for (const std::size_t n : {2U, 3U, 8U, 9U}) {
    const Fabric fabric = make_fabric("ring:switches=" + std::to_string(n));
    EXPECT_EQ(counts(fabric), (Counts{n, n, n == 2 ? 1 : n}));
    EXPECT_EQ(diameter(fabric), static_cast<int>(n / 2));
    EXPECT_EQ(behind(fabric, 0, 1), SwitchId(1));
    EXPECT_EQ(behind(fabric, n - 1, 2), SwitchId(n - 2));
  }
}

TEST(Hypercube, ClosedForms) {
  for (const std::size_t n : {1U, 2U, 3U, 6U}) {
    const Fabric fabric = make_fabric("hypercube:hosts=2,dims=" + std::to_string(n));
    const std::size_t switches = std::size_t{1} << n;
    EXPECT_EQ(counts(fabric), (Counts{switches, 2 * switches, n * switches / 2}));
    EXPECT_EQ(diameter(fabric), static_cast<int>(n));
    for (const SwitchId s : fabric.switches())
      for (std::size_t d = 0; d < n; ++d) {
        EXPECT_EQ(behind(fabric, s.index(), d + 1), SwitchId(s.index() ^ (std::size_t{1} << d)));
        EXPECT_EQ(fabric[s].at[d], static_cast<int>(s.index() >> d & 1U));
      }
  }
  EXPECT_EQ(error_of("hypercube:dims=0"),
            "hypercube: dims=0: a whole number from 1 to 30 is needed");
}

TEST(Complete, ClosedForms) {
  for (const std::size_t n : {2U, 3U, 8U, 33U}) {
    const Fabric fabric = make_fabric("complete:hosts=3,switches=" + std::to_string(n));
    EXPECT_EQ(counts(fabric), (Counts{n, 3 * n, n * (n - 1) / 2}));
    EXPECT_EQ(diameter(fabric), 1);
    for (const SwitchId s : fabric.switches())
      for (std::size_t port = 1; port < n; ++port)
        EXPECT_EQ(behind(fabric, s.index(), port), SwitchId(port - (port <= s.index() ? 1 : 0)));
  }
  EXPECT_EQ(error_of("complete:switches=1"),
            "complete: switches=1: a whole number from 2 to 65000 is needed");
}

/// Every two switches that differ in one coordinate only are joined `width` times, others never.
void expect_hyperx(const Fabric& fabric, const Dims& width) {
  const auto links = joined(fabric);
  for (const SwitchId s : fabric.switches())
    for (const SwitchId t : fabric.switches()) {
      if (t <= s) continue;
      int different = 0, expected = 0;
      for (std::size_t d = 0; d < width.size(); ++d)
        if (fabric[s].at[d] != fabric[t].at[d]) {
          ++different;
          expected = width[d];
        }
      const auto found = links.find({s, t});
      EXPECT_EQ(found == links.end() ? 0 : found->second, different == 1 ? expected : 0);
    }
}

TEST(Hyperx, ClosedForms) {
  const Fabric fabric = make_fabric("hyperx:dims=4x3x2,width=1x2x3,hosts=5");
  EXPECT_EQ(counts(fabric), (Counts{24, 120, 24 * (3 * 1 + 2 * 2 + 1 * 3) / 2}));
  EXPECT_EQ(diameter(fabric), 3);
  expect_hyperx(fabric, {1, 2, 3});
  for (const SwitchId s : fabric.switches()) {
    EXPECT_EQ(id_at({4, 3, 2}, fabric[s].at), s.index());
    EXPECT_EQ(fabric[s].ports, 15);
    EXPECT_EQ(fabric.at_port(s, 11).host, HostId(5 * s.index()));
  }
}

TEST(Hyperx, OneWidthForAllDimensions) {
  expect_hyperx(make_fabric("hyperx:dims=3x3,width=2"), {2, 2});
  expect_hyperx(make_fabric("hyperx"), {1, 1});
}

TEST(Hyperx, PortsGoByDimensionLinkAndCoordinate) {
  const Fabric fabric = make_fabric("hyperx:dims=3x3,width=2x1");
  // Switch 4 is at (1,1): in dimension 0 switches 3 and 5, twice; in dimension 1 switches 1 and 7.
  std::vector<std::size_t> neighbours;
  for (std::size_t port = 1; port <= 6; ++port)
    neighbours.push_back(behind(fabric, 4, port).index());
  EXPECT_EQ(neighbours, (std::vector<std::size_t>{3, 5, 3, 5, 1, 7}));
}

TEST(Hyperx, Errors) {
  EXPECT_EQ(error_of("hyperx:dims=4x4x4,width=1x2"),
            "hyperx: width=1x2: one number for all dimensions, or one for each, is needed");
  EXPECT_EQ(error_of("hyperx:dims=4x1"), "hyperx: dims=4x1: a dimension needs 2 or more");
  EXPECT_EQ(error_of("hyperx:width=0"), "hyperx: width=0: a dimension needs 1 or more");
}

TEST(Chain, SwitchesHaveHostsOfTheirOwn) {
  const Fabric fabric = make_fabric("chain:hosts=26x6x1,links=2");
  EXPECT_EQ(fabric.switch_count(), 3U);
  EXPECT_EQ(fabric.host_count(), 33U);
  EXPECT_EQ(fabric.link_count(), 4U);
  EXPECT_EQ(fabric[SwitchId(0)].ports, 28U);
  EXPECT_EQ(fabric[SwitchId(1)].ports, 10U);
  EXPECT_EQ(behind(fabric, 1, 2).index(), 0U);
  EXPECT_EQ(behind(fabric, 1, 3).index(), 2U);
  EXPECT_EQ(fabric[HostId(31)].on, SwitchId(1));
  EXPECT_EQ(error_of("chain:links=0"), "chain: links=0: a whole number from 1 to 65000 is needed");
}

}  // namespace
}  // namespace weft::testing
