// SPDX-License-Identifier: Apache-2.0
// Reads fabrics, tables and certificates by the forms of docs/certificate.md, for verify.cpp.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "verify/verify.hpp"

namespace weft::verifier {

using Index = std::uint32_t;
using IndexList = std::vector<Index>;
using NameMap = std::unordered_map<std::string_view, Index>;
inline constexpr Index none = ~Index{0};

/// A channel. Or what packets come from that hold no channel, and go to at last: a host, at its
/// switch and port, or a switch itself, at port 0.
struct DirectedLink {
  Index from, port, to, in_port;
};
struct TableColumn {
  IndexList hosts;   ///< that it leads to
  IndexList next;    ///< by switch: a port, 0 (here) or none; a source route or none
  IndexList levels;  ///< by source, a switch or a host; all 0 if empty
  bool by_host = false;
};
/// One of the things that a packet may do next.
struct TableChoice {
  Index port, lane, phase;  ///< none: the lane follows from the rules
};
struct TablePhase {
  bool to_intermediates = false;
  Index next = none, detour = none;                ///< phases
  std::unordered_map<Index, Index> own_columns{};  ///< by host
};
struct TableGroup {
  std::string_view name;
  Index lane, level, source, root;  ///< a lane, or a level
  IndexList members;
  std::map<Index, Index> up;       ///< port by switch
  std::map<Index, IndexList> out;  ///< ports by switch, in ascending order
};
/// What a turn does to the lane; a mark below these is a lane.
enum TurnMark : Index { keep = 64, plus, minus, never };

/// A text, word by word: marks of one letter, names in quotes, and all else between spaces. The
/// word at its end is empty, and so is that at the end of a line, unless this counts as a space.
class WordReader {
 protected:
  void begin(const InputText& input, const std::string& spaces, const std::string& marks) {
    source_ = input.name;
    rest_ = text_ = input.text;
    spaces_ = spaces;
    marks_ = marks;
    stops_ = spaces + marks + "\"#\n";
    taken_ = true;
  }
  /// Refuses the word that was looked at last.
  [[noreturn]] void fail(const std::string& what) const {
    const auto line = 1 + std::count(text_.data(), word_.data(), '\n');
    throw UnreadableInput(source_ + ":" + std::to_string(line) + ": " + what);
  }
  void check(bool right, const std::string& what) const {
    if (!right) fail(what);
  }
  /// The next word, which is not taken yet.
  std::string_view next() {
    if (!std::exchange(taken_, false)) return word_;
    for (skip(rest_.find_first_not_of(spaces_)); rest_.starts_with('#');) {
      skip(rest_.find('\n'));
      skip(rest_.find_first_not_of(spaces_));
    }
    word_ = rest_;
    std::size_t size = rest_.find_first_of(stops_);
    if (size == 0 && marks_.find(rest_.front()) != std::string::npos) size = 1;
    if (rest_.starts_with('"')) {
      for (size = 1; size < rest_.size() && rest_[size] != '"' && rest_[size] != '\n';)
        size += rest_[size] == '\\' ? 2 : 1;
      check(size < rest_.size() && rest_[size++] == '"', "a closing quote is missing");
    }
    skip(size);
    word_.remove_suffix(rest_.size());
    for (const char letter : word_)
      if (static_cast<unsigned char>(letter) < ' ') fail("a control character");
    return word_;
  }
  /// Whether a line begins here, or after lines without words.
  bool line_begins() {
    for (; next().empty() && !rest_.empty(); taken_ = true) skip(1);
    return !next().empty();
  }
  void end_line() { check(next().empty(), "the line should end here"); }
  bool at_mark_or_end() { return marks_.find(next()) != std::string::npos; }
  std::string_view take() { return taken_ = !next().empty(), word_; }
  bool take(std::string_view word) { return taken_ = next() == word; }
  void need(const std::string& word) { check(take(word), "'" + word + "' is expected here"); }
  std::string_view name() {
    if (at_mark_or_end()) fail("a name is expected here");
    const std::string_view word = take();
    return word.front() == '"' ? word.substr(1, word.size() - 2) : word;
  }
  Index known(const NameMap& names, const std::string& what) {
    const std::string_view word = name();
    const auto found = names.find(word);
    if (found == names.end()) fail("the fabric has no " + what + " \"" + std::string(word) + "\"");
    return found->second;
  }
  Index whole(std::size_t least, std::size_t most, const char* what) {
    const std::string_view word = take();
    Index value = 0;
    const auto [after, problem] = std::from_chars(word.begin(), word.end(), value);
    if (problem != std::errc() || after != word.end() || value < least || value > most)
      fail(std::string(what) + " is expected here, from " + std::to_string(least) + " to " +
           std::to_string(most));
    return value;
  }

