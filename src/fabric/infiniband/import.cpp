// SPDX-License-Identifier: Apache-2.0
// Puts together what the files of a subnet say.
#include "fabric/infiniband/import.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/words.hpp"
#include "fabric/builder.hpp"
#include "fabric/format/addresses.hpp"
#include "fabric/format/parsing/belonging.hpp"
#include "fabric/infiniband/adaptive_choices.hpp"
#include "fabric/infiniband/dump_words.hpp"
#include "fabric/infiniband/known_files.hpp"
#include "fabric/infiniband/lane_settings.hpp"
#include "fabric/infiniband/multicast_tables.hpp"
#include "fabric/infiniband/port_index.hpp"
#include "fabric/infiniband/qos_policy.hpp"
#include "fabric/infiniband/service_levels.hpp"

namespace weft::infiniband {
namespace {

namespace fs = std::filesystem;

/// The engine that OpenSM's log names last.
std::string engine_in(const Source& log) {
  const std::size_t at = log.text.rfind(engine_mark);
  const std::string_view before = std::string_view(log.text).substr(0, at);
  return std::string(before.substr(before.find_last_of(" \t\n") + 1));
}

using LidRanges = std::map<Guid, std::pair<Lid, Lid>>;  ///< first and last LID by port GUID

/// Throws Error when most ports of the fabric are not among them. OpenSM never forgets a port, so
/// that others are normal, as of parts that are cut off.
void require_same_ports(const Source& source, const Fabric& fabric, const LidRanges& lids) {
  Belonging ports;
  for (SwitchId s : fabric.switches()) ports.count(lids.count(fabric[s].guid) > 0);
  for (HostId h : fabric.hosts()) ports.count(lids.count(fabric[h].port_guid) > 0);
  ports.require_most(source, "LIDs", "ports of this fabric");
}

/// The fabric with the LIDs of OpenSM's guid2lid where it has none, and the further LIDs of hosts,
/// which lists of links do not have.
Fabric with_lids(const Source& source, const Fabric& fabric) {
  LidRanges lids;
  for (Lines lines(source.text); lines.next();) {
    std::string_view rest = trimmed(lines.text);
    if (rest.empty() || rest.front() == '#') continue;
    const Guid guid = guid_of(source, lines.number, take_word(rest));
    const unsigned first = number_of(source, lines.number, take_word(rest), 0xBFFF, "a LID");
    const unsigned last = number_of(source, lines.number, take_word(rest), 0xBFFF, "a LID");
    lids[guid] = {static_cast<Lid>(first), static_cast<Lid>(last)};
  }
  require_same_ports(source, fabric, lids);
  FabricBuilder builder(fabric.name());
  for (SwitchId s : fabric.switches()) {
    Switch copy = fabric[s];
    if (const auto found = lids.find(copy.guid); copy.lid == 0 && found != lids.end())
      copy.lid = found->second.first;
    builder.add_switch(std::move(copy));
  }
  for (HostId h : fabric.hosts()) {
    Host copy = fabric[h];
    const auto found = lids.find(copy.port_guid);
    if (found != lids.end() && (copy.lid == 0 || copy.lid == found->second.first)) {
      const auto [first, last] = found->second;
      copy.lid = first;
      while (copy.lmc < 7 && first + (1U << (copy.lmc + 1U)) <= last + 1U) ++copy.lmc;
    }
    builder.add_host(std::move(copy));
  }
  for (LinkId link : fabric.links()) builder.add_link(fabric[link]);
  return std::move(builder).build();
}

/// The engines of OpenSM whose routes depend on service levels.
bool needs_levels(const std::string& engine) {
  static const std::set<std::string> engines{"dfsssp", "lash", "torus-2QoS", "nue"};
  return engines.count(engine) > 0;
}

bool use_several_lanes(const LaneMaps& maps) {
  std::set<Lane> lanes;
  for (const std::vector<Lane>& each : maps.map.lane)
    for (const Lane lane : each)
      if (lane != 15) lanes.insert(lane);  // lane 15 means that packets are dropped
  return lanes.size() > 1;
}

std::size_t switches_without_tables(const Subnet& subnet) {
  const auto* next = std::get_if<DestinationTables>(&subnet.tables->paths);
  if (next == nullptr) return 0;
  std::vector<bool> has(subnet.fabric.switch_count(), false);
  for (const ColumnId column : next->ids())
    for (const SwitchId s : subnet.fabric.switches())
      if ((*next)[column][s.index()] != no_port) has[s.index()] = true;
  return static_cast<std::size_t>(std::count(has.begin(), has.end(), false));
}

/// Throws Error: there is no topology.
[[noreturn]] void reject_place(const std::string& place, const std::vector<KnownFile>& files) {
  std::string hints;
  for (const KnownFile& file : files)
    if (!file.compressed.empty()) hints += fmt::format("; {} is {}", file.name, file.compressed);
  const bool folder = fs::is_directory(place);
  if (folder)
    if (const auto within = folders_with_topology(place); !within.empty())
      hints += fmt::format("; did you mean {}?", fmt::join(within, ", "));
  throw Error(
      "{}: no topology{}; what ibnetdiscover prints, opensm-subnet.lst, or ibdiagnet's .lst or "
      ".db_csv is needed{}",
      place, folder ? " among its " + counted(files.size(), "file", "files") : "", hints);
}

bool has_any(const std::vector<KnownFile>& files, const std::set<FileKind>& kinds) {
  return std::any_of(files.begin(), files.end(), [&](const KnownFile& file) {
    return file.kind && kinds.contains(*file.kind);
  });
}

std::string file_name(const Source& source) { return fs::path(source.name).filename().string(); }

class Importer {
 public:
  explicit Importer(std::vector<KnownFile> files) : files_(std::move(files)) {}

