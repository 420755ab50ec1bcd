// SPDX-License-Identifier: Apache-2.0
// Goes through OpenSM's nodes.
#include "live/plugin/subnet_text.hpp"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdarg>
#include <vector>

namespace weft::live {
namespace {

class SubnetWriter {
 public:
  explicit SubnetWriter(osm_subn_t& subnet) : subnet_(subnet) {}

  std::string write() && {
    for (cl_map_item_t* item = cl_qmap_head(&subnet_.node_guid_tbl);
         item != cl_qmap_end(&subnet_.node_guid_tbl); item = cl_qmap_next(item))
      nodes_.push_back(reinterpret_cast<osm_node_t*>(item));
    // OpenSM's order is that of the bytes of GUIDs, from the last one: other machines, other
    // orders.
    std::sort(nodes_.begin(), nodes_.end(),
              [](osm_node_t* a, osm_node_t* b) { return guid(a) < guid(b); });
    for (osm_node_t* node : nodes_) write(node);
    return std::move(out_);
  }

 private:
  static std::uint64_t guid(osm_node_t* node) { return cl_ntoh64(osm_node_get_node_guid(node)); }
  static char letter(osm_node_t* node) {
    const auto type = osm_node_get_type(node);
    return type == IB_NODE_TYPE_SWITCH ? 'S' : type == IB_NODE_TYPE_ROUTER ? 'R' : 'H';
  }

  void print(const char* form, ...) __attribute__((format(printf, 2, 3))) {
    std::array<char, 512> line{};
    va_list values;
    va_start(values, form);
    std::vsnprintf(line.data(), line.size(), form, values);
    va_end(values);
    out_ += line.data();
  }

  /// A description on one line, without quotes: it stands in quotes.
  static std::string name(osm_node_t* node) {
    std::string out = node->print_desc != nullptr ? node->print_desc : "";
    std::replace_if(
        out.begin(), out.end(),
        [](unsigned char letter) { return letter < 0x20 || letter == '"' || letter == 0x7F; }, '_');
    return out;
  }

  void write(osm_node_t* node) {
    const bool is_switch = letter(node) == 'S';
    const unsigned ports = osm_node_get_num_physp(node) - 1U;
    if (is_switch) {
      print("switchguid=0x%" PRIx64 "(%" PRIx64 ")\nSwitch\t%u \"S-%016" PRIx64 "\"\t\t# \"",
            guid(node), guid(node), ports, guid(node));
      out_ += name(node);
      print("\" base port 0 lid %u lmc 0\n", cl_ntoh16(osm_node_get_base_lid(node, 0)));
    } else {
      print("%s=0x%" PRIx64 "\n%s\t%u \"%c-%016" PRIx64 "\"\t\t# \"",
            letter(node) == 'R' ? "rtguid" : "caguid", guid(node),
            letter(node) == 'R' ? "Rt" : "Ca", ports, letter(node), guid(node));
      out_ += name(node) + "\"\n";
    }
    for (unsigned port = 1; port <= ports; ++port) write_port(node, port);
    out_ += '\n';
  }

  void write_port(osm_node_t* node, unsigned number) {
    osm_physp_t* port = osm_node_get_physp_ptr(node, number);
    osm_physp_t* other = port == nullptr ? nullptr : osm_physp_get_remote(port);
    if (other == nullptr) return;
    osm_node_t* peer = osm_physp_get_node_ptr(other);
    print("[%u]", number);
    if (letter(node) != 'S') print("(%" PRIx64 ") ", cl_ntoh64(osm_physp_get_port_guid(port)));
    print("\t\"%c-%016" PRIx64 "\"[%u]", letter(peer), guid(peer), osm_physp_get_port_num(other));
    if (letter(peer) != 'S') print("(%" PRIx64 ") ", cl_ntoh64(osm_physp_get_port_guid(other)));
    out_ += "\t\t# ";
    if (letter(node) != 'S')
      print("lid %u lmc %u ", cl_ntoh16(osm_physp_get_base_lid(port)),
            ib_port_info_get_lmc(&port->port_info));
    out_ += '"' + name(peer) + '"';
    const std::uint16_t lid = cl_ntoh16(letter(peer) == 'S' ? osm_node_get_base_lid(peer, 0)
                                                            : osm_physp_get_base_lid(other));
    print(" lid %u %s%s\n", lid, width(port), speed(port));
  }

  static const char* width(osm_physp_t* port) {
    switch (port->port_info.link_width_active) {
      case 1:
        return "1x";
      case 4:
        return "8x";
      case 8:
        return "12x";
      case 16:
        return "2x";
      default:
        return "4x";
    }
  }

  static const char* speed(osm_physp_t* port) {
    const ib_port_info_t& info = port->port_info;
    if ((info.capability_mask & IB_PORT_CAP_HAS_EXT_SPEEDS) != 0) {
      const unsigned extended = ib_port_info_get_link_speed_ext_active(&info);
      for (const auto& [bit, name] : {std::pair{8U, "NDR"}, {4U, "HDR"}, {2U, "EDR"}, {1U, "FDR"}})
        if ((extended & bit) != 0) return name;
    }
    if ((port->ext_port_info.link_speed_active & FDR10) != 0) return "FDR10";
    const unsigned plain = ib_port_info_get_link_speed_active(&info);
    return plain == 4 ? "QDR" : plain == 2 ? "DDR" : "SDR";
  }

  osm_subn_t& subnet_;
  std::vector<osm_node_t*> nodes_;
  std::string out_;
};

}  // namespace

std::string subnet_text(osm_subn_t& subnet) { return SubnetWriter(subnet).write(); }

std::uint32_t data_lanes(osm_subn_t& subnet) {
  if (subnet.opt.qos == FALSE) return 1;
  // VLs have numbers of their own: 1 to 5 mean 1, 2, 4, 8 and 15 data lanes.
  static constexpr std::array<std::uint32_t, 6> lanes{1, 1, 2, 4, 8, 15};
  unsigned least = subnet.opt.max_op_vls;
  for (cl_map_item_t* item = cl_qmap_head(&subnet.sw_guid_tbl);
       item != cl_qmap_end(&subnet.sw_guid_tbl); item = cl_qmap_next(item)) {
    osm_node_t* node = reinterpret_cast<osm_switch_t*>(item)->p_node;
    for (unsigned number = 1; number < osm_node_get_num_physp(node); ++number) {
      osm_physp_t* port = osm_node_get_physp_ptr(node, number);
      if (port != nullptr && osm_physp_get_remote(port) != nullptr)
        least = std::min<unsigned>(least, ib_port_info_get_vl_cap(&port->port_info));
    }
  }
  return lanes[std::min<std::size_t>(least, lanes.size() - 1)];
}

}  // namespace weft::live
