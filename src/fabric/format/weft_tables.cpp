// SPDX-License-Identifier: Apache-2.0
// weft's own form of tables: one line per column, in the order of the list of switches. This file
// writes it, weft_tables_read.cpp reads it.
//
//   weft tables 1
//   engine updown:root=s0
//   lanes 2
//   columns hosts switches                   # or only hosts: are there routes to switches as well?
//   paths destination                        # or source, or choices
//   switches s0 s1 "rack 2, top" s3
//   links g0: 5 6 7 8                        # of source routes: a group of links, see below
//   turns from hosts 0 otherwise =           # lanes by turn: a lane, = keep, + up, - down, x never
//   turn s0 1: 0 = = + x                     # in-port; by out-port from 0; one mark means all
//   to h0 h1 | s0: . 1 1 -                   # out-ports to h0, h1 and s0; . here, - no route
//   to h2 | s1 | h0 1: . 1 1 -               # and to the first further LID of h0 (LMC)
//   group all lane 0 source h0: h0 h1 h2
//   out s0: 1 2 5
//   group some lane 0 root s4: h0 h1         # packets go up to s4 and are copied from there on
//   up 3: s0 s1                              # the port up of these switches
//   out s4: 1
//
// Service levels instead of turns: "levels" (the level is the lane) or "levels 4: 0 1 0 1" (the
// lane of each level), then "map s0 1 2: 0 0 0 0" (in-port, out-port) where that differs, and below
// a column "level 0 0 1 0" by source switch, or "level hosts 0 1" by source host in the order of
// the fabric; left out where all are 0. "levels unknown": there are some. Source routes are
// separated by commas: "to h0: ., 2 1, -, 1 1". A tag of theirs is a port, or g0 for any port of
// that group of links. Of "paths choices", entries are c0, c1, …: weft_tables_choices.cpp.
#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <variant>

#include "fabric/format/formats.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/format/weft_tables_choices.hpp"
#include "fabric/format/weft_tables_names.hpp"

namespace weft::weft_tables {
namespace {

std::string mark(LaneOp op) {
  if (op.is_set()) return fmt::to_string(op(0));
  if (op == LaneOp::keep()) return "=";
  if (op == LaneOp::plus_one()) return "+";
  return op == LaneOp::minus_one() ? "-" : "x";
}

class WeftTablesWriter {
 public:
  WeftTablesWriter(std::ostream& stream, const Fabric& fabric, const Tables& tables)
      : out_(stream), fabric_(fabric), tables_(tables), destinations_(column_count(tables)) {
    for (HostId h : fabric.hosts())
      if (tables.to_host[h].valid()) destinations_[tables.to_host[h]].hosts.push_back(h);
    for (SwitchId s : tables.to_switch.ids())
      if (tables.to_switch[s].valid()) destinations_[tables.to_switch[s]].switches.push_back(s);
    for (const FurtherColumn& further : tables.further)
      destinations_[further.column].further.push_back(further);
  }

  void write() {
    out_.print("weft tables 1\nengine {}\nlanes {}\n", line_word(tables_.engine),
               tables_.lane_count);
    out_.print("columns hosts{}\n", tables_.to_switch.empty() ? "" : " switches");
    constexpr std::array forms{"destination", "source", "choices"};
    out_.print("paths {}\nswitches", forms[tables_.paths.index()]);
    for (SwitchId s : fabric_.switches()) out_.print(" {}", word(fabric_[s].name));
    out_.put("\n");
    if (const auto* routes = std::get_if<SourceRoutes>(&tables_.paths)) write_links(*routes);
    if (const auto* choices = std::get_if<ChoiceTables>(&tables_.paths)) {
      uses_ = uses_of_columns(*choices);
      write_choices(out_, *choices);
    }
    std::visit([&](const auto& lanes) { write_lanes(lanes); }, tables_.lanes);
    for (ColumnId c : destinations_.ids()) write_column(c);
    for (const Group& group : tables_.groups) write_group(group);
  }

 private:
  struct Destinations {
    std::vector<HostId> hosts;
    std::vector<SwitchId> switches;
    std::vector<FurtherColumn> further;
  };

  // --- lanes

  void write_lanes(const OneLane& lanes) {
    if (lanes.levels_unknown) out_.put("levels unknown\n");
  }

