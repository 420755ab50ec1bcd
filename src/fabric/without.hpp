// SPDX-License-Identifier: Apache-2.0
// A fabric without some of its parts, as after a failure, and what its tables then are. All that
// remains keeps its name, ports, GUID and LID, so that files still fit it by name.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "fabric/tables.hpp"

namespace weft {

/// What is taken out: links between switches, hosts with their links, and switches with their links
/// and hosts.
struct Removal {
  std::set<LinkId> links{};
  std::set<SwitchId> switches{};
  std::set<HostId> hosts{};
  bool empty() const { return links.empty() && switches.empty() && hosts.empty(); }
  /// Whether a host, or the switch that it is on, is taken out.
  bool takes(const Fabric& fabric, HostId host) const {
    return hosts.count(host) > 0 || switches.count(fabric[host].on) > 0;
  }
  /// Whether a link, or a switch at one of its ends, is taken out.
  bool takes(const Fabric& fabric, LinkId link) const {
    return links.count(link) > 0 || switches.count(fabric[link].a.on) > 0 ||
           switches.count(fabric[link].b.on) > 0;
  }
};

/// "link=s0:3,switch=s7,host=h5": a link is named by either end, SWITCH:PORT, and is a host's where
/// a host is there; switches and hosts are named as in names.hpp, and a name with commas may stand
/// in quotes. Throws Error.
Removal removal_from(const Fabric& fabric, std::string_view text);
/// The help of options that take such a text.
inline constexpr const char* removal_help =
    "the fabric without these, as in link=s0:3,switch=s7,host=h5 (a link by\n"
    "either of its ends; a name with commas stands in \"…\")";

/// What is left of a fabric.
struct Remainder {
  Fabric fabric;
  IdVector<SwitchId, SwitchId> switches;  ///< by the id it had; none where it is gone
  IdVector<HostId, HostId> hosts;
  std::string note;  ///< one line for the user: what is gone; empty when nothing is
};

/// "link=s0:3,switch=s7": what removal_from() reads; beyond the first few, how many more.
std::string to_text(const Fabric& fabric, const Removal& removal);

Remainder without(const Fabric& fabric, const Removal& removal);
/// The same by the text of removal_from(); an empty one takes out nothing.
Remainder without(const Fabric& fabric, std::string_view text);

/// The tables that the remaining switches still have: entries lead where they did, even if nothing
/// is there any more. Columns keep their ids, those of hosts that are gone are nobody's.
Tables tables_without(const Tables& tables, const Fabric& before, const Remainder& rest);

/// The fabric without aggregation nodes and routers, which have no traffic of programs; nullopt
/// when there are none.
std::optional<Remainder> only_computers(const Fabric& fabric);

}  // namespace weft
