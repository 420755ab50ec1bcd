// SPDX-License-Identifier: Apache-2.0
// ibdiagnet's database (ibdiagnet2.db_csv): sections of comma-separated rows, of which those of
// nodes, ports and links make a fabric; read only.
//
//   START_LINKS
//   NodeGuid1,PortNum1,NodeGuid2,PortNum2
//   0x0002c90300000001,1,0x0002c90300000002,1
//   END_LINKS
//
// The first row of a section names its columns, which differ between versions. A switch has its LID
// at port 0, an adapter at its ports.
#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <unordered_map>

#include "fabric/format/formats.hpp"
#include "fabric/format/infiniband_rate.hpp"
#include "fabric/format/parsing/ibnetdiscover_records.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::db_csv {
namespace {

using ibnetdiscover::NodeKind;
using ibnetdiscover::NodeRecord;
using ibnetdiscover::PortLine;

/// Fields between commas; those in quotes may contain commas.
std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> out;
  while (true) {
    std::size_t end = line.find(',');
    if (line.starts_with('"')) {
      const std::size_t close = line.find('"', 1);
      end = close == std::string_view::npos ? close : line.find(',', close);
    }
    std::string_view field = trimmed(line.substr(0, end));
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"')
      field = field.substr(1, field.size() - 2);
    out.push_back(field);
    if (end == std::string_view::npos) return out;
    line.remove_prefix(end + 1);
  }
}

bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

class DatabaseReader {
 public:
  explicit DatabaseReader(const Source& source) : source_(source) {
    records_.fabric_name = stem(source);
  }

