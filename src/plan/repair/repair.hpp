// SPDX-License-Identifier: Apache-2.0
// Repair of destination tables after failures, without routing everything anew: only routes over
// what failed move, each to a shortest detour. A detour may take any turn that closes no dependency
// cycle with the turns of all other routes, old and new, so tables that were free of deadlock
// remain so; the channel numbers of an AcyclicOrder are the certificate. Failures are tried one
// after the other, and the work for one follows the number of routes that move.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "fabric/turn_index.hpp"
#include "fabric/without.hpp"
#include "plan/route/algorithms/acyclic_order.hpp"

namespace weft {

/// What became of the routes between the hosts that remain.
struct RepairResult {
  /// The failure costs no pair that links still join. Otherwise detours would close cycles, and
  /// only an engine that routes everything anew may find more.
  bool complete = true;
  std::uint64_t reached = 0;  ///< ordered pairs of hosts, a host with itself included
  std::uint64_t hop_sum = 0;  ///< switches on the route, over the reached pairs
  std::uint64_t most_hops = 0;
  std::uint64_t changed_entries = 0;  ///< of such switches, in columns that lead to hosts
};

class TableRepair {
 public:
  /// Whether these tables can be repaired: destination tables on one known lane, each column with
  /// one last switch, and no multicast groups. Hosts that have no column, or one that does not end
  /// at them, stay lost.
  static bool serves(const Fabric& fabric, const Tables& tables);

  /// Both must outlive it.
  TableRepair(const Fabric& fabric, const Tables& tables);
  TableRepair(const TableRepair&) = delete;
  TableRepair& operator=(const TableRepair&) = delete;

  /// The unbroken tables.
  const RepairResult& whole() const { return whole_; }
  /// Whether the unbroken tables are free of deadlock, and so the repaired ones.
  bool certified() const { return certified_; }

  /// Undoes the failure before, and takes out links and switches. What is found not to be complete
  /// is given up, and the rest of the result not filled in, or else repaired as far as can be.
  RepairResult operator()(const Removal& failure, bool may_give_up = true);
  /// The tables after the last call, for the fabric with all its parts: no route takes what failed,
  /// and entries of switches that failed are as they were.
  const Tables& tables() const { return repaired_; }
  /// By column: whether some of its entries differ from the unbroken ones.
  const std::vector<bool>& changed_columns() const { return changed_columns_; }

 private:
  using Depth = std::uint16_t;  ///< switches on the route; 0: there is none
  struct EntryBefore {
    ColumnId column;
    SwitchId on;
    PortNumber port;
    Depth depth;
  };
  struct BrokenEntry {
    ColumnId column;
    SwitchId on;
  };
  /// Of one column, over all switches with hosts.
  struct ColumnTotals {
    std::uint64_t reached = 0, hop_sum = 0, most_hops = 0;
  };

  /// A port by which an orphan may attach, the best first.
  struct AttachPort {
    std::uint32_t moved;  ///< columns that moved there; 0 for the port that it had
    PortNumber port;
    ChannelId channel;
    friend auto operator<=>(const AttachPort&, const AttachPort&) = default;
  };

  void measure_columns();
  void order_turns();
  void undo();
  void remove(const Removal& failure);
  void kill(ChannelId channel);
  std::vector<BrokenEntry> broken_entries() const;
  void leave_out_hosts(RepairResult& result);
  void repair_column(ColumnId column, std::size_t first, std::size_t last, RepairResult& result);
  void collect_orphans(ColumnId column, std::size_t first, std::size_t last);
  void reattach(ColumnId column);
  bool allow(ChannelId in, ChannelId out);
  bool allow_route(ColumnId column, ChannelId by);
  bool attach(ColumnId column, SwitchId s, Depth depth);
  void offer(SwitchId s, std::size_t depth);
  void account(ColumnId column, RepairResult& result);
  ColumnTotals totals(ColumnId column) const;
  bool joined(SwitchId a, SwitchId b);
  std::uint64_t sources(SwitchId s) const { return gone_[s] != 0 ? 0 : hosts_on_[s]; }

  const Fabric& fabric_;
  const Tables& tables_;
  TurnIndex turns_;
  AcyclicOrder order_;
  bool certified_ = true;
  Tables repaired_;
  DestinationTables& next_;          ///< of repaired_
  Grid<Depth> depth_;                ///< by column and switch
  Grid<PortNumber> by_switch_;       ///< the unbroken entries, a row for each switch
  std::vector<SwitchId> last_;       ///< by column: the switch of its hosts
  std::vector<std::uint64_t> aims_;  ///< by column: its hosts, where it ends at them
  std::vector<ColumnTotals> column_totals_;
  IdVector<SwitchId, std::uint64_t> hosts_on_;
  std::vector<bool> used_turns_;
  RepairResult whole_{};

  // The present failure.
  IdVector<ChannelId, std::uint8_t> dead_;
  IdVector<SwitchId, std::uint8_t> gone_;
  std::vector<ChannelId> dead_channels_;
  std::vector<SwitchId> gone_switches_;
  std::vector<Turn> turns_taken_out_, turns_added_;
  std::vector<bool> closes_cycle_;  ///< by turn: known to be impossible, as turns are only added
  std::vector<std::size_t> known_cycles_;
  std::vector<EntryBefore> changes_;
  std::vector<bool> changed_columns_;
  std::vector<std::uint64_t> most_;           ///< by column: switches on its longest route
  IdVector<ChannelId, std::uint32_t> moved_;  ///< columns that moved to a channel
  std::vector<ChannelId> moved_channels_;
  IdVector<SwitchId, std::uint32_t> component_;

  // The present column.
  std::vector<BrokenEntry> broken_;
  std::vector<SwitchId> orphans_;
  IdVector<SwitchId, std::uint8_t> is_orphan_;
  std::vector<EntryBefore> before_;               ///< of the orphans
  std::vector<std::vector<SwitchId>> by_length_;  ///< orphans that may attach with this depth
  std::size_t shortest_ = 0, longest_ = 0;        ///< of these
  std::vector<AttachPort> options_;
  std::size_t waiting_ = 0;  ///< orphans with hosts, not yet attached
};

/// Tables for the fabric with all its parts, whose unicast routes to first LIDs take nothing that
/// has failed, as far as there are detours; the tables themselves where they cannot be repaired.
Tables repaired(const Fabric& fabric, Tables tables, Removal failure);

}  // namespace weft
