// SPDX-License-Identifier: Apache-2.0
// Reading weft's own form of tables, which weft_tables.cpp describes; fast for millions of entries.
#include <algorithm>
#include <array>
#include <variant>

#include "fabric/format/parsing/text.hpp"
#include "fabric/format/parsing/weft_tables_words.hpp"
#include "fabric/format/formats.hpp"

namespace weft::weft_tables {
namespace {

/// Lanes by turn take a byte per pair of ports: a switch of 65,000 ports would take 4 GB.
constexpr std::size_t most_lane_entries = std::size_t{1} << 30;

class WeftTablesReader {
 public:
  WeftTablesReader(const Source& source, const Fabric& fabric)
      : words_(source),
        source_(source),
        fabric_(fabric),
        next_(0, fabric.switch_count(), no_port),
        routes_(fabric.switch_count()) {}

  Tables read() && {
    Lines lines(source_.text);
    if (!lines.next() || lines.text != "weft tables 1")
      fail(source_, 1, "not tables of a known version; the first line is \"weft tables 1\"");
    tables_.to_host.assign(fabric_.host_count(), ColumnId::none());
    while (lines.next()) {
      words_.begin(lines);
      if (!words_.at_end() && !words_.at('#')) statement();
    }
    return finish();
  }

 private:
  struct Statement {
    std::string_view keyword;
    void (WeftTablesReader::*read)();
  };

  void statement() {
    static constexpr std::array statements{Statement{"to", &WeftTablesReader::column},
                                           Statement{"level", &WeftTablesReader::level},
                                           Statement{"turn", &WeftTablesReader::turn},
                                           Statement{"map", &WeftTablesReader::map},
                                           Statement{"out", &WeftTablesReader::out},
                                           Statement{"group", &WeftTablesReader::group},
                                           Statement{"engine", &WeftTablesReader::engine},
                                           Statement{"lanes", &WeftTablesReader::lanes},
                                           Statement{"columns", &WeftTablesReader::columns},
                                           Statement{"paths", &WeftTablesReader::paths},
                                           Statement{"switches", &WeftTablesReader::switches},
                                           Statement{"turns", &WeftTablesReader::turns},
                                           Statement{"levels", &WeftTablesReader::levels},
                                           Statement{"links", &WeftTablesReader::links},
                                           Statement{"up", &WeftTablesReader::up}};
    const std::string_view keyword = words_.keyword();
    const auto found = std::find_if(statements.begin(), statements.end(),
                                    [&](const Statement& s) { return s.keyword == keyword; });
    if (found == statements.end())
      words_.wrong(
          "\"{}\" begins no line; there are: to level turn map out group engine lanes columns "
          "paths switches turns levels links up",
          shown(keyword));
    (this->*found->read)();
  }

  // --- words

  Lane lane() {
    return static_cast<Lane>(
        words_.number(static_cast<unsigned>(tables_.lane_count) - 1, "a lane of these tables"));
  }
  PortNumber port_of(SwitchId s) {
    return static_cast<PortNumber>(words_.number(fabric_[s].ports, "a port of the switch"));
  }
  SwitchId known_switch() {
    const std::string name = words_.word("a switch");
    const auto found = fabric_.find_switch(name);
    if (!found) words_.wrong("the fabric has no switch \"{}\"", shown(name));
    return *found;
  }
  HostId known_host() {
    const std::string name = words_.word("a host");
    const auto found = fabric_.find_host(name);
    if (!found) words_.wrong("the fabric has no host \"{}\"", shown(name));
    return *found;
  }

  // --- head

  void once(bool& done, const char* what) {
    if (std::exchange(done, true))
      words_.wrong("there is a second line \"{}\"; one is possible", what);
    if (columns_ != 0) words_.wrong("\"{}\" must come before the first \"to\"", what);
  }
  void need_switches() const {
    if (!has_switches_) words_.wrong("the list of switches must come before");
  }

