// SPDX-License-Identifier: Apache-2.0
// Multicast groups for tests.
#pragma once
#include <variant>

#include "plan/mcast/mcast.hpp"

namespace weft::test {

/// A group of all hosts for each of them, which is its source: group i is that of host i.
inline void add_groups_of_all(const Fabric& fabric, Tables& tables) {
  for (const HostId from : fabric.hosts()) {
    GroupRequest request{fabric[from].name, {}, from, 0};
    for (const HostId host : fabric.hosts()) request.members.push_back(host);
    tables.groups.push_back(std::get<Group>(make_group({fabric, tables, request}, "union")));
  }
}

}  // namespace weft::test
