// SPDX-License-Identifier: Apache-2.0
// The verdict on deadlock as a page tells it: a certificate with its argument, or the cycle.
#include <algorithm>

#include "lab/page/fabric_section.hpp"

namespace weft {
namespace {

using Json = nlohmann::ordered_json;

/// Certificates of more channels are left out; weft check --certificate writes them.
constexpr std::size_t most_channels = 20'000;

/// Channels with lanes in the order of their numbers.
Json order_of(const Fabric& fabric, const Certificate& certificate) {
  std::vector<std::pair<std::uint32_t, std::size_t>> used;
  const std::size_t links = fabric.channel_count() * static_cast<std::size_t>(certificate.lanes);
  for (std::size_t i = 0; i < std::min(links, certificate.number.size()); ++i)
    if (certificate.number[i] != Certificate::unused) used.emplace_back(certificate.number[i], i);
  std::sort(used.begin(), used.end());
  Json channel = Json::array(), lane = Json::array();
  for (const auto& [number, place] : used) {
    channel.push_back(place / static_cast<std::size_t>(certificate.lanes));
    lane.push_back(place % static_cast<std::size_t>(certificate.lanes));
  }
  return {{"channel", channel}, {"lane", lane}};
}

/// Channels that wait, or are waited for, and the waits.
void count_dependencies(Json& proof, const Fabric& fabric, const Tables& tables) {
  const auto built = dependencies(fabric, tables);
  std::size_t channels = 0, waits = 0;
  if (const auto* graph = std::get_if<DependencyGraph>(&built)) {
    std::vector<bool> is_used(graph->node_count());
    for (const LaneChannel n : graph->nodes())
      for (const LaneChannel next : graph->after(n))
        is_used[n.index()] = is_used[next.index()] = true;
    channels = static_cast<std::size_t>(std::count(is_used.begin(), is_used.end(), true));
    waits = graph->dependency_count();
  }
  proof["channels"] = channels;
  proof["dependencies"] = waits;
}

void tell(Json& proof, const Fabric& fabric, const Certificate& certificate) {
  proof["verdict"] = "free";
  proof["words"] = {
      "Every channel that a route takes, which is one direction of a link on one lane, has a "
      "number.",
      "A packet that holds a channel waits only for channels with larger numbers: this was tried "
      "for every route, switch by switch.",
      "So packets cannot wait for each other in a circle. The one that holds the largest number "
      "waits for nothing but its host, and goes on; then the next one does."};
  if (certificate.proof != Proof::every_choice)
    proof["words"] = {
        "Every channel that a route takes, which is one direction of a link on one lane, has a "
        "number.",
        "A packet that has several choices waits for any of them. Wherever it is, one of them has "
        "a larger number than what it holds: this was tried for every packet, switch by switch.",
        "So packets cannot wait for each other for good. The one that holds the largest number "
        "waits for a channel that nobody holds, or for its host, and goes on; then the next one "
        "does."};
  const auto used = static_cast<std::size_t>(
      std::count_if(certificate.number.begin(), certificate.number.end(),
                    [](std::uint32_t number) { return number != Certificate::unused; }));
  if (used <= most_channels) proof["order"] = order_of(fabric, certificate);
}

/// A packet, or a group's, in a list through which the page steps; it is shown where its head is.
Json step_of(const Hop& head, HostId from, HostId to, const std::string& group, std::string text) {
  Json out{{"channel", head.channel.index()}, {"lane", head.lane}};
  if (from.valid()) {
    out["from"] = from.index();
    out["to"] = to.index();
  }
  if (!group.empty()) out["group"] = group;
  out["text"] = std::move(text);
  return out;
}

void tell(Json& proof, const Fabric& fabric, const DependencyCycle& cycle) {
  proof["verdict"] = "deadlock";
  proof["words"] = {
      "Packets may hold these channels at the same time, and each wants the next one: none of "
      "them ever goes on."};
  proof["cycle"] = Json::array();
  const std::vector<std::string> lines = cycle.describe(fabric);
  for (std::size_t i = 0; i < cycle.waits.size(); ++i) {
    const ChannelWait& wait = cycle.waits[i];
    proof["cycle"].push_back(step_of({wait.channel, wait.lane}, wait.from, wait.to, wait.group,
                                     i < lines.size() ? lines[i] : ""));
  }
}

void tell(Json& proof, const Fabric& fabric, const BlockedPackets& blocked) {
  proof["verdict"] = "deadlock";
  proof["words"] = {
      "Packets may hold these channels at the same time. Each takes any of its choices that is "
      "free, but others of these packets hold them all: none of them ever goes on."};
  proof["cycle"] = Json::array();
  const std::vector<std::string> lines = blocked.describe(fabric);
  for (std::size_t i = 0; i < blocked.packets.size(); ++i) {
    const BlockedPacket& packet = blocked.packets[i];
    proof["cycle"].push_back(
        step_of(packet.holds.back(), packet.from, packet.to, packet.group, lines[i]));
  }
}

void tell(Json& proof, const Fabric& fabric, const NotJudged& not_judged) {
  tell(proof, fabric, not_judged.cycle);
  proof["verdict"] = "unknown";
  proof["words"] = {not_judged.why + ". By some choices these channels wait for each other:"};
}

void tell(Json& proof, const Fabric&, const Refused& refused) {
  proof["verdict"] = "unknown";
  proof["words"] = {refused.why};
}

}  // namespace

Json page_proof(const Fabric& fabric, const Tables& tables, const Checked& checked) {
  Json out{{"verdict", "unknown"}, {"summary", ""}, {"words", Json::array()}};
  const auto finding = std::find_if(checked.findings.begin(), checked.findings.end(),
                                    [](const Finding& each) { return each.check == "deadlock"; });
  invariant(finding != checked.findings.end(), "there is no check of deadlocks");
  out["summary"] = finding->summary;
  count_dependencies(out, fabric, tables);
  std::visit([&](const auto& verdict) { tell(out, fabric, verdict); }, checked.deadlock);
  if (finding->verdict == Verdict::unknown) out["verdict"] = "unknown";
  return out;
}

}  // namespace weft
