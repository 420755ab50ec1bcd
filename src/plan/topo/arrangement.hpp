// SPDX-License-Identifier: Apache-2.0
// Which global port of a group leads to which other group: the arrangements of dragonflies
// (Camarero, Vallejo, Beivide, 2014), for both kinds.
#pragma once
#include <cstddef>
#include <vector>

#include "base/params.hpp"
#include "plan/topo/construction.hpp"

namespace weft::topo {

/// The global ports of each group, numbered over its switches, and the groups.
struct GlobalPorts {
  std::size_t per_group, groups;
};

/// Global port j of a group leads to the group j+1 places before it (palmtree) or behind it
/// (relative), to group j without itself (absolute), in turn to those 1, 2, … places behind and
/// before it (circulant), or as many places behind it as the j-th given number says. But for the
/// last, the arrangement is repeated as often as it fits, so every two groups are joined equally
/// often; ports that are left over stay empty.
class Arrangement {
 public:
  /// By the parameter `arrangement`, or `offsets`. Throws Error for offsets that do not fit.
  Arrangement(const Params& params, GlobalPorts ports);

  /// A link from a port of one group to that of another one with a larger number.
  struct GlobalLink {
    std::size_t port, peer, peer_port;
  };
  std::vector<GlobalLink> links_from(std::size_t group) const;
  /// Links of all groups together.
  CheckedCount link_count() const;

  static std::vector<Param> params();

 private:
  enum class PortOrder { palmtree, relative, absolute, circulant, given };
  static PortOrder order_of(const Params& params);
  void take_offsets(const Params& params);
  std::size_t copies() const { return ports_.per_group / (ports_.groups - 1); }
  std::size_t port_towards(std::size_t group, std::size_t peer) const;
  std::vector<GlobalLink> given_links_from(std::size_t group) const;

  GlobalPorts ports_;
  PortOrder order_;
  std::vector<std::size_t> offsets_;
};

}  // namespace weft::topo
