// SPDX-License-Identifier: Apache-2.0
// Plain networks whose packets have phases: the table that leads them, by an intermediate
// destination or in one of several orders, and how a packet begins.
#include <algorithm>
#include <iterator>

#include "sim/flit/bitsliced/bitsliced.hpp"

namespace weft::sim {

/// Makes the table. False where words need more to lead packets: ways that end elsewhere, or in a
/// circle, or are too long.
bool BitSliced::make_phase_hops() {
  const std::size_t switches = layout_.switches.size(), hosts = layout_.fabric.host_count();
  constexpr std::size_t most = 1 << 25;
  std::size_t rows = 1;
  for (std::size_t p = 0; p < phases_.count(); ++p) {
    const auto phase = static_cast<PhaseId>(p);
    first_row_.push_back(static_cast<Index>(rows * switches));
    rows += phases_.leads_to_intermediate(phase) ? phases_.columns() : hosts;
    if (rows * switches > most) return false;
  }
  phase_hops_.assign(rows * switches, {});
  Index longest_before = 0, longest = 0;
  for (std::size_t p = 0; p < phases_.count(); ++p) {
    const auto phase = static_cast<PhaseId>(p);
    const bool before = phases_.leads_to_intermediate(phase);
    const std::optional<Index> own = add_rows(phase);
    if (!own) return false;
    (before ? longest_before : longest) = std::max(before ? longest_before : longest, *own);
    if (!before) continue;
    const PhaseId behind = phases_.behind(phase);
    const Index rows_behind = first_row_[behind];
    if (phases_.leads_to_intermediate(behind) || (rows_behind_ != 0 && rows_behind_ != rows_behind))
      return false;
    rows_behind_ = rows_behind;
  }
  return longest_before + longest <= std::min<Index>(most_hops_to_go, layout_.most_hops);
}

/// Those of a phase. Returns the number of switches of the longest way, if all are sound.
std::optional<Index> BitSliced::add_rows(PhaseId phase) {
  const auto switches = static_cast<Index>(layout_.switches.size());
  std::vector<Index> targets;
  if (phases_.leads_to_intermediate(phase))
    targets = phases_.intermediate_columns();
  else
    for (Index host = 0; host < layout_.fabric.host_count(); ++host) targets.push_back(host);
  Index longest = 0;
  std::vector<Index> to_go(switches);
  for (const Index target : targets) {
    PhaseHop* const row = &phase_hops_[first_row_[phase] + std::size_t{target} * switches];
    const Index column = phases_.column_of(phase, target, target);
    for (Index s = 0; s < switches; ++s) {
      const std::optional<PhaseHop> hop = phase_hop(phase, column, s, target);
      if (!hop) return std::nullopt;
      row[s] = *hop;
    }
    std::fill(to_go.begin(), to_go.end(), 0);
    for (Index start = 0; start < switches; ++start) {
      Index passed = 0, s = start;
      for (; to_go[s] == 0; ++passed) {
        if (passed > switches) return std::nullopt;
        const SwitchPort* const port =
            row[s].turns() ? nullptr : &units_.ports[first_port_[s] + row[s].port];
        if (port == nullptr || port->to_host) {
          to_go[s] = 1;
          break;
        }
        s = units_.ports[port->peer].home;
      }
      Index left = passed + to_go[s];
      longest = std::max(longest, left);
      for (Index at = start; to_go[at] == 0; --left) {
        to_go[at] = left;
        at = units_.ports[units_.ports[first_port_[at] + row[at].port].peer].home;
      }
    }
  }
  return longest;
}

/// The hop of a packet in a phase that a column steers to a host, or to an intermediate
/// destination.
std::optional<BitSliced::PhaseHop> BitSliced::phase_hop(PhaseId phase, Index column, Index s,
                                                        Index host) const {
  const NextHops entry = phases_.entry(s, column);
  if (entry.is_one()) {
    const LaneChoice only = entry.only();
    if (only.phase != phase) return std::nullopt;
    return PhaseHop{static_cast<std::uint8_t>(only.port), only.lane};
  }
  if (!entry.is_end()) return std::nullopt;
  if (phases_.leads_to_intermediate(phase)) return PhaseHop{nowhere, 0};
  const PortNumber last = routing_.last_port(s, host);
  if (last == no_port) return std::nullopt;
  return PhaseHop{static_cast<std::uint8_t>(last - 1), layout_.set_to_host};
}

Index BitSliced::row_to(PhaseId phase, Index host, Index packet) const {
  const Index target =
      phases_.leads_to_intermediate(phase) ? phases_.intermediate_of(packet) : host;
  return first_row_[phase] + target * static_cast<Index>(layout_.switches.size());
}

Index BitSliced::row_behind(Index node) const {
  const Packet& packet = units_.packets[queues_.packet_of(node)].packet;
  return rows_behind_ +
         static_cast<Index>(packet.to.index()) * static_cast<Index>(layout_.switches.size());
}

PhaseId BitSliced::phase_of(Index row) const {
  const auto after = std::upper_bound(first_row_.begin(), first_row_.end(), row);
  const auto phase = std::distance(first_row_.begin(), after);
  return static_cast<PhaseId>(phase == 0 ? 0 : phase - 1);
}

Index BitSliced::drawn_row(Index lane, Index home, Index packet, Cycle when) {
  Head head{};
  head.packet = packet;
  head.to = static_cast<Index>(units_.packets[packet].packet.to.index());
  return row_to(phases_(lane, home, head, when).phase, head.to, packet);
}

void BitSliced::start_front(const LanePlace& at, Cycle when) {
  PacketNode& queue = queues_[queue_at(at)];
  PacketNode& node = queues_[queue.next];
  const Index home = at_.home(at);
  node.row = drawn_row(lane_at(at), home, queues_.packet_of(queue.next), when);
  const PhaseHop hop = phase_hops_[node.row + home];
  queue.port = hop.port;
  queue.lane_class = hop.lanes;
}

/// Of a packet that has been queued: where it goes next, unless it has yet to begin.
void BitSliced::append_in_phase(PacketNode& before, const Head& head, Index home, bool routed) {
  PacketNode& node = queues_[queues_.node_of(head.packet)];
  node.set_course(head.hops, head.lane_class);
  node.row = not_drawn;
  if (head.hops > 0 || routed) node.row = row_to(head.phase(), head.to, head.packet);
  if (phase_hops_[node.row + home].turns()) node.row = row_behind(queues_.node_of(head.packet));
  const PhaseHop hop = phase_hops_[node.row + home];
  before.port = hop.port;
  before.lane_class = hop.lanes;
}

}  // namespace weft::sim
