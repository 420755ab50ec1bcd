// SPDX-License-Identifier: Apache-2.0
// TableReader: the head of tables, their lanes, columns and groups.
#pragma once
#include <numeric>

#include "verify/read_choices.hpp"

namespace weft::verifier {

class TableReader : ChoiceReader {
 public:
  explicit TableReader(VerifierInput& in) : ChoiceReader(in) {}

  void read(const InputText& text) {
    begin(text, " \t\r", ":,|");
    form("weft tables 1");
    if (line_begins() && take("engine"))
      while (!take().empty()) continue;
    form("lanes LANES");
    in_.lanes = values_[0];
    form("columns hosts SWITCHES");
    const bool to_switches = values_[0] == 1;
    form("paths PATHS");
    in_.by_source = values_[0] == 1;
    in_.by_choice = values_[0] == 2;
    form("switches SWITCH*");
    order_ = values_;
    const std::size_t listed = std::set(order_.begin(), order_.end()).size();
    check(listed == order_.size() && listed == in_.switches.size(),
          "each switch of the fabric must be listed once");
    while (in_.by_source && line("links NEXT_TAG : ANY_PORT*"))
      in_.choices.push_back(different_ports());
    if (in_.by_choice) choice_rules();
    lane_rule();
    while (line_begins() && (in_.by_choice ? choice_column(to_switches) : take("to")))
      if (!in_.by_choice) column(in_.columns.emplace_back(), to_switches);
    while (line("group NAME GROUP_LANE GROUP_LEVEL SOURCE ROOT : HOST*")) group();
    check(!line_begins(), "no line may begin like this here");
  }

 private:
  void lane_rule() {
    if (line("turns from hosts MARK otherwise MARK")) {
      in_.usual = values_;
      while (line("turn SWITCH IN : MARK*"))
        add_exception(values_[1] << 16, values_from(2, in_.link_at[switch_].size(), true));
    } else if (line_begins() && take("levels")) {
      if (take("unknown")) return end_line();
      in_.by_level = true;
      in_.usual.resize(in_.lanes);
      std::iota(in_.usual.begin(), in_.usual.end(), Index{0});
      const bool map = !next().empty();
      if (map) {
        match("LEVELS : LANE*");
        in_.usual = values_from(1, values_[0], false);
      }
      end_line();
      while (map && line("map SWITCH IN OUT : LANE*"))
        add_exception(values_[1] << 16 | values_[2], values_from(3, in_.usual.size(), false));
    }
  }
  void add_exception(Index ports, const IndexList& lanes) {
    const bool fresh = in_.unusual[switch_].emplace(ports, lanes).second;
    check(fresh, "there is a second line for these ports");
  }
  /// The values after the first, in ascending order.
  IndexList different_ports() const {
    const std::set<Index> ports(values_.begin() + 1, values_.end());
    check(ports.size() + 1 == values_.size(), "a port is listed twice");
    return {ports.begin(), ports.end()};
  }
  void group() {
    check(group_called_.emplace(name_, 0).second, "there is a second group of this name");
    const IndexList members(values_.begin() + 5, values_.end());
    TableGroup& group = in_.groups.emplace_back(
        TableGroup{name_, values_[1], values_[2], values_[3], values_[4], members, {}, {}});
    check(group.lane != none || group.root == none, "a group with a root has a lane");
    while (true) {
      if (group.root != none && line("up ANY_PORT : SWITCH*")) {
        for (std::size_t i = 1; i < values_.size(); ++i) {
          check(values_[0] < in_.link_at[values_[i]].size(), "a switch has no such port");
          check(group.up.emplace(values_[i], values_[0]).second, "a switch has another port up");
        }
      } else if (line("out SWITCH : PORT*")) {
        check(group.out.emplace(switch_, different_ports()).second, "a switch has a second line");
      } else {
        return;
      }
    }
  }

  NameMap group_called_{};
};

}  // namespace weft::verifier
