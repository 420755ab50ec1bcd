// SPDX-License-Identifier: Apache-2.0
// Groups of ports become sets of candidates.
#include "fabric/infiniband/adaptive_choices.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/words.hpp"
#include "fabric/format/addresses.hpp"
#include "fabric/format/parsing/text.hpp"
#include "fabric/infiniband/dump_words.hpp"
#include "fabric/infiniband/port_index.hpp"

namespace weft::infiniband {
namespace {

constexpr std::size_t infiniband_levels = 16;
constexpr Lid no_lid = 0;  ///< no host has it

class AdaptiveChoices {
 public:
  AdaptiveChoices(const Source& source, const Fabric& fabric, const Tables& tables,
                  const std::vector<AdaptiveSwitch>& switches, std::optional<unsigned> level_mask)
      : source_(source),
        fabric_(fabric),
        tables_(tables),
        next_(std::get<DestinationTables>(tables.paths)),
        addressed_(with_addresses(fabric)),
        index_(addressed_),
        masks_(fabric.switch_count(), 0),
        of_lid_(fabric.switch_count()),
        out_(tables),
        choices_(0, fabric.switch_count()) {
    for (const AdaptiveSwitch& each : switches) read(each, level_mask);
  }

  NotedTables make() && {
    make_phases();
    out_.to_host.assign(fabric_.host_count(), ColumnId::none());
    for (std::size_t p = 0; p < phase_masks_.size(); ++p) {
      IdVector<HostId, ColumnId> columns(fabric_.host_count());
      for (const HostId h : fabric_.hosts())
        if (tables_.to_host[h].valid())
          columns[h] = column(tables_.to_host[h], p, addressed_[h].lid);
      if (p == 0)
        out_.to_host = std::move(columns);
      else
        choices_.phases[p].to_host = std::move(columns);
    }
    for (const SwitchId s : tables_.to_switch.ids())
      if (tables_.to_switch[s].valid()) out_.to_switch[s] = column(tables_.to_switch[s], 0, no_lid);
    make_further();
    make_levels();
    add_notes();
    out_.paths = std::move(choices_);
    return {std::move(out_), std::move(notes_)};
  }

 private:
  using Entry = ChoiceTables::Entry;

  // --- switches

  void read(const AdaptiveSwitch& from, std::optional<unsigned> level_mask) {
    const SwitchId s = index_.switch_with(from.guid);
    if (!s.valid()) {
      ++unknown_;
      return;
    }
    if (from.entries.empty()) return;
    require_one_table(from, s);
    masks_[s.index()] = from.levels.value_or(level_mask.value_or(0xFFFF));
    std::map<unsigned, Entry> groups;
    for (const auto& [number, of_group] : from.groups)
      if (!groups.contains(number.first)) groups[number.first] = group(from, s, number.first);
    for (const AdaptiveEntry& entry : from.entries.begin()->second) {
      if (!index_.host_with(entry.lid).valid() || entry.state == "Static") continue;
      const auto found = groups.find(entry.group);
      if (found == groups.end() || found->second == ChoiceTables::no_route)
        ++without_ports_[{s, entry.group}];
      else
        of_lid_[s.index()][entry.lid] = found->second;
    }
  }

  void require_one_table(const AdaptiveSwitch& from, SwitchId s) const {
    const auto& [first, entries] = *from.entries.begin();
    for (const auto& [number, others] : from.entries)
      if (!std::equal(entries.begin(), entries.end(), others.begin(), others.end(),
                      [](const auto& a, const auto& b) { return a.says_the_same(b); }))
        fail(source_, from.line,
             "switch \"{}\" has different forwarding tables {} and {} (PLFT_NUM); which one a "
             "packet "
             "takes depends on its in-port and service level, which is not said here",
             fabric_[s].name, first, number);
  }

  /// The candidates of a group; no_route where none of its ports leads anywhere.
  Entry group(const AdaptiveSwitch& from, SwitchId s, unsigned number) {
    std::vector<Candidate> candidates;
    std::uint8_t preference = 0;
    for (auto at = from.groups.lower_bound({number, 0});
         at != from.groups.end() && at->first.first == number; ++at) {
      const std::size_t before = candidates.size();
      for (const PortNumber port : at->second.ports) {
        if (port == 0 || port > fabric_[s].ports)
          fail(source_, at->second.line, "switch \"{}\" has {} ports; its group {} names port {}",
               fabric_[s].name, fabric_[s].ports, number, port);
        const Neighbour next = fabric_.at_port(s, port);
        const bool connected = next.channel.valid() || next.host.valid();
        if (!connected) ++unconnected_;
        if (connected) candidates.push_back({port, Candidate::by_lanes, 0, preference});
      }
      if (candidates.size() > before && preference < 0xFF) ++preference;
    }
    if (candidates.empty()) return ChoiceTables::no_route;
    groups_.push_back(std::move(candidates));
    return static_cast<Entry>(groups_.size() - 1);
  }

  // --- phases

  /// The switches that adapt packets of a service level.
  std::vector<bool> adapting(std::size_t level) const {
    std::vector<bool> out;
    for (const unsigned mask : masks_) out.push_back((mask >> level & 1U) != 0);
    return out;
  }
  std::size_t level_count() const {
    const auto* service = std::get_if<ServiceLanes>(&tables_.lanes);
    if (service == nullptr) return infiniband_levels;
    const int levels = service->map ? service->map->levels : tables_.lane_count;
    return std::min(static_cast<std::size_t>(levels), infiniband_levels);
  }

