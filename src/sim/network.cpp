// SPDX-License-Identifier: Apache-2.0
// Network: forwards to the core of the flit simulator in sim/flit.
#include "sim/network.hpp"

#include "sim/flit/simulator.hpp"

namespace weft::sim {

std::string_view to_text(Loss loss) {
  switch (loss) {
    case Loss::no_route:
      return "no route";
    case Loss::loop:
      return "loop";
    case Loss::link_down:
      return "link down";
    case Loss::switch_down:
      return "switch down";
    case Loss::corrupted:
      return "corrupted";
  }
  return "";
}

Network::Network(const Fabric& fabric, const Tables& tables, const SwitchModel& model,
                 const NetworkOptions& options)
    : simulator_(std::make_unique<FlitSimulator>(fabric, tables, model, options)),
      now_(&simulator_->units.now) {}
Network::~Network() = default;
Network::Network(Network&&) noexcept = default;

NetworkEnd Network::run(Driver& driver, Cycle until) {
  return simulator_->run(*this, driver, until);
}
bool Network::deadlocked() { return simulator_->stalled(); }
RouteId Network::add_route(HostId from, HostId to, std::span<const PortNumber> tags) {
  return simulator_->add_route(from, to, tags);
}
PortNumber Network::add_links(const std::vector<PortNumber>& ports) {
  return simulator_->add_links(ports);
}
void Network::send(const Packet& packet) { simulator_->send(packet); }
void Network::send(HostId from, HostId to, std::uint32_t flits, bool urgent, Cycle created) {
  simulator_->send(from, to, flits, urgent, created);
}
void Network::close(std::uint32_t id) { simulator_->injection.close_circuit(id); }
void Network::release_buffer(HostId at) {
  simulator_->units.release_buffer(static_cast<Index>(at.index()));
}
void Network::wake(HostId host, Cycle at) {
  simulator_->timers.set(static_cast<Index>(host.index()), at);
}
void Network::prefetch(HostId host) const {
  simulator_->injection.prefetch(static_cast<Index>(host.index()));
}
void Network::wake_when_idle(HostId host, Cycle at) {
  simulator_->injection.wake_when_idle(static_cast<Index>(host.index()), at);
}

const Totals& Network::totals() const { return simulator_->units.totals; }
std::vector<LaneUse> Network::lane_use() const { return simulator_->lane_use(); }
std::vector<PathUse> Network::paths_used() const { return simulator_->paths_used(); }
const std::string& Network::explanation() const { return simulator_->explanation(); }
Duration Network::cycle() const { return simulator_->layout.timing.cycle(); }
const Fabric& Network::fabric() const { return simulator_->layout.fabric; }
const Tables& Network::tables() const { return simulator_->layout.tables; }

}  // namespace weft::sim
