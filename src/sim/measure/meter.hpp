// SPDX-License-Identifier: Apache-2.0
// Meter: counts what a workload sends and its outcome. The sample is the packets created between
// open() and close(), or those delivered between them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>

#include "sim/measure/batches.hpp"
#include "sim/measure/histogram.hpp"
#include "sim/network.hpp"

namespace weft::sim {

/// Only packets of kind `data` are counted as traffic. The tag of a `reply` is the cycle in which
/// its request was created.
inline constexpr std::uint32_t data = 0, acknowledgment = 1, reply = 2;

class Meter {
 public:
  /// Since the beginning.
  struct PacketCounts {
    std::uint64_t sent = 0, delivered = 0, lost = 0;  ///< packets
    std::uint64_t flits_sent = 0, flits_delivered = 0;
    std::uint64_t flits_aside = 0;  ///< arrived, but of acknowledgments, replies or corrupted
    std::uint64_t latency = 0;      ///< of all delivered, together
    std::uint64_t squares = 0;      ///< of the lengths of all sent, in flits, together

    std::uint64_t inside() const { return sent - delivered - lost; }
    PacketCounts& operator+=(const PacketCounts& other);
  };
  struct Sample {
    Cycle begin = never, end = never;  ///< of creation
    Cycle opened = 0;
    Histogram normal{}, urgent{};  ///< latencies, by priority
    Batches batches{};
    std::uint64_t network_latency = 0, hops = 0;  ///< of all delivered, together
    std::uint64_t lost = 0;
    Histogram replies{}, round_trips{};  ///< latencies of replies, and of them with their requests
    /// Sent, and neither delivered nor lost; of a part less than 0, where others have sent them.
    std::int64_t awaited_replies = 0;

    std::uint64_t delivered() const { return normal.count() + urgent.count(); }
    void add(const Sample& part);
    bool has(Cycle created) const { return created >= begin && created < end; }
  };

  explicit Meter(std::size_t hosts)
      : flits_of_(hosts), flits_sent_of_(hosts), flits_lost_of_(hosts) {}

  /// A meter for a part of the traffic, which has counted nothing yet and samples what this one
  /// does; and what it has counted since.
  Meter of_part() const;
  void add(const Meter& part);

  /// A packet of so many flits.
  void sent(HostId from, std::uint32_t flits) {
    ++counts_.sent;
    counts_.flits_sent += flits;
    counts_.squares += std::uint64_t{flits} * flits;
    flits_sent_of_[from] += flits;
    longest_ = std::max(longest_, flits);
  }
  void delivered(const Packet& packet, Cycle now, unsigned hops) {
    if (packet.kind != data) {
      counts_.flits_aside += packet.flits;
      if (packet.kind == reply) reply_delivered(packet, now);
      return;
    }
    const Cycle latency = now - packet.created;
    ++counts_.delivered;
    counts_.flits_delivered += packet.flits;
    counts_.latency += latency;
    flits_of_[packet.from] += packet.flits;
    last_ = std::max(last_, now);
    if (!sample_.has(packet.created)) return;
    (packet.urgent ? sample_.urgent : sample_.normal).add(latency);
    const Cycle at = sample_.begin == sample_.opened ? packet.created : now;
    sample_.batches.add(at - sample_.opened, latency);
    sample_.network_latency += now - packet.injected;
    sample_.hops += hops;
  }
  void lost(const Packet& packet, Cycle now, Loss why) {
    ++lost_why_[why];
    if (why == Loss::corrupted) counts_.flits_aside += packet.flits;
    if (packet.kind == reply) {
      last_ = std::max(last_, now);
      if (sample_.has(packet.tag)) --sample_.awaited_replies;
    }
    if (packet.kind != data) return;
    ++counts_.lost;
    flits_lost_of_[packet.from] += packet.flits;
    last_ = std::max(last_, now);
    if (sample_.has(packet.created)) ++sample_.lost;
  }
  /// The destination of a request answers it.
  void answered(const Packet& request) {
    if (sample_.has(request.created)) ++sample_.awaited_replies;
  }

  /// Samples the packets that are created from now on.
  void open(Cycle now) {
    sample_.begin = sample_.opened = now;
    at_open_ = counts_;
  }
  /// Samples the packets that are delivered from now on.
  void open_for_all(Cycle now) {
    open(now);
    sample_.begin = 0;
  }
  void close(Cycle now) {
    sample_.end = now;
    at_close_ = counts_;
  }

  const PacketCounts& counts() const { return counts_; }
  const PacketCounts& at_open() const { return at_open_; }
  const PacketCounts& at_close() const { return at_close_; }
  const Sample& sample() const { return sample_; }
  /// Packets of the closed sample, and replies to them, that are neither delivered nor lost yet.
  std::uint64_t outstanding() const {
    return at_close_.sent - at_open_.sent - sample_.delivered() - sample_.lost +
           static_cast<std::uint64_t>(sample_.awaited_replies);
  }
  /// Flits delivered of each source.
  const IdVector<HostId, std::uint64_t>& flits_of() const { return flits_of_; }
  /// The same of those sent, and of those lost.
  const IdVector<HostId, std::uint64_t>& flits_sent_of() const { return flits_sent_of_; }
  const IdVector<HostId, std::uint64_t>& flits_lost_of() const { return flits_lost_of_; }
  /// Flits of the longest packet sent.
  std::uint32_t longest() const { return longest_; }
  /// Packets of every kind.
  const std::map<Loss, std::uint64_t>& lost_why() const { return lost_why_; }
  /// When the last packet was delivered or lost.
  Cycle last() const { return last_; }

 private:
  void reply_delivered(const Packet& packet, Cycle now) {
    last_ = std::max(last_, now);
    if (!sample_.has(packet.tag)) return;
    --sample_.awaited_replies;
    sample_.replies.add(now - packet.created);
    sample_.round_trips.add(now - packet.tag);
  }

  PacketCounts counts_{}, at_open_{}, at_close_{};
  Sample sample_{};
  IdVector<HostId, std::uint64_t> flits_of_, flits_sent_of_, flits_lost_of_;
  std::uint32_t longest_ = 1;
  std::map<Loss, std::uint64_t> lost_why_{};
  Cycle last_ = 0;
};

}  // namespace weft::sim
