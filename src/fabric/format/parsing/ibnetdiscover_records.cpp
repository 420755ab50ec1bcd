// SPDX-License-Identifier: Apache-2.0
// Reading the lines of an ibnetdiscover text, as ibsim's grammar has them.
#include "fabric/format/parsing/ibnetdiscover_records.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "fabric/format/infiniband_rate.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::ibnetdiscover {
namespace {

class Parser {
 public:
  explicit Parser(const Source& source) : source_(source) { records_.fabric_name = stem(source); }

  Records parse() && {
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      std::string_view rest = trimmed(lines.text);
      if (take_prefix(rest, "# Fabric: "))
        records_.fabric_name = rest;
      else if (rest.empty() || rest.front() == '#' || rest.front() == '@')
        open_ = open_ && !rest.empty();
      else if (rest.front() == '[')
        link(rest);
      else if (!node(rest))
        setting(rest);
    }
    return std::move(records_);
  }

 private:
  template <class Number>
  Number number(std::string_view text, std::size_t most, const char* what) const {
    const auto value = number_from<std::size_t>(text);
    if (!value || *value > most)
      fail(source_, line_, "\"{}\" is not {}; a number up to {} is needed", shown(text), what,
           most);
    return static_cast<Number>(*value);
  }
  /// Takes the text before `stop`, and `stop` itself.
  std::string_view until(std::string_view& rest, char stop, const char* form) const {
    const std::size_t at = rest.find(stop);
    if (at == std::string_view::npos) fail(source_, line_, "this line is not of the form {}", form);
    const std::string_view head = rest.substr(0, at);
    rest.remove_prefix(at + 1);
    return head;
  }

  /// switchguid=0x100000(100000), and everything else that has an equals sign or is no record
  void setting(std::string_view text) {
    open_ = false;
    for (const std::string_view key : {"switchguid=", "caguid=", "hcaguids=", "rtguid="}) {
      std::string_view rest = text;
      if (!take_prefix(rest, key)) continue;
      const std::string_view value = rest.substr(0, rest.find_first_of("( \t"));
      const auto guid = guid_from(value);
      if (!guid)
        fail(source_, line_, "\"{}\" is not a GUID; write 0x0002c90200000001", shown(value));
      guid_ = *guid;
    }
  }

  /// Switch 8 "S-0000000000100000"  # "sw_0_0" base port 0 lid 17 lmc 0
  bool node(std::string_view rest) {
    const std::string_view word = take_word(rest);
    const bool is_switch = word == "Switch";
    if (!is_switch && word != "Ca" && word != "Hca" && word != "Rt") return false;
    constexpr auto form = "Switch 8 \"id\"  # \"name\" lid 1";
    NodeRecord node;
    node.kind = is_switch ? NodeKind::switch_node : word == "Rt" ? NodeKind::router : NodeKind::nic;
    node.line = line_;
    node.ports = number<PortNumber>(take_word(rest), most_ports, "a number of ports");
    until(rest, '"', form);
    node.id = until(rest, '"', form);
    node.guid = std::exchange(guid_, 0);
    if (node.guid == 0 && node.id.size() == 18 && node.id[1] == '-')
      node.guid = guid_from(node.id.substr(2)).value_or(0);
    comment(rest, node);
    if (node.guid != 0 && !guids_.insert(node.guid).second)
      fail(source_, line_, "GUID 0x{:016x} belongs to a second node; each has its own", node.guid);
    if (!ids_.emplace(node.id, records_.nodes.size()).second)
      fail(source_, line_, "node \"{}\" has a second record; each node has one", shown(node.id));
    records_.nodes.push_back(std::move(node));
    ports_seen_.clear();
    return open_ = true;
  }
  void comment(std::string_view rest, NodeRecord& node) const {
    rest.remove_prefix(std::min(rest.find('#'), rest.size()));
    const std::size_t open = rest.find('"');
    const std::size_t close = open == std::string_view::npos ? open : rest.find('"', open + 1);
    if (close != std::string_view::npos) {
      node.name = rest.substr(open + 1, close - open - 1);
      rest.remove_prefix(close + 1);
    }
    if (node.name.empty()) node.name = node.id;
    while (!rest.empty())
      if (take_word(rest) == "lid") node.lid = number<Lid>(take_word(rest), 65535, "a LID");
  }

