// SPDX-License-Identifier: Apache-2.0
// Hosts by the names and numbers that users give.
#include "sim/host_names.hpp"

#include "fabric/format/parsing/text.hpp"
#include "fabric/names.hpp"

namespace weft::sim {

HostId host_from(const Fabric& fabric, std::string_view text) {
  if (const auto named = fabric.find_host(text)) return *named;
  const auto number = number_from<std::uint64_t>(text);
  if (number && *number < fabric.host_count()) return HostId(static_cast<std::size_t>(*number));
  if (const auto found = find_host_called(fabric, text)) return *found;
  if (fabric.host_count() == 0) throw Error("the fabric has no hosts");
  const std::size_t last = fabric.host_count() - 1;
  throw Error("the fabric has no host \"{}\"; its hosts are \"{}\" to \"{}\", or 0 to {}",
              shown(text), fabric[HostId(0)].name, fabric[HostId(last)].name, last);
}

}  // namespace weft::sim
