// SPDX-License-Identifier: Apache-2.0
// The verdict on deadlocks in words, and for programs.
#include <utility>

#include "plan/check/checks.hpp"
#include "plan/check/deadlock.hpp"
#include "plan/check/graph/rooted.hpp"

namespace weft {
namespace {

bool is_free_without_groups(const Subject& subject) {
  if (subject.tables.groups.empty()) return false;
  Tables unicast = subject.tables;
  unicast.groups.clear();
  return std::holds_alternative<Certificate>(deadlock(subject.fabric, unicast, subject.waiting));
}

/// Ends "can deadlock": with what it does.
std::string blocked_text(const Subject& subject, bool by_groups) {
  if (are_levels_unknown(subject.tables))
    return by_groups ? "unicast alone cannot deadlock; with multicast it cannot be judged without "
                       "the service levels: if all packets travel on one lane, it can"
                     : "cannot be judged without the service levels; if all packets travel on one "
                       "lane, it can deadlock";
  std::string out =
      by_groups ? "can deadlock with multicast, though unicast alone cannot" : "can deadlock";
  if (leave_choices(subject.tables))
    out += fmt::format(" in switches {}", switches_text(subject.waiting));
  return out;
}

/// A wait of a cycle as a packet that holds a lane.
std::vector<BlockedPacket> packets_of(const DependencyCycle& cycle) {
  std::vector<BlockedPacket> out;
  for (std::size_t i = 0; i < cycle.waits.size(); ++i) {
    const ChannelWait& wait = cycle.waits[i];
    const ChannelWait& next = cycle.waits[(i + 1) % cycle.waits.size()];
    out.push_back({{{wait.channel, wait.lane}},
                   {{next.channel, next.lane}},
                   wait.from,
                   wait.to,
                   wait.lid,
                   wait.group});
  }
  return out;
}

/// What blocks each other: a line each, as far as people read on, and for programs all.
void add_packets(const Fabric& fabric, const std::vector<BlockedPacket>& packets,
                 std::vector<std::string> lines, Finding& out) {
  constexpr std::size_t most_lines = 24;
  const auto places = [&](const std::vector<Hop>& hops) {
    std::vector<std::string> names;
    for (const Hop& hop : hops) names.push_back(place_text(fabric, hop.channel, hop.lane));
    return names;
  };
  for (const BlockedPacket& packet : packets) {
    FindingItem& item = out.items.emplace_back(
        FindingItem{{"holds", places(packet.holds)}, {"wants", places(packet.wants)}});
    if (!packet.group.empty()) item.emplace_back("group", packet.group);
    if (!packet.from.valid()) continue;
    item.emplace_back("from", fabric[packet.from].name);
    item.emplace_back("to", fabric[packet.to].name);
  }
  if (lines.size() > most_lines) {
    const std::size_t more = lines.size() - (most_lines - 1);
    lines.resize(most_lines - 1);
    lines.push_back(fmt::format("and {} more, which --json and --html list", more));
  }
  out.details = std::move(lines);
}

Finding blocked_found(const Subject& subject, const std::string& what, const char* count,
                      const std::vector<BlockedPacket>& packets, std::vector<std::string> lines) {
  const bool by_groups = is_free_without_groups(subject);
  Finding out{"deadlock",
              are_levels_unknown(subject.tables) ? Verdict::unknown : Verdict::bad,
              fmt::format("{}: {}", blocked_text(subject, by_groups), what),
              {},
              {{"free", 0},
               {"unicast_free", by_groups ? 1 : 0},
               {count, static_cast<double>(packets.size())}}};
  add_packets(subject.fabric, packets, std::move(lines), out);
  return out;
}

Finding finding_of(const Subject& subject, const DependencyCycle& cycle) {
  return blocked_found(
      subject, fmt::format("{} channels wait for each other in a circle", cycle.waits.size()),
      "cycle", packets_of(cycle), cycle.describe(subject.fabric));
}

Finding finding_of(const Subject& subject, const BlockedPackets& blocked) {
  return blocked_found(
      subject, fmt::format("{} packets hold all that they wait for", blocked.packets.size()),
      "blocked", blocked.packets, blocked.describe(subject.fabric));
}

Finding finding_of(const Subject&, const Refused& refused) {
  return {"deadlock", Verdict::bad, refused.why, {}, {{"free", 0}}};
}

Finding finding_of(const Subject& subject, const NotJudged& not_judged) {
  Finding out{
      "deadlock",
      Verdict::unknown,
      fmt::format("not known for switches {}: {}; by some choices {} channels wait for "
                  "each other",
                  switches_text(subject.waiting), not_judged.why, not_judged.cycle.waits.size()),
      {},
      {{"free", 0}, {"cycle", static_cast<double>(not_judged.cycle.waits.size())}}};
  add_packets(subject.fabric, packets_of(not_judged.cycle),
              not_judged.cycle.describe(subject.fabric), out);
  return out;
}

Finding finding_of(const Subject& subject, const Certificate& certificate) {
  std::size_t numbered = 0;
  for (std::uint32_t number : certificate.number) numbered += number != Certificate::unused ? 1 : 0;
  std::string summary = fmt::format(
      "free of deadlock: the numbers of {} channels strictly increase along every route", numbered);
  if (certificate.proof != Proof::every_choice)
    summary = fmt::format(
        "free of deadlock in switches {}: by the numbers of {} channels, some choice of every "
        "packet leads to {}; not by every choice, for switches that commit to one",
        switches_text(subject.waiting), numbered,
        certificate.proof == Proof::some_choice ? "a larger one"
                                                : "a larger one than all that it holds");
  else if (std::holds_alternative<ChoiceTables>(subject.tables.paths))
    summary += ", whatever is chosen";
  Finding out{"deadlock",
              Verdict::fine,
              std::move(summary),
              {},
              {{"free", 1}, {"unicast_free", 1}, {"numbered", static_cast<double>(numbered)}}};
  if (leave_choices(subject.tables))
    out.numbers.emplace("every_choice", certificate.proof == Proof::every_choice ? 1 : 0);
  return out;
}

}  // namespace

Finding check_deadlock(const Subject& subject) {
  return std::visit([&](const auto& verdict) { return finding_of(subject, verdict); },
                    subject.deadlock);
}

}  // namespace weft
