// SPDX-License-Identifier: Apache-2.0
// NICs of a dense network. They are handled where their packets come in: by in-lane of the switch.
#pragma once
#include "sim/engine/dense/dense_of.hpp"

namespace weft::sim {

/// NICs that send nothing begin the next packet of their queue, on the next lane that can take it.
/// Returns those that may begin another one in the next cycle.
template <Index fixed_ports, Index fixed_lanes, Index wide>
Word DenseOf<fixed_ports, fixed_lanes, wide>::begin_packets(Index first_host, Word hosts) {
  const bool any_lane = state_.model.host_lanes && state_.control_shift == 0;
  const bool by_packet = state_.cut_through;
  const Cycle now = state_.now;
  std::uint64_t begun = 0;
  Word more = 0;
  for (Word left = hosts; left != 0; left &= left - 1) {
    const Index host = first_host + lowest(left);
    Nic& nic = state_.nics[host];
    if (nic.packet != nothing || nic.first == nothing) continue;
    const Entry entry = entries_[host];
    const Index packet = nic.first;
    Slot& slot = state_.slots[packet];
    const std::uint64_t allowed = any_lane ? ~std::uint64_t{0} : state_.entry_lanes(slot);
    Index v = nic.lane, tried = 0;
    do {
      v = after(v, lanes());
      if ((nic_open_[entry.word + v * wide] >> entry.bit & allowed >> v & 1) != 0 &&
          (!by_packet || fits(entry, v, slot.packet.flits)))
        break;
    } while (++tried < lanes());
    if (tried == lanes()) continue;
    nic_[entry.word + v * wide] |= Word{1} << entry.bit;
    queue(entry.line + v * Knots::apart, packet);
    nic.first = slot.next;
    nic.lane = v;
    slot.packet.injected = now;
    ++begun;
    if (begin_long(host, packet)) more |= left & (~left + 1);
  }
  state_.totals.waiting -= begun;
  return more;
}

/// Whether a lane of a NIC has credits for so many flits.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::noinline]] bool DenseOf<fixed_ports, fixed_lanes, wide>::fits(const Entry& entry, Index v,
                                                                     Index flits) const {
  return at_.number(nic_credits_, count_bits_, place(entry.lane + v)) >= flits;
}

/// Notes how many flits the packet has. One of one flit is gone at the end of the cycle.
template <Index fixed_ports, Index fixed_lanes, Index wide>
[[gnu::noinline]] bool DenseOf<fixed_ports, fixed_lanes, wide>::begin_long(Index host,
                                                                           Index packet) {
  Nic& nic = state_.nics[host];
  const Index in_lane = entries_[host].lane + nic.lane, out_lane = state_.in[in_lane].upstream;
  const Index flits = state_.slots[packet].packet.flits;
  if (flits == 1) {
    ++state_.out[out_lane].sent;
    return nic.first != nothing;
  }
  nic.packet = packet;
  nic.out = out_lane;
  at_.set(nic_left_, left_bits_, place(in_lane), flits - 1);
  return false;
}

/// NICs on port `p` send flits of the packets they have begun.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::inject(Index block, Index p) {
  Word flits_of[most_lanes * wide];
  G all{};
  for (Index slot = p * lanes(); slot < (p + 1) * lanes(); slot += together) {
    const std::size_t i = first_word(block) + slot * wide;
    const G flits = load<G>(&nic_[i]) & load<G>(&nic_open_[i]);
    Word* const left = nic_left_.data() + i * left_bits_;
    const G tails = left_bits_ == 0 ? flits : flits & ~some_of<G>(left, left_bits_);
    store(&nic_open_[i], subtract(&nic_credits_[i * count_bits_], flits, count_bits_));
    subtract(left, flits & ~tails, left_bits_);
    store(&nic_[i], load<G>(&nic_[i]) & ~tails);
    store(&flits_of[(slot - p * lanes()) * wide], flits);
    all |= flits;
    state_.totals.flits_injected += count(flits);
    if (left_bits_ > 0 && any(tails))
      each(block, slot, tails, [this](const Place& at) { end_injection(at); });
  }
  if (!plain_ && any(all)) send(from_nic_, {block, p}, flits_of, arrivals_);
}

/// The last flit of a packet has left its NIC (if it was not the first).
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::end_injection(const Place& at) {
  const Index out_lane = state_.in[lane_at(at)].upstream;
  const Index host = state_.out[out_lane].holder;
  Nic& nic = state_.nics[host];
  if (nic.packet == nothing) return;
  state_.out[out_lane].sent += state_.slots[nic.packet].packet.flits;
  nic.packet = nothing;
  if (nic.first != nothing) state_.active.insert(host);
}

template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::credit_nics(Index block, Index p) {
  for (Index slot = p * lanes(); slot < (p + 1) * lanes(); slot += together) {
    const std::size_t i = first_word(block) + slot * wide;
    Word* const due = credited_.at(state_.now) + head_.size() + i;
    const G come = load<G>(due), open = load<G>(&nic_open_[i]);
    const G helps = state_.cut_through ? come : come & ~open;
    store(due, G{});
    store(&nic_open_[i], open | come);
    add(&nic_credits_[i * count_bits_], come, count_bits_);
    if (any(helps)) each(block, slot, helps, [this](const Place& at) { wake_nic(at); });
  }
}

/// A credit has come that may let it begin a packet.
template <Index fixed_ports, Index fixed_lanes, Index wide>
void DenseOf<fixed_ports, fixed_lanes, wide>::wake_nic(const Place& at) {
  state_.active.insert(state_.out[state_.in[lane_at(at)].upstream].holder);
}

}  // namespace weft::sim
