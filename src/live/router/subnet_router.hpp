// SPDX-License-Identifier: Apache-2.0
// Routes a subnet again and again, as OpenSM finds it, and knows what it answered before.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "live/frames.hpp"
#include "live/router/subnet_answer.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/difference/update_order.hpp"

namespace weft::live {

/// Lines for OpenSM's log, of a sweep or a group.
struct LogLines {
  std::vector<std::string> notes{};
  std::vector<std::string> warnings{};  ///< what somebody should look at
};

/// Tables for a subnet whose links have so many lanes, of an engine or a file.
using TablesSource = std::function<std::variant<Tables, Refused>(const Fabric&, unsigned lanes)>;

/// A subnet as it was routed.
struct RoutedSubnet {
  Fabric fabric;
  Tables tables;  ///< with the groups that were asked for
  SpareLevels spare{};
  MulticastTree tree{};
  bool certified = false;               ///< unicast alone
  std::set<std::uint8_t> levels{};      ///< of groups that are proven not to deadlock either
  std::optional<UpdateOrder> update{};  ///< from the tables of the sweep before
  std::vector<SwitchTables> entries{};  ///< as they were answered, without lanes
};

class SubnetRouter {
 public:
  /// Sticky: entries stay as they are while they work, and few others change.
  SubnetRouter(TablesSource source, bool sticky) : source_(std::move(source)), sticky_(sticky) {}

  /// Goes on from what another router answered.
  void resume(Fabric fabric, Tables tables);

  /// Throws Error when the subnet cannot be read.
  std::variant<SubnetTables, Refused> route(const RouteRequest& request, LogLines& log);
  /// Of the subnet that was routed last. Throws Error when there is none.
  TreeTables tree(const TreeRequest& request, LogLines& log);

  /// nullopt until one was.
  const std::optional<RoutedSubnet>& last() const { return last_; }

 private:
  using Answered = std::variant<SubnetTables, Refused>;
  struct KeptTables {
    Tables tables;
    std::optional<std::uint64_t> fewest{};  ///< entries that had to change, where that is known
  };
  Answered take(RoutedSubnet next, const RouteRequest& request, std::optional<std::uint64_t> fewest,
                LogLines& log);
  std::optional<KeptTables> kept_tables(const Fabric& fabric, LogLines& log) const;
  std::variant<Tables, Refused> new_tables(const Fabric& fabric, unsigned lanes) const;
  void certify(RoutedSubnet& next, const RouteRequest& request, LogLines& log) const;
  bool find_tree(RoutedSubnet& next, const std::set<std::uint8_t>& levels, unsigned lanes) const;
  void compare(RoutedSubnet& next, std::optional<std::uint64_t> fewest, LogLines& log) const;
  DeadlockVerdict verdict(const std::set<std::uint8_t>& levels) const;
  TreeTables branches(const TreeRequest& request, Group& group, LogLines& log) const;

  TablesSource source_;
  bool sticky_;
  std::optional<RoutedSubnet> last_;
  /// One whose tables are wholly of the source, the last that was not a part of another.
  std::optional<RoutedSubnet> home_;
};

}  // namespace weft::live
