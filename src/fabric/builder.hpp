// SPDX-License-Identifier: Apache-2.0
// FabricBuilder: collects switches, hosts and links and makes the Fabric. It refuses a
// contradiction where it is added, so that a parser can name the line.
#pragma once
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "fabric/fabric.hpp"

namespace weft {

class FabricBuilder {
 public:
  explicit FabricBuilder(std::string name) : name_(std::move(name)) {}

  // Each throws Error when a name, GUID or LID is taken, a port does not exist or is in use,
  // or a wire has no speed.
  SwitchId add_switch(Switch);
  HostId add_host(Host);
  LinkId add_link(Link);
  /// A link between the next free port of each.
  LinkId connect(SwitchId a, SwitchId b, Wire wire) { return add_link({{a, 0}, {b, 0}, wire}); }

  std::size_t switch_count() const { return switches_.size(); }
  std::size_t host_count() const { return hosts_.size(); }
  const Switch& operator[](SwitchId id) const { return switches_[id]; }
  const Host& operator[](HostId id) const { return hosts_[id]; }

  Fabric build() &&;

 private:
  const Switch& known(SwitchId s) const;
  PortNumber claim(SwitchId s, PortNumber port);
  void claim_name(const std::string& name, const char* kind);
  void claim_guid(Guid guid, const std::string& owner);
  void claim_lid(Lid lid, const std::string& owner);

  std::string name_;
  IdVector<SwitchId, Switch> switches_;
  IdVector<HostId, Host> hosts_;
  IdVector<LinkId, Link> links_;
  std::vector<std::vector<bool>> used_;
  std::vector<PortNumber> next_free_;
  std::unordered_set<std::string> switch_names_, host_names_;
  std::unordered_map<Guid, std::string> guids_;
  std::set<std::pair<Guid, PortNumber>> nic_ports_;
  std::unordered_map<Lid, std::string> lids_;
};

}  // namespace weft
