// SPDX-License-Identifier: Apache-2.0
// The tables of group schemes and visiting orders.
#include <algorithm>

#include "plan/mcast/schemes.hpp"
#include "plan/route/algorithms/orientation.hpp"

namespace weft {

std::span<const Row<GroupScheme>> group_schemes() {
  static const std::vector<Row<GroupScheme>> rows{
      {"union", union_group, "out-ports of the source's unicast routes together", {}},
      {"shared", shared_group, "one tree for all senders around the nearest switch", {}},
      {"oriented", oriented_group, "one tree of down channels; safe with up*/down* and dl",
       orientation_params()},
      {"rooted",
       rooted_group,
       "up to one switch, copied from there on; any host may send (QsNet)",
       {{"root", FreeText{}, "auto",
         "auto (top of a fat tree, or the middle) or the name of a switch"}}},
  };
  return rows;
}

std::span<const Row<Order>> orders() {
  static const std::vector<Row<Order>> rows{
      {"ro", ro, "random order", {}},
      {"hio", hio, "host-id order", {}},
      {"sho", sho, "one host per switch in random order, then within", {}},
      {"shio", shio, "one host per switch by id, then within", {}},
      {"sco", sco, "within the root's switch, then between: most contention", {}},
      {"1sho-3ro", one_sho_three_ro, "one host per switch, then random order", {}},
  };
  return rows;
}

Grouped make_group(const GroupSubject& subject, std::string_view text) {
  const Spec spec = Spec::parse(text);
  const auto& row = find_row(group_schemes(), "group scheme", spec.name);
  const GroupRequest& request = subject.request;
  if (request.name.empty()) throw Error("a group needs a name");
  if (request.members.size() < 2)
    throw Error("group \"{}\" has fewer than two members", request.name);
  auto sorted = request.members;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw Error("host \"{}\" is in group \"{}\" twice", subject.fabric[*twice].name, request.name);
  if (request.lane >= subject.tables.lane_count)
    throw Error("group \"{}\": lane {} does not exist; the tables have {} (counted from 0)",
                request.name, request.lane, subject.tables.lane_count);
  return row.make(subject, Params(spec, row.params));
}

std::vector<Send> make_order(const Fabric& fabric, std::string_view name,
                             const OrderRequest& request) {
  const auto& row = find_row(orders(), "visiting order", name);
  if (request.hosts.empty()) throw Error("{}: a multicast needs at least one host", name);
  auto sorted = request.hosts;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    throw Error("{}: host \"{}\" is named twice", name, fabric[*twice].name);
  if (request.root &&
      std::find(request.hosts.begin(), request.hosts.end(), *request.root) == request.hosts.end())
    throw Error("{}: the root \"{}\" is not among the hosts", name, fabric[*request.root].name);
  return row.make(fabric, request);
}

std::vector<Send> reversed(std::vector<Send> sends) {
  int last = 0;
  for (const Send& send : sends) last = std::max(last, send.step);
  for (Send& send : sends) send = {last + 1 - send.step, send.to, send.from};
  std::stable_sort(sends.begin(), sends.end(),
                   [](const Send& a, const Send& b) { return a.step < b.step; });
  return sends;
}

}  // namespace weft
