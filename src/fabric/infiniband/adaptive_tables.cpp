// SPDX-License-Identifier: Apache-2.0
// Reading adaptive tables word by word: white space, also line ends, only separates.
//
//   File version: 1
//   Switch 0x0000000000100000 …
//   Groups Definition:
//   Group  Sub Group  WHBF  Ports
//   ------------------------------
//   1      0          0     17,18,19,20,
//   LFT Definition:
//   PLFT_NUM: 0, top: 0x0003
//   LID     Static Port  Lid State  Group
//   --------------------------------------
//   0x0002  17           Free       1
#include "fabric/infiniband/adaptive_tables.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/words.hpp"
#include "fabric/format/addresses.hpp"
#include "fabric/format/parsing/belonging.hpp"
#include "fabric/format/parsing/forwarding.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/infiniband/dump_words.hpp"
#include "fabric/infiniband/port_index.hpp"

namespace weft::infiniband {
namespace {

class AdaptiveReader {
 public:
  explicit AdaptiveReader(const Source& source) : source_(source), lines_(source.text) {}

  std::vector<AdaptiveSwitch> read() && {
    while (!peek().empty() && peek() != "Switch") {
      if (peek() == "Groups" || peek() == "LFT" || peek().starts_with("PLFT_NUM"))
        fail(source_, line(), "\"{}\" stands before the first Switch", shown(peek()));
      take();
    }
    while (peek() == "Switch") one_switch();
    if (!peek().empty()) fail(source_, line(), "\"{}\" is not expected here", shown(peek()));
    return std::move(out_);
  }

 private:
  /// The next word; empty at the end. Comments are skipped.
  std::string_view peek() {
    while (word_.empty()) {
      word_ = take_word(rest_);
      if (!word_.empty()) break;
      if (!lines_.next()) return {};
      rest_ = trimmed(lines_.text);
      if (rest_.starts_with('#')) rest_ = {};
    }
    return word_;
  }
  std::string_view take() {
    const std::string_view word = peek();
    word_ = {};
    return word;
  }
  std::size_t line() const { return std::max<std::size_t>(lines_.number, 1); }
  void skip_past(std::string_view word) {
    while (peek() != word) {
      if (peek().empty()) fail(source_, line(), "the file is cut off: \"{}\" is missing", word);
      take();
    }
    take();
  }
  /// Dashes below the heads of columns.
  void skip_heads() {
    while (!peek().starts_with("---")) {
      if (peek().empty()) fail(source_, line(), "the file is cut off: a table has no rows");
      take();
    }
    take();
  }
  unsigned number(unsigned most, std::string_view what) {
    return number_of(source_, line(), take(), most, what);
  }
  bool at_number() { return !peek().empty() && peek().front() >= '0' && peek().front() <= '9'; }