  /// [1](200001)  "S-0000000000100000"[5]  # lid 1 lmc 0 "sw_0_0" lid 17 4xQDR
  void link(std::string_view rest) {
    constexpr auto form = "[1] \"id of the other end\"[2]";
    if (!open_) fail(source_, line_, "a port before any Switch or Ca line; it belongs below one");
    NodeRecord& node = records_.nodes.back();
    PortLine link;
    link.line = line_;
    rest.remove_prefix(1);
    link.port = number<PortNumber>(until(rest, ']', form), node.ports, "a port of this node");
    std::string_view between = until(rest, '"', form);
    if (const std::size_t open = between.find('('); open != std::string_view::npos) {
      between.remove_prefix(open + 1);
      const std::string_view text = until(between, ')', form);
      const auto guid = guid_from(text);
      if (!guid) fail(source_, line_, "\"{}\" is not a GUID; write 2c90200000001", shown(text));
      link.guid = *guid;
    }
    link.peer = until(rest, '"', form);
    if (rest.empty() || rest.front() != '[')
      fail(source_, line_, "this line is not of the form {}", form);
    rest.remove_prefix(1);
    link.peer_port = number<PortNumber>(until(rest, ']', form), most_ports, "a port number");
    if (link.port == 0 || link.peer_port == 0)
      fail(source_, line_, "port 0 has no cable; ports count from 1");
    if (!ports_seen_.emplace(link.port, line_).second)
      fail(source_, line_, "port {} of \"{}\" is used twice, first in line {}", link.port,
           shown(node.id), ports_seen_[link.port]);
    comment(rest, link);
    node.links.push_back(link);
  }
  void comment(std::string_view rest, PortLine& link) const {
    rest.remove_prefix(std::min(rest.find('#'), rest.size()));
    std::string_view own = rest.substr(0, rest.find('"'));  // before the other end's name
    for (auto word = take_word(own); !word.empty(); word = take_word(own))
      if (word == "lid")
        link.lid = number<Lid>(take_word(own), 65535, "a LID");
      else if (word == "lmc")
        link.lmc = number<std::uint8_t>(take_word(own), 7, "an LMC");
    rest.remove_prefix(std::min(rest.rfind('"') + 1, rest.size()));
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
      if (word.front() < '0' || word.front() > '9') continue;
      if (const auto speed = infiniband_rate(word))
        link.speed = speed;
      else if (word.ends_with("b/s"))
        link.speed = unit(word, bandwidth_from);
      else if (word.ends_with("s"))
        link.delay = unit(word, delay_from);
    }
    if (link.speed && link.speed->bits_per_second == 0)
      fail(source_, line_, "a link needs a speed above zero");
  }
  template <class Unit>
  Unit unit(std::string_view word, Unit (*from)(std::string_view)) const {
    try {
      return from(word);
    } catch (const Error& error) {
      fail(source_, line_, "{}", error.what());
    }
  }

  const Source& source_;
  Records records_{};
  std::size_t line_ = 0;
  bool open_ = false;  ///< below a Switch or Ca line
  Guid guid_ = 0;
  std::unordered_map<std::string_view, std::size_t> ids_;
  std::unordered_set<Guid> guids_;
  std::unordered_map<PortNumber, std::size_t> ports_seen_;
};

}  // namespace

Records parse(const Source& source) { return Parser(source).parse(); }

std::string id_of(NodeKind kind, Guid guid) {
  const char letter = kind == NodeKind::switch_node ? 'S' : kind == NodeKind::router ? 'R' : 'H';
  return fmt::format("{}-{:016x}", letter, guid);
}

std::string without_suffix(std::string name, const std::string& id) {
  const std::string begin = " [" + id;
  for (;;) {
    const std::size_t at = name.rfind(begin);
    if (at == std::string::npos || at == 0 || name.back() != ']') return name;
    const std::size_t from = at + begin.size();
    const std::string_view tail = std::string_view(name).substr(from, name.size() - 1 - from);
    const bool port = tail.size() > 1 && tail.front() == ':' &&
                      number_from<PortNumber>(tail.substr(1)).has_value();
    if (!tail.empty() && !port) return name;
    name.erase(at);
  }
}

}  // namespace weft::ibnetdiscover
