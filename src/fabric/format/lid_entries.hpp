// SPDX-License-Identifier: Apache-2.0
// Tables as InfiniBand's switches hold them: at every switch the port by LID, those of the switches
// themselves included.
#pragma once
#include <span>
#include <vector>

#include "fabric/tables.hpp"

namespace weft {

/// One LID: of a host, or of a switch.
struct LidDestination {
  Lid lid = 0;
  HostId host{};
  SwitchId node{};
  ColumnId column{};  ///< of a host
};

class LidEntries {
 public:
  /// The fabric has LIDs; both must outlive it. Throws Error where InfiniBand cannot hold them.
  LidEntries(const Fabric& fabric, const Tables& tables);

  /// By LID, each once.
  std::span<const LidDestination> destinations() const { return order_; }
  /// The out-port, `here` at the switch with this LID, or no_port.
  PortNumber port(SwitchId at, const LidDestination& to) const;

 private:
  /// The route to a switch itself: as the tables say, or else along a tree.
  struct SwitchColumn {
    ColumnId column{};
    std::vector<PortNumber> tree{};
  };
  SwitchColumn column_to(SwitchId s) const;
  void order_by_lid();

  const Fabric& fabric_;
  const Tables& tables_;
  const DestinationTables* next_;
  IdVector<SwitchId, SwitchColumn> to_switch_;
  std::vector<LidDestination> order_;
};

}  // namespace weft
