// SPDX-License-Identifier: Apache-2.0
// Reading service levels and lanes.
//
// Lanes:   Switch 0x0000000000100000, base LID 17, "sw_0_0"      (OpenSM; rows of in- and out-port)
//          0   1   : 0  1  2  3  4  5  6  7  0  1  2  3  4  5  6  7
//          0x0000000000100000 0 1 0x01 0x23 0x45 0x67 0x01 0x23 0x45 0x67             (ibdiagnet)
// Levels:  0x0000000000200000 17 3                   source node GUID, destination LID, level
//          Channel Adapter 0x0000000000200001, …     source port GUID; then "0x0011 : 3"
//          0 5 3 6                                   source, destination (numbered), level, LID
#include "fabric/infiniband/service_levels.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "fabric/format/parsing/belonging.hpp"
#include "fabric/infiniband/dump_words.hpp"
#include "fabric/infiniband/port_index.hpp"
#include "fabric/walk.hpp"

namespace weft::infiniband {
namespace {

constexpr unsigned most_level = service_levels - 1;

bool is_decimal(std::string_view word) { return number_from<unsigned>(word).has_value(); }

class LaneMapsReader {
 public:
  LaneMapsReader(const Source& source, const Fabric& fabric)
      : source_(source), fabric_(fabric), index_(fabric) {
    out_.map.levels = service_levels;
    for (SwitchId s : fabric.switches()) {
      const std::size_t ports = fabric[s].ports + std::size_t{1};
      out_.map.lane.emplace_back(ports * ports * service_levels, Lane{0});
      listed_.emplace_back(ports * ports, false);
    }
  }

  LaneMaps read() && {
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      const std::string_view text = trimmed(lines.text);
      if (text.empty() || text.front() == '#') continue;
      line(words_of(text));
    }
    switches_seen_.require_most(source_, "lanes", "switches");
    out_.note = switches_seen_.note("lanes");
    for (SwitchId s : fabric_.switches()) count_missing(s);
    return std::move(out_);
  }

 private:
  void line(const std::vector<std::string_view>& words) {
    if (words.front() == "Switch" && words.size() > 1)
      begin(words[1]);
    else if (words.front().starts_with("0x") && words.size() == 11)
      packed(words);
    else if (words.size() == 3 + std::size_t{service_levels} && words[2] == ":")
      row(words);
    else if (is_decimal(words.front()))
      fail(source_, line_, "a row has in-port, out-port, a colon and {} lanes", service_levels);
    else
      at_ = SwitchId::none();  // an adapter
  }
  void begin(std::string_view word) {
    const Guid guid = guid_of(source_, line_, word);
    at_ = index_.switch_with(guid);
    // Some tools list adapters as well.
    if (guids_seen_.insert(guid).second)
      switches_seen_.count(at_.valid() || !index_.hosts_with(guid).empty());
  }
  void row(const std::vector<std::string_view>& words) {
    if (!at_.valid()) return;
    Lane* lanes = place(words[0], words[1]);
    for (std::size_t i = 0; i < service_levels; ++i)
      lanes[i] = static_cast<Lane>(number_of(source_, line_, words[3 + i], 15, "a lane"));
  }
  /// Sixteen digits, two a word, the high one first.
  void packed(const std::vector<std::string_view>& words) {
    begin(words[0]);
    if (!at_.valid()) return;
    Lane* lanes = place(words[1], words[2]);
    for (std::size_t i = 0; i < service_levels / 2; ++i) {
      const unsigned both = number_of(source_, line_, words[3 + i], 255, "two lanes");
      lanes[2 * i] = static_cast<Lane>(both / 16);
      lanes[2 * i + 1] = static_cast<Lane>(both % 16);
    }
  }
  Lane* place(std::string_view in_text, std::string_view out_text) {
    const unsigned ports = fabric_[at_].ports;
    const std::size_t in = number_of(source_, line_, in_text, ports, "a port of the switch");
    const std::size_t out = number_of(source_, line_, out_text, ports, "a port of the switch");
    const std::size_t turn = in * (ports + std::size_t{1}) + out;
    listed_[at_.index()][turn] = true;
    return &out_.map.lane[at_.index()][turn * service_levels];
  }
  void count_missing(SwitchId s) {
    const std::size_t width = fabric_[s].ports + std::size_t{1};
    const auto connected = [&](std::size_t port) {
      const Neighbour at = fabric_.at_port(s, static_cast<PortNumber>(port));
      return at.channel.valid() || at.host.valid();
    };
    for (std::size_t in = 1; in < width; ++in)
      for (std::size_t out = 1; out < width && connected(in); ++out)
        out_.missing += in != out && connected(out) && !listed_[s.index()][in * width + out];
  }

