// SPDX-License-Identifier: Apache-2.0
// OpenSM's linear forwarding tables: opensm-lfts.dump, what dump_fts and ibroute print, and what
// "opensm -R file -U" loads. Only the paths: multicast and service levels are in other files.
//
//   Unicast lids [0-32] of switch Lid 17 guid 0x0000000000100000 ('sw_0_0'):
//   0x0001 005 # Channel Adapter portguid 0x0000000000200001: 'h_0_0'
//   0x0011 000 # Switch portguid 0x0000000000100000: 'sw_0_0'
//
// As OpenSM does, the reader trusts a port GUID more than a LID, and skips unknown switches and
// LIDs. A fabric without GUIDs and LIDs gets those of with_addresses.
#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>
#include <variant>

#include "fabric/format/addresses.hpp"
#include "fabric/format/formats.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::opensm {
namespace {

/// Destinations of packets: the hosts, then the switches.
using DestinationId = Id<struct DestinationTag>;
using Column = std::vector<PortNumber>;

constexpr std::string_view header = "Unicast lids";

class OpensmReader {
 public:
  OpensmReader(const Source& source, const Fabric& fabric)
      : source_(source),
        fabric_(with_addresses(fabric)),
        by_lid_(std::size_t{1} << 16),
        columns_(fabric.host_count() + fabric.switch_count()) {
    for (HostId h : fabric_.hosts()) know(fabric_[h].port_guid, fabric_[h].lid, h.index());
    for (SwitchId s : fabric_.switches()) {
      know(fabric_[s].guid, fabric_[s].lid, fabric_.host_count() + s.index());
      switches_.emplace(fabric_[s].guid, s);
    }
  }

  Tables read() && {
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      if (lines.text.starts_with(header))
        begin_block(lines.text);
      else if (lines.text.starts_with("Multicast"))
        state_ = DumpSection::passing_over;
      else if (lines.text.starts_with("0x"))
        entry(lines.text);
    }
    if (!matched_)
      fail(source_, 1, "none of its entries belongs to this fabric; the GUIDs or LIDs must agree");
    return tables();
  }

 private:
  enum class DumpSection { before_all, passing_over, in_switch };

  void know(Guid guid, Lid lid, std::size_t destination) {
    by_guid_.emplace(guid, DestinationId(destination));
    if (lid != 0) by_lid_[lid] = DestinationId(destination);
  }

