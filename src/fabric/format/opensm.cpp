// SPDX-License-Identifier: Apache-2.0
// OpenSM's linear forwarding tables: opensm-lfts.dump, what dump_fts and ibroute print, and what
// "opensm -R file -U" loads. Only the paths: multicast and service levels are in other files.
//
//   Unicast lids [0-32] of switch Lid 17 guid 0x0000000000100000 ('sw_0_0'):
//   0x0001 005 # Channel Adapter portguid 0x0000000000200001: 'h_0_0'
//   0x0011 000 # Switch portguid 0x0000000000100000: 'sw_0_0'
//
// The reader trusts a port GUID more than a LID; the writer gives a fabric without GUIDs and LIDs
// those of with_addresses.
#include <algorithm>

#include "fabric/format/addresses.hpp"
#include "fabric/format/formats.hpp"
#include "fabric/format/lid_entries.hpp"
#include "fabric/format/parsing/forwarding.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::opensm {
namespace {

constexpr std::string_view header = "Unicast lids";

class OpensmReader {
 public:
  OpensmReader(const Source& source, const Fabric& fabric)
      : source_(source), forwarding_(source, fabric) {}

  NotedTables read() && {
    bool in_switch = false, any = false, ended = false;
    std::size_t ends = 0;
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      if (lines.text.starts_with("0x")) {
        if (in_switch) entry(lines.text);
        if (!any) fail(source_, line_, "an entry before the first \"{} … guid 0x…\" line", header);
      } else if (lines.text.starts_with(header)) {
        begin_block(lines.text);
        in_switch = any = true;
        ended = false;
      } else if (lines.text.starts_with("Multicast")) {
        in_switch = false;
        any = true;
      } else if (lines.text.ends_with("lids dumped") || lines.text.ends_with("lids dumped ")) {
        ended = true;
        ++ends;
      }
    }
    if (ends > 0 && !ended)
      fail(source_, line_,
           "the file is cut off: its last switch does not end with \"lids dumped\"");
    return std::move(forwarding_).tables();
  }

 private:
  /// The GUID after `word`, if there is one.
  std::optional<Guid> guid_after(std::string_view text, std::string_view word) const {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + word.size());
    const std::string_view digits = text.substr(0, text.find_first_of(" \t:)"));
    const auto guid = guid_from(digits);
    if (!guid)
      fail(source_, line_, "\"{}\" is not a GUID; write 0x0002c90200000001", shown(digits));
    return guid;
  }

  void begin_block(std::string_view text) {
    const auto guid = guid_after(text, " guid ");
    if (!guid) fail(source_, line_, "\"{}\" must name the switch by \"guid 0x…\"", header);
    forwarding_.begin_switch(*guid);
  }

  void entry(std::string_view rest) {
    const std::string_view lid_text = take_word(rest).substr(2);
    const std::string_view port_text = take_word(rest);
    const auto lid = number_from<Lid>(lid_text, 16);
    const auto port = number_from<PortNumber>(port_text);
    if (!lid || !port)
      fail(source_, line_, "\"0x{} {}\" is not an entry; write 0x0001 005 (LID, decimal port)",
           shown(lid_text), shown(port_text));
    forwarding_.add(line_, *lid, *port, guid_after(rest, " portguid "));
  }

  const Source& source_;
  ForwardingTables forwarding_;
  std::size_t line_ = 0;
};

// --- writing

class OpensmWriter {
 public:
  OpensmWriter(std::ostream& stream, const Fabric& fabric, const Tables& tables)
      : out_(stream), fabric_(with_addresses(fabric)), entries_(fabric_, tables) {}

  void write() {
    for (SwitchId s : fabric_.switches()) write_block(s);
  }

 private:
  void write_block(SwitchId s) {
    out_.print("{} [0-{}] of switch Lid {} guid 0x{:016x} ('{}'):\n", header,
               entries_.destinations().back().lid, fabric_[s].lid, fabric_[s].guid,
               fabric_[s].name);
    std::size_t count = 0;
    for (const LidDestination& to : entries_.destinations()) {
      const PortNumber out = entries_.port(s, to);
      if (out == no_port) continue;
      ++count;
      if (to.node.valid())
        out_.print("0x{:04x} {:03} # Switch portguid 0x{:016x}: '{}'\n", to.lid, out,
                   fabric_[to.node].guid, fabric_[to.node].name);
      else
        out_.print("0x{:04x} {:03} # Channel Adapter portguid 0x{:016x}: '{}'\n", to.lid, out,
                   fabric_[to.host].port_guid, fabric_[to.host].name);
    }
    out_.print("{} lids dumped\n", count);
  }

  Printer out_;
  Fabric fabric_;
  LidEntries entries_;
};

}  // namespace

NotedTables read(const Source& source, const Fabric& fabric) {
  return OpensmReader(source, fabric).read();
}

void write(std::ostream& stream, const Fabric& fabric, const Tables& tables) {
  OpensmWriter(stream, fabric, tables).write();
}

bool recognises(std::string_view text) {
  for (Lines lines(text.substr(0, 1 << 16)); lines.next();)
    if (lines.text.starts_with(header)) return true;
  return false;
}

}  // namespace weft::opensm
