// SPDX-License-Identifier: Apache-2.0
// The plugin of OpenSM (opensm -R weft): hands the subnet that OpenSM has found to the program
// weft, and puts its tables, lanes, service levels and multicast trees where OpenSM programs the
// switches from. If weft refuses or fails, OpenSM takes its next routing engine.
#include <algorithm>
#include <exception>
#include <memory>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

#include "live/frames.hpp"
#include "live/plugin/opensm.hpp"
#include "live/plugin/subnet_text.hpp"
#include "live/plugin/weft_process.hpp"

namespace weft::live {
namespace {

std::vector<std::string> words_of(const char* text) {
  std::vector<std::string> out;
  bool inside = false;
  for (; text != nullptr && *text != '\0'; ++text) {
    const bool space = *text == ' ' || *text == '\t' || *text == '\n';
    if (!space && !inside) out.emplace_back();
    if (!space) out.back() += *text;
    inside = !space;
  }
  return out;
}

template <class Item, class Visit>
void for_each(cl_qmap_t& map, Visit visit) {
  for (cl_map_item_t* item = cl_qmap_head(&map); item != cl_qmap_end(&map);
       item = cl_qmap_next(item))
    visit(*reinterpret_cast<Item*>(item));
}

/// weft understood the question, and says why it has no answer.
struct RefusedByWeft : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Seconds to wait for an answer: a little longer than weft itself does (weft live --patience).
long patience_of(const std::vector<std::string>& words) {
  constexpr long usual = 60, more = 2, most = 1'000'000;
  long seconds = usual;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with("--patience=")) seconds = std::atol(words[i].c_str() + 11);
    if (words[i] == "--patience" && i + 1 < words.size()) seconds = std::atol(words[i + 1].c_str());
  }
  return std::clamp(seconds, 1L, most) + more;
}

/// weft's part in one OpenSM. OpenSM's lock is held in all calls: alone where tables change, shared
/// with others where service levels are asked for.
class Plugin {
 public:
  explicit Plugin(osm_opensm_t& opensm)
      : opensm_(opensm), words_(words_of(opensm.subn.opt.event_plugin_options)) {}

  /// 0, or -1: OpenSM goes on with its next engine.
  int route() {
    try {
      if (std::exchange(trees_failed_, false))
        throw RefusedByWeft("it failed at multicast trees; the next sweep asks again");
      take(subnet_tables(ask_again(frame_of(route_request()))));
      return 0;
    } catch (const std::exception& problem) {
      fail("there are no tables of weft", problem);
      return -1;
    }
  }

  ib_api_status_t grow_tree(osm_mgrp_box_t& group) {
    try {
      osm_purge_mtree(&opensm_.sm, &group);
      const TreeRequest request = request_of(group);
      if (request.members.empty()) return IB_SUCCESS;
      if (!weft_) throw WeftEnded("it has ended");
      for (const GroupPorts& at : tree_tables(ask(frame_of(request), FrameKind::branches)))
        if (osm_switch_t* node = find(at.guid))
          for (unsigned port = 0; port < node->num_ports; ++port)
            if (at.ports[port])
              osm_mcast_tbl_set(osm_switch_get_mcast_tbl_ptr(node), group.mlid,
                                static_cast<std::uint8_t>(port));
      return IB_SUCCESS;
    } catch (const std::exception& problem) {
      fail("there is no multicast tree of weft, so OpenSM routes all by itself", problem);
      trees_failed_ = true;
      opensm_.subn.force_heavy_sweep = TRUE;
      osm_sm_signal(&opensm_.sm, OSM_SIGNAL_SWEEP);
      return IB_ERROR;
    }
  }

  void set_lanes(const osm_physp_t* port, unsigned in, unsigned out, ib_slvl_table_t& table) const {
    if (tables_.levels.empty()) return;
    osm_node_t* node = osm_physp_get_node_ptr(port);
    if (osm_node_get_type(node) != IB_NODE_TYPE_SWITCH) return set(table, tables_.adapters);
    const auto found = by_guid_.find(cl_ntoh64(osm_node_get_node_guid(node)));
    if (found == by_guid_.end()) return;
    const SwitchTables& tables = tables_.switches[found->second];
    if (in > tables.ports || out > tables.ports || tables.lanes.empty()) return;
    set(table, tables.lanes[in * (tables.ports + std::size_t{1}) + out]);
  }

  std::uint8_t level(std::uint8_t otherwise, std::uint16_t from, std::uint16_t to) const {
    if (from >= tables_.source.size() || to >= tables_.row.size()) return otherwise;
    const std::uint32_t row = tables_.row[to], source = tables_.source[from];
    if (row == SubnetTables::unknown || source == SubnetTables::unknown) return otherwise;
    return tables_.levels[row][source];
  }

 private:
  static void set(ib_slvl_table_t& table, const LaneTable& lanes) {
    static_assert(sizeof table.raw_vl_by_sl == sizeof lanes);
    std::memcpy(table.raw_vl_by_sl, lanes.data(), sizeof lanes);
  }

