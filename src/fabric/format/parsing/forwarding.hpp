// SPDX-License-Identifier: Apache-2.0
// ForwardingTables: the entries of InfiniBand's linear forwarding tables, switch by switch, as the
// columns of Tables. A fabric without GUIDs and LIDs has those of with_addresses.
#pragma once
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/format/format.hpp"
#include "fabric/format/parsing/belonging.hpp"

namespace weft {

/// As OpenSM does, it trusts a port GUID more than a LID, and skips unknown switches, GUIDs and
/// LIDs.
class ForwardingTables {
 public:
  /// Throws Error when two ports of the fabric have the same LID. `source` must outlive it.
  ForwardingTables(const Source& source, const Fabric& fabric);

  /// Entries from now on are those of this switch.
  void begin_switch(Guid guid);
  /// The port of a LID at the switch. Throws Error for a port that it does not have, and where
  /// another entry says otherwise.
  void add(std::size_t line, Lid lid, unsigned port, std::optional<Guid> port_guid);
  /// Throws Error when none of the entries belongs to the fabric, or most of the switches do not.
  /// Destinations with the same entries share a column. Notes say what was skipped, and how many
  /// hosts have other LIDs in the entries.
  NotedTables tables() &&;

 private:
  using Column = std::vector<PortNumber>;
  /// Destinations of packets: the hosts, then the switches, then further LIDs of hosts.
  struct Destination {
    Guid guid = 0;
    bool has_guid = true;  ///< or else it was made up
    HostId host{};         ///< none: a switch
    unsigned lid = 0;      ///< above the first of the host
    Column column{};
  };
  /// An entry whose GUID nobody has.
  struct StrangeEntry {
    std::size_t line = 0;
    SwitchId at{};
    Lid lid = 0;
    PortNumber port = 0;
    Guid guid = 0;
  };
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  void know(Destination destination, Lid lid, unsigned further);
  std::uint32_t destination_of(Lid lid, std::optional<Guid> port_guid) const;
  void put(std::size_t line, Lid lid, PortNumber port, std::uint32_t to);
  std::set<Guid> place_strange_entries();
  std::vector<std::string> notes(const std::set<Guid>& strangers) const;
  PortNumber as_column(const Destination& to, PortNumber port) const;

  const Source& source_;
  Fabric fabric_;
  std::unordered_map<Guid, SwitchId> switches_;
  std::unordered_map<Guid, std::uint32_t> by_guid_;
  std::vector<std::uint32_t> by_lid_;
  std::vector<Destination> destinations_;
  std::vector<StrangeEntry> strange_;
  IdVector<HostId, bool> has_lid_;    ///< or else it was made up
  std::set<HostId> with_other_lids_;  ///< hosts with other LIDs in the entries
  SwitchId at_{};
  Belonging switches_seen_;
  bool matched_ = false;
};

}  // namespace weft
