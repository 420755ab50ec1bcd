// SPDX-License-Identifier: Apache-2.0
// A fabric as a section of a page.
#include "lab/page/fabric_section.hpp"

#include <cmath>

#include "base/speed_text.hpp"
#include "lab/draw/layout.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

/// A pixel has no tenths of tenths.
double rounded(double value) { return std::round(value * 10) / 10; }

/// Whether anything has one: those of generated fabrics have none.
bool has_addresses(const Fabric& fabric) {
  for (const SwitchId s : fabric.switches())
    if (fabric[s].lid != 0 || fabric[s].guid != 0) return true;
  for (const HostId h : fabric.hosts())
    if (fabric[h].lid != 0 || fabric[h].guid != 0) return true;
  return false;
}

/// As ibnetdiscover writes them: "LID 5, GUID 0x2c9020040f0f8".
std::string address_of(Lid lid, Guid guid, Guid port_guid = 0) {
  std::vector<std::string> parts;
  if (lid != 0) parts.push_back(fmt::format("LID {}", lid));
  if (guid != 0) parts.push_back(fmt::format("GUID 0x{:x}", guid));
  if (port_guid != 0 && port_guid != guid) parts.push_back(fmt::format("port 0x{:x}", port_guid));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json switches_of(const Fabric& fabric, const FabricLayout& layout) {
  Json out = page_columns({"name", "x", "y", "ports"});
  for (const SwitchId s : fabric.switches()) {
    out["name"].push_back(fabric[s].name);
    out["x"].push_back(rounded(layout.at[s].x));
    out["y"].push_back(rounded(layout.at[s].y));
    out["ports"].push_back(fabric[s].ports);
  }
  if (has_addresses(fabric))
    for (const SwitchId s : fabric.switches())
      out["address"].push_back(address_of(fabric[s].lid, fabric[s].guid));
  return out;
}

Json hosts_of(const Fabric& fabric) {
  Json out = page_columns({"name", "on", "port"});
  for (const HostId h : fabric.hosts()) {
    out["name"].push_back(fabric[h].name);
    out["on"].push_back(fabric[h].on.index());
    out["port"].push_back(fabric[h].port);
  }
  if (has_addresses(fabric))
    for (const HostId h : fabric.hosts())
      out["address"].push_back(address_of(fabric[h].lid, fabric[h].guid, fabric[h].port_guid));
  return out;
}

Json links_of(const Fabric& fabric, const FabricLayout& layout) {
  Json out = page_columns({"a", "a_port", "b", "b_port", "speed", "bow"});
  for (const LinkId l : fabric.links()) {
    const Link& link = fabric[l];
    out["a"].push_back(link.a.on.index());
    out["a_port"].push_back(link.a.port);
    out["b"].push_back(link.b.on.index());
    out["b_port"].push_back(link.b.port);
    out["speed"].push_back(speed_text(link.wire.speed));
    out["bow"].push_back(layout.bow.size() == 0 ? 0.0 : rounded(layout.bow[l]));
  }
  return out;
}

const char* colour_name(MarkColour colour) {
  switch (colour) {
    case MarkColour::good:
      return "good";
    case MarkColour::warning:
      return "warning";
    case MarkColour::bad:
      return "bad";
  }
  return "bad";
}

Json marks_of(const std::vector<FabricMark>& marks) {
  Json out = Json::array();
  for (const FabricMark& mark : marks)
    out.push_back({{"name", mark.name},
                   {"colour", colour_name(mark.colour)},
                   {"switches", page_indices(mark.switches)},
                   {"links", page_indices(mark.links)},
                   {"hosts", page_indices(mark.hosts)}});
  return out;
}

Json loads_of(const Fabric& fabric, const std::vector<LoadsOverTime>& all) {
  Json out = Json::array();
  for (const LoadsOverTime& loads : all) {
    Json values = Json::array();
    for (const IdVector<ChannelId, double>& sample : loads.loads) {
      Json row = Json::array();
      // Four digits: more are not seen, and cost as many bytes.
      for (const ChannelId c : fabric.channels()) row.push_back(std::round(sample[c] * 1e4) / 1e4);
      values.push_back(std::move(row));
    }
    out.push_back(
        {{"name", loads.name}, {"unit", loads.unit}, {"times", loads.times}, {"values", values}});
  }
  return out;
}

}  // namespace

PageSection fabric_section(const PageFabric& shown) {
  const Fabric& fabric = shown.fabric;
  const FabricLayout layout = layout_of(fabric);
  PageSection out{{"kind", "fabric"},
                  {"id", "fabric"},
                  {"title", fabric.name()},
                  {"layout", std::string(layout.name)},
                  {"width", rounded(layout.width)},
                  {"height", rounded(layout.height)},
                  {"switches", switches_of(fabric, layout)},
                  {"hosts", hosts_of(fabric)},
                  {"links", links_of(fabric, layout)}};
  out["labels"] = Json::array();
  for (const LayoutLabel& label : layout.labels)
    out["labels"].push_back(
        {{"x", rounded(label.at.x)}, {"y", rounded(label.at.y)}, {"text", label.text}});
  out["routings"] = Json::array();
  for (const PageRouting& routing : shown.routings)
    out["routings"].push_back(page_routing(fabric, routing));
  if (shown.compared) out["compared"] = {0, 1};
  out["loads"] = loads_of(fabric, shown.loads);
  out["marks"] = marks_of(shown.marks);
  return out;
}

}  // namespace weft
