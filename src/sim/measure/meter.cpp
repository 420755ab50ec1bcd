// SPDX-License-Identifier: Apache-2.0
// Meters of parts: sums, so that it does not matter who has counted what.
#include "sim/measure/meter.hpp"

namespace weft::sim {

Meter::PacketCounts& Meter::PacketCounts::operator+=(const PacketCounts& other) {
  sent += other.sent;
  delivered += other.delivered;
  lost += other.lost;
  flits_sent += other.flits_sent;
  flits_delivered += other.flits_delivered;
  flits_aside += other.flits_aside;
  latency += other.latency;
  squares += other.squares;
  return *this;
}

void Meter::Sample::add(const Sample& part) {
  normal += part.normal;
  urgent += part.urgent;
  batches += part.batches;
  network_latency += part.network_latency;
  hops += part.hops;
  lost += part.lost;
  replies += part.replies;
  round_trips += part.round_trips;
  awaited_replies += part.awaited_replies;
}

Meter Meter::of_part() const {
  Meter out(flits_of_.size());
  out.sample_.begin = sample_.begin;
  out.sample_.end = sample_.end;
  out.sample_.opened = sample_.opened;
  return out;
}

void Meter::add(const Meter& part) {
  counts_ += part.counts_;
  sample_.add(part.sample_);
  for (const HostId host : flits_of_.ids()) {
    flits_of_[host] += part.flits_of_[host];
    flits_sent_of_[host] += part.flits_sent_of_[host];
    flits_lost_of_[host] += part.flits_lost_of_[host];
  }
  longest_ = std::max(longest_, part.longest_);
  for (const auto& [why, count] : part.lost_why_) lost_why_[why] += count;
  last_ = std::max(last_, part.last_);
}

}  // namespace weft::sim