  const Source& source_;
  const Fabric& fabric_;
  PortIndex index_;
  LaneMaps out_{};
  std::vector<std::vector<bool>> listed_;
  std::set<Guid> guids_seen_;
  Belonging switches_seen_;
  std::size_t line_ = 0;
  SwitchId at_{};
};

class PathLevelsReader {
 public:
  PathLevelsReader(const Source& source, const Fabric& fabric)
      : source_(source), index_(fabric), out_(fabric.host_count()) {}

  PathLevels read() && {
    numbered_ = words_of(first_line(source_.text)).size() == 4;
    if (numbered_) number_hosts();
    for (Lines lines(source_.text); lines.next();) {
      line_ = lines.number;
      const std::string_view text = trimmed(lines.text);
      if (!text.empty() && text.front() != '#') line(words_of(text));
    }
    if (out_.count() == 0)
      fail(source_, 1, "none of its paths belongs to this fabric; the GUIDs or LIDs must agree");
    paths_seen_.require_most(source_, "service levels", "paths");
    return std::move(out_);
  }

 private:
  void line(const std::vector<std::string_view>& words) {
    if (words.front() == "Channel" && words.size() > 2)
      sources_ = index_.hosts_with(guid_of(source_, line_, words[2]));
    else if (words.front() == "Router" && words.size() > 1)
      sources_ = index_.hosts_with(guid_of(source_, line_, words[1]));
    else if (words.front() == "Switch")
      sources_ = std::nullopt;
    else if (words.size() == 3 && words[1] == ":")
      of_block(words[0], words[2]);
    else if (words.size() == 3)
      set(index_.hosts_with(guid_of(source_, line_, words[0])), words[1], words[2]);
    else if (numbered_ && words.size() == 4)
      set(numbered_source(words[0]), words[3], words[2]);
    else
      fail(source_, line_, "not a path; write 0x0002c90200000001 17 3 (source GUID, LID, level)");
  }
  /// Paths from switches are nobody's here.
  void of_block(std::string_view lid, std::string_view level) {
    if (sources_) set(*sources_, lid, level);
  }
  void set(const std::vector<HostId>& sources, std::string_view lid, std::string_view level) {
    const auto to = static_cast<Lid>(number_of(source_, line_, lid, 0xFFFF, "a LID"));
    const auto value =
        static_cast<std::uint8_t>(number_of(source_, line_, level, most_level, "a service level"));
    paths_seen_.count(!sources.empty() && index_.knows(to));
    if (!index_.host_with(to).valid()) return;
    for (HostId from : sources) out_.set(to, from, value);
  }

  /// Where sources have numbers, the LIDs are those that the numbers have as destinations.
  void number_hosts() {
    for (Lines lines(source_.text); lines.next();) {
      const std::vector<std::string_view> words = words_of(trimmed(lines.text));
      if (words.size() != 4 || words.front().starts_with('#')) continue;
      const auto lid =
          static_cast<Lid>(number_of(source_, lines.number, words[3], 0xFFFF, "a LID"));
      hosts_.emplace(words[1], index_.host_with(lid));
    }
  }
  std::vector<HostId> numbered_source(std::string_view number) const {
    const auto found = hosts_.find(number);
    if (found == hosts_.end())
      fail(source_, line_, "source {} is nobody's destination, so its LID is not known",
           shown(number));
    if (!found->second.valid()) return {};
    return {found->second};
  }

  const Source& source_;
  PortIndex index_;
  PathLevels out_;
  bool numbered_ = false;
  std::map<std::string_view, HostId> hosts_;
  std::optional<std::vector<HostId>> sources_;
  Belonging paths_seen_;
  std::size_t line_ = 0;
};

/// Whether the maps give the levels up to `most` the lanes of the same numbers, at all turns.
bool keeps_levels(const ServiceLanes::Map& map, unsigned most) {
  for (const std::vector<Lane>& lanes : map.lane)
    for (std::size_t i = 0; i < lanes.size(); ++i)
      if (i % service_levels <= most && lanes[i] != i % service_levels) return false;
  return true;
}

/// The maps cut to the levels that are used.
ServiceLanes::Map cut(const ServiceLanes::Map& map, unsigned most) {
  ServiceLanes::Map out;
  out.levels = static_cast<int>(most) + 1;
  for (const std::vector<Lane>& lanes : map.lane) {
    std::vector<Lane>& kept = out.lane.emplace_back();
    for (std::size_t i = 0; i < lanes.size(); ++i)
      if (i % service_levels <= most) kept.push_back(lanes[i]);
  }
  return out;
}

}  // namespace

