// SPDX-License-Identifier: Apache-2.0
// QosKey: quality of service of a team.
#include "comm/qos/attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace weft::comm::qos {

Bandwidth raw_bandwidth(const MessageFraming& framing, Bandwidth bandwidth, Bytes message) {
  __extension__ using Exact = unsigned __int128;
  const auto exact = [](std::int64_t positive) {
    return Exact{static_cast<std::uint64_t>(positive)};
  };
  const std::int64_t whole = message.count + framing.header.count;
  const std::int64_t packets = (whole + framing.packet.count - 1) / framing.packet.count;
  const Exact bits = exact(bandwidth.bits_per_second) * exact(packets * framing.packet.count);
  const Exact needed = (bits + exact(message.count) - 1) / exact(message.count);
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return {needed > exact(most) ? most : static_cast<std::int64_t>(needed)};
}

std::string QosKey::refusal(const Team& team, const Quality& quality) const {
  if (quality.peer < 0 || quality.peer >= team.size())
    return fmt::format("there is no rank {} in a team of {}", quality.peer, team.size());
  if (quality.message.count <= 0 || quality.message.count > (std::int64_t{1} << 50))
    return fmt::format("messages of {} bytes cannot be", quality.message.count);
  if (quality.bandwidth.bits_per_second < 0)
    return fmt::format("{} cannot be promised: it must be more than nothing",
                       in_bytes(quality.bandwidth));
  if (quality.bandwidth > framing_.most)
    return fmt::format("{} cannot be promised: the library carries {} at most",
                       in_bytes(quality.bandwidth), in_bytes(framing_.most));
  return "";
}

TaskOf<Standing> QosKey::set(const Team& team, Quality quality) {
  Standing standing{.asked = quality, .why = refusal(team, quality)};
  if (quality.peer < 0 || quality.peer >= team.size()) co_return standing;
  const Flow flow = flow_to(team, quality.peer, quality.priority);
  const bool releases = quality.bandwidth.bits_per_second == 0;
  if (const Standing* earlier = get(team, quality.peer, quality.priority))
    standing.has = earlier->has;
  if (standing.why.empty()) {
    const Bandwidth raw = raw_bandwidth(framing_, quality.bandwidth, quality.message);
    TaskOf<Answer> asking = releases ? service_.release(flow) : service_.reserve(flow, raw);
    const Answer answer = co_await asking;
    standing.granted = answer.granted;
    standing.why = answer.why;
    standing.interval = answer.interval;
  }
  if (standing.granted) {
    standing.has = quality.bandwidth;
    forget(flow, releases ? 0 : team.context());
  }
  if (!(standing.granted && releases)) record_of(team, flow).standing = standing;
  co_return standing;
}

const Standing* QosKey::get(const Team& team, Rank peer, Priority priority) const {
  if (peer < 0 || peer >= team.size()) return nullptr;
  const Flow flow = flow_to(team, peer, priority);
  const auto found =
      std::find_if(records_.begin(), records_.end(), [&](const AttributeRecord& record) {
        return record.context == team.context() && record.flow == flow;
      });
  return found == records_.end() ? nullptr : &found->standing;
}

QosKey::AttributeRecord& QosKey::record_of(const Team& team, const Flow& flow) {
  const auto found =
      std::find_if(records_.begin(), records_.end(), [&](const AttributeRecord& record) {
        return record.context == team.context() && record.flow == flow;
      });
  if (found != records_.end()) return *found;
  return records_.emplace_back(AttributeRecord{team.context(), flow, {}});
}

/// Contexts are never 0.
void QosKey::forget(const Flow& flow, std::uint64_t except) {
  std::erase_if(records_, [&](const AttributeRecord& record) {
    return record.flow == flow && record.context != except;
  });
}

}  // namespace weft::comm::qos
