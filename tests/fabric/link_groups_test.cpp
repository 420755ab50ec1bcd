// SPDX-License-Identifier: Apache-2.0
// Tags that name groups of links: their ports, what does not fit, and the text of routes.
#include <gtest/gtest.h>

#include "fabric/route_set.hpp"
#include "format_support.hpp"
#include "support/fabrics.hpp"

namespace weft::test::link_groups {
namespace {

TEST(SourceRoutes, TagsNamePortsAndGroups) {
  SourceRoutes routes(1);
  EXPECT_EQ(routes.add_links({3, 4}), first_link_group);
  EXPECT_EQ(routes.add_links({7}), first_link_group + 1);
  const auto ports = [&](unsigned number) {
    const auto tag = static_cast<PortNumber>(number);
    const auto named = routes.ports(tag);
    return std::vector<PortNumber>(named.begin(), named.end());
  };
  EXPECT_EQ(ports(0), (std::vector<PortNumber>{0}));
  EXPECT_EQ(ports(most_ports), (std::vector<PortNumber>{most_ports}));
  EXPECT_EQ(ports(first_link_group), (std::vector<PortNumber>{3, 4}));
  EXPECT_EQ(ports(first_link_group + 1), (std::vector<PortNumber>{7}));
  EXPECT_EQ(ports(first_link_group + 2), (std::vector<PortNumber>{}));
  EXPECT_EQ(ports(no_port), (std::vector<PortNumber>{no_port}));
}

/// What require_fit says of a ring of three with this group g0, and these tags from s1.
std::string fit_of(const std::vector<PortNumber>& group, const std::vector<PortNumber>& tags) {
  const Fabric fabric = ring(3);
  SourceRoutes routes(3);
  routes.add_links(group);
  for (int i = 0; i < 3; ++i) routes.push_back(i == 1 ? std::optional(tags) : std::nullopt);
  Tables tables;
  tables.paths = routes;
  tables.to_host.assign(fabric.host_count(), ColumnId(0));
  return message_of([&] { require_fit(fabric, tables); });
}

constexpr PortNumber g0 = first_link_group;

TEST(LinkGroups, Fit) {
  EXPECT_EQ(fit_of({1, 2}, {g0, g0, g0}), "(no error)");
  EXPECT_EQ(fit_of({1, 2}, {1, g0 + 1}),
            "a source route from switch \"s1\" names group g1 of links; there are 1");
  EXPECT_EQ(fit_of({1, 2}, {1, 0}),
            "a source route from switch \"s1\" names port 0; ports count from 1");
  EXPECT_EQ(fit_of({}, {1}), "group g0 of links is empty");
  EXPECT_EQ(fit_of({1, 0}, {1}),
            "group g0 of links has port 0; the switches have ports from 1 to 3");
  EXPECT_EQ(fit_of({1, 4}, {1}),
            "group g0 of links has port 4; the switches have ports from 1 to 3");
  EXPECT_EQ(fit_of({1, 2, 1}, {1}), "group g0 of links has port 1 twice");
}

TEST(LinkGroups, TagsThatAreLeftAtAHostDoNotFit) {
  constexpr PortNumber host = 3;
  EXPECT_EQ(fit_of({1, host}, {host}), "(no error)");
  EXPECT_EQ(fit_of({1, host}, {1, g0}), "(no error)");
  const std::string longer = "a source route from switch \"s1\" is longer than its path: at host ";
  EXPECT_EQ(fit_of({1, host}, {host, 1}), longer + "\"h1\" a tag is left");
  EXPECT_EQ(fit_of({1, host}, {1, 2, host, 1, 1}), longer + "\"h2\" 2 tags are left");
  EXPECT_EQ(fit_of({1, host}, {g0, 1}), longer + "\"h1\" a tag is left");
  EXPECT_EQ(fit_of({1, 2}, {g0, g0, g0, g0, host, 1}).substr(0, longer.size()), longer);
}

/// A line of three with two links each; the tables lead to h2.
class LinkGroupRoutes : public ::testing::Test {
 protected:
  Fabric fabric = from_links(3, {{0, 1}, {0, 1}, {1, 2}, {1, 2}});
  std::string text(const std::vector<PortNumber>& group, const std::vector<PortNumber>& tags) {
    SourceRoutes routes(3);
    routes.add_links(group);
    routes.push_back(tags);
    routes.push_back(std::nullopt);
    routes.push_back(std::vector<PortNumber>{});
    Tables tables;
    tables.paths = routes;
    tables.to_host.assign(fabric.host_count(), ColumnId(0));
    return route_text(fabric, tables, HostId(0), HostId(2)) + "; " +
           route_text(fabric, tables, HostId(1), HostId(2));
  }
};

TEST_F(LinkGroupRoutes, InWords) {
  EXPECT_EQ(text({1, 2}, {g0, 3}),
            "h0 -> s0:1|2 lane 0 -> s1:3 lane 0 -> s2:3 -> h2; h1 -> s1: no entry for h2");
  EXPECT_EQ(text({3, 4}, {1, g0}),
            "h0 -> s0:1 lane 0 -> s1:3|4 lane 0 -> s2:3 -> h2; h1 -> s1: no entry for h2");
  EXPECT_EQ(text({1, 3}, {1, g0}),
            "h0 -> s0:1 lane 0 -> s1:1 lane 0 -> s0:0: delivered to somebody else; h1 -> s1: no "
            "entry for h2");
}

}  // namespace
}  // namespace weft::test::link_groups
