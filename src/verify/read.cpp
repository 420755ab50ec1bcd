// SPDX-License-Identifier: Apache-2.0
// Reads fabrics, tables and certificates.
#include <algorithm>
#include <charconv>
#include <set>

#include "verify/input.hpp"

namespace weft::verifier {
namespace {

/// A text, word by word; a name in quotes is one word. In lines, colons and the ends of lines that
/// are not blank or comments are words, and so is a comma after a word. Elsewhere brackets and
/// braces are, while line ends, commas and = are spaces.
class TextReader {
 protected:
  TextReader(const InputText& input, bool lines)
      : source_(input.name), text_(input.text), lines_(lines) {
    advance();
  }
  /// Refuses the next word, or the one before it.
  [[noreturn]] void fail(const std::string& what) const { fail(what, line_); }
  [[noreturn]] void fail_before(const std::string& what) const { fail(what, line_before_); }
  void advance() {
    line_before_ = line_;
    const bool line_begins = word_.empty() || word_ == "\n";
    const char* spaces = !lines_ ? " \t\r\n,=" : line_begins ? " \t\r\n" : " \t\r";
    line_ += word_ == "\n" ? 1 : 0;
    for (bool comment = false; comment || is(spaces) || is("#"); ++at_) {
      if (at_ == text_.size() || (is("#") && lines_ && !line_begins)) break;
      comment = !is("\n") && (comment || is("#"));
      line_ += is("\n") ? 1 : 0;
    }
    const std::size_t begin = at_;
    const bool quoted = is("\""), mark = is(lines_ ? ":\n" : "[]{}");
    const char* stops = quoted ? "\"\n" : lines_ ? " \t\r\n:" : " \t\r\n[],={}#\"";
    at_ += at_ < text_.size() ? 1 : 0;
    while (!mark && at_ < text_.size() && !is(stops)) at_ += quoted && is("\\") ? 2 : 1;
    if (quoted && !is("\"")) fail("a closing quote is missing");
    at_ += quoted ? 1 : 0;
    if (lines_ && at_ > begin + 1 && text_[at_ - 1] == ',') --at_;
    word_ = begin < text_.size()     ? text_.substr(begin, at_ - begin)
            : lines_ && !line_begins ? "\n"
                                     : "";
    for (const char letter : word_)
      if (static_cast<unsigned char>(letter) < ' ' && word_ != "\n") fail("a control character");
  }
  bool take(std::string_view word) {
    const bool taken = word_ == word;
    if (taken) advance();
    return taken;
  }
  void need(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words)
      if (!take(word))
        fail(word == "\n" ? "the line should end here"
                          : "'" + std::string(word) + "' is expected here");
  }
  std::string_view name() {
    const std::string_view word = word_;
    const bool quoted = word.starts_with('"');
    if (!quoted && (!lines_ || word.empty() || word == "\n" || word == ":"))
      fail("a name is expected here");
    advance();
    return quoted ? word.substr(1, word.size() - 2) : word;
  }
  Index known(const NameMap& names, const std::string& what) {
    const std::string_view word = name();
    const auto found = names.find(word);
    if (found == names.end())
      fail_before("the fabric has no " + what + " \"" + std::string(word) + "\"");
    return found->second;
  }
  Index number(std::int64_t least, std::int64_t most, const std::string& what) {
    Index value = 0;
    const char* const end = word_.data() + word_.size();
    const auto [after, problem] = std::from_chars(word_.data(), end, value);
    if (problem != std::errc() || after != end || value < least || value > most)
      fail(what + " is expected here, from " + std::to_string(least) + " to " +
           std::to_string(most));
    advance();
    return value;
  }
  std::string_view word_{};  ///< the next one; empty at the end of the text

 private:
  [[noreturn]] void fail(const std::string& what, std::size_t line) const {
    throw UnreadableInput(source_ + ":" + std::to_string(line) + ": " + what);
  }
  bool is(std::string_view letters) const {
    return at_ < text_.size() && letters.find(text_[at_]) != std::string_view::npos;
  }
  const std::string source_;
  const std::string_view text_;
  const bool lines_;
  std::size_t at_ = 0, line_ = 1, line_before_ = 1;
};

class FabricReader : TextReader {
 public:
  FabricReader(const InputText& input, VerifierInput& out) : TextReader(input, false), out_(out) {}

