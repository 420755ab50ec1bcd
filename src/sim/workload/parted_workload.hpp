// SPDX-License-Identifier: Apache-2.0
// PartedWorkload: a workload whose hosts may be on several threads: those of a part count with a
// meter of their own.
#pragma once
#include <memory>
#include <vector>

#include "base/error.hpp"
#include "sim/workload/workload.hpp"

namespace weft::sim {

/// What hosts do is for Own, which is given the meter to count with:
///   void act(Network&, std::span<const HostId>, Meter&)        these hosts are woken
///   void answer(Network&, const Packet&, HostId at, Meter&)    a packet has come, and is counted
///   void go_on_without(Network&, const Packet&)                a packet is lost, and is counted;
/// the last one never in parts, if the workload answers packets.
template <class Own>
class PartedWorkload : public Workload {
 public:
  void timer(Network& network, HostId host) final { timers(network, {&host, 1}); }
  void timers(Network& network, std::span<const HostId> hosts) final {
    own().act(network, hosts, meter_);
  }
  void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) final {
    count(network, packet, at, hops, meter_);
  }
  void lost(Network& network, const Packet& packet, HostId, Loss why) final {
    count_loss(network, packet, why, meter_);
  }
  std::vector<Driver*> in_parts(std::size_t parts) override {
    std::vector<Driver*> out;
    for (; parts != 0; --parts) {
      parts_.push_back(std::make_unique<HostsOfPart>(*this));
      out.push_back(parts_.back().get());
    }
    return out;
  }
  void stopped(Network&) override {
    for (const auto& part : parts_) meter_.add(part->meter);
    parts_.clear();
  }

 protected:
  explicit PartedWorkload(Meter& meter) : meter_(meter) {}

  Meter& meter_;

 private:
  struct HostsOfPart final : Driver {
    explicit HostsOfPart(PartedWorkload& all_hosts) : all(all_hosts), meter(all.meter_.of_part()) {}
    AnswerScope answers() const override { return all.answers(); }
    void timer(Network& network, HostId host) override { timers(network, {&host, 1}); }
    void timers(Network& network, std::span<const HostId> hosts) override {
      all.own().act(network, hosts, meter);
    }
    void delivered(Network& network, const Packet& packet, HostId at, unsigned hops) override {
      all.count(network, packet, at, hops, meter);
    }
    void lost(Network& network, const Packet& packet, HostId, Loss why) override {
      invariant(all.answers() == AnswerScope::never, "a packet of a part is lost");
      all.count_loss(network, packet, why, meter);
    }

    PartedWorkload& all;
    Meter meter;
  };

  Own& own() { return static_cast<Own&>(*this); }
  void count(Network& network, const Packet& packet, HostId at, unsigned hops, Meter& meter) {
    meter.delivered(packet, network.now(), hops);
    own().answer(network, packet, at, meter);
  }
  void count_loss(Network& network, const Packet& packet, Loss why, Meter& meter) {
    meter.lost(packet, network.now(), why);
    own().go_on_without(network, packet);
  }

  std::vector<std::unique_ptr<HostsOfPart>> parts_;
};

}  // namespace weft::sim