 private:
  void skip(std::size_t size) { rest_.remove_prefix(std::min(size, rest_.size())); }
  std::string source_{}, spaces_{}, marks_{}, stops_{};
  std::string_view text_{}, rest_{}, word_{};  ///< all, what is left, and the next word
  bool taken_ = true;
};

/// What the three texts hold, as far as it matters for deadlocks.
class VerifierInput : WordReader {
 public:
  VerifierInput(const InputText& fabric, const InputText& tables, const InputText& certificate) {
    begin(fabric, " \t\r\n,=", "[]{}");
    read_fabric();
    begin(tables, " \t\r", ":,|");
    read_tables();
    begin(certificate, " \t\r", ":,|");
    read_certificate();
  }
  std::vector<std::string_view> switches, hosts;
  std::vector<DirectedLink> links;  ///< those of the hosts, of the switches themselves, channels
  std::vector<IndexList> link_at;   ///< by switch and port
  Index lanes = 1, certificate_lanes = 1;
  bool by_source = false, by_level = false;  ///< columns hold source routes; lanes follow levels
  bool by_choice = false;                    ///< or they hold 1 + the number of a set
  std::vector<std::vector<TableChoice>> sets;
  std::vector<TablePhase> phases;
  IndexList starts, intermediates;  ///< phases in which packets start; columns
  bool start_by_level = false;
  Index proof = 0;        ///< of the certificate: every choice, some choice, the same for worms
  IndexList usual{0, 0};  ///< marks of packets from hosts, and of others; or lanes by level
  std::vector<std::unordered_map<Index, IndexList>> unusual;  ///< the same by switch and ports
  std::vector<IndexList> choices{{0}};                        ///< the ports that a tag allows
  std::vector<std::pair<Index, Index>> routes{{}};            ///< first tag, and the route after it
  std::vector<TableColumn> columns;
  std::vector<TableGroup> groups;
  IndexList number;  ///< by link * lanes + lane

 private:
  void read_fabric() {
    need("weft");
    need("\"fabric 1\"");
    while (take("name") || take("speed") || take("delay")) name();
    rows("switches", "[ NAME PORTS", [this] {
      add_name(switches, switch_called_);
      link_at.emplace_back(values_[1] + std::size_t{1}, none);
    });
    rows("hosts", "[ NAME SWITCH FREE", [this] {
      add_name(hosts, host_called_);
      add_link({values_[1], values_[2], values_[1], values_[2]});
    });
    for (Index s = 0; s < switches.size(); ++s) add_link({s, 0, s, 0});
    rows("links", "[ SWITCH FREE SWITCH FREE", [this] {
      check(values_[0] != values_[2], "a link joins a switch with itself");
      add_link({values_[0], values_[1], values_[2], values_[3]});
      add_link({values_[2], values_[3], values_[0], values_[1]});
    });
    check(next().empty(), "the text should end here");
    unusual.resize(switches.size());
  }

