// SPDX-License-Identifier: Apache-2.0
// The order in which old tables are replaced by new ones, entry by entry, while packets are under
// way: any order, if every mixture of entries is free of deadlock; or nearest first, if that is; or
// else after the packets to some destinations are gone, with the cycle that makes it necessary. Why
// there is no better order is in docs/certificate.md.
#pragma once
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "plan/check/deadlock.hpp"
#include "plan/difference/mixed_tables.hpp"

namespace weft {

/// One wait of a cycle that may arise: packets that hold `channel` request that of the next wait.
struct MixedWait {
  ChannelId channel{};
  Lane lane = 0;
  HostLid to{};           ///< of packets that do so; none: a packet of a group
  std::string entries{};  ///< which make them: "by old then new entries"
};

struct MixedCycle {
  std::vector<MixedWait> waits;
  /// "s0 port 1 lane 0 (to s1) waits for s1 port 2 lane 0 (to s2), for packets to h9 by old
  /// entries".
  std::vector<std::string> describe(const Fabric& fabric) const;
};

/// A switch gets another port for a destination; no_port: none.
struct EntryUpdate {
  unsigned round = 1;  ///< 0: cleared before the first
  SwitchId on{};
  HostLid to{};          ///< none:
  SwitchId to_switch{};  ///< it is this switch
  PortNumber before = no_port, after = no_port;
  friend auto operator<=>(const EntryUpdate&, const EntryUpdate&) = default;
};

enum class SafeUpdate { in_any_order, in_rounds, after_drain };

struct UpdateOrder {
  SafeUpdate safe = SafeUpdate::in_any_order;
  /// Channel numbers that increase along every dependency that may arise.
  Certificate certificate{};
  /// Why not any order, if service levels are known; or why no order is safe before packets have
  /// drained.
  std::optional<MixedCycle> cycle{};
  /// The cycle arises in every order; otherwise only in the one that is given here.
  bool proved = false;
  /// By round; within one the order does not matter. Empty for source routes.
  std::vector<EntryUpdate> updates{};
  unsigned rounds = 0;
  /// The last round sets entries that no new route takes, once the packets on old ones are gone.
  bool waits = false;
  /// Packets to these must be gone before: their entries are cleared, and set again in the rounds.
  std::vector<HostLid> drained{};
  bool groups_drain = false;  ///< and so must those of the old groups
};

/// The dependency cycle is one of the new tables alone; refused: the dependencies are not known.
using UpdateVerdict = std::variant<UpdateOrder, DependencyCycle, Refused>;

UpdateVerdict update_order(const Fabric& fabric, const Tables& before, const Tables& after);

}  // namespace weft
