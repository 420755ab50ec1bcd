// SPDX-License-Identifier: Apache-2.0
// OpenSM's linear forwarding tables: opensm-lfts.dump, what dump_fts and ibroute print, and what
// "opensm -R file -U" loads. Only the paths: multicast and service levels are in other files.
//
//   Unicast lids [0-32] of switch Lid 17 guid 0x0000000000100000 ('sw_0_0'):
//   0x0001 005 # Channel Adapter portguid 0x0000000000200001: 'h_0_0'
//   0x0011 000 # Switch portguid 0x0000000000100000: 'sw_0_0'
//
// The reader trusts a port GUID more than a LID; the writer gives a fabric without GUIDs and LIDs
// those of with_addresses.
#include <algorithm>
#include <queue>
#include <set>
#include <variant>

#include "fabric/format/addresses.hpp"
#include "fabric/format/formats.hpp"
#include "fabric/format/parsing/forwarding.hpp"
#include "fabric/format/parsing/text.hpp"

namespace weft::opensm {
namespace {

using Column = std::vector<PortNumber>;

constexpr std::string_view header = "Unicast lids";

class OpensmReader {
 public:
  OpensmReader(const Source& source, const Fabric& fabric)
      : source_(source), forwarding_(source, fabric) {}

  NotedTables read() && {
    bool in_switch = false, any = false, ended = false;
    std::size_t ends = 0;
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      if (lines.text.starts_with("0x")) {
        if (in_switch) entry(lines.text);
        if (!any) fail(source_, line_, "an entry before the first \"{} … guid 0x…\" line", header);
      } else if (lines.text.starts_with(header)) {
        begin_block(lines.text);
        in_switch = any = true;
        ended = false;
      } else if (lines.text.starts_with("Multicast")) {
        in_switch = false;
        any = true;
      } else if (lines.text.ends_with("lids dumped") || lines.text.ends_with("lids dumped ")) {
        ended = true;
        ++ends;
      }
    }
    if (ends > 0 && !ended)
      fail(source_, line_,
           "the file is cut off: its last switch does not end with \"lids dumped\"");
    return std::move(forwarding_).tables();
  }

 private:
  /// The GUID after `word`, if there is one.
  std::optional<Guid> guid_after(std::string_view text, std::string_view word) const {
    const std::size_t at = text.find(word);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + word.size());
    const std::string_view digits = text.substr(0, text.find_first_of(" \t:)"));
    const auto guid = guid_from(digits);
    if (!guid)
      fail(source_, line_, "\"{}\" is not a GUID; write 0x0002c90200000001", shown(digits));
    return guid;
  }

  void begin_block(std::string_view text) {
    const auto guid = guid_after(text, " guid ");
    if (!guid) fail(source_, line_, "\"{}\" must name the switch by \"guid 0x…\"", header);
    forwarding_.begin_switch(*guid);
  }

  void entry(std::string_view rest) {
    const std::string_view lid_text = take_word(rest).substr(2);
    const std::string_view port_text = take_word(rest);
    const auto lid = number_from<Lid>(lid_text, 16);
    const auto port = number_from<PortNumber>(port_text);
    if (!lid || !port)
      fail(source_, line_, "\"0x{} {}\" is not an entry; write 0x0001 005 (LID, decimal port)",
           shown(lid_text), shown(port_text));
    forwarding_.add(line_, *lid, *port, guid_after(rest, " portguid "));
  }

  const Source& source_;
  ForwardingTables forwarding_;
  std::size_t line_ = 0;
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
  struct WrittenLid {
    Lid lid;
    HostId host;
    SwitchId node;
    ColumnId column{};  ///< of a host
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
    // Where the tables have no routes to further LIDs, those of the first serve them all.
    std::set<std::pair<HostId, unsigned>> own;
    for (const FurtherColumn& further : tables_.further) own.insert({further.host, further.lid});
    for (HostId h : fabric_.hosts())
      for (unsigned lid = 0; lid < 1U << fabric_[h].lmc; ++lid)
        if (!own.contains({h, lid}))
          order_.push_back(
              {static_cast<Lid>(fabric_[h].lid + lid), h, SwitchId::none(), tables_.to_host[h]});
    for (const auto& [host, lid, column] : tables_.further) {
      if (lid >= 1U << fabric_[host].lmc)
        throw Error(
            "opensm: host \"{}\" has {}; the tables lead to number {}", fabric_[host].name,
            fabric_[host].lmc == 0 ? "one LID" : fmt::format("{} LIDs", 1U << fabric_[host].lmc),
            lid + 1);
      order_.push_back({static_cast<Lid>(fabric_[host].lid + lid), host, SwitchId::none(), column});
    }
    for (SwitchId s : fabric_.switches()) order_.push_back({fabric_[s].lid, HostId::none(), s, {}});
    std::sort(order_.begin(), order_.end(),
              [](const WrittenLid& a, const WrittenLid& b) { return a.lid < b.lid; });
    if (!order_.empty() && order_.front().lid == 0)
      throw Error("opensm: {} hosts and switches need LIDs; InfiniBand has 49151", order_.size());
  }

  PortNumber port(SwitchId at, const WrittenLid& to) const {
    if (to.node == at) return here;
    if (to.node.valid()) {
      const auto& [column, tree] = to_switch_[to.node];
      return column.valid() ? (*next_)[column][at.index()] : tree[at.index()];
    }
    if (!to.column.valid()) return no_port;
    const PortNumber port = (*next_)[to.column][at.index()];
    return port == here && fabric_[to.host].on == at ? fabric_[to.host].port : port;
  }

  void write_block(SwitchId s) {
    out_.print("{} [0-{}] of switch Lid {} guid 0x{:016x} ('{}'):\n", header, order_.back().lid,
               fabric_[s].lid, fabric_[s].guid, fabric_[s].name);
    std::size_t count = 0;
    for (const WrittenLid& to : order_) {
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
  std::vector<WrittenLid> order_;
};

}  // namespace

NotedTables read(const Source& source, const Fabric& fabric) {
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
