// SPDX-License-Identifier: Apache-2.0
// A small InfiniBand fabric for the tests of what reads InfiniBand's dumps.
#pragma once
#include "fabric/builder.hpp"

namespace weft::test {

/// a - b by two links (ports 1, 2), c on port 3 of a without a host; h0 on a with two LIDs, and a
/// NIC with two ports, h1 and h2, on b. Two LIDs are left free: 5 and 10.
inline Fabric infiniband_fabric() {
  FabricBuilder builder("small");
  const SwitchId a = builder.add_switch({"a", 4, 0x1000, 11});
  const SwitchId b = builder.add_switch({"b", 4, 0x1001, 12});
  const SwitchId c = builder.add_switch({"c", 4, 0x1002, 13});
  builder.add_host({"h0", a, 4, {}, 0x2000, 0x2001, 2, 1, 1});
  builder.add_host({"h1", b, 4, {}, 0x2010, 0x2011, 4, 1});
  builder.add_host({"h2", b, 3, {}, 0x2010, 0x2012, 6, 2});
  builder.add_link({{a, 1}, {b, 1}, {}});
  builder.add_link({{a, 2}, {b, 2}, {}});
  builder.add_link({{a, 3}, {c, 3}, {}});
  return std::move(builder).build();
}

}  // namespace weft::test
