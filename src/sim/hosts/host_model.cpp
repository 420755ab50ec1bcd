// SPDX-License-Identifier: Apache-2.0
// HostModel: interleaves host events with the network's cycles.
#include "sim/hosts/host_model.hpp"

#include <algorithm>

namespace weft::sim {

HostModel::HostModel(const NicModel& model, const HostSetup& setup)
    : fabric_(setup.fabric),
      tables_(setup.tables),
      model_(model),
      flit_(setup.switches.flit),
      network_(setup.fabric, setup.tables, setup.switches, setup.options.network),
      cycle_(network_.cycle()),
      processors_each_(setup.options.processors),
      processors_(fabric_.host_count() * processors_each_),
      memories_(fabric_.host_count()) {
  for (HostId host : fabric_.hosts()) flit_time_.push_back(flit_ / fabric_[host].wire.speed);
}

Cycle HostModel::cycle_of(Duration time) const {
  return static_cast<Cycle>((time.count() + cycle_.count() - 1) / cycle_.count());
}

NetworkEnd HostModel::run(HostUser& user, Duration until) {
  user_ = &user;
  until_ = until;
  user_->settle();
  drain();
  return network_.run(*this, until == Kernel::never ? sim::never : cycle_of(until));
}

void HostModel::timer(Network&, HostId) {
  armed_ = sim::never;
  for (const Packet& packet : outbox_) network_.send(packet);
  outbox_.clear();
  drain();
}

/// Runs host events up to this cycle or, while the network is empty, up to the first packet.
void HostModel::drain() {
  Duration limit = in_network_ == 0 ? until_ : time_of(network_.now());
  for (bool was_empty = in_network_ == 0; kernel_.step(limit); was_empty = in_network_ == 0) {
    user_->settle();
    if (was_empty && in_network_ > 0)
      limit = time_of(std::max(cycle_of(kernel_.now()), network_.now()));
  }
  arm();
}

void HostModel::arm() {
  Cycle next = sim::never;
  if (!outbox_.empty())
    next = outbox_.front().created;
  else if (const Duration first = kernel_.next(); first != Kernel::never)
    next = is_in_cycle(first, armed_) ? armed_ : cycle_of(first);
  if (next == armed_ || next == sim::never) return;
  armed_ = next;
  network_.wake(HostId(0), next);
}

void HostModel::send(const Packet& packet, std::uint32_t reports) {
  in_network_ += reports;
  if (kernel_.now() <= time_of(network_.now())) {
    network_.send(packet);
    return;
  }
  outbox_.push_back(packet);
  outbox_.back().created = cycle_of(kernel_.now());
}

}  // namespace weft::sim
