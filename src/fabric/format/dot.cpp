// SPDX-License-Identifier: Apache-2.0
// Graphviz: switches as boxes, hosts as small points; switches with two coordinates are placed by
// them ("neato -n"). Written only.
#include "base/speed_text.hpp"
#include "fabric/format/formats.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::dot {
namespace {

constexpr int grid = 100;  // points between neighbours

std::string dot_text(std::string_view text) {
  std::string out = "\"";
  for (const char letter : one_line(text)) {
    if (letter == '"' || letter == '\\') out += '\\';
    out += letter;
  }
  return out + "\"";
}

std::string wire_text(const Wire& wire) {
  std::string out = speed_text(wire.speed);
  if (wire.delay != Delay{}) out += " " + to_text(wire.delay);
  return out;
}

void write_switch(Printer& out, const Fabric& fabric, SwitchId id) {
  const Switch& s = fabric[id];
  out.print("  s{} [shape=box, width=0.3, label={}", id.index(), dot_text(s.name));
  if (s.at.size() == 2)
    out.print(", pos=\"{},{}\"", std::int64_t{s.at[0]} * grid, std::int64_t{s.at[1]} * grid);
  out.put("];\n");
}

/// Hosts are in a row below their switch.
void write_hosts(Printer& out, const Fabric& fabric, SwitchId id) {
  const Switch& s = fabric[id];
  std::int64_t across = 0;
  for (HostId h : fabric.hosts_on(id)) {
    const Host& host = fabric[h];
    out.print("  h{} [xlabel={}", h.index(), dot_text(host.name));
    if (s.at.size() == 2)
      out.print(", pos=\"{},{}\"", std::int64_t{s.at[0]} * grid + across,
                std::int64_t{s.at[1]} * grid - grid / 3);
    out.print("];\n  h{} -- s{} [headlabel=\"{}\", tooltip=\"{}\"];\n", h.index(), id.index(),
              host.port, wire_text(host.wire));
    across += grid / 8;
  }
}

}  // namespace

void write(std::ostream& stream, const Fabric& fabric) {
  Printer out(stream);
  out.print("graph {} {{\n  node [shape=point, width=0.05];\n", dot_text(fabric.name()));
  for (SwitchId s : fabric.switches()) {
    write_switch(out, fabric, s);
    write_hosts(out, fabric, s);
  }
  for (LinkId id : fabric.links()) {
    const Link& link = fabric[id];
    out.print("  s{} -- s{} [taillabel=\"{}\", headlabel=\"{}\", tooltip=\"{}\"];\n",
              link.a.on.index(), link.b.on.index(), link.a.port, link.b.port, wire_text(link.wire));
  }
  out.put("}\n");
}

}  // namespace weft::dot