  Subnet import(Fabric fabric) && {
    Subnet subnet{std::move(fabric)};
    if (const auto log = take(FileKind::log)) {
      engine_ = engine_in(*log);
      describe(*log, "the engine: " + engine_);
    }
    note_topologies(subnet);
    try {
      read_all_tables(subnet);
    } catch (const Error& error) {
      if (topologies_.size() < 2) throw;
      throw Error("{}; there are {} topologies, of which {} is taken", error.what(),
                  topologies_.size(), topologies_.front());
    }
    report(subnet);
    return subnet;
  }

  Fabric topology(const std::string& place) {
    const std::optional<Source> topology = take(FileKind::topology);
    if (!topology) reject_place(place, files_);
    Fabric fabric = read_fabric(*topology);
    std::size_t others = 0;
    for (HostId h : fabric.hosts()) others += fabric[h].role == HostRole::computer ? 0 : 1;
    describe(*topology, fmt::format("the fabric: {}, {}, {}{}",
                                    counted(fabric.switch_count(), "switch", "switches"),
                                    counted(fabric.host_count() - others, "host", "hosts"),
                                    counted(fabric.link_count(), "link", "links"),
                                    others == 0 ? ""
                                                : fmt::format(", {} (aggregation nodes, routers)",
                                                              counted(others, "other", "others"))));
    if (const auto lids = take(FileKind::lids)) {
      fabric = with_lids(*lids, fabric);
      describe(*lids, "gives LIDs where the topology has none");
    }
    return fabric;
  }

 private:
  /// The best file of a kind. Others of the kind are not read.
  std::optional<Source> take(FileKind kind) {
    KnownFile* best = nullptr;
    for (KnownFile& file : files_)
      if (file.kind == kind && (best == nullptr || file.rank < best->rank)) best = &file;
    if (best == nullptr) return std::nullopt;
    for (const KnownFile& file : files_)
      if (file.kind == kind && &file != best)
        words_[file.path] = fmt::format("not read: {} is taken", best->name);
    Source source = read_source(best->path);
    if (!source.text.empty() && source.text.back() != '\n')
      throw Error("{}: the file is cut off: it ends in the middle of a line", source.name);
    return source;
  }
  void describe(const Source& source, std::string words) { words_[source.name] = std::move(words); }