  /// A weft that only refused keeps what it knows; otherwise the next sweep begins anew.
  void fail(const char* what, const std::exception& why) {
    osm_log(&opensm_.log, OSM_LOG_ERROR, "weft: ERR: %s: %.2000s\n", what, why.what());
    if (dynamic_cast<const RefusedByWeft*>(&why) == nullptr) weft_.reset();
  }

  /// Asks for tables. A weft that has served before and is gone is replaced by another one.
  std::string ask_again(const Frame& question) {
    const bool served = weft_ && weft_->has_answered();
    try {
      return ask(question, FrameKind::tables);
    } catch (const WeftEnded& problem) {
      if (!served) throw;
      osm_log(&opensm_.log, OSM_LOG_ERROR, "weft: WARNING: it is started again: %.2000s\n",
              problem.what());
      weft_.reset();
      return ask(question, FrameKind::tables);
    }
  }

  /// Asks weft, and has its notes logged until the answer is there.
  std::string ask(const Frame& question, FrameKind answer) {
    if (!weft_) weft_ = std::make_unique<WeftProcess>(words_, patience_of(words_));
    weft_->send(question);
    for (;;) {
      Frame frame = weft_->receive();
      if (frame.kind == answer) return std::move(frame.bytes);
      if (frame.kind == FrameKind::refused) throw RefusedByWeft(frame.bytes);
      if (frame.kind == FrameKind::note)
        osm_log(&opensm_.log, OSM_LOG_INFO, "weft: %.2000s\n", frame.bytes.c_str());
      else if (frame.kind == FrameKind::warning)
        osm_log(&opensm_.log, OSM_LOG_ERROR, "weft: WARNING: %.2000s\n", frame.bytes.c_str());
      else
        throw std::runtime_error("it answers another question");
    }
  }

  RouteRequest route_request() {
    RouteRequest out{data_lanes(opensm_.subn), {}, subnet_text(opensm_.subn)};
    std::set<std::uint8_t> levels;
    for (const void* group : opensm_.subn.mboxes)
      if (group != nullptr) add_levels(*static_cast<const osm_mgrp_box_t*>(group), levels);
    out.multicast_levels.assign(levels.begin(), levels.end());
    return out;
  }

  template <class Visit>
  static void for_each_group(const osm_mgrp_box_t& box, Visit visit) {
    for (const cl_list_item_t* item = cl_qlist_head(&box.mgrp_list);
         item != cl_qlist_end(&box.mgrp_list); item = cl_qlist_next(item))
      visit(*reinterpret_cast<osm_mgrp_t*>(reinterpret_cast<std::uintptr_t>(item) -
                                           offsetof(osm_mgrp_t, list_item)));
  }

  static void add_levels(const osm_mgrp_box_t& box, std::set<std::uint8_t>& levels) {
    for_each_group(box, [&](const osm_mgrp_t& group) {
      std::uint8_t level = 0;
      ib_member_get_sl_flow_hop(group.mcmember_rec.sl_flow_hop, &level, nullptr, nullptr);
      levels.insert(level);
    });
  }

  static TreeRequest request_of(const osm_mgrp_box_t& box) {
    std::set<std::uint8_t> levels;
    add_levels(box, levels);
    std::set<std::uint64_t> members;
    for_each_group(box, [&](osm_mgrp_t& group) {
      for_each<osm_mcm_port_t>(group.mcm_port_tbl, [&](const osm_mcm_port_t& member) {
        members.insert(cl_ntoh64(member.port->guid));
      });
    });
    return {box.mlid, {levels.begin(), levels.end()}, {members.begin(), members.end()}};
  }

  osm_switch_t* find(std::uint64_t guid) {
    cl_map_item_t* item = cl_qmap_get(&opensm_.subn.sw_guid_tbl, cl_hton64(guid));
    return item == cl_qmap_end(&opensm_.subn.sw_guid_tbl) ? nullptr
                                                          : reinterpret_cast<osm_switch_t*>(item);
  }

