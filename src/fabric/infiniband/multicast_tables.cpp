// SPDX-License-Identifier: Apache-2.0
// Reading multicast tables.
//
//   Switch 0x0000000000100000                         opensm.mcfdbs, ibdiagnet2.mcfdbs
//   LID    : Out Port(s)
//   0xC001 : 0x003  0x005                             ports are hexadecimal
//
//   Multicast mlids [0xc000-0xc3ff] of switch … guid 0x0000000000100000 (sw_0_0):
//        Ports: 0 1 2 3 4 5 6 7 8                     dump_fts -M, ibroute -M
//    MLid
//   0xc001              x x                           port p in column 12 + 2p
#include "fabric/infiniband/multicast_tables.hpp"

#include <algorithm>
#include <map>

#include "fabric/format/parsing/belonging.hpp"
#include "fabric/infiniband/dump_words.hpp"
#include "fabric/infiniband/port_index.hpp"

namespace weft::infiniband {
namespace {

constexpr std::string_view marked_header = "Multicast mlids";

class MulticastReader {
 public:
  MulticastReader(const Source& source, const Fabric& fabric)
      : source_(source), fabric_(fabric), index_(fabric) {}

  MulticastTables read() && {
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      line(lines.text);
    }
    switches_seen_.require_most(source_, "tables", "switches");
    MulticastTables out{{}, switches_seen_.note("tables")};
    for (auto& [mlid, ports] : ports_) out.groups.push_back(group(mlid, ports));
    return out;
  }

 private:
  void line(std::string_view text) {
    if (text.starts_with(marked_header)) {
      const std::size_t at = text.find(" guid ");
      if (at == std::string_view::npos)
        fail(source_, line_, "\"{}\" must name the switch by \"guid 0x…\"", marked_header);
      std::string_view rest = text.substr(at + 6);
      begin(take_word(rest), true);
    } else if (text.starts_with("Unicast")) {
      known_ = false;
    } else if (text.starts_with("Switch ")) {
      std::string_view rest = text.substr(7);
      begin(take_word(rest), false);
    } else if (text.starts_with("0x") && known_) {
      row(text);
    }
  }
  void begin(std::string_view guid, bool marks) {
    at_ = index_.switch_with(guid_of(source_, line_, guid));
    known_ = at_.valid();
    switches_seen_.count(known_);
    marks_ = marks;
  }
  void row(std::string_view text) {
    std::string_view rest = text;
    const unsigned mlid = number_of(source_, line_, take_word(rest), 0xFFFF, "a multicast LID");
    std::vector<PortNumber>& ports = ports_[mlid][at_];
    if (marks_) {
      constexpr std::size_t first = 12;
      for (std::size_t column = first; column < text.size(); column += 2)
        if (text[column] == 'x') add(ports, static_cast<unsigned>(column - first) / 2);
      return;
    }
    if (take_word(rest) != ":") fail(source_, line_, "write 0xC001 : 0x003 0x005 (LID, ports)");
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest))
      add(ports, number_of(source_, line_, word, most_ports, "a port"));
  }
  void add(std::vector<PortNumber>& ports, unsigned port) const {
    if (port > fabric_[at_].ports)
      fail(source_, line_, "switch \"{}\" has {} ports, there is no port {}", fabric_[at_].name,
           fabric_[at_].ports, port);
    const auto value = static_cast<PortNumber>(port);
    if (port != 0 && std::find(ports.begin(), ports.end(), value) == ports.end())
      ports.push_back(value);
  }
  Group group(unsigned mlid, const std::map<SwitchId, std::vector<PortNumber>>& ports) const {
    Group out;
    out.name = fmt::format("0x{:04x}", mlid);
    for (const auto& [on, listed] : ports) {
      if (listed.empty()) continue;
      out.out.push_back({on, listed});
      for (const PortNumber port : listed)
        if (const HostId host = fabric_.at_port(on, port).host; host.valid())
          out.members.push_back(host);
    }
    std::sort(out.members.begin(), out.members.end());
    return out;
  }

  const Source& source_;
  const Fabric& fabric_;
  PortIndex index_;
  std::map<unsigned, std::map<SwitchId, std::vector<PortNumber>>> ports_;
  Belonging switches_seen_;
  std::size_t line_ = 0;
  SwitchId at_{};
  bool known_ = false, marks_ = false;
};

}  // namespace

bool recognises_multicast(std::string_view text) {
  for (Lines lines(text.substr(0, 1 << 16)); lines.next();) {
    if (lines.text.starts_with(marked_header)) return true;
    if (lines.text.starts_with("LID") && lines.text.find("Out Port") != std::string_view::npos)
      return true;
    if (lines.text.starts_with("Unicast")) return false;
  }
  return false;
}

MulticastTables read_multicast(const Source& source, const Fabric& fabric) {
  return MulticastReader(source, fabric).read();
}

}  // namespace weft::infiniband