  void write_lanes(const TurnLanes& turns) {
    const std::string from_hosts = usual_mark(turns, true);
    const std::string otherwise = usual_mark(turns, false);
    out_.print("turns from hosts {} otherwise {}\n", from_hosts, otherwise);
    each_in_port([&](SwitchId s, PortNumber in, bool from_host) {
      const auto one = uniform_mark(turns, s, in);
      if (one == (from_host ? from_hosts : otherwise)) return;
      out_.print("turn {} {}:", word(fabric_[s].name), in);
      if (one) {
        out_.print(" {}", *one);
      } else {
        for (unsigned out = 0; out <= fabric_[s].ports; ++out)
          out_.print(" {}", mark(turns.at(s, in, static_cast<PortNumber>(out))));
      }
      out_.put("\n");
    });
  }

  template <class Action>
  void each_in_port(Action&& action) const {
    for (SwitchId s : fabric_.switches())
      for (unsigned in = 0; in <= fabric_[s].ports; ++in) {
        const auto port = static_cast<PortNumber>(in);
        action(s, port, fabric_.at_port(s, port).host.valid());
      }
  }

  /// The mark that all turns from an in-port share.
  std::optional<std::string> uniform_mark(const TurnLanes& turns, SwitchId s, PortNumber in) const {
    const LaneOp first = turns.at(s, in, 0);
    for (unsigned out = 1; out <= fabric_[s].ports; ++out)
      if (turns.at(s, in, static_cast<PortNumber>(out)) != first) return std::nullopt;
    return mark(first);
  }