  /// The GUID after `word`, if there is one.
  std::optional<Guid> guid_after(std::string_view text, std::string_view word) const {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + word.size());
    const std::string_view digits = text.substr(0, text.find_first_of(" \t:"));
    const auto guid = guid_from(digits);
    if (!guid)
      fail(source_, line_, "\"{}\" is not a GUID; write 0x0002c90200000001", shown(digits));
    return guid;
  }

  void begin_block(std::string_view text) {
    const auto guid = guid_after(text, " guid ");
    if (!guid) fail(source_, line_, "\"{}\" must name the switch by \"guid 0x…\"", header);
    const auto found = switches_.find(*guid);
    state_ = found == switches_.end() ? DumpSection::passing_over : DumpSection::in_switch;
    if (state_ == DumpSection::in_switch) at_ = found->second;
  }

  void entry(std::string_view rest) {
    if (state_ == DumpSection::passing_over) return;
    if (state_ == DumpSection::before_all)
      fail(source_, line_, "an entry before the first \"{} … guid 0x…\" line", header);
    const std::string_view lid_text = take_word(rest).substr(2);
    const std::string_view port_text = take_word(rest);
    const auto lid = number_from<Lid>(lid_text, 16);
    const auto port = number_from<PortNumber>(port_text);
    if (!lid || !port)
      fail(source_, line_, "\"0x{} {}\" is not an entry; write 0x0001 005 (LID, decimal port)",
           shown(lid_text), shown(port_text));
    constexpr PortNumber unreachable = 255;
    if (*port == unreachable && fabric_[at_].ports < unreachable) return;
    if (*port > fabric_[at_].ports)
      fail(source_, line_, "switch \"{}\" has {} ports, there is no port {}", fabric_[at_].name,
           fabric_[at_].ports, *port);
    set(*lid, *port, guid_after(rest, " portguid "));
  }

  void set(Lid lid, PortNumber port, std::optional<Guid> guid) {
    const auto found = guid ? by_guid_.find(*guid) : by_guid_.end();
    const DestinationId to = found == by_guid_.end() ? by_lid_[lid] : found->second;
    if (!to.valid()) return;
    matched_ = true;
    Column& column = columns_[to];
    if (column.empty()) column.assign(fabric_.switch_count(), no_port);
    PortNumber& place = column[at_.index()];
    // The further LIDs of a port (LMC) come after the first one and name the same port GUID.
    const bool first_lid = by_lid_[lid] == to;
    const PortNumber value = as_column(to, port);
    if (place == no_port)
      place = value;
    else if (first_lid && place != value)
      fail(source_, line_, "LID 0x{:04x} has port {} here and another one before; keep one", lid,
           port);
  }

  /// At the host's own switch its port is `here`; port 0 there means the switch, which is wrong.
  PortNumber as_column(DestinationId to, PortNumber port) const {
    if (to.index() >= fabric_.host_count()) return port;
    const Host& host = fabric_[HostId(to.index())];
    if (host.on != at_) return port;
    if (port == 0) return no_port;
    return port == host.port ? here : port;
  }

  Tables tables() {
    Tables out;
    out.engine = "opensm";
    DestinationTables next(0, fabric_.switch_count(), no_port);
    std::map<Column, ColumnId> known;
    const auto column_of = [&](std::size_t destination) {
      Column& column = columns_[DestinationId(destination)];
      const auto is_port = [](PortNumber port) { return port != no_port; };
      if (std::none_of(column.begin(), column.end(), is_port)) return ColumnId::none();
      const auto found = known.find(column);
      if (found != known.end()) return found->second;
      const ColumnId id = next.push_back(column);
      known.emplace(std::move(column), id);
      return id;
    };
    bool any = false;
    for (HostId h : fabric_.hosts()) out.to_host.push_back(column_of(h.index()));
    for (SwitchId s : fabric_.switches()) {
      out.to_switch.push_back(column_of(fabric_.host_count() + s.index()));
      any = any || out.to_switch[s].valid();
    }
    if (!any) out.to_switch = {};
    out.paths = std::move(next);
    return out;
  }

  const Source& source_;
  Fabric fabric_;
  std::unordered_map<Guid, SwitchId> switches_;
  std::unordered_map<Guid, DestinationId> by_guid_;
  std::vector<DestinationId> by_lid_;
  IdVector<DestinationId, Column> columns_;
  std::size_t line_ = 0;
  DumpSection state_ = DumpSection::before_all;
  SwitchId at_{};
  bool matched_ = false;
};

// --- writing

/// The out-ports of a shortest-path tree towards a switch.
Column tree_to(const Fabric& fabric, SwitchId root) {
  Column next(fabric.switch_count(), no_port);
  next[root.index()] = here;
  std::queue<SwitchId> reached;
  for (reached.push(root); !reached.empty(); reached.pop())
    for (ChannelId c : fabric.out(reached.front())) {
      PortNumber& port = next[fabric.to(c).index()];
      if (port != no_port) continue;
      port = fabric.in_port(c);
      reached.push(fabric.to(c));
    }
  return next;
}