bool recognises_lane_maps(std::string_view text) {
  const std::vector<std::string_view> words = words_of(first_line(text));
  if (words.empty()) return false;
  if (words.size() == 11 && words[0].starts_with("0x") && is_decimal(words[1])) return true;
  return (words.front() == "Switch" || words.front() == "Channel") &&
         text.substr(0, 1 << 16).find("#in out") != std::string_view::npos;
}

LaneMaps read_lane_maps(const Source& source, const Fabric& fabric) {
  return LaneMapsReader(source, fabric).read();
}

void PathLevels::set(Lid to, HostId from, std::uint8_t level) {
  std::int32_t& row = row_of_[to];
  if (row < 0) {
    row = static_cast<std::int32_t>(rows_.size());
    rows_.emplace_back(hosts_, unsaid);
  }
  rows_[static_cast<std::size_t>(row)][from.index()] = level;
  most_ = std::max(most_, level);
  ++count_;
}

std::vector<std::uint8_t> PathLevels::to(Lid lid) const {
  const std::int32_t row = row_of_[lid];
  if (row < 0) return std::vector<std::uint8_t>(hosts_, 0);
  std::vector<std::uint8_t> out = rows_[static_cast<std::size_t>(row)];
  std::replace(out.begin(), out.end(), unsaid, std::uint8_t{0});
  return out;
}

bool PathLevels::has(Lid to, HostId from) const {
  const std::int32_t row = row_of_[to];
  return row >= 0 && rows_[static_cast<std::size_t>(row)][from.index()] != unsaid;
}

bool recognises_path_levels(std::string_view text) {
  const std::string_view line = first_line(text);
  const std::vector<std::string_view> words = words_of(line);
  if (line.starts_with("Channel Adapter 0x"))
    return text.substr(0, 1 << 16).find("#in out") == std::string_view::npos;
  if (words.size() == 3)
    return words[0].starts_with("0x") && is_decimal(words[1]) && is_decimal(words[2]);
  return words.size() == 4 && std::all_of(words.begin(), words.end(), is_decimal);
}

PathLevels read_path_levels(const Source& source, const Fabric& fabric) {
  return PathLevelsReader(source, fabric).read();
}

LevelGaps level_gaps(const Fabric& fabric, const Tables& tables, const PathLevels& levels) {
  LevelGaps out;
  Walker walk(fabric, tables);
  const auto count = [&](HostId to, ColumnId column, unsigned further) {
    const auto lid = static_cast<Lid>(fabric[to].lid + further);
    for (SwitchId s : fabric.switches()) {
      const auto& sources = fabric.hosts_on(s);
      if (sources.empty() || walk(sources.front(), to, column).end != RouteEnd::reached) continue;
      for (HostId from : sources) {
        if (from == to) continue;
        ++out.paths;
        out.missing += levels.has(lid, from) ? 0 : 1;
      }
    }
  };
  for (HostId h : fabric.hosts()) count(h, tables.to_host[h], 0);
  for (const FurtherColumn& each : tables.further) count(each.host, each.column, each.lid);
  return out;
}

Tables with_levels(const Fabric& fabric, Tables tables, const PathLevels& levels,
                   const std::optional<LaneMaps>& maps) {
  const auto& next = std::get<DestinationTables>(tables.paths);
  DestinationTables columns(0, fabric.switch_count(), no_port);
  ServiceLanes service;
  service.by_host = true;
  std::map<std::pair<ColumnId, std::vector<std::uint8_t>>, ColumnId> known;
  const auto column_of = [&](ColumnId column, std::vector<std::uint8_t> row) {
    if (!column.valid()) return column;
    const auto [found, fresh] =
        known.emplace(std::pair{column, std::move(row)}, ColumnId(columns.size()));
    if (fresh) {
      columns.push_back(next[column]);
      service.level.push_back(found->first.second);
    }
    return found->second;
  };
  for (HostId h : fabric.hosts())
    tables.to_host[h] = column_of(tables.to_host[h], levels.to(fabric[h].lid));
  for (auto& [host, lid, column] : tables.further)
    column = column_of(column, levels.to(static_cast<Lid>(fabric[host].lid + lid)));
  for (SwitchId s : tables.to_switch.ids())
    tables.to_switch[s] =
        column_of(tables.to_switch[s], std::vector<std::uint8_t>(fabric.host_count(), 0));
  tables.lane_count = levels.most() + 1;
  if (maps && !keeps_levels(maps->map, levels.most())) {
    service.map = cut(maps->map, levels.most());
    Lane most = 0;
    for (const std::vector<Lane>& lanes : service.map->lane)
      for (const Lane lane : lanes) most = std::max(most, lane);
    tables.lane_count = most + 1;
  }
  tables.paths = std::move(columns);
  tables.lanes = std::move(service);
  return tables;
}

}  // namespace weft::infiniband
