// SPDX-License-Identifier: Apache-2.0
// Reading weft's own form of tables, which weft_tables.cpp describes; fast for millions of entries.
#include <algorithm>
#include <array>
#include <variant>

#include "fabric/format/formats.hpp"
#include "fabric/format/keys.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/format/parsing/weft_tables_choices.hpp"
#include "fabric/format/parsing/weft_tables_groups.hpp"
#include "fabric/format/parsing/weft_tables_lanes.hpp"
#include "fabric/format/parsing/weft_tables_words.hpp"

namespace weft::weft_tables {
namespace {

class WeftTablesReader {
 public:
  WeftTablesReader(const Source& source, const Fabric& fabric)
      : words_(source, fabric),
        source_(source),
        fabric_(fabric),
        next_(0, fabric.switch_count(), no_port),
        routes_(fabric.switch_count()),
        choices_(words_, order_, tables_.lane_count) {}

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
  void statement() {
    using R = WeftTablesReader;
    using L = ChoiceLines;
    /// In the order of tables_lines.
    static constexpr std::array<void (R::*)(), tables_lines.size()> readers{
        &R::column,
        &R::level,
        &R::turn,
        &R::map,
        &R::out,
        &R::group,
        &R::engine,
        &R::lanes,
        &R::columns,
        &R::paths,
        &R::switches,
        &R::turns,
        &R::levels,
        &R::links,
        &R::up,
        &R::choice_rule<&L::choice>,
        &R::in,
        &R::via,
        &R::choice_rule<&L::phase>,
        &R::choice_rule<&L::start>,
        &R::choice_rule<&L::regions>,
        &R::choice_rule<&L::intermediates>,
        &R::choice_rule<&L::decide>};
    keyword_ = words_.keyword();
    const auto found = std::find_if(tables_lines.begin(), tables_lines.end(),
                                    [&](const FileKey& line) { return line.name == keyword_; });
    if (found == tables_lines.end())
      words_.wrong("\"{}\" begins no line; there are: {}", shown(keyword_),
                   fmt::join(names_of_keys(tables_lines), " "));
    (this->*readers[static_cast<std::size_t>(found - tables_lines.begin())])();
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
    const std::string form = words_.word("\"destination\", \"source\" or \"choices\"");
    if (form != "destination" && form != "source" && form != "choices")
      words_.wrong("paths by \"{}\"; write destination, source or choices", shown(form));
    by_source_ = form == "source";
    by_choice_ = form == "choices";
    words_.need_end();
  }
  void switches() {
    once(has_switches_, "switches");
    std::vector<bool> seen(fabric_.switch_count(), false);
    while (!words_.at_end()) {
      const SwitchId s = words_.known_switch();
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
    const ColumnId id = begin_column();
    while (!words_.take(':')) {
      if (words_.take('|')) {
        while (!words_.at(':') && !words_.at('|'))
          assign(tables_.to_switch, words_.known_switch(), id);
        if (words_.take('|'))
          while (!words_.at(':')) further(id);
        continue;
      }
      assign(tables_.to_host, words_.known_host(), id);
    }
    if (by_choice_)
      choices_.column();
    else if (by_source_)
      read_routes();
    else
      read_ports();
    words_.need_end();
  }
  ColumnId begin_column() {
    need_switches();
    if (columns_ == 0) choices_.end_head(source_);
    end_column();
    return ColumnId(columns_++);
  }

  void further(ColumnId id) {
    const HostId host = words_.known_host();
    const unsigned lid = words_.number(127, "the number of a further LID");
    if (lid == 0) words_.wrong("LID 0 of \"{}\"; further ones count from 1", fabric_[host].name);
    if (by_source_ || (by_choice_ && !choices_.have_one_phase()))
      words_.wrong("further LIDs need \"paths destination\", or choices of one phase");
    tables_.further.push_back({host, lid, id});
  }

  template <class Target>
  void assign(IdVector<Target, ColumnId>& columns, Target to, ColumnId id) {
    if (columns.empty())
      words_.wrong("a route to a switch, but the head does not say \"columns hosts switches\"");
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
        row_[s.index()] = words_.port_of(s);
    }
    next_.push_back(row_);
  }

  // --- choice tables

  void need_choices() const {
    if (!by_choice_) words_.wrong("\"{}\" needs \"paths choices\" before it", keyword_);
  }
  void before_columns() const {
    need_choices();
    if (columns_ != 0) words_.wrong("\"{}\" must come before the first column", keyword_);
  }
  template <void (ChoiceLines::*read)()>
  void choice_rule() {
    before_columns();
    (choices_.*read)();
  }
  void in() {
    need_choices();
    const PhaseId phase = choices_.column_phase();
    std::vector<HostId> hosts;
    while (!words_.take(':')) hosts.push_back(words_.known_host());
    const ColumnId id = choice_column();
    for (const HostId h : hosts) choices_.assign(phase, h, id);
  }
  void via() {
    need_choices();
    words_.need_colon();
    choices_.add_intermediate(choice_column());
  }
  /// A new column, or after "=" that of the line before.
  ColumnId choice_column() {
    if (words_.take_mark('=')) {
      if (columns_ == 0) words_.wrong("\"=\" is the column of the line before; there is none");
      words_.need_end();
      return ColumnId(columns_ - 1);
    }
    const ColumnId id = begin_column();
    choices_.column();
    words_.need_end();
    return id;
  }