class OpensmWriter {
 public:
  OpensmWriter(std::ostream& stream, const Fabric& fabric, const Tables& tables)
      : out_(stream), fabric_(with_addresses(fabric)), tables_(tables) {
    next_ = std::get_if<DestinationTables>(&tables.paths);
    if (next_ == nullptr)
      throw Error("opensm: its tables go by destination; source routes cannot be written");
    for (SwitchId s : fabric_.switches())
      if (fabric_[s].ports > 254)
        throw Error("opensm: switch \"{}\" has {} ports; InfiniBand allows 254", fabric_[s].name,
                    fabric_[s].ports);
    order_by_lid();
    for (SwitchId s : fabric_.switches()) to_switch_.push_back(column_to(s));
  }

  void write() {
    for (SwitchId s : fabric_.switches()) write_block(s);
  }

 private:
  struct Destination {
    Lid lid;
    HostId host;
    SwitchId node;
  };

  /// The route to a switch itself: as the tables say, or else along a tree.
  struct SwitchColumn {
    ColumnId column{};
    Column tree{};
  };

  /// Management traffic goes to the switches themselves, on a lane of its own: any tree will do.
  SwitchColumn column_to(SwitchId s) const {
    ColumnId id = tables_.to_switch.empty() ? ColumnId::none() : tables_.to_switch[s];
    if (!id.valid() && !fabric_.hosts_on(s).empty())
      id = tables_.to_host[fabric_.hosts_on(s).front()];
    return {id, id.valid() ? Column() : tree_to(fabric_, s)};
  }

  void order_by_lid() {
    for (HostId h : fabric_.hosts()) order_.push_back({fabric_[h].lid, h, SwitchId::none()});
    for (SwitchId s : fabric_.switches()) order_.push_back({fabric_[s].lid, HostId::none(), s});
    std::sort(order_.begin(), order_.end(),
              [](const Destination& a, const Destination& b) { return a.lid < b.lid; });
    if (!order_.empty() && order_.front().lid == 0)
      throw Error("opensm: {} hosts and switches need LIDs; InfiniBand has 49151", order_.size());
  }

  PortNumber port(SwitchId at, const Destination& to) const {
    if (to.node == at) return here;
    if (to.node.valid()) {
      const auto& [column, tree] = to_switch_[to.node];
      return column.valid() ? (*next_)[column][at.index()] : tree[at.index()];
    }
    const ColumnId column = tables_.to_host[to.host];
    if (!column.valid()) return no_port;
    const PortNumber port = (*next_)[column][at.index()];
    return port == here && fabric_[to.host].on == at ? fabric_[to.host].port : port;
  }

  void write_block(SwitchId s) {
    out_.print("{} [0-{}] of switch Lid {} guid 0x{:016x} ('{}'):\n", header, order_.back().lid,
               fabric_[s].lid, fabric_[s].guid, fabric_[s].name);
    std::size_t count = 0;
    for (const Destination& to : order_) {
      const PortNumber out = port(s, to);
      if (out == no_port) continue;
      ++count;
      if (to.node.valid())
        out_.print("0x{:04x} {:03} # Switch portguid 0x{:016x}: '{}'\n", to.lid, out,
                   fabric_[to.node].guid, fabric_[to.node].name);
      else
        out_.print("0x{:04x} {:03} # Channel Adapter portguid 0x{:016x}: '{}'\n", to.lid, out,
                   fabric_[to.host].port_guid, fabric_[to.host].name);
    }
    out_.print("{} lids dumped\n", count);
  }

  Printer out_;
  Fabric fabric_;
  const Tables& tables_;
  const DestinationTables* next_;
  IdVector<SwitchId, SwitchColumn> to_switch_;
  std::vector<Destination> order_;
};

}  // namespace

Tables read(const Source& source, const Fabric& fabric) {
  return OpensmReader(source, fabric).read();
}

void write(std::ostream& stream, const Fabric& fabric, const Tables& tables) {
  OpensmWriter(stream, fabric, tables).write();
}

bool recognises(std::string_view text) {
  for (Lines lines(text.substr(0, 1 << 16)); lines.next();)
    if (lines.text.starts_with(header)) return true;
  return false;
}

}  // namespace weft::opensm