  void read() {
    need({"weft", "\"fabric 1\""});
    while (take("name") || take("speed") || take("delay")) name();
    for (need({"switches", "["}); take("["); end_row()) {
      out_.switches.push_back(new_name(out_.switch_called));
      out_.ports.push_back(port(0, most_ports));
    }
    for (need({"]", "hosts", "["}); take("["); end_row()) {
      out_.hosts.push_back(new_name(out_.host_called));
      const auto [on, port] = port_of_switch();
      out_.links.push_back({on, port, none, 0});
    }
    for (need({"]", "links", "["}); take("["); end_row()) {
      const auto [a, a_port] = port_of_switch();
      const auto [b, b_port] = port_of_switch();
      if (a == b) fail_before("a link joins a switch with itself");
      out_.links.push_back({a, a_port, b, b_port});
      out_.links.push_back({b, b_port, a, a_port});
    }
    need({"]"});
    if (!word_.empty()) fail("the text should end here");
    for (Index i = 0; i < out_.links.size(); ++i)
      out_.link_at[{out_.links[i].from, out_.links[i].port}] = i;
  }

 private:
  /// What stands in braces does not matter here.
  void end_row() {
    for (bool inside = take("{"); inside; inside = !take("}")) {
      if (word_.empty()) fail("a closing brace is missing");
      if (word_ != "}") advance();
    }
    need({"]"});
  }
  std::string_view new_name(NameMap& names) {
    const std::string_view word = name();
    if (!names.emplace(word, static_cast<Index>(names.size())).second)
      fail_before("there is a second \"" + std::string(word) + "\"");
    return word;
  }
  Index port(Index least, Index most) {
    if (word_.find_first_of("0123456789") != 0 || (least > 0 && word_ == "0"))
      fail("a number is missing here; weft make FILE -o OTHER writes the ports that are left out");
    return number(least, most, "a port");
  }
  std::pair<Index, Index> port_of_switch() {
    const Index s = known(out_.switch_called, "switch"), p = port(1, out_.ports[s]);
    if (!out_.link_at.emplace(IndexPair{s, p}, none).second) fail_before("this port is used twice");
    return {s, p};
  }
  VerifierInput& out_;
};

class LineReader : TextReader {
 public:
  LineReader(const InputText& input, VerifierInput& out) : TextReader(input, true), out_(out) {}

  void tables() {
    need({"weft", "tables", "1", "\n"});
    if (take("engine"))
      while (!take("\n")) advance();
    need({"lanes"});
    out_.lanes = number(1, 64, "a number of lanes");
    need({"\n", "columns", "hosts"});
    const bool to_switches = take("switches");
    need({"\n", "paths"});
    out_.by_source = take("source");
    if (!out_.by_source) need({"destination"});
    std::set<Index> listed;
    for (need({"\n", "switches"}); !take("\n"); listed.insert(order_.back()))
      order_.push_back(a_switch());
    if (order_.size() != listed.size() || order_.size() != out_.switches.size())
      fail_before("each switch of the fabric must be listed once");
    while (out_.by_source && take("links")) {
      need({"g" + std::to_string(out_.choices.size())});
      out_.choices.push_back(ports(none));
    }
    lane_rule();
    while (take("to")) column(out_.columns.emplace_back(), to_switches);
    while (take("group")) group(out_.groups.emplace_back());
    if (!word_.empty()) fail("no line may begin like this here");
  }

  void certificate() {
    need({"weft", "certificate", "1", "\n", "lanes"});
    const std::size_t lanes = out_.certificate_lanes = number(1, 64, "a number of lanes");
    need({"\n"});
    out_.number.assign(out_.links.size() * lanes, none);
    for (std::set<Index> listed; !word_.empty(); need({"\n"})) {
      const Index s = a_switch();
      const auto found = out_.link_at.find({s, port_of(s, 1)});
      if (found == out_.link_at.end()) fail_before("this port leads nowhere");
      const std::size_t link = found->second;
      if (!listed.insert(found->second).second) fail_before("this port has a second line");
      need({":"});
      for (std::size_t lane = 0; lane < lanes; ++lane)
        if ((lane > 0 && link < out_.hosts.size()) || word_ == "-")
          need({"-"});
        else
          out_.number[link * lanes + lane] = number(0, none - 1, "a number");
    }
  }

