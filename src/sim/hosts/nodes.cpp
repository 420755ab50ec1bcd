// SPDX-License-Identifier: Apache-2.0
// How host events and the network's cycles go together.
#include "sim/hosts/nodes.hpp"

#include <algorithm>

#include "sim/elan/elans.hpp"
#include "sim/hosts/hosts.hpp"

namespace weft::sim {

Nodes::Nodes(const Fabric& fabric, const Tables& tables, const SwitchModel& switches,
             const NicModel& model, std::uint32_t processors, const NetworkOptions& network)
    : fabric_(fabric),
      tables_(tables),
      model_(model),
      flit_(switches.flit),
      network_(fabric, tables, switches, network),
      cycle_(network_.cycle()),
      processors_each_(processors),
      processors_(fabric.host_count() * processors),
      memories_(fabric.host_count()) {
  for (HostId host : fabric.hosts()) flit_time_.push_back(flit_ / fabric[host].wire.speed);
}

Cycle Nodes::cycle_of(Duration time) const {
  return static_cast<Cycle>((time.count() + cycle_.count() - 1) / cycle_.count());
}

Ended Nodes::run(HostUser& user, Duration until) {
  user_ = &user;
  until_ = until;
  user_->settle();
  drain();
  return network_.run(*this, until == Kernel::never ? sim::never : cycle_of(until));
}

void Nodes::timer(Network&, HostId) {
  armed_ = sim::never;
  for (const Packet& packet : outbox_) network_.send(packet);
  outbox_.clear();
  drain();
}

/// Host events up to this cycle; while the network is empty, up to the first packet.
void Nodes::drain() {
  Duration limit = in_network_ == 0 ? until_ : time_of(network_.now());
  while (kernel_.next() <= limit && kernel_.pending() > 0) {
    const bool was_empty = in_network_ == 0;
    kernel_.step();
    user_->settle();
    if (was_empty && in_network_ > 0)
      limit = time_of(std::max(cycle_of(kernel_.now()), network_.now()));
  }
  arm();
}

void Nodes::arm() {
  Cycle next = sim::never;
  if (!outbox_.empty())
    next = outbox_.front().created;
  else if (kernel_.pending() > 0)
    next = cycle_of(kernel_.next());
  if (next == armed_ || next == sim::never) return;
  armed_ = next;
  network_.wake(HostId(0), next);
}

void Nodes::send(const Packet& packet, std::uint32_t reports) {
  in_network_ += reports;
  const Cycle at = cycle_of(kernel_.now());
  if (at <= network_.now()) {
    network_.send(packet);
    return;
  }
  outbox_.push_back(packet);
  outbox_.back().created = at;
}

std::unique_ptr<Nodes> make_nodes(const Fabric& fabric, const Tables& tables,
                                  const SwitchModel& switches, const NicModel& model,
                                  const Nodes::Options& options) {
  if (model.elan) return std::make_unique<Elans>(fabric, tables, switches, model, options);
  return std::make_unique<Hosts>(fabric, tables, switches, model, options);
}

}  // namespace weft::sim
