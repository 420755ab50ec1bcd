// SPDX-License-Identifier: Apache-2.0
// Multicast: schemes that make a group's tables, and visiting orders for multicast by unicast. One
// file per scheme or order, one row per file.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/catalog.hpp"
#include "base/error.hpp"
#include "fabric/tables.hpp"

namespace weft {

struct GroupRequest {
  std::string name;
  std::vector<HostId> members;
  std::optional<HostId> source{};
  Lane lane = 0;
};

using Grouped = std::variant<Group, Refused>;
/// The input of a scheme; only some schemes follow the routes of the tables.
struct GroupSubject {
  const Fabric& fabric;
  const Tables& tables;
  const GroupRequest& request;
};
using GroupScheme = Grouped(const GroupSubject&, const Params&);

std::span<const Row<GroupScheme>> group_schemes();
/// Runs the scheme of a spec such as "union" or "oriented:tree=dfs". Throws Error for a wrong spec
/// or members that make no group.
Grouped make_group(const GroupSubject& subject, std::string_view spec);

/// One unicast message of a multicast: in this step, counted from 1.
struct Send {
  int step = 0;
  HostId from{}, to{};
  friend bool operator==(const Send&, const Send&) = default;
};

struct OrderRequest {
  std::vector<HostId> hosts;     ///< everyone, the root included
  std::optional<HostId> root{};  ///< none: the lowest host, or a random one for random orders
  std::uint64_t seed = 1;
};

using Order = std::vector<Send>(const Fabric&, const OrderRequest&);

std::span<const Row<Order>> orders();
std::vector<Send> make_order(const Fabric& fabric, std::string_view name,
                             const OrderRequest& request);

/// The gathering of a barrier: the same messages backwards in time and direction.
std::vector<Send> reversed(std::vector<Send> sends);

}  // namespace weft