  /// The most common mark of in-ports, which need no line of their own.
  std::string usual_mark(const TurnLanes& turns, bool of_hosts) const {
    std::map<std::string, std::size_t> counts{{"=", 0}};
    each_in_port([&](SwitchId s, PortNumber in, bool from_host) {
      if (from_host != of_hosts) return;
      if (const auto one = uniform_mark(turns, s, in)) ++counts[*one];
    });
    return std::max_element(counts.begin(), counts.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }

  void write_lanes(const ServiceLanes& service) {
    if (!service.map) {
      out_.put("levels\n");
      return;
    }
    const auto& [lane, levels] = *service.map;
    const auto width = static_cast<std::size_t>(levels);
    std::map<std::vector<Lane>, std::size_t> counts;
    for (const std::vector<Lane>& lanes : lane)
      for (auto row = lanes.begin(); row != lanes.end(); row += levels)
        ++counts[{row, row + levels}];
    const std::vector<Lane> usual =
        counts.empty() ? std::vector<Lane>(width)
                       : std::max_element(counts.begin(), counts.end(), [](auto& a, auto& b) {
                           return a.second < b.second;
                         })->first;
    out_.print("levels {}: {}\n", levels, fmt::join(usual, " "));
    for (SwitchId s : fabric_.switches()) write_map(s, lane[s.index()], usual);
  }

  void write_map(SwitchId s, const std::vector<Lane>& lanes, const std::vector<Lane>& usual) {
    const std::size_t ports = fabric_[s].ports + std::size_t{1};
    for (std::size_t i = 0; i < ports * ports; ++i) {
      const std::span row = std::span(lanes).subspan(i * usual.size(), usual.size());
      if (!std::equal(row.begin(), row.end(), usual.begin()))
        out_.print("map {} {} {}: {}\n", word(fabric_[s].name), i / ports, i % ports,
                   fmt::join(row, " "));
    }
  }

  // --- columns

  void write_links(const SourceRoutes& routes) {
    for (std::size_t g = 0; g < routes.link_groups().size(); ++g)
      out_.print("links g{}: {}\n", g, fmt::join(routes.link_groups()[g], " "));
  }

  void write_column(ColumnId c) {
    bool first = write_destinations(c);
    const ChoiceUses uses = uses_.empty() ? ChoiceUses{} : uses_[c];
    for (const auto& [phase, hosts] : uses.in) {
      out_.print("in {} to", phase);
      for (HostId h : hosts) out_.print(" {}", word(fabric_[h].name));
      write_entries_or_same(c, std::exchange(first, false));
    }
    for (std::size_t i = 0; i < uses.via; ++i) {
      out_.put("via");
      write_entries_or_same(c, std::exchange(first, false));
    }
    if (const auto* service = std::get_if<ServiceLanes>(&tables_.lanes))
      write_levels(service->level[c], service->by_host, c == ColumnId(0));
  }

  /// A line of a column; only the first one has its entries.
  void write_entries_or_same(ColumnId c, bool first) {
    out_.put(":");
    if (first)
      std::visit([&](const auto& paths) { write_paths(paths, c); }, tables_.paths);
    else
      out_.put(" =");
    out_.put("\n");
  }

  /// The line of a column to hosts and switches, unless it serves only single phases. Returns
  /// whether there was none.
  bool write_destinations(ColumnId c) {
    if (const auto& d = destinations_[c]; !uses_.empty() && d.hosts.empty() && d.switches.empty() &&
                                          d.further.empty() &&
                                          (!uses_[c].in.empty() || uses_[c].via > 0))
      return true;
    out_.put("to");
    for (HostId h : destinations_[c].hosts) out_.print(" {}", word(fabric_[h].name));
    const auto& [hosts, switches, further] = destinations_[c];
    if (!switches.empty() || !further.empty()) out_.put(" |");
    for (SwitchId s : switches) out_.print(" {}", word(fabric_[s].name));
    if (!further.empty()) out_.put(" |");
    for (const FurtherColumn& f : further) out_.print(" {} {}", word(fabric_[f.host].name), f.lid);
    write_entries_or_same(c, true);
    return false;
  }

  void write_paths(const DestinationTables& next, ColumnId c) {
    for (const PortNumber port : next[c]) {
      out_.put(" ");
      if (port == here)
        out_.put(".");
      else if (port == no_port)
        out_.put("-");
      else
        out_.put(unsigned{port});
    }
  }

  void write_paths(const ChoiceTables& choices, ColumnId c) { write_entries(out_, choices, c); }

  void write_paths(const SourceRoutes& routes, ColumnId c) {
    for (SwitchId s : fabric_.switches()) {
      if (s.index() != 0) out_.put(",");
      const auto route = routes.route(c, s);
      if (!route)
        out_.put(" -");
      else if (route->empty())
        out_.put(" .");
      else
        for (const PortNumber tag : *route) write_tag(tag);
    }
  }

  void write_tag(PortNumber tag) {
    out_.put(tag < first_link_group ? " " : " g");
    out_.put(unsigned{tag} - (tag < first_link_group ? 0U : first_link_group));
  }

  /// The first line says whether levels are by host, even if all are 0.
  void write_levels(std::span<const std::uint8_t> levels, bool by_host, bool first) {
    if (levels.empty()) return;
    const auto differs = [&](std::uint8_t level) { return level != levels.front(); };
    if (std::none_of(levels.begin(), levels.end(), differs)) levels = levels.first(1);
    if (levels.size() != 1 || levels.front() != 0 || (by_host && first))
      out_.print("level {}{}\n", by_host ? "hosts " : "", fmt::join(levels, " "));
  }

  void write_group(const Group& group) {
    out_.print("group {} {} {}", word(group.name), group.level ? "level" : "lane",
               group.level.value_or(group.lane));
    if (group.source) out_.print(" source {}", word(fabric_[*group.source].name));
    if (group.root) out_.print(" root {}", word(fabric_[*group.root].name));
    out_.put(":");
    for (HostId h : group.members) out_.print(" {}", word(fabric_[h].name));
    out_.put("\n");
    write_up(group.up);
    for (const auto& [on, ports] : group.out)
      out_.print("out {}:{}{}\n", word(fabric_[on].name), ports.empty() ? "" : " ",
                 fmt::join(ports, " "));
  }

  /// Switches in a row that have the same port share a line.
  void write_up(const std::vector<UpPort>& up) {
    for (std::size_t i = 0; i < up.size(); ++i) {
      const bool fresh = i == 0 || up[i].port != up[i - 1].port;
      if (fresh) out_.print("{}up {}:", i == 0 ? "" : "\n", up[i].port);
      out_.print(" {}", word(fabric_[up[i].on].name));
    }
    if (!up.empty()) out_.put("\n");
  }

  Printer out_;
  const Fabric& fabric_;
  const Tables& tables_;
  IdVector<ColumnId, Destinations> destinations_;
  IdVector<ColumnId, ChoiceUses> uses_;  ///< of choice tables
};

}  // namespace

void write(std::ostream& stream, const Fabric& fabric, const Tables& tables) {
  require_fit(fabric, tables);
  WeftTablesWriter(stream, fabric, tables).write();
}

bool recognises(std::string_view text) { return text.starts_with("weft tables"); }

}  // namespace weft::weft_tables