  void engine() {
    words_.at_end();  // past the space
    tables_.engine = words_.rest();
  }
  void lanes() {
    once(has_lanes_, "lanes");
    tables_.lane_count = static_cast<int>(words_.number(most_lanes, "a number of lanes"));
    if (tables_.lane_count == 0) words_.wrong("0 lanes; from 1 to {} are possible", most_lanes);
    words_.need_end();
  }
  void columns() {
    once(has_columns_, "columns");
    words_.need("hosts", "columns hosts");
    if (words_.at_end()) return;
    words_.need("switches", "columns hosts switches");
    words_.need_end();
    tables_.to_switch.assign(fabric_.switch_count(), ColumnId::none());
  }
  void paths() {
    once(has_paths_, "paths");
    const std::string form = words_.word("\"destination\" or \"source\"");
    if (form != "destination" && form != "source")
      words_.wrong("paths by \"{}\"; write destination or source", shown(form));
    by_source_ = form == "source";
    words_.need_end();
  }
  void switches() {
    once(has_switches_, "switches");
    std::vector<bool> seen(fabric_.switch_count(), false);
    while (!words_.at_end()) {
      const SwitchId s = known_switch();
      if (seen[s.index()]) words_.wrong("switch \"{}\" is listed twice", fabric_[s].name);
      seen[s.index()] = true;
      order_.push_back(s);
    }
    for (SwitchId s : fabric_.switches())
      if (!seen[s.index()])
        words_.wrong("switch \"{}\" of the fabric is not listed", fabric_[s].name);
  }

  // --- columns

  void column() {
    need_switches();
    end_column();
    const ColumnId id(columns_++);
    while (!words_.take(':')) {
      if (words_.take('|')) {
        while (!words_.take(':')) assign(tables_.to_switch, known_switch(), id);
        break;
      }
      assign(tables_.to_host, known_host(), id);
    }
    if (by_source_)
      read_routes();
    else
      read_ports();
    words_.need_end();
  }

  template <class Target>
  void assign(IdVector<Target, ColumnId>& columns, Target to, ColumnId id) {
    if (columns.empty())
      words_.wrong("a way to a switch, but the head does not say \"columns hosts switches\"");
    if (columns[to].valid())
      words_.wrong("\"{}\" has a second column; one is possible", fabric_[to].name);
    columns[to] = id;
  }

  void read_ports() {
    row_.assign(order_.size(), no_port);
    for (const SwitchId s : order_) {
      if (words_.at_end())
        words_.wrong("{} entries are needed, one for each switch", order_.size());
      if (words_.take_mark('.'))
        row_[s.index()] = here;
      else if (!words_.take_mark('-'))
        row_[s.index()] = port_of(s);
    }
    next_.push_back(row_);
  }

  void read_routes() {
    std::vector<std::optional<std::vector<PortNumber>>> routes(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (i != 0 && !words_.take(','))
        words_.wrong("{} routes are needed, one for each switch, with commas between",
                     order_.size());
      if (!words_.take_mark('-')) routes[order_[i].index()] = route();
    }
    for (const auto& route : routes) routes_.push_back(route);
  }
  std::vector<PortNumber> route() {
    std::vector<PortNumber> ports;
    if (words_.take_mark('.')) return ports;
    do {
      ports.push_back(words_.take('g')
                          ? link_group()
                          : static_cast<PortNumber>(words_.number(most_ports, "a port")));
    } while (!words_.at_end() && !words_.at(','));
    return ports;
  }
  PortNumber link_group() {
    const std::size_t groups = routes_.link_groups().size();
    if (groups == 0) words_.wrong("a group of links needs a line \"links\" before it");
    return static_cast<PortNumber>(
        first_link_group + words_.number(static_cast<unsigned>(groups) - 1, "a group of links"));
  }
  void links() {
    if (!by_source_) words_.wrong("groups of links need \"paths source\" before them");
    if (columns_ != 0) words_.wrong("\"links\" must come before the first \"to\"");
    const std::size_t number = routes_.link_groups().size();
    if (number == most_link_groups) words_.wrong("more than {} groups of links", most_link_groups);
    words_.need(fmt::format("g{}", number), fmt::format("links g{}: 1 2", number));
    words_.need_colon();
    std::vector<PortNumber> ports;
    while (!words_.at_end())
      ports.push_back(static_cast<PortNumber>(words_.number(most_ports, "a port")));
    routes_.add_links(std::move(ports));
  }