  /// One of another format is normal, as OpenSM writes its own.
  void note_topologies(Subnet& subnet) {
    std::vector<const KnownFile*> all;
    for (const KnownFile& file : files_)
      if (file.kind == FileKind::topology) all.push_back(&file);
    std::stable_sort(all.begin(), all.end(),
                     [](const KnownFile* a, const KnownFile* b) { return a->rank < b->rank; });
    for (const KnownFile* file : all) topologies_.push_back(file->name);
    std::erase_if(all, [&](const KnownFile* file) { return file->rank > all.front()->rank; });
    if (all.size() > 1)
      subnet.notes.push_back(fmt::format(
          "{} topologies: {} is taken, {} {} not read", all.size(), topologies_.front(),
          fmt::join(topologies_.begin() + 1,
                    topologies_.begin() + static_cast<std::ptrdiff_t>(all.size()), ", "),
          all.size() == 2 ? "is" : "are"));
  }

  void read_all_tables(Subnet& subnet) {
    read_unicast(subnet);
    if (!subnet.tables) return;
    const bool own = complete_ || !std::holds_alternative<DestinationTables>(subnet.tables->paths);
    if (!complete_) {
      read_levels(subnet);
      read_groups(subnet);
    }
    if (!engine_.empty()) subnet.tables->engine = "opensm, " + engine_;
    if (!own && adaptive_) read_choices(subnet, *adaptive_);
  }

  void read_unicast(Subnet& subnet) {
    if (const auto adaptive = take(FileKind::adaptive)) {
      subnet.adaptive = read_adaptive(*adaptive);
      const auto adapts = static_cast<std::size_t>(
          std::count_if(subnet.adaptive.begin(), subnet.adaptive.end(),
                        [](const AdaptiveSwitch& each) { return each.adapts(); }));
      describe(*adaptive,
               fmt::format("adaptive groups of {}, {} with adaptive entries",
                           counted(subnet.adaptive.size(), "switch", "switches"), adapts));
      if (adapts > 0) adaptive_ = *adaptive;
      for (const std::string& odd : odd_entries(subnet.fabric, subnet.adaptive))
        if (subnet.notes.size() < 5) subnet.notes.push_back(odd);
      if (files_of(FileKind::unicast) == 0) {
        take_tables(subnet, *adaptive, static_tables(*adaptive, subnet.fabric, subnet.adaptive));
        return;
      }
    }
    const auto unicast = take(FileKind::unicast);
    if (!unicast) {
      subnet.missing.push_back(
          "no forwarding tables (opensm-lfts.dump, dump_fts, .fdbs): only the topology can be "
          "judged");
      return;
    }
    take_tables(subnet, *unicast, read_noted_tables(*unicast, subnet.fabric));
    require_same_fabric(*unicast, subnet.fabric, *subnet.tables);
    complete_ = unicast->text.starts_with("weft");  // its own tables have levels and groups
    const std::size_t without = switches_without_tables(subnet);
    describe(*unicast,
             fmt::format("unicast tables of {}",
                         counted(subnet.fabric.switch_count() - without, "switch", "switches")));
    if (without > 0)
      subnet.notes.push_back(fmt::format("{} of the topology without forwarding tables",
                                         counted(without, "switch", "switches")));
  }

  void read_choices(Subnet& subnet, const Source& source) {
    std::optional<unsigned> mask;
    for (const KnownFile& file : files_)
      if (file.adaptive_levels) mask = file.adaptive_levels;
    take_tables(subnet, source,
                with_adaptive_groups(source, subnet.fabric, *subnet.tables, subnet.adaptive, mask));
  }
  static void take_tables(Subnet& subnet, const Source& source, NotedTables read) {
    subnet.tables = std::move(read.tables);
    for (const std::string& each : read.notes) add_note(subnet, source, each);
  }
  static void add_note(Subnet& subnet, const Source& source, std::string_view note) {
    if (!note.empty()) subnet.notes.push_back(fmt::format("{}: {}", file_name(source), note));
  }

