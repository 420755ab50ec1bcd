// SPDX-License-Identifier: Apache-2.0
// What several verbs read: fabrics by file or spec, tables, hosts by name, formats by name.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "base/catalog.hpp"
#include "fabric/format/format.hpp"
#include "lab/cluster.hpp"

namespace weft::cli {

template <class Format>
const Format& find_format(std::span<const Format> formats, const std::string& name) {
  return find_row(formats, "format", name);
}

/// Throws Error when the fabric has no such host or switch.
HostId host_named(const Fabric& fabric, const std::string& name);
SwitchId switch_named(const Fabric& fabric, const std::string& name);
std::vector<HostId> hosts_named(const Fabric& fabric, const std::vector<std::string>& names);

/// "3 switches, 12 hosts, …"
std::string counted(std::size_t n, const char* one, const char* many);

}  // namespace weft::cli
