// SPDX-License-Identifier: Apache-2.0
// The ports of a multicast tree while it grows.
#pragma once
#include <algorithm>
#include <map>
#include <vector>

#include "plan/mcast/mcast.hpp"

namespace weft {

/// Everyone whose switch the tree must touch: the members, and the source if it is none.
inline std::vector<HostId> ends(const GroupRequest& request) {
  std::vector<HostId> out = request.members;
  if (request.source && std::find(out.begin(), out.end(), *request.source) == out.end())
    out.push_back(*request.source);
  return out;
}

class TreePorts {
 public:
  void add(SwitchId s, PortNumber port) {
    auto& ports = ports_[s];
    const auto place = std::lower_bound(ports.begin(), ports.end(), port);
    if (place == ports.end() || *place != port) ports.insert(place, port);
  }
  /// The tree as a group of the request, every member's own port included but the only sender's.
  Group group(const GroupSubject& subject) && {
    const GroupRequest& request = subject.request;
    for (HostId member : request.members)
      if (member != request.source) add(subject.fabric[member].on, subject.fabric[member].port);
    Group out{request.name, request.members, request.source, request.lane, {}};
    for (auto& [s, ports] : ports_) out.out.push_back({s, std::move(ports)});
    return out;
  }

 private:
  std::map<SwitchId, std::vector<PortNumber>> ports_;
};

}  // namespace weft