  // --- source routes

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
    if (columns_ == 0 || !rule_.service)
      words_.wrong("a \"level\" line belongs below a column, and needs \"levels\"");
    if (levels_.size() == columns_)
      words_.wrong("the column has a second \"level\" line; one is possible");
    const unsigned count = level_count();
    level_by_host();
    level_row_.clear();
    while (!words_.at_end())
      level_row_.push_back(static_cast<std::uint8_t>(words_.number(count - 1, "a service level")));
    const std::size_t sources = sources_of_levels();
    if (level_row_.size() == 1) level_row_.assign(sources, level_row_.front());
    if (level_row_.size() != sources)
      words_.wrong("{} levels are needed, one for each {}, or one for all", sources,
                   rule_.service->by_host ? "host" : "switch");
    in_order_ = level_row_;
    for (std::size_t i = 0; !rule_.service->by_host && i < sources; ++i)
      in_order_[order_[i].index()] = level_row_[i];
    levels_.push_back(in_order_);
  }
  unsigned level_count() const {
    const std::optional<ServiceLanes::Map>& map = rule_.service->map;
    return static_cast<unsigned>(map ? map->levels : tables_.lane_count);
  }
  /// The first line "level hosts …" says that all are by host; columns before it had level 0.
  void level_by_host() {
    const bool by_host = words_.take_word("hosts");
    if (by_host == rule_.service->by_host) return;
    if (!by_host) words_.wrong("levels by switch after levels by host; write \"level hosts …\"");
    for (ColumnId c : levels_.ids())
      for (const std::uint8_t level : levels_[c])
        if (level != 0) words_.wrong("levels by host after levels by switch; all must be alike");
    rule_.service->by_host = true;
    levels_ = Grid<std::uint8_t>(levels_.size(), sources_of_levels(), 0);
  }
  std::size_t sources_of_levels() const {
    return rule_.service && rule_.service->by_host ? fabric_.host_count() : order_.size();
  }

  /// A column without a level line has level 0.
  void end_column() {
    in_order_.assign(sources_of_levels(), 0);
    if (rule_.service && levels_.size() < columns_) levels_.push_back(in_order_);
  }

  // --- lanes and groups

  void turns() {
    once(has_rule_, "turns or levels");
    rule_.turns = read_turns(words_, tables_.lane_count);
  }
  void turn() { read_turn(words_, tables_.lane_count, rule_); }
  void levels() {
    once(has_rule_, "turns or levels");
    if (words_.take_word("unknown")) {
      if (tables_.lane_count != 1) words_.wrong("with unknown levels there is one lane");
      tables_.lanes = OneLane{true};
      words_.need_end();
      return;
    }
    rule_.service = read_levels(words_, tables_.lane_count);
  }
  void map() { read_map(words_, tables_.lane_count, rule_); }

  void group() {
    Group group = read_group(words_, tables_.lane_count, rule_.service ? level_count() : 0);
    if (!group_names_.insert(group.name).second)
      words_.wrong("there is a second group \"{}\"; one is possible", shown(group.name));
    tables_.groups.push_back(std::move(group));
    switches_of_group_.clear();
  }
  void up() { read_up(words_, tables_.groups); }
  void out() { read_out(words_, tables_.groups, switches_of_group_); }

  Tables finish() {
    need_switches();
    choices_.end_head(source_);
    choices_.end_columns(source_);
    end_column();
    if (by_choice_)
      tables_.paths = std::move(choices_).finish();
    else if (by_source_)
      tables_.paths = std::move(routes_);
    else
      tables_.paths = std::move(next_);
    if (rule_.turns) tables_.lanes = std::move(*rule_.turns);
    if (rule_.service) {
      rule_.service->level = std::move(levels_);
      tables_.lanes = std::move(*rule_.service);
    }
    return std::move(tables_);
  }

  FabricWords words_;
  const Source& source_;
  const Fabric& fabric_;
  std::string_view keyword_{};  ///< of this line
  Tables tables_{};
  std::unordered_set<std::string> group_names_{};
  std::unordered_set<std::size_t> switches_of_group_{};  ///< that have a line "out" in the last one
  std::vector<SwitchId> order_{};
  bool has_lanes_ = false, has_columns_ = false, has_paths_ = false, has_switches_ = false,
       has_rule_ = false;
  bool by_source_ = false, by_choice_ = false;
  std::size_t columns_ = 0;
  DestinationTables next_;
  SourceRoutes routes_;
  ChoiceLines choices_;
  std::vector<PortNumber> row_{};
  LaneRule rule_{};
  Grid<std::uint8_t> levels_{};
  std::vector<std::uint8_t> level_row_{}, in_order_{};
};

}  // namespace

NotedTables read(const Source& source, const Fabric& fabric) {
  return {WeftTablesReader(source, fabric).read()};
}

}  // namespace weft::weft_tables