  void level() {
    if (columns_ == 0 || !service_)
      words_.wrong("a \"level\" line belongs below a column, and needs \"levels\"");
    if (levels_.size() == columns_)
      words_.wrong("the column has a second \"level\" line; one is possible");
    const unsigned count =
        static_cast<unsigned>(service_->map ? service_->map->levels : tables_.lane_count);
    level_row_.clear();
    while (!words_.at_end())
      level_row_.push_back(static_cast<std::uint8_t>(words_.number(count - 1, "a service level")));
    if (level_row_.size() == 1) level_row_.assign(order_.size(), level_row_.front());
    if (level_row_.size() != order_.size())
      words_.wrong("{} levels are needed, one for each switch, or one for all", order_.size());
    in_order_.assign(order_.size(), 0);
    for (std::size_t i = 0; i < order_.size(); ++i) in_order_[order_[i].index()] = level_row_[i];
    levels_.push_back(in_order_);
  }

  /// A column without a level line has level 0.
  void end_column() {
    in_order_.assign(order_.size(), 0);
    if (service_ && levels_.size() < columns_) levels_.push_back(in_order_);
  }

  // --- lanes

  void need_memory(std::size_t per_turn) const {
    std::size_t entries = 0;
    for (SwitchId s : fabric_.switches()) {
      const std::size_t ports = fabric_[s].ports + std::size_t{1};
      entries += ports * ports * per_turn;
    }
    if (entries > most_lane_entries)
      words_.wrong("lanes by turn would take {} entries on this fabric; at most {} are possible",
                   entries, most_lane_entries);
  }

  LaneOp op() {
    if (words_.take_mark('=')) return LaneOp::keep();
    if (words_.take_mark('+')) return LaneOp::plus_one();
    if (words_.take_mark('-')) return LaneOp::minus_one();
    if (words_.take_mark('x')) return {};
    return LaneOp::set(lane());
  }
  void turns() {
    constexpr std::string_view form = "turns from hosts 0 otherwise =";
    once(has_rule_, "turns or levels");
    words_.need("from", form);
    words_.need("hosts", form);
    const LaneOp from_host = op();
    words_.need("otherwise", form);
    const LaneOp otherwise = op();
    words_.need_end();
    need_memory(1);
    turns_ = TurnLanes(fabric_, from_host, otherwise);
  }
  void turn() {
    if (!turns_) words_.wrong("a \"turn\" line needs a line \"turns\" before it");
    const SwitchId s = known_switch();
    const PortNumber in = port_of(s);
    words_.need_colon();
    const LaneOp first = op();
    const bool uniform = words_.at_end();
    for (unsigned out = 0; out <= fabric_[s].ports; ++out) {
      if (out != 0 && !uniform && words_.at_end())
        words_.wrong("{} marks are needed, by out-port from 0, or one for all",
                     fabric_[s].ports + 1);
      turns_->at(s, in, static_cast<PortNumber>(out)) = out == 0 || uniform ? first : op();
    }
    words_.need_end();
  }

