// SPDX-License-Identifier: Apache-2.0
// Lists of links as OpenSM (opensm-subnet.lst) and ibdiagnet (ibdiagnet2.lst) write them; read
// only.
//
//   { SW Ports:08 SystemGUID:… NodeGUID:0000000000100000 PortGUID:… … {sw_0_0} LID:0011 PN:01 }
//   { CA … NodeGUID:… PortGUID:… {h_0_0} LID:0001 PN:01 } PHY=4x LOG=ACT SPD=10       (one line)
//
// Numbers are hexadecimal. A link has two lines, one from each end. Nodes without a link are not in
// the list, and names have no room for speeds that are not InfiniBand's.
#include <map>
#include <set>
#include <unordered_map>

#include "fabric/format/formats.hpp"
#include "fabric/format/infiniband_rate.hpp"
#include "fabric/format/parsing/ibnetdiscover_records.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::subnet_lst {
namespace {

using ibnetdiscover::NodeKind;
using ibnetdiscover::NodeRecord;
using ibnetdiscover::PortLine;

/// One end of a link, as the line has it.
struct ListedEnd {
  NodeKind kind = NodeKind::nic;
  std::string_view id{}, name{};  ///< the digits of the node's GUID; the description
  Guid guid = 0, port_guid = 0;
  PortNumber ports = 0, port = 0;
  Lid lid = 0;
};

class SubnetListReader {
 public:
  explicit SubnetListReader(const Source& source) : source_(source) {
    records_.fabric_name = stem(source);
  }

  Fabric read() && {
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      const std::string_view text = trimmed(lines.text);
      if (text.empty() || text.front() == '#') continue;
      link(text);
    }
    for (NodeRecord& node : records_.nodes)
      for (auto& [port, link] : links_[node.guid]) {
        require_own_line(node, link);
        node.links.push_back(link);
      }
    return ibnetdiscover::assemble(source_, records_);
  }

 private:
  [[noreturn]] void reject() const {
    fail(source_, line_,
         "not a link; write {{ SW Ports:08 … NodeGUID:… PortGUID:… {{name}} LID:0011 PN:01 }} {{ … "
         "}} PHY=4x LOG=ACT SPD=10");
  }

  void link(std::string_view text) {
    const ListedEnd a = end(text);
    const ListedEnd b = end(text);
    const auto speed = speed_of(text);
    for (const ListedEnd* each : {&a, &b}) note(*each);
    add(a, b, speed);
    add(b, a, speed);
    listed_[a.guid].insert(a.port);
  }

  /// Throws Error for an end of a link that has no line.
  void require_own_line(const NodeRecord& node, const PortLine& link) {
    if (listed_[node.guid].contains(link.port)) return;
    const NodeRecord& peer = records_.nodes[place_.at(number<Guid>(link.peer))];
    fail(source_, link.line,
         "the link from port {} of \"{}\" to port {} of \"{}\" has no line of its other end; is "
         "the file cut off?",
         link.peer_port, shown(peer.name), link.port, shown(node.name));
  }

  /// Takes "{ SW … {name} LID:0011 PN:01 }" off the front.
  ListedEnd end(std::string_view& rest) const {
    ListedEnd out;
    rest = trimmed(rest);
    if (!take_prefix(rest, "{")) reject();
    const std::size_t open = rest.find('{');
    const std::size_t close = open == std::string_view::npos ? open : rest.find('}', open);
    const std::size_t last = close == std::string_view::npos ? close : rest.find('}', close + 1);
    if (last == std::string_view::npos) reject();
    out.name = trimmed(rest.substr(open + 1, close - open - 1));
    std::string_view before = rest.substr(0, open),
                     after = rest.substr(close + 1, last - close - 1);
    rest.remove_prefix(last + 1);
    const std::string_view kind = take_word(before);
    out.kind = kind.starts_with("SW")   ? NodeKind::switch_node
               : kind.starts_with("RT") ? NodeKind::router
                                        : NodeKind::nic;
    for (std::string_view* part : {&before, &after})
      for (auto word = take_word(*part); !word.empty(); word = take_word(*part)) field(word, out);
    if (out.guid == 0 || out.port == 0) reject();
    return out;
  }

