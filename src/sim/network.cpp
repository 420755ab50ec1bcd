// SPDX-License-Identifier: Apache-2.0
// Network: forwards to the core of the flit simulator in sim/engine.
#include "sim/network.hpp"

#include "sim/engine/engine.hpp"

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
    : engine_(std::make_unique<Engine>(fabric, tables, model, options)) {}
Network::~Network() = default;
Network::Network(Network&&) noexcept = default;

NetworkEnd Network::run(Driver& driver, Cycle until) { return engine_->run(*this, driver, until); }
bool Network::deadlocked() { return engine_->stalled(); }
Cycle Network::now() const { return engine_->state.now; }
RouteId Network::add_route(HostId from, HostId to, std::span<const PortNumber> tags) {
  return engine_->add_route(from, to, tags);
}
PortNumber Network::add_links(const std::vector<PortNumber>& ports) {
  return engine_->add_links(ports);
}
void Network::send(const Packet& packet) { engine_->send(packet); }
void Network::close(std::uint32_t id) { engine_->state.close_circuit(id); }
void Network::release_buffer(HostId at) {
  engine_->state.take_packet(static_cast<Index>(at.index()));
}
void Network::wake(HostId host, Cycle at) {
  engine_->state.timers.set(static_cast<Index>(host.index()), at);
}

const Totals& Network::totals() const { return engine_->state.totals; }

std::vector<LaneUse> Network::lane_use() const {
  engine_->settle();
  const State& state = engine_->state;
  std::vector<LaneUse> out;
  const auto add = [&](Index port, LaneUse use) {
    for (Index v = 0; v < state.lanes; ++v) {
      use.lane = static_cast<Lane>(v);
      use.flits = state.out[port * state.lanes + v].sent;
      out.push_back(use);
    }
  };
  const Fabric& fabric = state.fabric;
  for (ChannelId c : fabric.channels())
    add(state.port_at(fabric.from(c), fabric.out_port(c)), {.channel = c});
  for (HostId h : fabric.hosts()) {
    add(state.port_of_host(h), {.host = h});
    add(state.port_at(fabric[h].on, fabric[h].port), {.host = h, .to_host = true});
  }
  return out;
}

const std::string& Network::explanation() const { return engine_->explanation; }
Duration Network::cycle() const { return engine_->state.cycle; }
const Fabric& Network::fabric() const { return engine_->state.fabric; }
const Tables& Network::tables() const { return engine_->state.tables; }

}  // namespace weft::sim
