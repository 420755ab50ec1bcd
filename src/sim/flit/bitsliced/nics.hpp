// SPDX-License-Identifier: Apache-2.0
// BitSlicedKernel: NICs. They are handled where their packets come in: by in-lane of the switch.
#pragma once
#include "sim/flit/bitsliced/kernel.hpp"

namespace weft::sim {

/// NICs that send nothing begin the next packet of their queue, on the next lane that can take it.
/// Returns those that may begin another one in the next cycle.
template <Index fixed_ports, Index fixed_lanes, Index wide>
Word BitSlicedKernel<fixed_ports, fixed_lanes, wide>::begin_packets(Index first_host, Word hosts) {
  const bool any_lane = layout_.model.host_lanes && layout_.control_shift == 0;
  const bool by_packet = layout_.cut_through || layout_.empty_lanes;
  const Cycle now = units_.now;
  std::uint64_t begun = 0;
  Word more = 0;
  for (Word left = hosts; left != 0; left &= left - 1) {
    const Index host = first_host + lowest(left);
    Nic& nic = injection_.nics[host];
    if (nic.packet != nothing || nic.first == nothing) continue;
    const EntryLane entry = entries_[host];
    const Index packet = nic.first;
    PacketRecord& record = units_.packets[packet];
    const std::uint64_t allowed =
        any_lane ? ~std::uint64_t{0} : injection_.entry_lanes(record.packet, packet);
    Index v = nic.lane, tried = 0;
    do {
      v = v + 1 == lanes() ? 0 : v + 1;
      if ((nic_open_[entry.word + v * wide] >> entry.bit & allowed >> v & 1) != 0 &&
          (!by_packet || fits(entry, v, record.packet.flits)))
        break;
    } while (++tried < lanes());
    if (tried == lanes()) continue;
    nic_[entry.word + v * wide] |= Word{1} << entry.bit;
    queues_.append(entry.queue + v * LaneQueues::apart, packet, record.packet.flits, {});
    nic.first = record.next;
    if (nic.first == nothing) injection_.is_idle(host);
    nic.lane = v;
    record.packet.injected = now;
    ++begun;
    if (start_flits(host, packet)) more |= left & (~left + 1);
  }
  units_.totals.waiting -= begun;
  return more;
}

/// Whether a packet of so many flits may begin on a lane of a NIC (Units::may_begin).
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::noinline]] bool BitSlicedKernel<fixed_ports, fixed_lanes, wide>::fits(const EntryLane& entry,
                                                                             Index v,
                                                                             Index flits) const {
  const std::uint64_t credits = at_.number(nic_credits_, count_bits_, place(entry.lane + v));
  return layout_.empty_lanes ? credits == layout_.buffer : credits >= flits;
}

/// Notes how many flits the packet has. One of one flit is gone at the end of the cycle: returns
/// whether the NIC may begin another one then.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::noinline]] bool BitSlicedKernel<fixed_ports, fixed_lanes, wide>::start_flits(Index host,
                                                                                    Index packet) {
  Nic& nic = injection_.nics[host];
  const Index in_lane = entries_[host].lane + nic.lane;
  const Index flits = units_.packets[packet].packet.flits;
  if (flits == 1) {
    ++units_.out[units_.other_end(in_lane)].sent;
    return nic.first != nothing;
  }
  nic.packet = packet;
  at_.set(nic_left_, left_bits_, place(in_lane), flits - 1);
  return false;
}

/// NICs on port `p` send flits of the packets they have begun.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::inject(Index block, Index p) {
  Word flits_of[most_lanes * wide];
  G all{};
  for (Index lane = p * lanes(); lane < (p + 1) * lanes(); lane += together) {
    const std::size_t i = first_word(block) + lane * wide;
    const G flits = load<G>(&nic_[i]) & load<G>(&nic_open_[i]);
    Word* const left = nic_left_.data() + i * left_bits_;
    const G tails = left_bits_ == 0 ? flits : flits & ~some_of<G>(left, left_bits_);
    store(&nic_open_[i], subtract(&nic_credits_[i * count_bits_], flits, count_bits_));
    subtract(left, flits & ~tails, left_bits_);
    store(&nic_[i], load<G>(&nic_[i]) & ~tails);
    store(&flits_of[(lane - p * lanes()) * wide], flits);
    all |= flits;
    units_.totals.flits_injected += count(flits);
    if (left_bits_ > 0 && any(tails))
      each(block, lane, tails, [this](const LanePlace& at) { end_injection(at); });
  }
  if (!plain_ && any(all)) send(from_nic_, {block, p}, flits_of, arrivals_);
}

/// The last flit of a packet has left its NIC (if it was not the first).
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::end_injection(const LanePlace& at) {
  const Index host = host_at(at);
  Nic& nic = injection_.nics[host];
  if (nic.packet == nothing) return;
  units_.out[units_.other_end(entries_[host].lane + nic.lane)].sent +=
      units_.packets[nic.packet].packet.flits;
  nic.packet = nothing;
  if (nic.first != nothing) units_.active.insert(host);
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::credit_nics(Index block, Index p) {
  for (Index lane = p * lanes(); lane < (p + 1) * lanes(); lane += together) {
    const std::size_t i = first_word(block) + lane * wide;
    Word* const due = credited_.at(units_.now) + head_.size() + i;
    const G arrived = load<G>(due), open = load<G>(&nic_open_[i]);
    const bool any_helps = layout_.cut_through || layout_.empty_lanes;
    const G helps = any_helps ? arrived : arrived & ~open;
    store(due, G{});
    store(&nic_open_[i], open | arrived);
    add(&nic_credits_[i * count_bits_], arrived, count_bits_);
    if (any(helps)) each(block, lane, helps, [this](const LanePlace& at) { wake_nic(at); });
  }
}

/// A credit has come that may let it begin a packet.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void BitSlicedKernel<fixed_ports, fixed_lanes, wide>::wake_nic(const LanePlace& at) {
  units_.active.insert(host_at(at));
}

}  // namespace weft::sim
