// SPDX-License-Identifier: Apache-2.0
// Unicast tables as OpenSM (opensm.fdbs) and ibdiagnet (ibdiagnet2.fdbs) dump them for ibdmchk;
// read only.
//
//   dump_ucast_routes: Switch 0x0000000000100000
//   LID    : Port : Hops : Optimal
//   0x0001 : 005  : 01   : yes
//   0x0002 : UNREACHABLE
//
// LIDs are hexadecimal, ports decimal. Hops and what follows are not looked at.
#include "fabric/format/formats.hpp"
#include "fabric/format/parsing/forwarding.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::fdbs {
namespace {

constexpr std::string_view header = "dump_ucast_routes: Switch ";

}  // namespace

NotedTables read(const Source& source, const Fabric& fabric) {
  ForwardingTables forwarding(source, fabric);
  bool any = false;
  for (Lines lines(source.text); lines.next();) {
    std::string_view rest = trimmed(lines.text);
    if (const std::size_t at = rest.find(header); at != std::string_view::npos) {
      rest.remove_prefix(at + header.size());
      const std::string_view word = take_word(rest);
      const auto guid = guid_from(word);
      if (!guid)
        fail(source, lines.number, "\"{}\" is not a GUID; write 0x0002c90200000001", shown(word));
      forwarding.begin_switch(*guid);
      any = true;
    } else if (rest.starts_with("0x")) {
      if (!any) fail(source, lines.number, "an entry before the first \"{}0x…\" line", header);
      const std::string_view lid_text = take_word(rest).substr(2);
      take_word(rest);  // the colon
      const std::string_view port_text = take_word(rest);
      if (port_text == "UNREACHABLE") continue;
      const auto lid = number_from<Lid>(lid_text, 16);
      const auto port = number_from<PortNumber>(port_text);
      if (!lid || !port)
        fail(source, lines.number, "\"{}\" is not an entry; write 0x0001 : 005 (LID, decimal port)",
             shown(trimmed(lines.text)));
      forwarding.add(lines.number, *lid, *port, std::nullopt);
    }
  }
  return std::move(forwarding).tables();
}

bool recognises(std::string_view text) {
  for (Lines lines(text.substr(0, 1 << 16)); lines.next();)
    if (lines.text.find(header) != std::string_view::npos) return true;
  return false;
}

}  // namespace weft::fdbs
