// SPDX-License-Identifier: Apache-2.0
// Differences of fabrics and of tables as text and as JSON.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "fabric/hot_links.hpp"
#include "lab/report/colours.hpp"
#include "lab/report/report.hpp"
#include "lab/report/result_file.hpp"
#include "lab/revision.hpp"
#include "plan/check/lost_pairs.hpp"

namespace weft {
namespace {

using DifferenceJson = nlohmann::ordered_json;
constexpr std::size_t lines_shown = 20;
constexpr std::size_t links_shown = 5;

/// "s0:1: s3:2, expected s1:2".
std::string line_of(const FabricDifference& difference) {
  std::string out = difference.what;
  if (!difference.found.empty()) out += ": " + difference.found;
  if (!difference.expected.empty())
    out += fmt::format("{} expected {}", difference.found.empty() ? ":" : ",", difference.expected);
  return out;
}

double percent(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(all);
}

/// The ids with the largest counts, those above zero.
template <class Id>
std::vector<Id> most_changed(const IdVector<Id, std::uint64_t>& counts) {
  std::vector<Id> out;
  for (Id id : counts.ids())
    if (counts[id] > 0) out.push_back(id);
  std::stable_sort(out.begin(), out.end(), [&](Id a, Id b) { return counts[a] > counts[b]; });
  return out;
}

/// "s3 12, s5 9 and 4 more".
template <class Id>
std::string most_changed_text(const Fabric& fabric, const IdVector<Id, std::uint64_t>& counts) {
  const std::vector<Id> most = most_changed(counts);
  std::string out;
  for (std::size_t i = 0; i < std::min(most.size(), links_shown); ++i)
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", fabric[most[i]].name, counts[most[i]]);
  if (most.size() > links_shown) out += fmt::format(" and {} more", most.size() - links_shown);
  return out;
}

struct LoadChange {
  ChannelId channel;
  double before, after;
};

/// Channels by what they gain, the most first.
std::vector<LoadChange> load_changes(const Fabric& fabric, const TablesDifference& difference) {
  std::vector<LoadChange> out;
  for (ChannelId c : fabric.channels())
    out.push_back({c, difference.before.load[c], difference.after.load[c]});
  std::stable_sort(out.begin(), out.end(), [](const LoadChange& a, const LoadChange& b) {
    return a.after - a.before > b.after - b.before;
  });
  return out;
}

double most_load(const Survey& seen) {
  return seen.load.empty() ? 0 : *std::max_element(seen.load.begin(), seen.load.end());
}

/// "h1, h5 by LID 23 and 12 more".
std::string drained_text(const Fabric& fabric, const std::vector<HostLid>& drained) {
  std::string out;
  for (std::size_t i = 0; i < std::min(drained.size(), links_shown); ++i)
    out += fmt::format("{}{}{}", i == 0 ? "" : ", ", fabric[drained[i].host].name,
                       by_lid(fabric, drained[i].host, drained[i].lid));
  if (drained.size() > links_shown)
    out += fmt::format(" and {} more", drained.size() - links_shown);
  return out;
}

/// "to h1, h5 (2 destinations) and of the old groups".
std::string packets_to_drain(const Fabric& fabric, const UpdateOrder& order) {
  if (order.drained.empty()) return "of the old groups";
  return fmt::format("to {} ({}){}", drained_text(fabric, order.drained),
                     counted(order.drained.size(), "destination", "destinations"),
                     order.groups_drain ? " and of the old groups" : "");
}

std::string rounds_text(const UpdateOrder& order) {
  if (order.updates.empty()) return "";
  return fmt::format("{}{}, which --order writes{}", order.rounds,
                     order.rounds == 1 ? " round" : " rounds",
                     order.waits ? "; the last one after a packet lifetime" : "");
}

/// What is said of the change from old tables to new ones, the verdict first.
class TransitionText {
 public:
  TransitionText(std::ostream& out, const Fabric& fabric) : out_(out), fabric_(fabric) {}