  void levels() {
    once(has_rule_, "turns or levels");
    service_.emplace();
    if (words_.at_end()) return;
    ServiceLanes::Map map;
    map.levels = static_cast<int>(words_.number(256, "a number of levels"));
    if (map.levels == 0) words_.wrong("0 levels; from 1 to 256 are possible");
    words_.need_colon();
    std::vector<Lane> usual;
    usual.reserve(static_cast<std::size_t>(map.levels));
    for (int level = 0; level < map.levels; ++level) usual.push_back(lane());
    words_.need_end();
    need_memory(usual.size());
    for (SwitchId s : fabric_.switches()) {
      const std::size_t ports = fabric_[s].ports + std::size_t{1};
      std::vector<Lane>& lanes = map.lane.emplace_back();
      lanes.reserve(ports * ports * usual.size());
      for (std::size_t i = 0; i < ports * ports; ++i)
        lanes.insert(lanes.end(), usual.begin(), usual.end());
    }
    service_->map = std::move(map);
  }
  void map() {
    if (!service_ || !service_->map)
      words_.wrong("a \"map\" line needs a line \"levels N: …\" before it");
    ServiceLanes::Map& map = *service_->map;
    const SwitchId s = known_switch();
    const std::size_t in = port_of(s);
    const std::size_t out = port_of(s);
    words_.need_colon();
    const std::size_t width = fabric_[s].ports + std::size_t{1};
    const auto levels = static_cast<std::size_t>(map.levels);
    for (std::size_t level = 0; level < levels; ++level)
      map.lane[s.index()][(in * width + out) * levels + level] = lane();
    words_.need_end();
  }

  // --- groups

  void group() {
    Group group;
    group.name = words_.word("a group's name");
    words_.need("lane", "group name lane 0: h0 h1");
    group.lane = lane();
    if (!words_.at(':') && !words_.at('r')) {
      words_.need("source", "group name lane 0 source h0: h0 h1");
      group.source = known_host();
    }
    if (words_.at('r')) {
      words_.need("root", "group name lane 0 root s0: h0 h1");
      group.root = known_switch();
    }
    words_.need_colon();
    while (!words_.at_end()) group.members.push_back(known_host());
    tables_.groups.push_back(std::move(group));
  }
  void up() {
    if (tables_.groups.empty() || !tables_.groups.back().root)
      words_.wrong("an \"up\" line belongs below a group with a root");
    const auto port = static_cast<PortNumber>(words_.number(most_ports, "a port"));
    words_.need_colon();
    while (!words_.at_end()) {
      const SwitchId s = known_switch();
      if (port == 0 || port > fabric_[s].ports)
        words_.wrong("switch \"{}\" has {} ports, there is no port {}", shown(fabric_[s].name),
                     fabric_[s].ports, port);
      tables_.groups.back().up.push_back({s, port});
    }
  }
  void out() {
    if (tables_.groups.empty()) words_.wrong("an \"out\" line belongs below a group");
    PortSet set;
    set.on = known_switch();
    words_.need_colon();
    while (!words_.at_end()) {
      set.ports.push_back(port_of(set.on));
      if (set.ports.back() == 0) words_.wrong("port 0 is the switch itself; ports count from 1");
    }
    tables_.groups.back().out.push_back(std::move(set));
  }

  Tables finish() {
    need_switches();
    end_column();
    if (by_source_)
      tables_.paths = std::move(routes_);
    else
      tables_.paths = std::move(next_);
    if (turns_) tables_.lanes = std::move(*turns_);
    if (service_) {
      service_->level = std::move(levels_);
      tables_.lanes = std::move(*service_);
    }
    return std::move(tables_);
  }

  Words words_;
  const Source& source_;
  const Fabric& fabric_;
  Tables tables_{};
  std::vector<SwitchId> order_{};
  bool has_lanes_ = false, has_columns_ = false, has_paths_ = false, has_switches_ = false,
       has_rule_ = false;
  bool by_source_ = false;
  std::size_t columns_ = 0;
  DestinationTables next_;
  SourceRoutes routes_;
  std::vector<PortNumber> row_{};
  std::optional<TurnLanes> turns_{};
  std::optional<ServiceLanes> service_{};
  Grid<std::uint8_t> levels_{};
  std::vector<std::uint8_t> level_row_{}, in_order_{};
};

}  // namespace

Tables read(const Source& source, const Fabric& fabric) { return WeftTablesReader(source, fabric).read(); }

}  // namespace weft::weft_tables
