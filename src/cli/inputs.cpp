// SPDX-License-Identifier: Apache-2.0
// What several verbs read.
#include "cli/inputs.hpp"

#include "base/error.hpp"

namespace weft::cli {

HostId host_named(const Fabric& fabric, const std::string& name) {
  if (const auto found = fabric.find_host(name)) return *found;
  if (fabric.host_count() == 0) throw Error("the fabric has no hosts");
  throw Error("the fabric has no host \"{}\"; its hosts are \"{}\" to \"{}\"", name,
              fabric[HostId(0)].name, fabric[HostId(fabric.host_count() - 1)].name);
}

SwitchId switch_named(const Fabric& fabric, const std::string& name) {
  if (const auto found = fabric.find_switch(name)) return *found;
  if (fabric.switch_count() == 0) throw Error("the fabric has no switches");
  throw Error("the fabric has no switch \"{}\"; its switches are \"{}\" to \"{}\"", name,
              fabric[SwitchId(0)].name, fabric[SwitchId(fabric.switch_count() - 1)].name);
}

std::vector<HostId> hosts_named(const Fabric& fabric, const std::vector<std::string>& names) {
  std::vector<HostId> out;
  for (const std::string& name : names) out.push_back(host_named(fabric, name));
  return out;
}

std::string counted(std::size_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace weft::cli