  void read_tables() {
    form("weft tables 1");
    if (line_begins() && take("engine"))
      while (!take().empty()) continue;
    form("lanes LANES");
    lanes = values_[0];
    form("columns hosts SWITCHES");
    const bool to_switches = values_[0] == 1;
    form("paths PATHS");
    by_source = values_[0] == 1;
    by_choice = values_[0] == 2;
    form("switches SWITCH*");
    order_ = values_;
    const std::size_t listed = std::set(order_.begin(), order_.end()).size();
    check(listed == order_.size() && listed == switches.size(),
          "each switch of the fabric must be listed once");
    while (by_source && line("links NEXT_TAG : ANY_PORT*")) choices.push_back(different_ports());
    if (by_choice) choice_rules();
    lane_rule();
    while (line_begins() && (by_choice ? choice_column(to_switches) : take("to")))
      if (!by_choice) column(columns.emplace_back(), to_switches);
    while (line("group NAME GROUP_LANE GROUP_LEVEL SOURCE ROOT : HOST*")) group();
    check(!line_begins(), "no line may begin like this here");
  }

  void read_certificate() {
    form("weft certificate 1");
    form("lanes LANES");
    certificate_lanes = values_[0];
    if (line("choices some WORMS")) proof = values_[0];
    number.assign(links.size() * certificate_lanes, none);
    for (std::set<Index> listed; line_begins();) {
      form("SWITCH PORT : NUMBER*");
      const Index link = link_at[values_[0]][values_[1]];
      check(link != none, "this port leads nowhere");
      check(listed.insert(link).second, "this port has a second line");
      const IndexList numbers = values_from(2, certificate_lanes, false);
      const bool alone =
          std::count(numbers.begin() + 1, numbers.end(), none) + 1 == certificate_lanes;
      check(link >= hosts.size() || alone, "a link to a host has one number, and then -");
      std::copy(numbers.begin(), numbers.end(), &number[link * numbers.size()]);
    }
  }

  /// Reads the words of a form. Those in capital letters stand for values, and a * means any
  /// number of them, up to the next mark or the end of the line.
  void match(std::string_view form) {
    for (values_.clear(); !form.empty();) {
      const std::string_view word = form.substr(0, form.find(' '));
      form.remove_prefix(std::min(word.size() + 1, form.size()));
      const std::string_view kind = word.substr(0, word.find('*'));
      if (kind.front() < 'A' || kind.front() > 'Z')
        need(std::string(word));
      else if (kind == word)
        values_.push_back(value(kind));
      else
        while (!at_mark_or_end()) values_.push_back(value(kind));
    }
  }
  Index value(std::string_view kind) {
    if (kind == "SWITCH") return switch_ = known(switch_called_, "switch");
    if (kind == "NAME") return name_ = name(), none;
    if (kind == "HOST") return known(host_called_, "host");
    if (kind == "PORT") return port(1);
    if (kind == "IN" || kind == "OUT") return port(0);
    if (kind == "ANY_PORT") return whole(1, most_ports, "a port");
    if (kind == "PORTS") return whole(0, most_ports, "a number of ports");
    if (kind == "FREE")
      return whole(1, link_at[switch_].size() - 1, "a port (weft make FILE -o OTHER writes all)");
    if (kind == "LANES") return whole(1, 64, "a number of lanes");
    if (kind == "LEVELS") return whole(1, 256, "a number of levels");
    if (kind == "LEVEL") return whole(0, usual.size() - 1, "a level");
    if (kind == "NUMBER") return take("-") ? none : whole(0, none - 1, "a number");
    if (kind == "NEXT_TAG") {
      tags_.emplace(next(), static_cast<Index>(choices.size()));
      return need("g" + std::to_string(tags_.size() - 1)), none;
    }
    if (kind == "GROUP_LANE") return take("lane") ? value("LANE") : none;
    if (kind == "GROUP_LEVEL")
      return values_.back() != none ? none : (need(by_level ? "level" : "lane"), value("LEVEL"));
    if (kind == "SOURCE") return take("source") ? value("HOST") : none;
    if (kind == "ROOT") return take("root") ? value("SWITCH") : none;
    if (kind == "PATHS") return take("source") ? 1 : take("choices") ? 2 : (need("destination"), 0);
    if (kind == "WORMS") return take("worms") ? 2 : 1;
    if (kind == "PHASE") return whole(0, most_phases - 1, "a phase");
    if (kind == "REGION") return whole(0, none, "a region");
    if (kind == "WORD") return check(!take().empty(), "a word is missing"), none;
    if (kind == "SWITCHES") return take("switches") ? 1 : 0;
    if (kind == "MARK")
      for (const auto& [word, mark] :
           {std::pair{"=", keep}, {"+", plus}, {"-", minus}, {"x", never}})
        if (take(word)) return mark;
    return whole(0, lanes - 1, "a lane of the tables");
  }
  /// A whole line of a form; one that is left out begins otherwise.
  void form(std::string_view words) {
    line_begins();
    match(words);
    end_line();
  }
  bool line(std::string_view words) {
    if (!line_begins() || next() != words.substr(0, words.find(' '))) return false;
    form(words);
    return true;
  }
  /// The values from a place on, as many as are needed.
  IndexList values_from(std::size_t place, std::size_t count, bool one_for_all) {
    IndexList out(values_.begin() + static_cast<std::ptrdiff_t>(place), values_.end());
    if (out.size() != count && !(one_for_all && out.size() == 1))
      fail(std::to_string(count) + " are needed here" + (one_for_all ? ", or one for all" : ""));
    return out;
  }
  Index port(Index least) {
    return whole(least, link_at[switch_].size() - 1, "a port of the switch");
  }