  void read_levels(Subnet& subnet) {
    std::optional<LaneMaps> maps;
    if (const auto source = take(FileKind::lane_maps)) {
      maps = recognises_lane_maps(source->text) ? read_lane_maps(*source, subnet.fabric)
                                                : read_lane_settings(*source, subnet.fabric);
      describe(*source, "lanes (VLs) of service levels");
      add_note(subnet, *source, maps->note);
      if (maps->missing > 0)
        add_note(subnet, *source,
                 fmt::format("nothing on {}; lane 0 is taken there",
                             counted(maps->missing, "pair of connected ports",
                                     "pairs of connected ports")));
    }
    if (const auto source = take(FileKind::path_levels)) {
      const PathLevels levels = recognises_path_levels(source->text)
                                    ? read_path_levels(*source, subnet.fabric)
                                    : read_policy(*source, subnet.fabric);
      describe(*source,
               fmt::format("service levels of {}", counted(levels.count(), "path", "paths")));
      const LevelGaps gaps = level_gaps(subnet.fabric, *subnet.tables, levels);
      if (gaps.missing > 0)
        return leave_levels_unknown(
            subnet,
            fmt::format("service levels of {} of {} paths are missing", gaps.missing, gaps.paths));
      subnet.tables = with_levels(subnet.fabric, std::move(*subnet.tables), levels, maps);
      if (!maps)
        subnet.missing.push_back(
            "no lanes of service levels (opensm-sl2vl.dump, .slvl): each level is taken for a lane "
            "of its own");
      return;
    }
    if (needs_levels(engine_) || (maps && use_several_lanes(*maps)))
      leave_levels_unknown(subnet,
                           fmt::format("tables of {} without the service levels of paths (.psl)",
                                       engine_.empty() ? "an engine with several lanes" : engine_));
  }
  static void leave_levels_unknown(Subnet& subnet, const std::string& why) {
    subnet.tables->lanes = OneLane{true};
    subnet.missing.push_back(why +
                             ": a deadlock cannot be judged unless there is none on a single lane");
  }

  void read_groups(Subnet& subnet) {
    const auto source = take(FileKind::multicast);
    if (!source) {
      subnet.missing.push_back(
          "no multicast tables (opensm.mcfdbs, dump_fts -M): only unicast is judged");
      return;
    }
    MulticastTables read = read_multicast(*source, subnet.fabric);
    subnet.tables->groups = std::move(read.groups);
    add_note(subnet, *source, read.note);
    if (std::holds_alternative<ServiceLanes>(subnet.tables->lanes))
      for (Group& group : subnet.tables->groups) group.level = 0;
    describe(*source, counted(subnet.tables->groups.size(), "multicast group", "multicast groups"));
  }

  std::size_t files_of(FileKind kind) const {
    return static_cast<std::size_t>(std::count_if(
        files_.begin(), files_.end(), [&](const KnownFile& file) { return file.kind == kind; }));
  }
  void report(Subnet& subnet) {
    for (const KnownFile& file : files_) {
      const auto found = words_.find(file.path);
      subnet.files.push_back({file.name, found != words_.end()   ? found->second
                                         : file.kind.has_value() ? "not needed here"
                                                                 : file.unread});
    }
  }

  std::vector<KnownFile> files_;
  std::map<std::string, std::string> words_;  ///< by path
  std::vector<std::string> topologies_;       ///< the one that is taken first
  std::string engine_;
  std::optional<Source> adaptive_{};  ///< where switches adapt
  bool complete_ = false;
};

}  // namespace

Subnet import_folder(const std::string& folder) {
  Importer importer(known_files(folder));
  Fabric fabric = importer.topology(folder);
  return std::move(importer).import(std::move(fabric));
}

Subnet import_folder(const std::string& folder, const Fabric& fabric) {
  return Importer(known_files(folder)).import(with_addresses(fabric));
}

Fabric folder_fabric(const std::string& folder) {
  return Importer(known_files(folder)).topology(folder);
}

bool folder_has_topology(const std::string& folder) {
  return has_any(known_files(folder), {FileKind::topology});
}

bool folder_has_tables(const std::string& folder) {
  return has_any(known_files(folder), {FileKind::unicast, FileKind::adaptive});
}

}  // namespace weft::infiniband
