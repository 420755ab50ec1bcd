// SPDX-License-Identifier: Apache-2.0
// Maps from GUIDs and LIDs, and the numbers in dumps.
#include "fabric/infiniband/port_index.hpp"

#include "fabric/format/parsing/text.hpp"

namespace weft::infiniband {

PortIndex::PortIndex(const Fabric& fabric) : by_lid_(std::size_t{1} << 16) {
  for (SwitchId s : fabric.switches()) switches_.emplace(fabric[s].guid, s);
  for (HostId h : fabric.hosts()) {
    const Host& host = fabric[h];
    hosts_.emplace(host.guid, h);
    if (host.port_guid != host.guid) hosts_.emplace(host.port_guid, h);
    for (unsigned i = 0; host.lid != 0 && i < 1U << host.lmc && host.lid + i < by_lid_.size(); ++i)
      by_lid_[host.lid + i] = h;
  }
}

SwitchId PortIndex::switch_with(Guid guid) const {
  const auto found = switches_.find(guid);
  return found == switches_.end() ? SwitchId::none() : found->second;
}

std::vector<HostId> PortIndex::hosts_with(Guid guid) const {
  std::vector<HostId> out;
  const auto [first, last] = hosts_.equal_range(guid);
  for (auto each = first; each != last; ++each) out.push_back(each->second);
  return out;
}

Guid guid_of(const Source& source, std::size_t line, std::string_view word) {
  const auto guid = guid_from(word.substr(0, word.find_first_of(",:(")));
  if (!guid) fail(source, line, "\"{}\" is not a GUID; write 0x0002c90200000001", shown(word));
  return *guid;
}

unsigned number_of(const Source& source, std::size_t line, std::string_view word, unsigned most,
                   std::string_view what) {
  std::string_view digits = word;
  const int base = take_prefix(digits, "0x") || take_prefix(digits, "0X") ? 16 : 10;
  const auto value = number_from<unsigned>(digits, base);
  if (!value || *value > most)
    fail(source, line, "\"{}\" is not {}; a number up to {} is needed", shown(word), what, most);
  return *value;
}

}  // namespace weft::infiniband