  Fabric read() && {
    std::string_view section;
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      std::string_view text = trimmed(lines.text);
      if (take_prefix(text, "START_")) {
        section = text;
        columns_.clear();
      } else if (text.starts_with("END_")) {
        section = {};
      } else if (!section.empty() && !text.empty()) {
        if (columns_.empty())
          columns_ = fields_of(text);
        else
          row(section, fields_of(text));
      }
    }
    if (!section.empty())
      fail(source_, line_, "the file is cut off: section {} has no end", shown(section));
    return assemble();
  }

 private:
  struct ListedLink {
    std::size_t line;
    Guid guid[2];
    PortNumber port[2];
  };
  struct ListedPort {
    Guid guid = 0;
    Lid lid = 0;
    std::uint8_t lmc = 0;
    std::optional<Bandwidth> speed{};
  };

  void row(std::string_view section, std::vector<std::string_view> fields) {
    fields_ = std::move(fields);
    if (section == "NODES") node();
    if (section == "PORTS") port();
    if (section == "LINKS")
      links_.push_back({line_,
                        {needed<Guid>("NodeGuid1"), needed<Guid>("NodeGuid2")},
                        {needed<PortNumber>("PortNum1"), needed<PortNumber>("PortNum2")}});
  }

  /// Empty where the section has no such column, or no value there.
  std::string_view field(std::string_view column) const {
    for (std::size_t i = 0; i < std::min(columns_.size(), fields_.size()); ++i)
      if (same_letters(columns_[i], column)) return fields_[i] == "N/A" ? "" : fields_[i];
    return {};
  }
  template <class Number>
  std::optional<Number> number(std::string_view column) const {
    std::string_view text = field(column);
    if (text.empty()) return std::nullopt;
    const int base = take_prefix(text, "0x") ? 16 : 10;
    const auto value = number_from<Number>(text, base);
    if (!value)
      fail(source_, line_, "{}: \"{}\" is not a number that fits here", column, shown(text));
    return value;
  }
  template <class Number>
  Number needed(std::string_view column) const {
    const auto value = number<Number>(column);
    if (!value) fail(source_, line_, "a value of {} is needed here", column);
    return *value;
  }

  void node() {
    NodeRecord node;
    node.line = line_;
    node.guid = needed<Guid>("NodeGUID");
    node.id = field("NodeGUID");
    node.ports = needed<PortNumber>("NumPorts");
    const auto type = needed<unsigned>("NodeType");
    constexpr std::array kinds{NodeKind::nic, NodeKind::switch_node, NodeKind::router};
    if (type < 1 || type > kinds.size())
      fail(source_, line_, "NodeType {}: 1 (adapter), 2 (switch) and 3 (router) are known", type);
    node.kind = kinds[type - 1];
    node.name = field("NodeDesc");
    if (node.name.empty()) node.name = node.id;
    if (!place_.emplace(node.guid, records_.nodes.size()).second)
      fail(source_, line_, "GUID 0x{:016x} belongs to a second node; each has its own", node.guid);
    records_.nodes.push_back(std::move(node));
  }

  void port() {
    ListedPort port{number<Guid>("PortGuid").value_or(0), number<Lid>("LID").value_or(0),
                    number<std::uint8_t>("LMC").value_or(0), speed()};
    if (port.lmc > 7) fail(source_, line_, "LMC {}; up to 7 are possible", port.lmc);
    ports_[{needed<Guid>("NodeGuid"), needed<PortNumber>("PortNum")}] = port;
  }

  /// From the codes of InfiniBand's PortInfo: powers of two.
  std::optional<Bandwidth> speed() const {
    static const std::map<unsigned, std::string_view> widths{
        {1, "1x"}, {2, "4x"}, {4, "8x"}, {8, "12x"}, {16, "2x"}};
    static const std::map<unsigned, std::string_view> speeds{
        {1, "SDR"},    {2, "DDR"},    {4, "QDR"},    {256, "FDR"},    {512, "EDR"},
        {1024, "HDR"}, {2048, "NDR"}, {4096, "XDR"}, {65536, "FDR10"}};
    const auto width = number<unsigned>("LinkWidthActv");
    const auto speed = number<unsigned>("LinkSpeedActv");
    if (!width || !speed) return std::nullopt;
    const auto lanes = widths.find(*width);
    const auto rate = speeds.find(*speed);
    if (lanes == widths.end() || rate == speeds.end()) return std::nullopt;
    return infiniband_rate(fmt::format("{}{}", lanes->second, rate->second));
  }

  Fabric assemble() {
    for (NodeRecord& node : records_.nodes)
      if (node.kind == NodeKind::switch_node) node.lid = ports_[{node.guid, PortNumber{0}}].lid;
    std::map<std::pair<Guid, PortNumber>, PortLine> lines;
    for (const ListedLink& link : links_)
      for (const int end : {0, 1}) {
        const auto peer = place_.find(link.guid[1 - end]);
        if (peer == place_.end() || place_.count(link.guid[end]) == 0)
          fail(source_, link.line, "a link of a node that section NODES does not have");
        const ListedPort& port = ports_[{link.guid[end], link.port[end]}];
        PortLine line;
        line.line = link.line;
        line.port = link.port[end];
        line.guid = port.guid;
        line.peer = records_.nodes[peer->second].id;
        line.peer_port = link.port[1 - end];
        line.lid = port.lid;
        line.lmc = port.lmc;
        line.speed = port.speed;
        if (line.port > records_.nodes[place_.at(link.guid[end])].ports || line.port == 0)
          fail(source_, link.line, "there is no port {} at node 0x{:016x}", line.port,
               link.guid[end]);
        const auto [found, fresh] = lines.emplace(std::pair{link.guid[end], line.port}, line);
        if (!fresh &&
            (found->second.peer != line.peer || found->second.peer_port != line.peer_port))
          fail(source_, link.line, "port {} of node 0x{:016x} has a second link, first in line {}",
               line.port, link.guid[end], found->second.line);
      }
    for (const auto& [end, line] : lines)
      records_.nodes[place_.at(end.first)].links.push_back(line);
    return ibnetdiscover::assemble(source_, records_);
  }

  const Source& source_;
  std::size_t line_ = 0;
  std::vector<std::string_view> columns_, fields_;
  ibnetdiscover::Records records_{};
  std::unordered_map<Guid, std::size_t> place_;
  std::map<std::pair<Guid, PortNumber>, ListedPort> ports_;
  std::vector<ListedLink> links_;
};

}  // namespace

Fabric read(const Source& source) { return DatabaseReader(source).read(); }

bool recognises(std::string_view text) {
  return text.find("START_NODES") != std::string_view::npos ||
         text.find("START_LINKS") != std::string_view::npos;
}

}  // namespace weft::db_csv
