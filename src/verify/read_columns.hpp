// SPDX-License-Identifier: Apache-2.0
// ColumnReader: columns of tables, whose entries are ports, source routes or sets of choices.
#pragma once
#include <set>

#include "verify/forms.hpp"

namespace weft::verifier {

class ColumnReader : protected FormReader {
 protected:
  using FormReader::FormReader;

  void column(TableColumn& column, bool to_switches) {
    match("HOST*");
    column.hosts = values_;
    for (const Index host : values_)
      check(hosts_.insert(host).second, "a host has a second column");
    match("");
    const bool bar = take("|");
    if (bar && to_switches) match("SWITCH*");
    for (const Index s : values_) check(switches_.insert(s).second, "a switch has a second column");
    if (bar && (!to_switches || next() == "|")) {
      for (need("|"); !at_mark_or_end(); whole(1, 127, "the number of a LID"))
        column.hosts.push_back(known(in_.host_called, "host"));
    }
    need(":");
    entries(column);
    column_levels(column);
  }
  void entries(TableColumn& column) {
    column.next.resize(order_.size());
    for (const Index s : order_) {
      if (in_.by_source && s != order_.front()) need(",");
      switch_ = s;
      column.next[s] = take("-")       ? none
                       : in_.by_source ? route()
                       : take(".")     ? 0
                       : in_.by_choice ? set()
                                       : port(1);
    }
    end_line();
  }
  void column_levels(TableColumn& column) {
    if (!in_.by_level || !line_begins() || !take("level")) return;
    column.by_host = take("hosts");
    match("LEVEL*");
    end_line();
    const IndexList levels =
        values_from(0, column.by_host ? in_.hosts.size() : order_.size(), true);
    if (column.by_host) {
      column.levels =
          levels.size() == in_.hosts.size() ? levels : IndexList(in_.hosts.size(), levels[0]);
      return;
    }
    column.levels.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i)
      column.levels[order_[i]] = levels[std::min(i, levels.size() - 1)];
  }

  IndexList order_{};  ///< of the switches in lines

 private:
  /// A route is its first tag and the route after it; routes that end alike share the end.
  Index route() {
    IndexList tags;
    for (bool on = !take("."); on; on = !at_mark_or_end()) tags.push_back(tag());
    Index route = 0;
    for (; !tags.empty(); tags.pop_back()) {
      const auto [known, fresh] = route_of_.try_emplace(std::uint64_t{route} << 32 | tags.back(),
                                                        static_cast<Index>(in_.routes.size()));
      if (fresh) in_.routes.emplace_back(tags.back(), route);
      route = known->second;
    }
    return route;
  }
  Index tag() {
    const auto [known, fresh] = tags_.try_emplace(next(), static_cast<Index>(in_.choices.size()));
    if (fresh) in_.choices.emplace_back(1, whole(1, most_ports, "a port or group of links"));
    if (!fresh) take();
    return known->second;
  }
  /// One more than the number of a set.
  Index set() {
    const std::string_view word = take();
    Index value = 0;
    const auto [after, problem] = std::from_chars(word.data() + !word.empty(), word.end(), value);
    check(word.starts_with('c') && problem == std::errc() && after == word.end() &&
              value < in_.sets.size(),
          "a choice is expected here");
    for (const TableChoice& choice : in_.sets[value])
      check(choice.port < in_.link_at[switch_].size(), "the switch has no such port");
    return value + 1;
  }

  std::set<Index> hosts_{}, switches_{};                 ///< that have a column
  std::unordered_map<std::uint64_t, Index> route_of_{};  ///< by first tag and the route after it
};

}  // namespace weft::verifier