  void operator()(const Refused& refused) const {
    verdict(VerdictColour::bad, "?", "not judged: " + refused.why);
  }
  void operator()(const DependencyCycle& cycle) const {
    verdict(VerdictColour::bad, "BAD",
            fmt::format("the new tables can deadlock: {} channels wait for each other",
                        cycle.waits.size()));
    lines(cycle.describe(fabric_));
  }
  void operator()(const UpdateOrder& order) const {
    switch (order.safe) {
      case SafeUpdate::in_any_order:
        return verdict(VerdictColour::good, "ok",
                       "old and new entries may be mixed in any way, in any order of switches: no "
                       "deadlock");
      case SafeUpdate::in_rounds:
        verdict(VerdictColour::good, "ok",
                fmt::format("nearest first, in {}: no deadlock", rounds_text(order)));
        if (!order.cycle) return;  // without the service levels it is not known
        line(fmt::format("in other orders it can deadlock: {} channels wait for each other",
                         order.cycle->waits.size()));
        return lines(order.cycle->describe(fabric_));
      case SafeUpdate::after_drain:
        return drain(order);
    }
  }

 private:
  void verdict(VerdictColour colour, const char* word, const std::string& text) const {
    out_ << fmt::format("transition {}{}\n", coloured(out_, colour, fmt::format("{:<4}", word)),
                        text);
  }
  void line(const std::string& text) const { out_ << fmt::format("{:15}{}\n", "", text); }
  void lines(const std::vector<std::string>& texts) const {
    for (const std::string& text : texts) line(text);
  }
  void drain(const UpdateOrder& order) const {
    verdict(VerdictColour::bad, "BAD",
            fmt::format("{} can deadlock: {} channels wait for each other",
                        order.proved ? "every order of updates"
                                     : "updates nearest first (another order is not known)",
                        order.cycle->waits.size()));
    lines(order.cycle->describe(fabric_));
    line(fmt::format("safe once packets {} are gone", packets_to_drain(fabric_, order)));
    if (!order.updates.empty())
      line(fmt::format("{}wait for a packet lifetime, then {}",
                       order.drained.empty() ? "" : "clear their entries, ", rounds_text(order)));
  }