  void one_switch() {
    take();
    AdaptiveSwitch& next = out_.emplace_back();
    next.line = line();
    next.guid = guid_of(source_, line(), take());
    if (const auto [found, is_new] = lines_by_guid_.emplace(next.guid, next.line); !is_new)
      fail(source_, line(), "switch 0x{:016x} is also in line {}; keep one", next.guid,
           found->second);
    while (peek() != "Groups") {
      if (peek().empty()) skip_past("Groups");
      std::string_view word = take();
      if (!word.starts_with("en_sl:")) continue;
      word.remove_prefix(6);
      next.levels = number_of(source_, line(), word.empty() ? take() : word, 0xFFFF,
                              "a mask of service levels");
    }
    take();
    skip_heads();
    while (at_number()) group(next);
    skip_past("LFT");
    take();  // Definition:
    while (peek().starts_with("PLFT_NUM")) table(next);
  }
  void group(AdaptiveSwitch& at) {
    const unsigned number_of_group = number(0xFFFF, "a group");
    const unsigned sub_group = number(0xFFFF, "a sub-group");
    number(0xFFFF'FFFF, "a weight");
    const auto [found, is_new] = at.groups.try_emplace({number_of_group, sub_group});
    auto& [ports, line_of_group] = found->second;
    if (!is_new)
      fail(source_, line(), "group {}, sub-group {} is also in line {}; keep one", number_of_group,
           sub_group, line_of_group);
    line_of_group = line();
    // An empty sub-group has no fourth field: the next row begins, or the tables.
    if (peek().find(',') == std::string_view::npos) return;
    for (std::string_view list = take(); !list.empty();) {
      const std::string_view port = list.substr(0, list.find(','));
      list.remove_prefix(std::min(port.size() + 1, list.size()));
      ports.push_back(
          static_cast<PortNumber>(number_of(source_, line(), port, most_ports, "a port")));
    }
  }
  void table(AdaptiveSwitch& at) {
    std::string_view head = take();
    head.remove_prefix(std::min<std::size_t>(head.size(), 9));
    if (head.empty()) head = take();
    const unsigned number_of_table =
        number_of(source_, line(), head.substr(0, head.find(',')), 255, "the number of a table");
    skip_heads();
    std::vector<AdaptiveEntry>& entries = at.entries[number_of_table];
    while (peek().starts_with("0x")) {
      AdaptiveEntry entry;
      entry.line = line();
      entry.lid = static_cast<Lid>(number(0xFFFF, "a LID"));
      entry.port = number(most_ports, "a port");
      entry.state = std::string(take());
      static const std::set<std::string_view> states{"Static", "Free", "HBF", "Bounded"};
      if (states.count(entry.state) == 0)
        fail(source_, entry.line, "LID 0x{:04x} has state \"{}\"; there are {}", entry.lid,
             shown(entry.state), fmt::join(states, ", "));
      entry.group = number(0xFFFF, "a group");
      entries.push_back(std::move(entry));
    }
  }

  const Source& source_;
  Lines lines_;
  std::string_view rest_{}, word_{};
  std::vector<AdaptiveSwitch> out_;
  std::map<Guid, std::size_t> lines_by_guid_{};
};

}  // namespace

bool AdaptiveSwitch::adapts() const {
  for (const auto& [number, table] : entries)
    for (const AdaptiveEntry& entry : table)
      if (entry.state != "Static") return true;
  return false;
}

bool recognises_adaptive(std::string_view text) {
  return text.substr(0, 1 << 16).find("Groups Definition:") != std::string_view::npos;
}

std::vector<AdaptiveSwitch> read_adaptive(const Source& source) {
  return AdaptiveReader(source).read();
}

void write_adaptive(std::ostream& stream, const std::vector<AdaptiveSwitch>& switches) {
  Printer out(stream);
  out.put("File version: 1\n");
  for (const AdaptiveSwitch& each : switches) {
    out.print("Switch 0x{:016x}", each.guid);
    if (each.levels) out.print(" en_sl: 0x{:04x}", *each.levels);
    out.put("\nGroups Definition:\nGroup  Sub Group  WHBF  Ports\n---\n");
    for (const auto& [group, of_group] : each.groups)
      out.print("{} {} 0 {}{}\n", group.first, group.second, fmt::join(of_group.ports, ","),
                of_group.ports.empty() ? "" : ",");
    out.put("LFT Definition:\n");
    for (const auto& [number, table] : each.entries) {
      const Lid top = table.empty() ? Lid{0} : table.back().lid;
      out.print("PLFT_NUM: {}, top: 0x{:04x}\nLID  Static Port  Lid State  Group\n---\n", number,
                top);
      for (const AdaptiveEntry& entry : table)
        out.print("0x{:04x} {} {} {}\n", entry.lid, entry.port, entry.state, entry.group);
    }
  }
}

NotedTables static_tables(const Source& source, const Fabric& fabric,
                          const std::vector<AdaptiveSwitch>& switches) {
  ForwardingTables forwarding(source, fabric);
  const PortIndex index(with_addresses(fabric));
  std::map<Lid, std::size_t> lids;  // their first lines
  std::set<SwitchId> listed;
  for (const AdaptiveSwitch& each : switches) {
    forwarding.begin_switch(each.guid);
    if (each.entries.empty()) continue;
    if (index.switch_with(each.guid).valid()) listed.insert(index.switch_with(each.guid));
    for (const AdaptiveEntry& entry : each.entries.begin()->second) {
      forwarding.add(entry.line, entry.lid, entry.port, std::nullopt);
      if (index.switch_with(each.guid).valid()) lids.emplace(entry.lid, entry.line);
    }
  }
  NotedTables out = std::move(forwarding).tables();
  Belonging belonging;
  for (const auto& [lid, line] : lids) belonging.count(index.knows(lid));
  belonging.require_most(source, "tables", "LIDs");
  require_same_fabric(source, fabric, out.tables);
  if (listed.size() < fabric.switch_count())
    out.notes.push_back(fmt::format("{} of {} have no entries: the file does not list them",
                                    fabric.switch_count() - listed.size(),
                                    counted(fabric.switch_count(), "switch", "switches")));
  std::erase_if(lids, [&](const auto& each) { return index.knows(each.first); });
  if (!lids.empty())
    out.notes.push_back(fmt::format(
        "entries to {} that this fabric does not have are skipped; the first is 0x{:04x} in line "
        "{}",
        counted(lids.size(), "LID", "LIDs"), lids.begin()->first, lids.begin()->second));
  return out;
}

std::vector<std::string> odd_entries(const Fabric& fabric,
                                     const std::vector<AdaptiveSwitch>& switches) {
  std::vector<std::string> out;
  const PortIndex index(with_addresses(fabric));
  for (const AdaptiveSwitch& each : switches)
    for (const auto& [number, table] : each.entries)
      for (const AdaptiveEntry& entry : table) {
        if (entry.state == "Static") continue;
        bool member = false, has_ports = false;
        for (const auto& [group, of_group] : each.groups) {
          const auto& ports = of_group.ports;
          has_ports |= group.first == entry.group && !ports.empty();
          member |= group.first == entry.group &&
                    std::find(ports.begin(), ports.end(), entry.port) != ports.end();
        }
        const SwitchId s = index.switch_with(each.guid);
        if (!member && has_ports && s.valid())
          out.push_back(
              fmt::format("switch \"{}\": static port {} of LID 0x{:04x} is not in its "
                          "group {}",
                          fabric[s].name, entry.port, entry.lid, entry.group));
      }
  return out;
}

}  // namespace weft::infiniband