  /// What is looked up later without asking.
  static void require_whole(const SubnetTables& tables, const std::vector<osm_switch_t*>& nodes) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const SwitchTables& at = tables.switches[i];
      const std::size_t width = at.ports + std::size_t{1};
      if (width != nodes[i]->num_ports || (!at.lanes.empty() && at.lanes.size() != width * width))
        throw std::runtime_error("it has lanes for another number of ports");
    }
    std::size_t sources = SubnetTables::unknown;
    for (const auto& row : tables.levels) sources = std::min(sources, row.size());
    for (const std::uint32_t row : tables.row)
      if (row != SubnetTables::unknown && row >= tables.levels.size())
        throw std::runtime_error("it has levels that are not there");
    for (const std::uint32_t source : tables.source)
      if (source != SubnetTables::unknown && source >= sources)
        throw std::runtime_error("it has levels of sources that are not there");
  }

  /// Every switch has its table, or none is touched.
  void take(SubnetTables tables) {
    std::vector<osm_switch_t*> nodes;
    for (const SwitchTables& at : tables.switches) {
      nodes.push_back(find(at.guid));
      if (nodes.back() == nullptr) throw std::runtime_error("it names a switch that is not there");
      for (const std::uint8_t port : at.port_by_lid)
        if (port != OSM_NO_PATH && port >= nodes.back()->num_ports)
          throw std::runtime_error("it names a port that is not there");
    }
    require_whole(tables, nodes);
    if (nodes.size() != cl_qmap_count(&opensm_.subn.sw_guid_tbl))
      throw std::runtime_error("it leaves switches out");
    tables_ = std::move(tables);
    by_guid_.clear();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const SwitchTables& at = tables_.switches[i];
      by_guid_.emplace(at.guid, i);
      for (std::size_t lid = 1; lid < at.port_by_lid.size() && lid < nodes[i]->lft_size; ++lid)
        nodes[i]->new_lft[lid] = at.port_by_lid[lid];
    }
    for (osm_switch_t* to : nodes) set_hops(*to, nodes);
  }

  /// The numbers of hops to a switch along the tables, which OpenSM shows in its dumps.
  void set_hops(osm_switch_t& to, const std::vector<osm_switch_t*>& nodes) {
    constexpr std::uint8_t none = 0xFF;
    const std::uint16_t lid = cl_ntoh16(osm_node_get_base_lid(to.p_node, 0));
    hops_.clear();
    hops_[&to] = 0;
    std::vector<osm_switch_t*> route;
    for (osm_switch_t* from : nodes) {
      osm_switch_t* at = from;
      for (route.clear(); !hops_.contains(at);) {
        hops_[at] = none;  // for loops, and where nothing leads on
        route.push_back(at);
        if (at->new_lft[lid] == OSM_NO_PATH) break;
        osm_node_t* next = osm_node_get_remote_node(at->p_node, at->new_lft[lid], nullptr);
        if (next == nullptr || next->sw == nullptr) break;
        at = next->sw;
      }
      for (; !route.empty(); route.pop_back()) {
        const std::uint8_t beyond = hops_[at];
        at = route.back();
        if (beyond >= none - 1) continue;
        hops_[at] = static_cast<std::uint8_t>(beyond + 1);
        osm_switch_set_hops(at, lid, at->new_lft[lid], hops_[at]);
      }
    }
    osm_switch_set_hops(&to, lid, 0, 0);
  }

  osm_opensm_t& opensm_;
  std::vector<std::string> words_;
  std::unique_ptr<WeftProcess> weft_;
  bool trees_failed_ = false;  ///< since the last sweep
  SubnetTables tables_;
  std::unordered_map<std::uint64_t, std::size_t> by_guid_;
  std::unordered_map<const osm_switch_t*, std::uint8_t> hops_;
};

Plugin& plugin_of(void* context) { return *static_cast<Plugin*>(context); }

int no_lid_matrices(void*) { return 0; }
int build_tables(void* context) { return plugin_of(context).route(); }
void update_sl2vl(void* context, osm_physp_t* port, std::uint8_t in, std::uint8_t out,
                  ib_slvl_table_t* table) {
  plugin_of(context).set_lanes(port, in, out, *table);
}
std::uint8_t path_sl(void* context, std::uint8_t hint, const ib_net16_t from, const ib_net16_t to) {
  return plugin_of(context).level(hint, cl_ntoh16(from), cl_ntoh16(to));
}
ib_api_status_t build_tree(void* context, osm_mgrp_box_t* group) {
  return plugin_of(context).grow_tree(*group);
}

int set_up(osm_routing_engine* engine, osm_opensm*) {
  engine->build_lid_matrices = no_lid_matrices;
  engine->ucast_build_fwd_tables = build_tables;
  engine->update_sl2vl = update_sl2vl;
  engine->path_sl = path_sl;
  engine->mcast_build_stree = build_tree;
  return 0;
}

/// Whether OpenSM was compiled with the settings of the headers that are used here.
bool has_known_layout(const osm_opensm& opensm) {
  return opensm.sm.p_subn == &opensm.subn && opensm.sm.p_log == &opensm.log &&
         opensm.subn.p_osm == &opensm;
}

void* create(osm_opensm* opensm) {
  try {
    if (!has_known_layout(*opensm)) {
      std::fputs("weft: ERR: this plugin was made for an OpenSM with other settings\n", stderr);
      return nullptr;
    }
    auto plugin = std::make_unique<Plugin>(*opensm);
    const external_routing_engine_module_t engine{"weft", set_up, plugin.get()};
    if (osm_register_external_routing_engine(opensm, &engine, plugin.get()) != CL_SUCCESS)
      return nullptr;
    return plugin.release();
  } catch (const std::exception& problem) {
    osm_log(&opensm->log, OSM_LOG_ERROR, "weft: ERR: %s\n", problem.what());
    return nullptr;
  }
}

void destroy(void* context) { delete static_cast<Plugin*>(context); }

void report(void*, osm_epi_event_id_t, void*) {}

}  // namespace
}  // namespace weft::live

extern "C" {
/// What OpenSM looks for; it loads only a plugin made for its own version.
extern const osm_event_plugin_t osm_event_plugin __attribute__((visibility("default")));
const osm_event_plugin_t osm_event_plugin{OSM_VERSION, weft::live::create, weft::live::destroy,
                                          weft::live::report};
}