 private:
  Index host() { return known(out_.host_called, "host"); }
  Index a_switch() { return known(out_.switch_called, "switch"); }
  Index port_of(Index s, Index least) {
    return number(least, out_.ports[s], "a port of the switch");
  }
  Index lane() { return number(0, out_.lanes - 1, "a lane of the tables"); }
  Index mark() {
    for (const auto& [word, mark] : {std::pair{"=", keep}, {"+", plus}, {"-", minus}, {"x", never}})
      if (take(word)) return mark;
    return lane();
  }
  /// Ports of a switch, or of any, up to the end of the line.
  IndexList ports(Index s) {
    std::set<Index> out;
    for (need({":"}); !take("\n");)
      if (!out.insert(s == none ? number(1, most_ports, "a port") : port_of(s, 1)).second)
        fail_before("this port is listed twice");
    return {out.begin(), out.end()};
  }
  void lane_rule() {
    if (take("turns")) {
      out_.rule = LanesFollow::turn;
      need({"from", "hosts"});
      out_.usual.push_back(mark());
      need({"otherwise"});
      out_.usual.push_back(mark());
      need({"\n"});
    } else if (take("levels")) {
      out_.rule = word_ == "\n" ? LanesFollow::level : LanesFollow::map;
      if (out_.rule == LanesFollow::map) out_.usual.resize(number(1, 256, "a number of levels"));
      if (out_.rule == LanesFollow::map) need({":"});
      for (Index& of_level : out_.usual) of_level = lane();
      need({"\n"});
    }
    const bool map = out_.rule == LanesFollow::map;
    while ((map && take("map")) || (out_.rule == LanesFollow::turn && take("turn"))) {
      const Index s = a_switch(), in = port_of(s, 0), out = map ? port_of(s, 0) : 0;
      IndexList& row = out_.unusual[{s, port_pair(in, out)}];
      if (!row.empty()) fail_before("there is a second line for these ports");
      for (need({":"}); row.empty() || word_ != "\n";) row.push_back(map ? lane() : mark());
      const std::size_t all = map ? out_.usual.size() : out_.ports[s] + std::size_t{1};
      if (row.size() != all && (map || row.size() != 1))
        fail(std::to_string(all) + " are needed" +
             (map ? "" : ", by out-port from 0, or one for all"));
      need({"\n"});
    }
  }
  void column(TableColumn& column, bool to_switches) {
    while (word_ != ":" && word_ != "|") {
      column.hosts.push_back(host());
      if (!hosts_.insert(column.hosts.back()).second) fail_before("this host has a second column");
    }
    if (to_switches && take("|"))
      while (word_ != ":")
        if (!switches_.insert(a_switch()).second) fail_before("this switch has a second column");
    need({":"});
    column.next.resize(order_.size());
    for (const Index s : order_) {
      if (out_.by_source && s != order_.front()) need({","});
      column.next[s] = take("-") ? none : out_.by_source ? route() : take(".") ? 0 : port_of(s, 1);
    }
    need({"\n"});
    const bool map = out_.rule == LanesFollow::map;
    if ((!map && out_.rule != LanesFollow::level) || !take("level")) return;
    const auto levels = static_cast<std::int64_t>(map ? out_.usual.size() : out_.lanes);
    IndexList listed;
    while (!take("\n")) listed.push_back(number(0, levels - 1, "a level"));
    if (listed.size() == 1) listed.resize(order_.size(), listed.front());
    if (listed.size() != order_.size())
      fail_before("a level is needed for each switch, or one for all");
    column.levels.resize(order_.size());
    for (std::size_t i = 0; i < listed.size(); ++i) column.levels[order_[i]] = listed[i];
  }
  /// A route is its first tag and the route after it; routes that end alike share the end.
  Index route() {
    IndexList tags;
    for (bool more = !take("."); more; more = word_ != "," && word_ != "\n") {
      const bool choice = word_.starts_with('g');
      if (choice) word_.remove_prefix(1);
      const Index first = choice ? most_ports + 1 : 0;
      const auto most = choice ? static_cast<std::int64_t>(out_.choices.size()) - 1 : most_ports;
      tags.push_back(first + number(choice ? 0 : 1, most, "a port or group of links"));
    }
    std::size_t route = 0;
    for (; !tags.empty(); tags.pop_back()) {
      const auto [known, fresh] = route_of_.try_emplace({tags.back(), route}, out_.routes.size());
      if (fresh) out_.routes.push_back(known->first);
      route = known->second;
    }
    return static_cast<Index>(route);
  }
  void group(TableGroup& group) {
    group.name = name();
    need({"lane"});
    group.lane = lane();
    if (take("source")) group.source = host();
    if (take("root")) group.root = a_switch();
    for (need({":"}); !take("\n");) group.members.push_back(host());
    while (true) {
      if (take("out")) {
        const Index s = a_switch();
        if (!group.out.emplace(s, ports(s)).second) fail_before("this switch has a second line");
      } else if (group.root != none && take("up")) {
        const Index port = number(1, most_ports, "a port");
        for (need({":"}); !take("\n");) {
          const Index s = a_switch();
          if (port > out_.ports[s] || !group.up.emplace(s, port).second)
            fail_before("this switch has no such port, or another one up");
        }
      } else {
        return;
      }
    }
  }

  VerifierInput& out_;
  IndexList order_{};                     ///< of the switches in lines
  std::set<Index> hosts_{}, switches_{};  ///< that have a column
  PairMap<std::size_t> route_of_{};       ///< by tag and the route after it
};

}  // namespace

VerifierInput read(const InputText& fabric, const InputText& tables, const InputText& certificate) {
  VerifierInput out;
  FabricReader(fabric, out).read();
  LineReader(tables, out).tables();
  LineReader(certificate, out).certificate();
  return out;
}

}  // namespace weft::verifier
