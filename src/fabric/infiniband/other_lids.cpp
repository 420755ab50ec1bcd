// SPDX-License-Identifier: Apache-2.0
// Compares LIDs beside port GUIDs: 0x0001 005 # Channel Adapter portguid 0x0000000000200001: 'h'
#include "fabric/infiniband/other_lids.hpp"

#include <set>

#include "fabric/format/parsing/text.hpp"
#include "fabric/infiniband/port_index.hpp"
#include "fabric/rematch.hpp"

namespace weft::infiniband {

std::vector<std::string> other_lids(const Source& source, const Fabric& fabric) {
  constexpr std::string_view header = "Unicast lids", mark = "portguid ";
  if (!source.text.starts_with(header)) return {};
  const PortIndex index(fabric);
  std::set<HostId> others;
  std::size_t headers = 0;
  for (Lines lines(source.text); lines.next() && headers < 2;) {
    headers += lines.text.starts_with(header) ? 1 : 0;
    std::string_view rest = lines.text;
    const std::size_t at = rest.find(mark);
    if (!take_prefix(rest, "0x") || at == std::string_view::npos) continue;
    const std::string_view behind = lines.text.substr(at + mark.size());
    const auto lid = number_from<Lid>(take_word(rest), 16);
    const auto guid = guid_from(behind.substr(0, behind.find_first_of(" :)")));
    if (!lid || !guid) continue;
    for (HostId h : index.hosts_with(*guid))
      if (fabric[h].port_guid == *guid && fabric[h].lid != 0 && index.host_with(*lid) != h)
        others.insert(h);
  }
  if (others.empty()) return {};
  return {other_lids_note(others.size())};
}

}  // namespace weft::infiniband