  // --- fabrics

  /// The rows of a list. What stands in braces at the end of a row does not matter here.
  template <class Row>
  void rows(const std::string& list, std::string_view form, Row add_row) {
    need(list);
    for (need("["); !take("]"); need("]")) {
      match(form);
      add_row();
      if (take("{"))
        while (!take("}"))
          if (take().empty()) fail("a closing brace is missing");
    }
  }
  void add_name(std::vector<std::string_view>& list, NameMap& names) {
    const bool fresh = names.emplace(name_, static_cast<Index>(list.size())).second;
    check(fresh, "there is a second \"" + std::string(name_) + "\"");
    list.push_back(name_);
  }
  void add_link(const DirectedLink& link) {
    check(link_at[link.from][link.port] == none, "this port is used twice");
    link_at[link.from][link.port] = static_cast<Index>(links.size());
    links.push_back(link);
  }

  // --- tables

  /// The values after the first, in ascending order.
  IndexList different_ports() const {
    const std::set<Index> ports(values_.begin() + 1, values_.end());
    check(ports.size() + 1 == values_.size(), "a port is listed twice");
    return {ports.begin(), ports.end()};
  }
  void lane_rule() {
    if (line("turns from hosts MARK otherwise MARK")) {
      usual = values_;
      while (line("turn SWITCH IN : MARK*"))
        add_exception(values_[1] << 16, values_from(2, link_at[switch_].size(), true));
    } else if (line_begins() && take("levels")) {
      if (take("unknown")) return end_line();
      by_level = true;
      usual.resize(lanes);
      std::iota(usual.begin(), usual.end(), Index{0});
      const bool map = !next().empty();
      if (map) {
        match("LEVELS : LANE*");
        usual = values_from(1, values_[0], false);
      }
      end_line();
      while (map && line("map SWITCH IN OUT : LANE*"))
        add_exception(values_[1] << 16 | values_[2], values_from(3, usual.size(), false));
    }
  }
  void add_exception(Index ports, const IndexList& lanes) {
    const bool fresh = unusual[switch_].emplace(ports, lanes).second;
    check(fresh, "there is a second line for these ports");
  }
  // --- choice tables

