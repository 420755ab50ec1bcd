// SPDX-License-Identifier: Apache-2.0
// Pipeline: lane allocation and crossbar allocation, iSLIP with one iteration each (McKeown, 1999).
// Both work on lists of requests of a block. (Where a condition would be guessed wrong, there is no
// branch: lists grow by its value.)
#pragma once
#include <algorithm>
#include <utility>

#include "sim/flit/pipeline.hpp"

namespace weft::sim {

template <class Features>
void Pipeline<Features>::make_room(std::size_t requests) {
  if (outs_.size() > requests) return;
  outs_.resize(2 * requests + 8);
  ins_.resize(outs_.size());
}

/// Urgent packets come before all others in every choice.
template <class Features>
std::uint64_t Pipeline<Features>::rank(Index lane_id) const {
  constexpr std::uint64_t not_urgent = std::uint64_t{1} << 56U;
  if (u_.since.empty() || in_[lane_id].head.has(Head::urgent)) return 0;
  const Cycle aging = layout_.timing.aging();
  return aging > 0 && u_.now - u_.since[lane_id] >= aging ? 0 : not_urgent;
}

template <class Features>
void Pipeline<Features>::allocate_lanes(Index block) {
  if (Features::choices && choices_.allowed() && !choices_.empty(block)) choose_ports(block);
  RequestList<Index>& list = u_.requested[block];
  if (list.empty()) return;
  const auto count = static_cast<std::size_t>(list.end() - list.begin());
  make_room(count);
  std::copy(list.begin(), list.end(), outs_.data());
  list.end_at(list.begin());
  const Index* const outs = outs_.data();
  const Index* const next_waiting = u_.next_waiting.data();
  for (std::size_t i = 0; i < count; ++i) {
    const Index o = outs[i];
    SwitchPort& port = ports_[o];
    port.requested = false;
    if constexpr (Features::all)
      if (u_.is_dead(o)) drain_waiting(port, o);
    const Index who = port.waiting;
    if (who == nothing) continue;  // drained just now, or withdrawn
    if constexpr (Features::whole) u_.end_sent_packet(port);
    if (Features::whole ? !port.several : next_waiting[who] == nothing)
      allocate_lane(who, port, o);
    else
      share_lanes(port, o);
    if constexpr (Features::whole) {
      if (retry_at_ != never) u_.retries.push(std::exchange(retry_at_, never), block, o);
      if (port.waiting != nothing && port.free_at > u_.now) await(o, SwitchPort::the_link);
    }
  }
  if constexpr (Features::all) {
    for (const Index id : next_in_order_)
      if (in_[id].has(InLane::replicate)) b_.request_lanes(id, true);
    next_in_order_.clear();
  }
}

template <class Features>
void Pipeline<Features>::request_lane(Index id, Index o) {
  if constexpr (Features::whole)
    request_lane_for_packet(id, o);
  else
    u_.request_lane(id, o);
}

/// The in-lane of a request. Branches of one packet may have different classes.
template <class Features>
const InLane& Pipeline<Features>::lane_with_class(Index who) {
  InLane& lane = in_[lane_of(who)];
  if constexpr (Features::all)
    if (b_.is_branch(who)) lane.lane_class = b_[who].lane_class;
  return lane;
}

/// The lanes of out-port `o` that the front packet of an in-lane may have now.
template <class Features>
std::uint64_t Pipeline<Features>::offer(const InLane& lane, const SwitchPort& port, Index o) {
  if constexpr (Features::whole) return offer_for_packet(lane, port, o);
  return u_.template offer<Features::plain>(lane, port, o);
}

/// There is one request for lanes of a port.
template <class Features>
void Pipeline<Features>::allocate_lane(Index who, SwitchPort& port, Index o) {
  std::uint64_t offered = 0;
  if constexpr (Features::whole)
    offered = first_lane_for_packet(in_[who], port, o);
  else
    offered = offer(lane_with_class(who), port, o);
  if (offered == 0) return;
  port.waiting = nothing;
  grant_lane(who, port, o, offered);
}

/// There are two, of packets without anything special. (With few branches: they would be guessed
/// wrong.)
template <class Features>
void Pipeline<Features>::share_lanes_of_two(SwitchPort& port, Index o) {
  const Index one = port.waiting, other = u_.next_waiting[one];
  const Index first = first_lane(o - port.number);
  const std::uint64_t to_one = offer(in_[one], port, o), to_other = offer(in_[other], port, o);
  if ((to_one | to_other) == 0) return;
  std::uint64_t ones = to_one & ~to_other;
  for (std::uint64_t left = to_one & to_other; left != 0; left &= left - 1) {
    const std::uint16_t turn = out_[first_lane(o) + lowest(left)].turn;
    const bool earlier = distance(one - first, turn) < distance(other - first, turn);
    ones |= (left & (~left + 1)) & (0 - std::uint64_t{earlier});
  }
  port.waiting = nothing;
  const std::uint64_t wanted = grant_or_wait(one, port, o, {to_one, ones}) |
                               grant_or_wait(other, port, o, {to_other, to_other & ~ones});
  if ((wanted & port.idle) != 0) u_.request_allocation(port, o);
}

/// A requester takes one of the lanes that were granted to it, if there are some, or waits on.
/// Returns those that it still wants.
template <class Features>
std::uint64_t Pipeline<Features>::grant_or_wait(Index who, SwitchPort& port, Index o,
                                                LaneGrant lanes) {
  if (lanes.granted != 0) {
    grant_lane(who, port, o, lanes.granted);
    return 0;
  }
  if (Features::choices && in_[lane_of(who)].has(InLane::chooses)) {
    choices_.again(who);
    return 0;
  }
  if constexpr (Features::whole) port.several = port.waiting != nothing;
  u_.next_waiting[who] = port.waiting;
  port.waiting = who;
  return lanes.offered;
}

/// There are several. Those that get nothing wait on.
template <class Features>
void Pipeline<Features>::share_lanes(SwitchPort& port, Index o) {
  if (port.idle == 0) return;
  if constexpr (Features::plain)
    if (u_.next_waiting[u_.next_waiting[port.waiting]] == nothing) {
      share_lanes_of_two(port, o);
      return;
    }
  const Index first = first_lane(o - port.number);
  requests_.clear();
  std::uint64_t lanes = 0;
  for (Index who = port.waiting; who != nothing; who = u_.next_waiting[who]) {
    const Index id = lane_of(who);
    const std::uint64_t offered = offer(lane_with_class(who), port, o);
    std::uint64_t key = id - first;
    if constexpr (Features::shared_links) key |= rank(id);
    requests_.push_back({who, key, {offered, 0}});
    lanes |= offered;
  }
  if (lanes == 0) return;
  for (; lanes != 0; lanes &= lanes - 1) {
    const Index v = lowest(lanes);
    LaneRequest* winner = nullptr;
    std::uint64_t best = SwitchPort::none;
    for (LaneRequest& request : requests_) {
      if ((request.lanes.offered >> v & 1) == 0) continue;
      const std::uint64_t key =
          (request.key & ~std::uint64_t{0xFFFF}) |
          distance(static_cast<Index>(request.key), out_lane(first_lane(o) + v).turn);
      winner = key < best ? &request : winner;
      best = std::min(key, best);
    }
    winner->lanes.granted |= bit_at(v);
  }
  port.waiting = nothing;
  std::uint64_t wanted = 0;
  for (const LaneRequest& request : requests_)
    wanted |= grant_or_wait(request.who, port, o, request.lanes);
  if ((wanted & port.idle) != 0) u_.request_allocation(port, o);
}

/// The requester accepts one of the lanes that were granted to it: the next one, round-robin.
template <class Features>
void Pipeline<Features>::grant_lane(Index who, SwitchPort& port, Index o, std::uint64_t lanes) {
  const Index id = lane_of(who);
  InLane& lane = in_[id];
  const Index v = next_lane(lane, port, lanes);
  const Index to = first_lane(o) + v;
  const Index number = id - first_lane(o - port.number);
  OutLane& out = out_lane(to);
  lane.last_port = port.number;
  lane.next_lane = static_cast<std::uint8_t>(v + 1);
  out.turn = static_cast<std::uint16_t>(number + 1);
  out.holder = static_cast<std::uint16_t>(number);
  port.idle &= ~bit_at(v);
  if constexpr (Features::all)
    if (b_.is_branch(who)) {
      Branch& branch = b_[who];
      branch.out_lane = to;
      if (routing_.has_root(lane.head.to)) next_in_order_.push_back(id);
      branch.sends = b_.can_send(branch);
      u_.senders[port.block].add_if(branch.sends, SendRequest(who, to));
      return;
    }
  lane.out_lane = static_cast<std::uint8_t>(v);
  lane.stage = Stage::sending;
  u_.senders[port.block].add_if(Features::whole || out.credits > 0, SendRequest(who, to));
}

/// The link of a port has failed: those who wait for it cannot go on.
template <class Features>
void Pipeline<Features>::drain_waiting(SwitchPort& port, Index o) {
  while (port.waiting != nothing) {
    const Index id = lane_of(port.waiting);
    if (in_[id].has(InLane::chooses)) {
      u_.withdraw_request(id, o);
      choices_.again(id);
    } else {
      failures_.drain(id, Loss::link_down, o);
    }
  }
}

/// Whether the packet of an in-lane may send a flit over a link now.
template <class Features>
bool Pipeline<Features>::link_is_open(Index lane_id, Index o) const {
  if (!u_.free_at.empty() && u_.free_at[o] > u_.now << 16U) return false;
  if (u_.held_out.empty()) return true;
  const auto free_for = [lane_id](Index holder) { return holder == nothing || holder == lane_id; };
  return free_for(u_.held_out[o]) &&
         (layout_.model.lane_inputs || free_for(u_.held_in[port_of(lane_id)]));
}

/// Whether all so many senders of a block get what they request: there is one, or links have one
/// lane each, which its holder alone can use.
template <class Features>
bool Pipeline<Features>::no_sender_competes(std::size_t count) const {
  return count == 1 || layout_.lanes == 1;
}

/// What a sender some places ahead needs, if there is one.
template <class Features>
void Pipeline<Features>::prefetch_sender(const SendRequest* each, const SendRequest* end) const {
  constexpr std::ptrdiff_t ahead = 8;
  if (end - each <= ahead) return;
  const Index from = each[ahead].from(), to = each[ahead].out_lane();
  __builtin_prefetch(&ports_[port_of(to)]);
  __builtin_prefetch(&ports_[port_of(from)]);
  __builtin_prefetch(&in_[from]);
  __builtin_prefetch(&out_lane(to));
}

template <class Features>
void Pipeline<Features>::traverse_all(RequestList<SendRequest>& list, std::size_t count) {
  const SendRequest* const end = list.begin() + count;
  SendRequest* kept = list.begin();
  const bool large = u_.large;
  for (const SendRequest* each = kept; each != end; ++each) {
    if (large) prefetch_sender(each, end);
    const SendRequest sender = *each;
    const bool has_more = traverse(sender);
    *kept = sender;
    kept += static_cast<std::size_t>(has_more);
  }
  u_.totals.flit_hops += count;
  list.end_at(std::copy(end, static_cast<const SendRequest*>(list.end()), kept));
}

template <class Features>
void Pipeline<Features>::allocate_crossbars(Index block, std::size_t count) {
  RequestList<SendRequest>& list = u_.senders[block];
  if (Features::plain && no_sender_competes(count)) {
    traverse_all(list, count);
    return;
  }
  SendRequest *const senders = list.begin(), *const end = senders + count;
  make_room(count);
  Index *outs = outs_.data(), *ins = ins_.data();
  const bool large = u_.large, lane_inputs = Features::shared_links && layout_.model.lane_inputs;
  // Every out-port takes the request of the next in-port, and of its next lane.
  for (SendRequest* each = senders; each != end; ++each) {
    if (large && end - each > 8) {
      __builtin_prefetch(&ports_[port_of(each[8].out_lane())]);
      __builtin_prefetch(&in_[lane_of(each->from())]);
      __builtin_prefetch(&out_[each->out_lane()]);
    }
    const SendRequest sender = *each;
    const Index id = lane_of(sender.from()), o = port_of(sender.out_lane());
    SwitchPort& out = ports_[o];
    const SwitchPort& in = ports_[port_of(id)];
    std::uint64_t request = static_cast<Index>(each - senders);
    if (lane_inputs)
      request |= std::uint64_t{distance(first_lane(in.number) + lane_in_port(id), out.grant_turn)}
                 << 40U;
    else
      request |= std::uint64_t{distance(in.number, out.grant_turn)} << 40U |
                 std::uint64_t{static_cast<std::uint8_t>(lane_in_port(id) - in.lane_turn)} << 32U;
    if constexpr (Features::all)
      if (b_.is_branch(sender.from()) && !b_.can_send(b_[sender.from()])) {
        b_[sender.from()].sends = false;
        *each = SendRequest(nothing, nothing);
        continue;
      }
    if constexpr (Features::shared_links) {
      if (!link_is_open(id, o)) continue;
      request |= rank(id);
    }
    const std::uint64_t best = out.request;
    *outs = o;
    outs += best >> SwitchPort::none_bit;
    out.request = std::min(best, request);
  }
  // Every in-port accepts the next of the out-ports that have taken requests of its.
  for (Index* each = outs_.data(); each != outs; ++each) {
    SwitchPort& out = ports_[*each];
    const auto winner = static_cast<Index>(out.request);
    const Index id = lane_of(senders[winner].from()), p = port_of(id);
    SwitchPort& in = ports_[p];
    std::uint64_t grant = std::uint64_t{distance(out.number, in.accept_turn)} << 32U | winner;
    if constexpr (Features::shared_links) grant |= rank(id);
    if (large && in_[id].first != nothing) __builtin_prefetch(&u_.segments[in_[id].first]);
    const std::uint64_t best = in.grant;
    out.request = SwitchPort::none;
    *each = winner;
    *ins = p;
    ins += best >> SwitchPort::none_bit;
    in.grant = std::min(best, grant);
  }
  std::size_t hops = 0;
  if (Features::all || lane_inputs) {
    // An input sends of one lane; that lane's copies go together.
    Index* going = outs_.data();
    for (const Index* each = outs_.data(); each != outs; ++each) {
      const Index id = lane_of(senders[*each].from());
      const auto accepted = static_cast<Index>(ports_[port_of(id)].grant);
      *going = *each;
      going += static_cast<std::size_t>(lane_inputs || lane_of(senders[accepted].from()) == id);
    }
    for (const Index* each = ins_.data(); each != ins; ++each)
      ports_[*each].grant = SwitchPort::none;
    for (const Index* each = outs_.data(); each != going; ++each)
      if (!traverse(senders[*each])) senders[*each] = SendRequest(nothing, nothing);
    hops = static_cast<std::size_t>(going - outs_.data());
  } else {
    // (Two loops: the second one need not wait for what the first one looks up.)
    for (Index* each = ins_.data(); each != ins; ++each) {
      SwitchPort& in = ports_[*each];
      *each = static_cast<Index>(in.grant);
      in.grant = SwitchPort::none;
    }
    for (const Index *each = ins_.data(), *const last = ins; each != last; ++each) {
      SendRequest& sender = senders[*each];
      const Index gone = traverse(sender) ? 0 : nothing;
      sender = SendRequest(sender.from() | gone, sender.out_lane());
    }
    hops = static_cast<std::size_t>(ins - ins_.data());
  }
  u_.totals.flit_hops += hops;
  keep_senders(list, end, end);
}

/// Takes away who has gone among the senders before `last`; from `fresh` on are those that were
/// given a lane in this cycle.
template <class Features>
void Pipeline<Features>::keep_senders(RequestList<SendRequest>& list, const SendRequest* last,
                                      const SendRequest* fresh) {
  SendRequest* kept = list.begin();
  for (const SendRequest* each = list.begin(); each != last; ++each) {
    const SendRequest sender = *each;
    *kept = sender;
    kept += static_cast<std::size_t>(sender.from() != nothing);
  }
  list.end_at(std::copy(fresh, static_cast<const SendRequest*>(list.end()), kept));
}

}  // namespace weft::sim
