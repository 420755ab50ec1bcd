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
  bool certified = false;           ///< unicast alone
  std::set<std::uint8_t> levels{};  ///< of groups that are proven not to deadlock either
};

class SubnetRouter {
 public:
  explicit SubnetRouter(TablesSource source) : source_(std::move(source)) {}

  /// Throws Error when the subnet cannot be read.
  std::variant<SubnetTables, Refused> route(const RouteRequest& request, LogLines& log);
  /// Of the subnet that was routed last. Throws Error when there is none.
  TreeTables tree(const TreeRequest& request, LogLines& log);

  /// nullopt until one was.
  const std::optional<RoutedSubnet>& last() const { return last_; }

 private:
  std::variant<Tables, Refused> new_tables(const Fabric& fabric, unsigned lanes) const;
  void certify(RoutedSubnet& next, const RouteRequest& request, LogLines& log) const;
  static bool find_tree(RoutedSubnet& next, const std::set<std::uint8_t>& levels, unsigned lanes);
  DeadlockVerdict verdict(const std::set<std::uint8_t>& levels) const;
  TreeTables branches(const TreeRequest& request, Group& group, LogLines& log) const;

  TablesSource source_;
  std::optional<RoutedSubnet> last_;
};

}  // namespace weft::live