  void field(std::string_view word, ListedEnd& end) const {
    if (take_prefix(word, "Ports:")) end.ports = number<PortNumber>(word);
    if (take_prefix(word, "NodeGUID:")) {
      end.guid = number<Guid>(word);
      end.id = word;
    }
    if (take_prefix(word, "PortGUID:")) end.port_guid = number<Guid>(word);
    if (take_prefix(word, "LID:")) end.lid = number<Lid>(word);
    if (take_prefix(word, "PN:")) end.port = number<PortNumber>(word);
  }
  template <class Number>
  Number number(std::string_view text) const {
    const auto value = number_from<Number>(text, 16);
    if (!value) fail(source_, line_, "\"{}\" is not a hexadecimal number", shown(text));
    return *value;
  }

  /// From "PHY=4x LOG=ACT SPD=10".
  std::optional<Bandwidth> speed_of(std::string_view rest) const {
    static const std::map<std::string_view, std::string_view> names{
        {"2.5", "SDR"},   {"5", "DDR"},  {"10", "QDR"}, {"FDR10", "FDR10"}, {"14", "FDR"},
        {"EDR20", "EDR"}, {"25", "EDR"}, {"50", "HDR"}, {"100", "NDR"},     {"200", "XDR"}};
    std::string_view width = "4x", speed = "2.5";
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
      if (take_prefix(word, "PHY=")) width = word;
      if (take_prefix(word, "SPD=")) speed = word;
    }
    const auto found = names.find(speed);
    if (found == names.end()) return std::nullopt;
    return infiniband_rate(fmt::format("{}{}", width, found->second));
  }

  void note(const ListedEnd& end) {
    const auto [found, fresh] = place_.emplace(end.guid, records_.nodes.size());
    if (!fresh) {
      const NodeRecord& known = records_.nodes[found->second];
      if (known.kind == NodeKind::switch_node && known.lid != end.lid)
        fail(source_, line_, "switch \"{}\" has LID {} here and {} in line {}", shown(known.name),
             end.lid, known.lid, known.line);
      return;
    }
    NodeRecord node;
    node.kind = end.kind;
    node.line = line_;
    node.ports = end.ports;
    node.id = end.id;
    node.guid = end.guid;
    node.lid = end.kind == NodeKind::switch_node ? end.lid : Lid{0};
    node.name = end.name.empty() ? std::string(end.id) : std::string(end.name);
    records_.nodes.push_back(std::move(node));
  }

  /// The line of one end; the second time it must lead to the same port.
  void add(const ListedEnd& from, const ListedEnd& to, std::optional<Bandwidth> speed) {
    const NodeRecord& peer = records_.nodes[place_.at(to.guid)];
    PortLine line;
    line.line = line_;
    line.port = from.port;
    line.guid = from.kind == NodeKind::switch_node ? 0 : from.port_guid;
    line.peer = peer.id;
    line.peer_port = to.port;
    line.lid = from.lid;
    line.speed = speed;
    if (from.port > from.ports)
      fail(source_, line_, "port {} of \"{}\", which has {}", from.port, shown(from.name),
           from.ports);
    const auto [found, fresh] = links_[from.guid].emplace(from.port, line);
    if (!fresh && (found->second.peer != line.peer || found->second.peer_port != line.peer_port))
      fail(source_, line_, "port {} of \"{}\" leads elsewhere in line {}", from.port,
           shown(from.name), found->second.line);
  }

  const Source& source_;
  std::size_t line_ = 0;
  ibnetdiscover::Records records_{};
  std::unordered_map<Guid, std::size_t> place_;
  std::unordered_map<Guid, std::map<PortNumber, PortLine>> links_;
  std::unordered_map<Guid, std::set<PortNumber>> listed_;  ///< ports with a line
};

}  // namespace

Fabric read(const Source& source) { return SubnetListReader(source).read(); }

bool recognises(std::string_view text) {
  for (Lines lines(text.substr(0, 1 << 16)); lines.next();) {
    const std::string_view line = trimmed(lines.text);
    if (line.empty() || line.front() == '#') continue;
    return line.front() == '{' && line.find("NodeGUID:") != std::string_view::npos;
  }
  return false;
}

}  // namespace weft::subnet_lst