  void make_phases() {
    std::vector<PhaseId> by_level;
    for (std::size_t level = 0; level < level_count(); ++level) {
      auto here_now = adapting(level);
      const auto known = std::find(phase_masks_.begin(), phase_masks_.end(), here_now);
      if (known == phase_masks_.end() && phase_masks_.size() == most_phases)
        fail(source_, 1, "service levels adapt at more than {} different sets of switches",
             most_phases);
      by_level.push_back(static_cast<PhaseId>(known - phase_masks_.begin()));
      if (known == phase_masks_.end()) phase_masks_.push_back(std::move(here_now));
    }
    if (phase_masks_.size() == 1) return;
    choices_.phases.clear();
    for (const std::vector<bool>& mask : phase_masks_) {
      const bool some = std::find(mask.begin(), mask.end(), true) != mask.end();
      choices_.phases.push_back({some ? "adaptive" : "static"});
    }
    if (std::holds_alternative<ServiceLanes>(tables_.lanes)) {
      choices_.start_rule = StartRule::level;
      choices_.starts = std::move(by_level);
      return;
    }
    // Levels are not known: any may be in use.
    choices_.starts.clear();
    for (std::size_t p = 0; p < phase_masks_.size(); ++p)
      choices_.starts.push_back(static_cast<PhaseId>(p));
  }

  // --- columns

  Entry entry(ColumnId base, std::size_t phase, Lid to, SwitchId s) {
    const PortNumber port = next_[base][s.index()];
    if (port == here) return ChoiceTables::at_end;
    const auto own_phase = static_cast<PhaseId>(phase);
    const auto& of_lid = of_lid_[s.index()];
    const auto group = phase_masks_[phase][s.index()] ? of_lid.find(to) : of_lid.end();
    if (group == of_lid.end())
      return port == no_port ? ChoiceTables::no_route
                             : choices_.add({{port, Candidate::by_lanes, own_phase, 0}});
    std::vector<Candidate> candidates = groups_[group->second];
    for (Candidate& c : candidates) c.phase = own_phase;
    return choices_.add(std::move(candidates));
  }

  ColumnId column(ColumnId base, std::size_t phase, Lid to) {
    std::pair<ColumnId, std::vector<Entry>> row{base, {}};
    for (const SwitchId s : fabric_.switches()) row.second.push_back(entry(base, phase, to, s));
    const auto [known, is_new] = columns_.try_emplace(std::move(row), ColumnId());
    if (is_new) {
      known->second = choices_.next.push_back(known->first.second);
      base_of_.push_back(base);
    }
    return known->second;
  }

  /// A further LID has one column, which steers packets of one phase.
  void make_further() {
    if (phase_masks_.size() > 1 && !out_.further.empty()) {
      notes_.push_back(fmt::format(
          "routes to {} are left out: where service levels adapt at different switches, "
          "first LIDs only are judged",
          counted(out_.further.size(), "further LID", "further LIDs")));
      out_.further.clear();
    }
    for (auto& [host, lid, to] : out_.further)
      to = column(to, 0, static_cast<Lid>(addressed_[host].lid + lid));
    std::sort(out_.further.begin(), out_.further.end(), [](const auto& a, const auto& b) {
      return std::tie(a.column, a.host, a.lid) < std::tie(b.column, b.host, b.lid);
    });
  }

  /// Service levels are those of the columns that the new ones come from.
  void make_levels() {
    auto* service = std::get_if<ServiceLanes>(&out_.lanes);
    if (service == nullptr) return;
    const Grid<std::uint8_t> before = std::move(service->level);
    service->level = Grid<std::uint8_t>(0, before.width(), 0);
    for (const ColumnId base : base_of_) service->level.push_back(before[base]);
  }

  void add_notes() {
    if (unknown_ > 0)
      notes_.push_back(
          fmt::format("adaptive tables of {} that the fabric does not have are "
                      "skipped",
                      counted(unknown_, "switch", "switches")));
    if (unconnected_ > 0)
      notes_.push_back(fmt::format("{} of adaptive groups {} nowhere and {} never taken",
                                   counted(unconnected_, "port", "ports"),
                                   unconnected_ == 1 ? "leads" : "lead",
                                   unconnected_ == 1 ? "is" : "are"));
    constexpr std::size_t most = 3;
    for (const auto& [at, lids] : without_ports_) {
      if (notes_.size() > most) break;
      notes_.push_back(
          fmt::format("switch \"{}\": group {} has no ports; packets to {} take their static ones",
                      fabric_[at.first].name, at.second, counted(lids, "LID", "LIDs")));
    }
  }

  const Source& source_;
  const Fabric& fabric_;
  const Tables& tables_;
  const DestinationTables& next_;
  const Fabric addressed_;
  PortIndex index_;
  std::vector<unsigned> masks_;                   ///< by switch: service levels that it adapts
  std::vector<std::map<Lid, Entry>> of_lid_;      ///< by switch: a place in groups_
  std::vector<std::vector<Candidate>> groups_{};  ///< of all switches
  std::vector<std::vector<bool>> phase_masks_{};  ///< by phase and switch: whether it adapts
  std::map<std::pair<ColumnId, std::vector<Entry>>, ColumnId> columns_{};
  std::vector<ColumnId> base_of_{};  ///< by column: the one of `tables`
  std::map<std::pair<SwitchId, unsigned>, std::size_t> without_ports_{};  ///< LIDs by group
  std::size_t unknown_ = 0, unconnected_ = 0;
  std::vector<std::string> notes_{};
  Tables out_;
  ChoiceTables choices_;
};

}  // namespace

NotedTables with_adaptive_groups(const Source& source, const Fabric& fabric, const Tables& tables,
                                 const std::vector<AdaptiveSwitch>& switches,
                                 std::optional<unsigned> level_mask) {
  return AdaptiveChoices(source, fabric, tables, switches, level_mask).make();
}

}  // namespace weft::infiniband