  /// Which intermediate destinations packets draw, and how they decide, does not matter.
  void choice_rules() {
    while (line_begins() && take("choice")) choice_set();
    line("regions REGION*");
    line("intermediates WORD");
    line("decide WORD WORD WORD WORD WORD WORD WORD");
    starts.assign(1, 0);
    if (line_begins() && take("start")) {
      start_by_level = take("level");
      if (!start_by_level && !take("random")) take("queue");
      match("PHASE*");
      end_line();
      starts = values_;
    }
    while (line_begins() && take("phase")) phase();
    if (phases.empty()) phases.emplace_back();
    check(!starts.empty() && std::set(starts.begin(), starts.end()).size() == starts.size(),
          "packets start in different phases");
    for (const Index start : starts) check(start < phases.size(), "there is no such phase");
    for (const TablePhase& phase : phases) {
      const bool away = phase.to_intermediates;
      check(!away || (phase.next < phases.size() && !phases[phase.next].to_intermediates),
            "the next phase leads to hosts");
      check(phase.detour == none ||
                (phase.detour < phases.size() && phases[phase.detour].to_intermediates),
            "a detour leads to intermediate destinations");
    }
    for (auto& set : sets)
      for (TableChoice& choice : set) {
        check(choice.phase != none || phases.size() == 1, "a choice names no phase");
        if (choice.phase == none) choice.phase = 0;
        check(choice.phase < phases.size(), "a choice leads to a phase that does not exist");
      }
  }
  void choice_set() {
    need("c" + std::to_string(sets.size()));
    need(":");
    auto& set = sets.emplace_back();
    for (; !next().empty();)
      if (!take("|")) set.push_back(choice(take()));
    check(!set.empty(), "a choice is missing");
    end_line();
  }
  /// PORT, .LANE, >PHASE, without spaces.
  TableChoice choice(std::string_view word) {
    TableChoice out{none, none, none};
    std::size_t at = 0;
    const auto part = [&](std::size_t least, std::size_t most, const char* what) {
      Index value = 0;
      const auto [after, problem] = std::from_chars(word.data() + at, word.end(), value);
      if (problem != std::errc() || value < least || value > most)
        fail(std::string(what) + " is expected here");
      at = static_cast<std::size_t>(after - word.data());
      return value;
    };
    out.port = part(1, most_ports, "a port");
    if (at < word.size() && word[at] == '.') ++at, out.lane = part(0, lanes - 1, "a lane");
    if (at < word.size() && word[at] == '>') ++at, out.phase = part(0, most_phases - 1, "a phase");
    check(at == word.size(), "a choice is PORT, .LANE and >PHASE");
    return out;
  }
  void phase() {
    check(phases.size() < most_phases, "there are too many phases");
    need(std::to_string(phases.size()));
    TablePhase& phase = phases.emplace_back();
    match("NAME : to");
    phase.to_intermediates = take("intermediates");
    match(phase.to_intermediates ? "next PHASE" : "hosts");
    if (phase.to_intermediates)
      phase.next = values_[0];
    else if (take("detour"))
      phase.detour = value("PHASE");
    end_line();
  }
  /// A line "to", "in" or "via", and that of levels behind it; whether there is one.
  bool choice_column(bool to_switches) {
    if (take("to")) {
      column(columns.emplace_back(), to_switches);
    } else if (take("in")) {
      const Index in = value("PHASE");
      check(in < phases.size() && !phases[in].to_intermediates, "this phase has no own columns");
      match("to HOST* :");
      const IndexList to = values_;
      const Index entries_of = entries_or_same();
      for (const Index host : to)
        check(phases[in].own_columns.emplace(host, entries_of).second,
              "a host has a second column in this phase");
    } else if (take("via")) {
      need(":");
      intermediates.push_back(entries_or_same());
    } else {
      return false;
    }
    return true;
  }
  /// The number of the column.
  Index entries_or_same() {
    if (take("=")) {
      check(!columns.empty(), "there is no column before");
      end_line();
    } else {
      entries(columns.emplace_back());
    }
    column_levels(columns.back());
    return static_cast<Index>(columns.size() - 1);
  }
  Index set() {
    const std::string_view word = take();
    Index value = 0;
    const auto [after, problem] = std::from_chars(word.data() + !word.empty(), word.end(), value);
    check(word.starts_with('c') && problem == std::errc() && after == word.end() &&
              value < sets.size(),
          "a choice is expected here");
    for (const TableChoice& choice : sets[value])
      check(choice.port < link_at[switch_].size(), "the switch has no such port");
    return value + 1;
  }

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
        column.hosts.push_back(known(host_called_, "host"));
    }
    need(":");
    entries(column);
    column_levels(column);
  }
  void entries(TableColumn& column) {
    column.next.resize(order_.size());
    for (const Index s : order_) {
      if (by_source && s != order_.front()) need(",");
      switch_ = s;
      column.next[s] = take("-")   ? none
                       : by_source ? route()
                       : take(".") ? 0
                       : by_choice ? set()
                                   : port(1);
    }
    end_line();
  }
  void column_levels(TableColumn& column) {
    if (!by_level || !line_begins() || !take("level")) return;
    column.by_host = take("hosts");
    match("LEVEL*");
    end_line();
    const IndexList levels = values_from(0, column.by_host ? hosts.size() : order_.size(), true);
    if (column.by_host) {
      column.levels = levels.size() == hosts.size() ? levels : IndexList(hosts.size(), levels[0]);
      return;
    }
    column.levels.resize(order_.size());
    for (std::size_t i = 0; i < order_.size(); ++i)
      column.levels[order_[i]] = levels[std::min(i, levels.size() - 1)];
  }
  /// A route is its first tag and the route after it; routes that end alike share the end.
  Index route() {
    IndexList tags;
    for (bool on = !take("."); on; on = !at_mark_or_end()) tags.push_back(tag());
    Index route = 0;
    for (; !tags.empty(); tags.pop_back()) {
      const auto [known, fresh] = route_of_.try_emplace(std::uint64_t{route} << 32 | tags.back(),
                                                        static_cast<Index>(routes.size()));
      if (fresh) routes.emplace_back(tags.back(), route);
      route = known->second;
    }
    return route;
  }
  Index tag() {
    const auto [known, fresh] = tags_.try_emplace(next(), static_cast<Index>(choices.size()));
    if (fresh) choices.emplace_back(1, whole(1, most_ports, "a port or group of links"));
    if (!fresh) take();
    return known->second;
  }
  void group() {
    check(group_called_.emplace(name_, 0).second, "there is a second group of this name");
    const IndexList members(values_.begin() + 5, values_.end());
    TableGroup& group = groups.emplace_back(
        TableGroup{name_, values_[1], values_[2], values_[3], values_[4], members, {}, {}});
    check(group.lane != none || group.root == none, "a group with a root has a lane");
    while (true) {
      if (group.root != none && line("up ANY_PORT : SWITCH*")) {
        for (std::size_t i = 1; i < values_.size(); ++i) {
          check(values_[0] < link_at[values_[i]].size(), "a switch has no such port");
          check(group.up.emplace(values_[i], values_[0]).second, "a switch has another port up");
        }
      } else if (line("out SWITCH : PORT*")) {
        check(group.out.emplace(switch_, different_ports()).second, "a switch has a second line");
      } else {
        return;
      }
    }
  }

  static constexpr Index most_ports = 65'000, most_phases = 8;
  NameMap switch_called_{}, host_called_{}, group_called_{};
  IndexList values_{}, order_{};          ///< of the form read last; of the switches in lines
  std::set<Index> hosts_{}, switches_{};  ///< that have a column
  std::string_view name_{};               ///< that was read last
  Index switch_ = 0;                      ///< that was read last
  NameMap tags_{};                        ///< of source routes: their choices
  std::unordered_map<std::uint64_t, Index> route_of_{};  ///< by first tag and the route after it
};

}  // namespace weft::verifier