  std::ostream& out_;
  const Fabric& fabric_;
};

const char* transition_word(const UpdateVerdict& verdict) {
  if (std::holds_alternative<Refused>(verdict)) return "unknown";
  if (std::holds_alternative<DependencyCycle>(verdict)) return "deadlock";
  const auto& order = std::get<UpdateOrder>(verdict);
  if (order.safe == SafeUpdate::in_any_order) return "any order";
  return order.safe == SafeUpdate::in_rounds ? "rounds" : "drain";
}

DifferenceJson transition_json(const Fabric& fabric, const UpdateVerdict& verdict) {
  std::vector<std::string> cycle;
  if (const auto* own = std::get_if<DependencyCycle>(&verdict)) cycle = own->describe(fabric);
  const auto* order = std::get_if<UpdateOrder>(&verdict);
  if (order != nullptr && order->cycle) cycle = order->cycle->describe(fabric);
  DifferenceJson out{{"verdict", transition_word(verdict)}, {"cycle", cycle}};
  if (order == nullptr) return out;
  DifferenceJson drained = DifferenceJson::array();
  for (const auto& [host, lid] : order->drained)
    drained.push_back(fabric[host].name + by_lid(fabric, host, lid));
  out["proved"] = order->proved;
  out["rounds"] = order->rounds;
  out["waits"] = order->waits;
  out["drained"] = drained;
  out["groups_drain"] = order->groups_drain;
  return out;
}

/// InfiniBand's port that drops packets.
std::string port_text(PortNumber port) { return port == no_port ? "255" : fmt::format("{}", port); }

}  // namespace

void write_differences(std::ostream& out, const std::vector<FabricDifference>& differences) {
  for (std::size_t first = 0, last = 0; first < differences.size(); first = last) {
    while (last < differences.size() && differences[last].kind == differences[first].kind) ++last;
    out << fmt::format("{} ({})\n", to_text(differences[first].kind), last - first);
    const std::size_t shown = std::min(last, first + lines_shown);
    for (std::size_t i = first; i < shown; ++i) out << "  " << line_of(differences[i]) << '\n';
    if (shown < last) out << fmt::format("  … and {} more\n", last - shown);
  }
  if (differences.empty()) out << "no difference\n";
}

nlohmann::ordered_json document_of(const std::vector<FabricDifference>& differences,
                                   const std::string& subject) {
  DifferenceJson rows = DifferenceJson::array();
  for (const FabricDifference& difference : differences)
    rows.push_back({{"kind", std::string(to_text(difference.kind))},
                    {"what", difference.what},
                    {"expected", difference.expected},
                    {"found", difference.found}});
  return {{"weft", "fabric difference 1"},
          {"revision", std::string(revision())},
          {"subject", subject},
          {"differences", rows}};
}

void write_differences(std::ostream& out, const Fabric& fabric,
                       const TablesDifference& difference) {
  const Survey& before = difference.before;
  const Survey& after = difference.after;
  out << fmt::format("entries        {} of {} change, {:.1f} %\n", difference.changed_entries,
                     difference.entries, percent(difference.changed_entries, difference.entries));
  if (difference.changed_entries > 0)
    out << fmt::format("               most on switches {}\n               most towards hosts {}\n",
                       most_changed_text(fabric, difference.by_switch),
                       most_changed_text(fabric, difference.by_destination));
  out << fmt::format("routes         {} of {} pairs of hosts take another{}\n",
                     difference.changed_pairs, before.pairs,
                     difference.changed_further == 0
                         ? ""
                         : fmt::format(", and {} to further LIDs", difference.changed_further));
  out << fmt::format("reach          {} pairs are reached before, {} after\n", before.reached,
                     after.reached);
  out << fmt::format("hops           {:.2f} on average before, {:.2f} after; {} and {} at most\n",
                     before.mean_hops() + 1e-9, after.mean_hops() + 1e-9, before.most_hops,
                     after.most_hops);
  out << fmt::format("load           {:.0f} routes on the busiest link before, {:.0f} after\n",
                     most_load(before), most_load(after));
  const auto changes = load_changes(fabric, difference);
  for (std::size_t i = 0; i < std::min(changes.size(), links_shown); ++i)
    if (changes[i].after > changes[i].before)
      out << fmt::format("               {} gains {:.0f}: {:.0f}, then {:.0f}\n",
                         channel_text(fabric, changes[i].channel),
                         changes[i].after - changes[i].before, changes[i].before, changes[i].after);
  std::visit(TransitionText(out, fabric), difference.transition);
}

nlohmann::ordered_json document_of(const Fabric& fabric, const TablesDifference& difference,
                                   const std::string& subject) {
  DifferenceJson loads = DifferenceJson::array();
  for (const LoadChange& change : load_changes(fabric, difference))
    if (change.after != change.before)
      loads.push_back({{"link", channel_text(fabric, change.channel)},
                       {"before", change.before},
                       {"after", change.after}});
  const auto counts = [&](const auto& by) {
    DifferenceJson rows = DifferenceJson::array();
    for (const auto id : most_changed(by))
      rows.push_back({{"name", fabric[id].name}, {"entries", by[id]}});
    return rows;
  };
  return {{"weft", "tables difference 1"},
          {"revision", std::string(revision())},
          {"subject", subject},
          {"entries", difference.entries},
          {"entries_changed", difference.changed_entries},
          {"by_switch", counts(difference.by_switch)},
          {"by_destination", counts(difference.by_destination)},
          {"pairs", difference.before.pairs},
          {"pairs_changed", difference.changed_pairs},
          {"pairs_changed_further", difference.changed_further},
          {"reached_before", difference.before.reached},
          {"reached_after", difference.after.reached},
          {"hops_before", difference.before.mean_hops()},
          {"hops_after", difference.after.mean_hops()},
          {"most_hops_before", difference.before.most_hops},
          {"most_hops_after", difference.after.most_hops},
          {"most_load_before", most_load(difference.before)},
          {"most_load_after", most_load(difference.after)},
          {"loads", loads},
          {"transition", transition_json(fabric, difference.transition)}};
}

void write_update_order_csv(std::ostream& out, const Fabric& fabric, const UpdateOrder& order) {
  out << csv_heading(update_order_file()) << '\n';
  for (const EntryUpdate& update : order.updates) {
    const Switch& on = fabric[update.on];
    const bool to_host = update.to.host.valid();
    const unsigned first =
        to_host ? unsigned{fabric[update.to.host].lid} : unsigned{fabric[update.to_switch].lid};
    const std::string& name = to_host ? fabric[update.to.host].name : fabric[update.to_switch].name;
    out << fmt::format(
        "{},{},{},{},{},{},{}\n", update.round, csv_field(on.name),
        on.guid == 0 ? "" : fmt::format("0x{:016x}", on.guid),
        first == 0 ? "" : fmt::format("{}", first + update.to.lid),
        csv_field(first == 0 && update.to.lid > 0 ? fmt::format("{} + {}", name, update.to.lid)
                                                  : name),
        port_text(update.before), port_text(update.after));
  }
}

ResultFile fabric_difference_file() {
  return {"weft diff A B --json FILE", "one document",
          json_keys("fabric difference 1",
                    {{"subject", "names of the two fabrics"},
                     {"differences[].kind", "such as cables moved"},
                     {"differences[].what", "switch, host, port or cable"},
                     {"differences[].expected", "what A has there; empty: nothing"},
                     {"differences[].found", "what B has there; empty: nothing"}})};
}

ResultFile tables_difference_file() {
  return {"weft diff FABRIC A B --json FILE", "one document",
          json_keys("tables difference 1",
                    {{"subject", "names of the fabric and of the two tables"},
                     {"entries", "destinations times switches"},
                     {"entries_changed", "of these"},
                     {"by_switch[].name", "of a switch with changed entries, the most first"},
                     {"by_switch[].entries", "how many change"},
                     {"by_destination[].name", "of a host to which entries change"},
                     {"by_destination[].entries", "how many change"},
                     {"pairs", "ordered pairs of hosts"},
                     {"pairs_changed", "of these, the pairs with another route"},
                     {"pairs_changed_further", "pairs with another route to a further LID (LMC)"},
                     {"reached_before", "pairs that the first tables reach"},
                     {"reached_after", "pairs that the second tables reach"},
                     {"hops_before", "switches on a route, mean over pairs, by the first tables"},
                     {"hops_after", "the same by the second tables"},
                     {"most_hops_before", "switches on the longest route of the first tables"},
                     {"most_hops_after", "switches on the longest route of the second tables"},
                     {"most_load_before", "routes over the busiest link by the first tables"},
                     {"most_load_after", "routes over the busiest link by the second tables"},
                     {"loads[].link", "a direction of a link whose load changes"},
                     {"loads[].before", "routes over it"},
                     {"loads[].after", "routes over it"},
                     {"transition.verdict",
                      "any order, rounds, drain, deadlock (of the new tables) or unknown"},
                     {"transition.cycle[]",
                      "the waits of a cycle, in words: why not any order, or none at all"},
                     {"transition.proved", "whether the cycle arises in every order"},
                     {"transition.rounds", "of updates"},
                     {"transition.waits",
                      "whether the last round must wait until packets on old routes are gone"},
                     {"transition.drained[]", "hosts to which packets must be gone before"},
                     {"transition.groups_drain", "whether those of the old groups must, too"}})};
}

ResultFile update_order_file() {
  return {"weft diff FABRIC A B --order FILE",
          "a row for each entry to change, in rounds; within a round the order does not matter",
          {{"round", "from 1 on; 0: cleared before, and the packets left to drain"},
           {"switch", "that gets the entry"},
           {"guid", "of the switch; empty: none"},
           {"lid", "that the entry is for; empty: none"},
           {"destination", "the host or switch of the LID"},
           {"old_port", "of the switch; 255: none"},
           {"new_port", "255: none; 0: the switch itself"}}};
}

}  // namespace weft
